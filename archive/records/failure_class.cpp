#include "archive/records/failure_class.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace vintage::archive {
namespace {

struct NamedFailure {
  FailureClass failure;
  std::string_view name;
};

using enum FailureClass;

constexpr std::array<NamedFailure, 9> kFailures{{
    {kVersionNotReadable, "version not readable"},
    {kOperationUnknown, "operation or attribute unknown"},
    {kTargetNotRegistered, "target not registered"},
    {kNotImplemented, "not implemented"},
    {kWrongValue, "wrong value"},
    {kCrash, "crash"},
    {kTimeout, "timeout"},
    {kExpired, "refused by its own expiry"},
    {kUnknown, "unknown"},
}};

// Lists that are empty fit everything.
struct FailureRule {
  FailureClass failure = kUnknown;
  std::vector<std::string> outcomes, stages, message;
};

FailureClass failureNamed(std::string_view name) {
  return std::ranges::find(kFailures, name, &NamedFailure::name)->failure;
}

std::vector<FailureRule> readFailureRules() {
  constexpr const char* kText =
#include "archive/records/failure_classes.inc"
      ;
  const nlohmann::json document = nlohmann::json::parse(kText);
  std::vector<FailureRule> rules;
  for (const nlohmann::json& one : document.at("rules")) {
    FailureRule rule{failureNamed(one.at("class").get<std::string>()), {}, {}, {}};
    const auto list = [&](const char* field) {
      return one.value(field, std::vector<std::string>());
    };
    rule.outcomes = list("outcome");
    rule.stages = list("stage");
    rule.message = list("message");
    rules.push_back(std::move(rule));
  }
  return rules;
}

bool namesOne(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::ranges::find(list, name) != list.end();
}

bool fits(const FailureRule& rule, OutcomeKind outcome, Stage stage, std::string_view detail) {
  return namesOne(rule.outcomes, outcomeName(outcome)) && namesOne(rule.stages, stageName(stage)) &&
         (rule.message.empty() || std::ranges::any_of(rule.message, [&](const std::string& part) {
            return detail.find(part) != detail.npos;
          }));
}

}  // namespace

std::string_view failureClassName(FailureClass failure) {
  return std::ranges::find(kFailures, failure, &NamedFailure::failure)->name;
}

std::span<const FailureClass> failureClasses() {
  static const auto kAll = [] {
    std::array<FailureClass, kFailures.size()> all{};
    std::ranges::transform(kFailures, all.begin(), &NamedFailure::failure);
    return all;
  }();
  return kAll;
}

std::optional<FailureClass> failureClassOf(OutcomeKind outcome, Stage stage,
                                           std::string_view detail) {
  if (isSuccess(outcome) || outcome == OutcomeKind::kRunnerError) return std::nullopt;
  static const std::vector<FailureRule> rules = readFailureRules();
  for (const FailureRule& rule : rules)
    if (fits(rule, outcome, stage, detail)) return rule.failure;
  return kUnknown;
}

}  // namespace vintage::archive
