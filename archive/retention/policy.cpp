#include "archive/retention/retention.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fnmatch.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage::archive {
namespace {

using std::chrono::days;

std::string spanOf(std::string_view span, Date date) {
  const std::chrono::year_month_day ymd(date);
  const int year = static_cast<int>(ymd.year());
  const unsigned month = static_cast<unsigned>(ymd.month());
  if (span == "year") return fmt::format("{:04}", year);
  if (span == "quarter") return fmt::format("{:04}-Q{}", year, (month + 2) / 3);
  if (span == "month") return fmt::format("{:04}-{:02}", year, month);
  if (span == "week")
    return fmt::format("the week of {}",
                       formatDate(date - (std::chrono::weekday(date) - std::chrono::Monday)));
  return formatDate(date);
}

struct Key {
  std::string_view name;
  bool isSpan = false;
  std::string (*value)(const ArtifactRecord&) = nullptr;
};
constexpr std::array kKeys{
    Key{"name", false, [](const ArtifactRecord& r) { return r.name; }},
    Key{"case", false,
        [](const ArtifactRecord& r) { return r.caseId.empty() ? r.name : r.caseId; }},
    Key{"primitive", false, [](const ArtifactRecord& r) { return r.primitive; }},
    Key{"platforms", false,
        [](const ArtifactRecord& r) { return fmt::format("{}", fmt::join(r.platforms, ",")); }},
    Key{"variant", false, [](const ArtifactRecord& r) { return r.variant; }},
    Key{"producer", false, [](const ArtifactRecord& r) { return r.producer; }},
    Key{"day", true},
    Key{"week", true},
    Key{"month", true},
    Key{"quarter", true},
    Key{"year", true},
};

// '*' stands for any text and '?' for one character; brackets are themselves,
// since names of cases are full of them.
bool matches(const std::string& pattern, const std::string& text) {
  std::string plain;
  for (const char character : pattern)
    plain += character == '[' ? std::string("[[]") : std::string(1, character);
  return ::fnmatch(plain.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

bool anyMatches(const std::vector<std::string>& patterns, const std::vector<std::string>& values) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return std::ranges::any_of(values, std::bind_front(matches, pattern));
         });
}

bool applies(const RetentionRule& rule, const ArtifactRecord& record) {
  return anyMatches(rule.names, {record.name}) && anyMatches(rule.primitives, {record.primitive}) &&
         anyMatches(rule.platforms, record.platforms) &&
         anyMatches(rule.variants, {record.variant}) &&
         anyMatches(rule.producers, {record.producer}) &&
         (!rule.imported || *rule.imported == record.caseId.empty());
}

}  // namespace

std::vector<std::string> groupKeys() {
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  return names;
}

std::optional<std::string> RetentionDecision::refusal(const RetentionRule& rule, State& state,
                                                      const ArtifactRecord& record) const {
  if (!applies(rule, record)) return fmt::format("'{}' does not apply", rule.name);
  if (rule.keep == RetentionRule::Keep::kAll) return std::nullopt;
  if (rule.keep == RetentionRule::Keep::kAge) {
    if (record.buildDate >= today_ - days(rule.days)) return std::nullopt;
    return fmt::format("'{}' begins on {}", rule.name, formatDate(today_ - days(rule.days)));
  }
  std::string group, span;
  for (const std::string& name : rule.per) {
    const Key& key = *std::ranges::find(kKeys, std::string_view(name), &Key::name);
    std::string value = key.isSpan ? spanOf(name, record.buildDate) : key.value(record);
    if (key.isSpan) span += value + '\n';
    group += value + '\n';
  }
  if (span != state.span) {
    state.counts.clear();
    state.span = span;
  }
  if (++state.counts[group] <= rule.count) return std::nullopt;
  return fmt::format("'{}' keeps {} newer", rule.name, rule.count);
}

std::string RetentionDecision::reasonToGo(const ArtifactRecord& record) {
  if (record.buildDate > today_) {
    ++keptBy_["built after today"];
    return {};
  }
  std::vector<std::string> refusals;
  const std::string* keeper = nullptr;
  // All of them: what another rule keeps counts among the newest of this one.
  for (size_t index = 0; index < policy_.rules.size(); ++index) {
    auto refused = refusal(policy_.rules[index], states_[index], record);
    if (refused)
      refusals.push_back(std::move(*refused));
    else if (keeper == nullptr)
      keeper = &policy_.rules[index].name;
  }
  if (keeper != nullptr) {
    ++keptBy_[*keeper];
    return {};
  }
  return fmt::format("{}", fmt::join(refusals, "; "));
}

}  // namespace vintage::archive
