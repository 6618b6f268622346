#include "archive/records/window_policy.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "archive/records/json_fields.h"
#include "archive/records/speed_promise_fields.h"
#include "golden/base/strict_json.h"

namespace vintage::archive {
namespace {

constexpr const char* kFormat = "vintage window policy";
constexpr int kNewestFormatVersion = 1;
// Nobody promises longer, and dates stay far from the calendar's end.
constexpr int kLongestYears = 100;

Date addMonths(Date date, int months) {
  const std::chrono::year_month_day day(date);
  const std::chrono::year_month month =
      std::chrono::year_month(day.year(), day.month()) + std::chrono::months(months);
  const std::chrono::year_month_day same(month.year(), month.month(), day.day());
  return same.ok() ? Date(same)
                   : Date(std::chrono::year_month_day_last(
                         month.year(), std::chrono::month_day_last(month.month())));
}

Date moved(Date date, const PromiseRule& rule, int sign) {
  if (rule.months == 0 && rule.years == 0) return date + std::chrono::days(sign * rule.days);
  return addMonths(date, sign * (rule.months + 12 * rule.years));
}

constexpr auto kPromiseFields = [](JsonFieldReader& fields, PromiseRule& rule) {
  std::string direction;
  std::vector<std::string> formats;
  fields.required("name", rule.name);
  fields.required("direction", direction);
  fields.optional("days", rule.days);
  fields.optional("months", rule.months);
  fields.optional("years", rule.years);
  fields.optional("formats", formats);
  if (rule.name.empty()) fields.fail("name", "a promise has a name");
  if (direction == "forward")
    rule.direction = Promise::kForward;
  else if (direction != "backward")
    fields.fail("direction", fmt::format("'{}' is neither backward nor forward", direction));
  const int given = (rule.days != 0) + (rule.months != 0) + (rule.years != 0);
  if (given != 1 || rule.days < 0 || rule.months < 0 || rule.years < 0 ||
      rule.days > 366 * kLongestYears || rule.months > 12 * kLongestYears ||
      rule.years > kLongestYears)
    fields.fail("days",
                fmt::format("a span is given in days, months or years: one of them, above 0 and up "
                            "to {} years",
                            kLongestYears));
  for (const std::string& name : formats) {
    if (const auto format = parseFormat(name))
      rule.formats.push_back(*format);
    else
      fields.fail(
          "formats",
          fmt::format("'{}' is not a format of an artifact; exported, portable artifact and "
                      "saved model are",
                      name));
  }
};

constexpr auto kPolicyFields = [](JsonFieldReader& fields, WindowPolicy& policy) {
  fields.required("name", policy.name);
  fields.list("promises", policy.promises, kPromiseFields);
  fields.optional("default_bump_days", policy.defaultBumpDays);
  fields.object("speed", policy.speed, kSpeedPromiseFields);
};

constexpr auto kCheckPolicy = [](JsonFieldReader& fields, const WindowPolicy& policy) {
  checkSpeedPromise(fields, policy.speed);
  if (policy.promises.empty()) fields.fail("promises", "a policy promises something");
  if (policy.defaultBumpDays && *policy.defaultBumpDays < 0)
    fields.fail("default_bump_days", "a number of days is not negative");
  std::set<std::string> names;
  for (const PromiseRule& rule : policy.promises)
    if (!names.insert(rule.name).second)
      fields.fail("promises", fmt::format("'{}' stands there twice", rule.name));
};

}  // namespace

std::string_view promiseName(Promise promise) {
  return promise == Promise::kBackward ? "backward" : "forward";
}

DateRange PromiseRule::consumers(Date producer) const {
  if (direction == Promise::kBackward) return {producer, moved(producer, *this, 1)};
  return {moved(producer, *this, -1), producer - std::chrono::days(1)};
}

// Months differ in length, so the search starts at the same day of another month.
DateRange PromiseRule::producers(Date consumer) const {
  const auto includes = [&](Date producer) { return consumers(producer).contains(consumer); };
  const int sign = direction == Promise::kBackward ? -1 : 1;
  Date border = moved(consumer, *this, sign);
  const std::chrono::days outward(sign);
  while (border != consumer && !includes(border)) border -= outward;
  while (includes(border + outward)) border += outward;
  if (direction == Promise::kBackward) return {border, consumer};
  return {consumer + std::chrono::days(1), border};
}

Date PromiseRule::plus(Date date) const { return moved(date, *this, 1); }

bool PromiseRule::appliesTo(ArtifactRecord::Format format) const { return admits(formats, format); }

std::string PromiseRule::span() const {
  const auto text = [](int count, const char* unit) {
    return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
  };
  return days > 0 ? text(days, "day") : months > 0 ? text(months, "month") : text(years, "year");
}

PromiseRule WindowPolicy::promise(Promise direction) const {
  const auto found = std::ranges::find(promises, direction, &PromiseRule::direction);
  return found != promises.end()
             ? *found
             : PromiseRule{std::string(promiseName(direction)), direction, 0, 0, 0, {}};
}

std::optional<Promise> WindowPolicy::covers(Date producer, Date consumer) const {
  for (const PromiseRule& rule : promises)
    if (rule.consumers(producer).contains(consumer)) return rule.direction;
  return std::nullopt;
}

WindowPolicy jaxPolicy() {
  return {.name = "jax",
          .promises = {{"backward", Promise::kBackward, 180, 0, 0, {}},
                       {"forward", Promise::kForward, 21, 0, 0, {}}},
          .defaultBumpDays = 30};
}

WindowPolicy stablehloPolicy() {
  const std::vector<ArtifactRecord::Format> portable{ArtifactRecord::Format::kPortableArtifact};
  return {.name = "stablehlo",
          .promises = {{"backward", Promise::kBackward, 0, 0, 5, portable},
                       {"forward", Promise::kForward, 0, 0, 2, portable}},
          .defaultBumpDays = std::nullopt};
}

Result<WindowPolicy> parsePolicy(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kFormat, kNewestFormatVersion));
  return readFields<WindowPolicy>(document, name, kPolicyFields, kCheckPolicy);
}

Result<WindowPolicy> readPolicy(const std::string& nameOrPath) {
  if (nameOrPath == "jax") return jaxPolicy();
  if (nameOrPath == "stablehlo") return stablehloPolicy();
  auto text = readTextFile(nameOrPath);
  if (!text)
    return failure(
        text.error().kind,
        fmt::format("{}; a policy is 'jax', 'stablehlo', or a file (docs/reference/window.md)",
                    text.error().message));
  return parsePolicy(*text, nameOrPath);
}

}  // namespace vintage::archive
