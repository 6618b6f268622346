#include "harness/conform/check_operations.h"

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

// "check.expect_eq", as an operation or as the target of a custom call; empty
// where the operation checks nothing.
std::string checkName(const Operation& operation) {
  if (operation.name.starts_with("check.")) return operation.name;
  if (operation.name != "stablehlo.custom_call") return {};
  const auto target = operation.attributes.find("call_target_name");
  if (target == operation.attributes.end()) return {};
  const auto* name = std::get_if<std::string>(&target->second.value);
  return name != nullptr && name->starts_with("check.") ? *name : std::string();
}

Result<Check::Kind> kindOf(const std::string& name) {
  if (name == "check.expect_eq" || name == "check.eq" || name == "check.expect_eq_const")
    return Check::Kind::kEqual;
  if (name == "check.expect_almost_eq" || name == "check.expect_almost_eq_const")
    return Check::Kind::kAlmostEqual;
  if (name == "check.expect_close") return Check::Kind::kClose;
  return unsupported("there is no judge for {}", name);
}

Result<Tensor> constantOf(const Operation& operation, const ValueType& type) {
  const auto found = operation.attributes.find("value");
  if (found != operation.attributes.end()) {
    if (const auto* tensor = std::get_if<Tensor>(&found->second.value)) return *tensor;
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&found->second.value))
      return Tensor::fromBytes(type.element, type.shape, std::as_bytes(std::span(*integers)));
    if (const auto* flags = std::get_if<std::vector<bool>>(&found->second.value)) {
      const std::vector<uint8_t> bytes(flags->begin(), flags->end());
      return Tensor::fromBytes(type.element, type.shape, std::as_bytes(std::span(bytes)));
    }
  }
  return badInput("{} has no dense 'value'", operation.name);
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
  const auto config = operation.attributes.find("backend_config");
  if (config == operation.attributes.end()) return {};
  const auto* map = std::get_if<AttributeMap>(&config->second.value);
  return map == nullptr ? Status() : readFrom(*map);
}

template <typename T>
bool sameValue(T a, T b) {
  if constexpr (kIsComplexStorage<T>)
    return sameValue(a.real(), b.real()) && sameValue(a.imag(), b.imag());
  else if constexpr (kIsFloatStorage<T>)
    return static_cast<double>(a) == static_cast<double>(b) || (a != a && b != b);
  else
    return static_cast<int64_t>(a) == static_cast<int64_t>(b);
}

template <typename T>
bool almostSame(T a, T b, double tolerance) {
  if constexpr (kIsComplexStorage<T>) {
    return almostSame(a.real(), b.real(), tolerance) && almostSame(a.imag(), b.imag(), tolerance);
  } else if constexpr (kIsFloatStorage<T>) {
    return sameValue(a, b) ||
           std::abs(static_cast<double>(a) - static_cast<double>(b)) <= tolerance;
  } else {
    return sameValue(a, b);
  }
}

}  // namespace

bool hasChecks(const Region& region) {
  return std::ranges::any_of(region.blocks, [](const Block& block) {
    return std::ranges::any_of(block.operations, [](const Operation& operation) {
      return !checkName(operation).empty() || std::ranges::any_of(operation.regions, hasChecks);
    });
  });
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
                       constantOf(operation, function.valueTypes[operation.operands[0]]));
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

std::optional<std::string> judge(const Check& check, const Tensor& actual,
                                 const Tensor& expected) {
  if (actual.type() != expected.type() || actual.shape() != expected.shape())
    return fmt::format("{}: {} and not {}", check.name, describe(actual), describe(expected));
  return visitElementType(actual.type(), [&]<typename T>() -> std::optional<std::string> {
    const auto a = actual.values<T>(), e = expected.values<T>();
    constexpr bool kHasUlps = kIsFloatStorage<T> || kIsComplexStorage<T>;
    int64_t differing = 0, first = -1;
    for (int64_t i = 0; i < actual.size(); ++i) {
      const auto at = static_cast<size_t>(i);
      bool holds = sameValue(a[at], e[at]);
      if (!holds && check.kind == Check::Kind::kAlmostEqual)
        holds = almostSame(a[at], e[at], check.tolerance);
      if constexpr (kHasUlps)
        if (!holds && check.kind == Check::Kind::kClose)
          holds = ulpDistance(actual, i, expected, i) <= check.maxUlps;
      if (holds) continue;
      if (differing++ == 0) first = i;
    }
    if (differing == 0) return std::nullopt;
    std::string message =
        fmt::format("{}: {} of {} elements of {} differ, the first at {}: {} and not {}",
                    check.name, differing, actual.size(), describe(actual),
                    formatIndex(actual.shape(), first), formatElement(actual, first),
                    formatElement(expected, first));
    if constexpr (kHasUlps) {
      const int64_t ulps = ulpDistance(actual, first, expected, first);
      message += ulps == kFarApart ? " (no distance)" : fmt::format(" ({} ulps)", ulps);
    }
    return message;
  });
}

}  // namespace vintage::harness
