#include "archive/records/failure_class.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using enum FailureClass;

// In the order of the enumeration.
constexpr std::array<std::string_view, 12> kClassNames{"version not readable",
                                                       "operation or attribute unknown",
                                                       "target not registered",
                                                       "not implemented",
                                                       "wrong value",
                                                       "crash",
                                                       "timeout",
                                                       "refused by its own expiry",
                                                       "unknown",
                                                       "slower",
                                                       "slower to compile",
                                                       "larger"};
constexpr std::array<std::string_view, 9> kClassWords{"version",       "operation", "target",
                                                      "unimplemented", "value",     "crash",
                                                      "timeout",       "expiry",    "unknown"};
constexpr auto kAllClasses = [] {
  std::array<FailureClass, kClassNames.size()> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<FailureClass>(i);
  return all;
}();
constexpr size_t kClassesOfOutcomes = static_cast<size_t>(kUnknown) + 1;

// An empty list matches everything.
struct FailureRule {
  FailureClass failure = kUnknown;
  std::vector<std::string> outcomes, stages, message;
};

FailureClass failureNamed(std::string_view name) {
  return static_cast<FailureClass>(std::ranges::find(kClassNames, name) - kClassNames.begin());
}

std::vector<FailureRule> readFailureRules() {
  constexpr const char* kText =
#include "archive/records/failure_classes.inc"
      ;
  const nlohmann::json document = nlohmann::json::parse(kText);
  std::vector<FailureRule> rules;
  for (const nlohmann::json& one : document.at("rules")) {
    const auto list = [&](const char* field) {
      return one.value(field, std::vector<std::string>());
    };
    rules.push_back({failureNamed(one.at("class").get<std::string>()), list("outcome"),
                     list("stage"), list("message")});
  }
  return rules;
}

bool fits(const FailureRule& rule, OutcomeKind outcome, Stage stage, std::string_view detail) {
  return admits(rule.outcomes, outcomeName(outcome)) && admits(rule.stages, stageName(stage)) &&
         (rule.message.empty() || std::ranges::any_of(rule.message, [&](const std::string& part) {
            return detail.find(part) != detail.npos;
          }));
}

}  // namespace

std::string_view failureClassName(FailureClass failure) {
  return kClassNames[static_cast<size_t>(failure)];
}

std::string_view failureClassWord(FailureClass failure) {
  return kClassWords.at(static_cast<size_t>(failure));
}

std::span<const FailureClass> failureClasses() {
  return std::span(kAllClasses).first(kClassesOfOutcomes);
}

std::span<const FailureClass> speedClasses() {
  return std::span(kAllClasses).subspan(kClassesOfOutcomes);
}

Result<FailureClass> parseFailureClass(std::string_view name) {
  std::vector<std::string_view> names(kClassNames.begin(), kClassNames.end());
  std::erase(names, failureClassName(kUnknown));
  if (std::ranges::find(names, name) == names.end())
    return badInput("'{}' is not a class of failures; there are: {}", name, fmt::join(names, ", "));
  return failureNamed(name);
}

std::optional<FailureClass> failureClassOf(OutcomeKind outcome, Stage stage,
                                           std::string_view detail) {
  if (!isFailure(outcome) || outcome == OutcomeKind::kRunnerError) return std::nullopt;
  static const std::vector<FailureRule> rules = readFailureRules();
  for (const FailureRule& rule : rules)
    if (fits(rule, outcome, stage, detail)) return rule.failure;
  return kUnknown;
}

}  // namespace vintage::archive
