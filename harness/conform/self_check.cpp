#include "harness/conform/self_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Outcome = SelfCheck::Outcome;

// "check.expect_eq", as an operation or as the target of a custom call; empty
// where the operation checks nothing.
std::string checkName(const Operation& operation) {
  if (operation.name.starts_with("check.")) return operation.name;
  if (operation.name != "stablehlo.custom_call") return {};
  const auto* name = attributeField<std::string>(operation.attributes, "call_target_name");
  return name != nullptr && name->starts_with("check.") ? *name : std::string();
}

// Whether any operation of the region is a check.
bool hasChecks(const Region& region) {
  return std::ranges::any_of(region.blocks, [](const Block& block) {
    return std::ranges::any_of(block.operations, [](const Operation& operation) {
      return !checkName(operation).empty() || std::ranges::any_of(operation.regions, hasChecks);
    });
  });
}

SelfCheck runEntry(ModuleTree module, const std::string& entry, ExecutionMode mode) {
  SelfCheck result;
  const auto stop = [&](const Error& error) {
    result.outcome =
        error.kind == Error::Kind::kUnsupported ? Outcome::kUnsupported : Outcome::kError;
    result.messages.push_back(error.message);
    return result;
  };
  const auto function = std::ranges::find(module.functions, entry, &Function::name);
  if (!function->argumentTypes.empty() && !hasChecks(function->body)) {
    result.messages.push_back(fmt::format("@{} takes {} inputs and checks nothing", entry,
                                          function->argumentTypes.size()));
    return result;
  }
  auto checks = extractChecks(*function);
  if (!checks) return stop(checks.error());
  result.checks = static_cast<int>(checks->size());
  auto plan = compile(module, {.mode = mode, .entry = entry});
  if (!plan) return stop(plan.error());
  auto outputs = plan->run({});
  if (!outputs) return stop(outputs.error());
  if (checks->empty()) {
    result.messages.push_back(fmt::format("@{} checks nothing", entry));
    return result;
  }
  for (const Check& check : *checks) {
    const Tensor& expected =
        check.expectedOutput ? (*outputs)[*check.expectedOutput] : check.expected;
    if (auto message = judge(check, (*outputs)[check.actual], expected)) {
      if (!check.location.empty()) *message += " at " + check.location;
      result.messages.push_back(std::move(*message));
    }
  }
  result.outcome = result.messages.empty() ? Outcome::kPassed : Outcome::kMismatch;
  return result;
}

// The line of `text` that holds `offset`, cut where it is long.
std::string lineAt(const std::string& text, size_t offset) {
  offset = std::min(offset, text.size());
  const size_t start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  return text.substr(start, std::min(text.find('\n', offset), text.size()) - start).substr(0, 200);
}

Status checkBy(ProgramContext& context, const Program& program, const std::string& before,
               StablehloVersion version, const std::string& name) {
  ASSIGN_OR_RETURN(auto bytes, program.writePortableArtifact(version, {.locations = true}));
  ASSIGN_OR_RETURN(auto again, context.readPortableArtifact(bytes, name));
  const std::string after = again.print();
  if (before == after) return {};
  const size_t shorter = std::min(before.size(), after.size());
  const auto place = std::mismatch(before.begin(), before.begin() + shorter, after.begin());
  const auto offset = static_cast<size_t>(place.first - before.begin());
  return failure(
      Error::Kind::kMismatch,
      fmt::format("{}: by way of {} the text changes at '{}' to '{}'", name,
                  formatStablehloVersion(version), lineAt(before, offset), lineAt(after, offset)));
}

Result<Check::Kind> kindOf(const std::string& name) {
  if (name == "check.expect_eq" || name == "check.eq" || name == "check.expect_eq_const")
    return Check::Kind::kEqual;
  if (name == "check.expect_almost_eq" || name == "check.expect_almost_eq_const")
    return Check::Kind::kAlmostEqual;
  if (name == "check.expect_close") return Check::Kind::kClose;
  return unsupported("there is no judge for {}", name);
}

// Custom calls may keep the bounds in their backend_config.
Status readBounds(const Operation& operation, Check& check) {
  const auto readFrom = [&](const AttributeMap& attributes) {
    CheckedAttributes read(attributes, check.name);
    check.maxUlps = read.integer("max_ulp_difference", check.maxUlps);
    check.tolerance = read.number("tolerance", check.tolerance);
    return read.status();
  };
  RETURN_IF_ERROR(readFrom(operation.attributes));
  const auto* config = attributeField<AttributeMap>(operation.attributes, "backend_config");
  return config == nullptr ? Status() : readFrom(*config);
}

// Integers must be equal; NaN is the same as NaN.
template <typename T>
bool sameWithin(double tolerance, T a, T b) {
  if constexpr (kIsComplexStorage<T>) {
    return sameWithin(tolerance, a.real(), b.real()) && sameWithin(tolerance, a.imag(), b.imag());
  } else if constexpr (kIsFloatStorage<T>) {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return x == y || (a != a && b != b) || std::abs(x - y) <= tolerance;
  } else {
    return static_cast<int64_t>(a) == static_cast<int64_t>(b);
  }
}

}  // namespace

