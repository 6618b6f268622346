#include "harness/engine/rounding.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Libraries' functions differ by more than a rounding; those of narrow types are computed in
// wider ones.
constexpr double kFunctionUnits = 2, kNarrowFunctionUnits = 1;

// Operations that are not here, nor sums, are exact or give no floats.
std::optional<Rounding::Kind> elementwiseKind(std::string_view name) {
  using enum Rounding::Kind;
  static const std::unordered_map<std::string_view, Rounding::Kind> kKinds{
      {"add", kAdd},          {"subtract", kSubtract},     {"multiply", kMultiply},
      {"divide", kDivide},    {"sqrt", kSquareRoot},       {"convert", kConvert},
      {"cbrt", kFunction},    {"exponential", kFunction},  {"exponential_minus_one", kFunction},
      {"log", kFunction},     {"log_plus_one", kFunction}, {"logistic", kFunction},
      {"power", kFunction},   {"rsqrt", kFunction},        {"sine", kFunction},
      {"cosine", kFunction},  {"tan", kFunction},          {"tanh", kFunction},
      {"atan2", kFunction},   {"acos", kFunction},         {"acosh", kFunction},
      {"asin", kFunction},    {"asinh", kFunction},        {"atan", kFunction},
      {"atanh", kFunction},   {"bessel_i1e", kFunction},   {"cosh", kFunction},
      {"digamma", kFunction}, {"erf", kFunction},          {"erf_inv", kFunction},
      {"erfc", kFunction},    {"lgamma", kFunction},       {"polygamma", kFunction},
      {"sinh", kFunction},    {"square", kFunction},       {"zeta", kFunction}};
  const auto known = kKinds.find(name);
  return known == kKinds.end() ? std::nullopt : std::optional(known->second);
}

std::string_view shortName(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find('.') + 1));
  if (name.starts_with("broadcast_") && name != "broadcast_in_dim")
    name.remove_prefix(std::string_view("broadcast_").size());
  return name;
}

bool canRound(ElementType type) { return isFloat(realPart(type)); }

double staticElements(const ValueType& type) {
  double count = 1;
  for (const int64_t dimension : type.shape)
    count *= static_cast<double>(std::max<int64_t>(dimension, 1));
  return count;
}

// Whether a region rounds, and whether it does by adding alone.
struct RegionRounding {
  bool rounds = false, onlyAdds = true;
};
RegionRounding regionRounding(const Operation& operation) {
  RegionRounding found;
  for (const Region& region : operation.regions)
    for (const Block& block : region.blocks)
      for (const Operation& inner : block.operations) {
        const auto known = elementwiseKind(shortName(inner.name));
        found.rounds |= known.has_value();
        found.onlyAdds &= !known || *known == Rounding::Kind::kAdd;
      }
  return found;
}

double windowSize(const Operation& operation) {
  CheckedAttributes read(operation);
  double size = 1;
  for (const int64_t dimension : read.integers("window_dimensions", std::vector<int64_t>{}))
    size *= static_cast<double>(dimension);
  return size;
}

// How many products a result of a contraction adds up, by the sizes alone.
double contractedTerms(const Operation& operation, std::span<const ValueType> operands,
                       const ValueType& result) {
  double batch = 1;
  CheckedAttributes read(operation);
  const auto batching = read.integers("lhs_batching_dimensions", std::vector<int64_t>{});
  for (const int64_t dimension : batching)
    if (dimension >= 0 && dimension < std::ssize(operands[0].shape))
      batch *= static_cast<double>(
          std::max<int64_t>(operands[0].shape[static_cast<size_t>(dimension)], 1));
  return std::max(1.0, std::sqrt(staticElements(operands[0]) * staticElements(operands[1]) /
                                 (staticElements(result) * batch)));
}

Rounding sumOf(double terms, size_t first, size_t last) {
  Rounding rounding{.kind = Rounding::Kind::kSum, .firstMoved = first, .lastMoved = last};
  rounding.terms = std::max(terms, 1.0);
  rounding.operandUnits = std::sqrt(rounding.terms);
  rounding.resultUnits = 1;
  return rounding;
}

Rounding solverOf(std::span<const ValueType> operands) {
  double size = 1;
  for (const ValueType& operand : operands)
    for (size_t d = operand.shape.size() - std::min<size_t>(operand.shape.size(), 2);
         d < operand.shape.size(); ++d)
      size = std::max(size, static_cast<double>(operand.shape[d]));
  Rounding rounding = sumOf(size, 0, operands.size());
  rounding.kind = Rounding::Kind::kSolver;
  return rounding;
}

// Custom calls that compute with floats; the others move, sort or count.
bool solvesOrTransforms(std::string_view target) {
  for (const std::string_view part : {"lapack_", "fft", "solver", "cusparse", "hipsparse", "Eigh",
                                      "Qr", "Householder", "Cholesky", "LuDecomposition"})
    if (target.find(part) != target.npos) return true;
  return false;
}

}  // namespace

Rounding roundingOf(const Operation& operation, std::span<const ValueType> operands,
                    std::span<const ValueType> results) {
  const auto* target = attributeField<std::string>(operation.attributes, "call_target_name");
  // A function that has no operation is a custom call of its name: @mhlo.erf.
  using enum Rounding::Kind;
  const std::string_view name = shortName(target != nullptr ? *target : operation.name);
  if (target != nullptr && solvesOrTransforms(*target)) return solverOf(operands);
  if (results.empty() || operands.empty() || !canRound(results[0].element)) return {};
  if (const auto known = elementwiseKind(name)) {
    Rounding rounding{.kind = *known, .resultUnits = 1};
    const ElementType part = realPart(results[0].element);
    if (isComplex(results[0].element)) {
      // Either part of a product or a quotient may cancel.
      if (rounding.kind == kMultiply || rounding.kind == kDivide)
        return sumOf(1, 0, operands.size());
      if (rounding.kind == kSquareRoot) rounding.kind = kFunction;
    }
    if (rounding.kind == kFunction)
      rounding.resultUnits = byteWidth(part) < 4 ? kNarrowFunctionUnits : kFunctionUnits;
    return rounding;
  }
  if (name == "abs" && isComplex(operands[0].element)) return {.kind = kFunction, .resultUnits = 1};
  if ((name.starts_with("dot") || name == "einsum" || name == "convolution" ||
       name == "dynamic_conv" || name == "ragged_dot") &&
      operands.size() >= 2) {
    Rounding rounding = sumOf(contractedTerms(operation, operands, results[0]), 0, 2);
    rounding.onlyAdds = rounding.accumulatesWide = true;
    return rounding;
  }
  if (name == "fft" || name == "cholesky" || name == "triangular_solve") return solverOf(operands);
  if (name.starts_with("batch_norm") && operands.size() >= 2) {
    Rounding rounding =
        sumOf(staticElements(operands[0]) / staticElements(operands[1]), 0, operands.size());
    rounding.accumulatesWide = true;
    return rounding;
  }
  const RegionRounding region = regionRounding(operation);
  if (!region.rounds) return {};
  const size_t count = results.size();
  Rounding rounding;
  if (name == "map" || name == "all_reduce" || name == "reduce_scatter" ||
      name == "collective_reduce")
    return sumOf(1, 0, 0);
  if (name == "reduce") {
    rounding = sumOf(staticElements(operands[0]) / staticElements(results[0]), 0, count);
  } else if (name == "reduce_window") {
    rounding = sumOf(windowSize(operation), 0, count);
  } else if (name == "select_and_scatter") {
    rounding = sumOf(windowSize(operation), 1, 2);
  } else if (name == "scatter" && operands.size() > count + 1) {
    rounding = sumOf(1 + staticElements(operands[count + 1]) / staticElements(results[0]),
                     count + 1, operands.size());
    rounding.kind = kScatteredSum;
  }
  rounding.onlyAdds = region.onlyAdds;
  return rounding;
}

}  // namespace vintage::harness