const char* name(SelfCheck::Outcome outcome) {
  constexpr const char* kNames[] = {"skipped", "passed", "unsupported", "error", "mismatch"};
  return kNames[static_cast<size_t>(outcome)];
}

SelfCheck runSelfCheck(const ModuleTree& module, ExecutionMode mode) {
  std::vector<std::string> entries;
  for (const Function& function : module.functions) {
    if (function.name == "main")
      entries.assign(1, function.name);
    else if (entries != std::vector<std::string>{"main"} && function.argumentTypes.empty() &&
             hasChecks(function.body))
      entries.push_back(function.name);
  }
  SelfCheck total;
  if (entries.empty()) total.messages.push_back("no function without arguments checks anything");
  for (const std::string& entry : entries) {
    SelfCheck one = runEntry(module, entry, mode);
    total.checks += one.checks;
    total.outcome = std::max(total.outcome, one.outcome);
    total.messages.insert(total.messages.end(), one.messages.begin(), one.messages.end());
  }
  return total;
}

Status checkRoundTrip(ProgramContext& context, const Program& program, const std::string& name) {
  ASSIGN_OR_RETURN(auto minimum, program.minimumVersion());
  const std::string before = program.print();
  Status status = checkBy(context, program, before, minimum.version, name);
  if (!status || minimum.version == kCurrentStablehloVersion) return status;
  return checkBy(context, program, before, kCurrentStablehloVersion, name);
}

Result<std::vector<Check>> extractChecks(Function& function) {
  std::vector<Check> checks;
  if (function.body.blocks.size() != 1 || function.body.blocks[0].operations.empty())
    return badInput("@{} has no body of one block", function.name);
  Block& block = function.body.blocks[0];
  std::vector<ValueId> outputs;
  const auto output = [&](ValueId value) {
    const auto found = std::ranges::find(outputs, value);
    if (found != outputs.end()) return static_cast<size_t>(found - outputs.begin());
    outputs.push_back(value);
    return outputs.size() - 1;
  };
  std::vector<Operation> rest;
  for (Operation& operation : block.operations) {
    if (std::ranges::any_of(operation.regions, hasChecks))
      return unsupported("a check within {} cannot be judged", operation.name);
    Check check;
    check.name = checkName(operation);
    if (check.name.empty()) {
      rest.push_back(std::move(operation));
      continue;
    }
    check.location = operation.location;
    ASSIGN_OR_RETURN(check.kind, kindOf(check.name));
    const bool constant = check.name.ends_with("_const");
    if (operation.operands.size() != (constant ? 1u : 2u))
      return badInput("{} has {} operands", check.name, operation.operands.size());
    for (const ValueId operand : operation.operands)
      if (operand >= function.valueTypes.size())
        return badInput("{}: value {} has no type", check.name, operand);
    RETURN_IF_ERROR(readBounds(operation, check));
    // check.eq is written with the expectation first.
    const size_t actual = check.name == "check.eq" ? 1 : 0;
    check.actual = output(operation.operands[actual]);
    if (constant) {
      ASSIGN_OR_RETURN(check.expected,
                       denseValue(operation, function.valueTypes[operation.operands[0]]));
    } else {
      check.expectedOutput = output(operation.operands[1 - actual]);
    }
    checks.push_back(std::move(check));
  }
  block.operations = std::move(rest);
  if (block.operations.empty()) return badInput("@{} does not return", function.name);
  block.operations.back().operands = outputs;
  function.resultTypes.clear();
  function.resultAttributes.clear();
  for (const ValueId value : outputs) function.resultTypes.push_back(function.valueTypes[value]);
  return checks;
}

std::optional<std::string> judge(const Check& check, const Tensor& actual, const Tensor& expected) {
  if (actual.type() != expected.type() || actual.shape() != expected.shape())
    return fmt::format("{}: {} and not {}", check.name, describe(actual), describe(expected));
  return visitElementType(actual.type(), [&]<typename T>() -> std::optional<std::string> {
    const auto a = actual.values<T>(), e = expected.values<T>();
    constexpr bool kHasUlps = kIsFloatStorage<T> || kIsComplexStorage<T>;
    const double tolerance = check.kind == Check::Kind::kAlmostEqual ? check.tolerance : 0;
    int64_t differing = 0, first = -1;
    for (int64_t i = 0; i < actual.size(); ++i) {
      const auto at = static_cast<size_t>(i);
      bool holds = sameWithin(tolerance, a[at], e[at]);
      if constexpr (kHasUlps)
        if (!holds && check.kind == Check::Kind::kClose)
          holds = ulpDistance(actual, i, expected, i) <= check.maxUlps;
      if (holds) continue;
      if (differing++ == 0) first = i;
    }
    if (differing == 0) return std::nullopt;
    std::string message = fmt::format(
        "{}: {} of {} elements of {} differ, the first at {}: {} and not {}", check.name, differing,
        actual.size(), describe(actual), formatIndex(actual.shape(), first),
        formatElement(actual, first), formatElement(expected, first));
    if constexpr (kHasUlps) {
      const int64_t ulps = ulpDistance(actual, first, expected, first);
      message += ulps == kFarApart ? " (no distance)" : fmt::format(" ({} ulps)", ulps);
    }
    return message;
  });
}

}  // namespace vintage::harness
