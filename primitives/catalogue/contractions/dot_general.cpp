// dot_general: matrix products, batches, several contracting dimensions, mixed
// element types with a preferred one.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "golden/oracle/contraction.h"
#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct Dot {
  Shape left, right;
  oracle::DotDimensions dimensions;
};

const Dot kDots[] = {
    {{4, 3}, {3, 6}, {{}, {}, {1}, {0}}},          // A matrix product.
    {{3, 4, 4}, {3, 4, 4}, {{0}, {0}, {2}, {1}}},  // A batch of them.
    {{3}, {3}, {{}, {}, {0}, {0}}},                // An inner product.
    {{3, 5}, {2, 5}, {{}, {}, {1}, {1}}},
    {{5, 3}, {5, 2}, {{}, {}, {0}, {0}}},
    {{2, 3, 4}, {4, 3, 5}, {{}, {}, {1, 2}, {1, 0}}},  // Two contracting dimensions.
    {{2, 3}, {4}, {{}, {}, {}, {}}},                   // An outer product.
    {{3, 2, 4}, {5, 4, 3}, {{0}, {2}, {2}, {1}}},      // Batch dimensions apart.
    {{2, 0}, {0, 3}, {{}, {}, {1}, {0}}},              // Empty sums are zero.
};

std::string labelOf(const Dot& dot) {
  return fmt::format("contract={}x{}", dashed(dot.dimensions.leftContracting),
                     dashed(dot.dimensions.rightContracting));
}

// The rounding of n products and sums in the result's type.
Comparator comparatorOf(ElementType result, ElementType operand, int64_t terms) {
  if (isInteger(result) || isPredicate(result)) return exactly();
  const double unit = epsilonOf(result) * static_cast<double>(terms + 2);
  // Operands lie in [-5, 5].
  const double scale = isComplex(operand) || isComplex(result) ? 50 : 25;
  return withinRelative(unit, unit * scale);
}

CaseSpecification dotCase(ElementType left, ElementType right, ElementType computed, const Dot& dot,
                          const std::string& precision = "",
                          std::optional<ElementType> preferred = {}) {
  const ElementType result = preferred.value_or(computed);
  int64_t terms = 1;
  for (int64_t axis : dot.dimensions.leftContracting) terms *= dot.left[static_cast<size_t>(axis)];
  std::string label = labelOf(dot);
  if (!precision.empty()) label += "_precision=" + precision;
  if (preferred) label += fmt::format("_preferred={}", dtypeName(*preferred));
  return {.primitive = "dot_general",
          .label = label,
          .arguments = {{left, dot.left}, {right, dot.right}},
          .domains = {isInteger(result) ? domains::kFewEdges : domains::kPlain},
          .emit =
              [=](Arguments x) {
                SsaValue a = x[0], b = x[1];
                if (left != right) {
                  // Both, even if one of them already has the type.
                  a = convert("stablehlo.convert", a, computed, a.shape);
                  b = convert("stablehlo.convert", b, computed, b.shape);
                }
                return dotGeneral(a, b, dot.dimensions, precision, result);
              },
          .expect =
              [=](Tensors inputs) {
                return oracle::dotGeneral(inputs[0], inputs[1], dot.dimensions, result);
              },
          .oracle = isInteger(result) ? "exact" : "quadruple",
          .comparators = {comparatorOf(result, left, terms)}};
}

// The type in which JAX's promotion computes a product of two others.
ElementType promoted(ElementType left, ElementType right) {
  using enum ElementType;
  if (left == right) return left;
  if (isComplex(left) || isComplex(right)) {
    const bool wide = left == kC128 || right == kC128 || left == kF64 || right == kF64;
    return wide ? kC128 : kC64;
  }
  if (isFloat(left) && isFloat(right)) {
    if (bitWidth(left) == bitWidth(right)) return kF32;
    return bitWidth(left) > bitWidth(right) ? left : right;
  }
  if (isFloat(left)) return left;
  if (isFloat(right)) return right;
  if (isPredicate(left)) return right;
  if (isPredicate(right)) return left;
  if (isSignedInteger(left) == isSignedInteger(right))
    return bitWidth(left) > bitWidth(right) ? left : right;
  // A signed type that holds both, or JAX's weak float beyond 64 bits.
  const ElementType withSign = isSignedInteger(left) ? left : right;
  const ElementType without = isSignedInteger(left) ? right : left;
  if (bitWidth(withSign) > bitWidth(without)) return withSign;
  switch (bitWidth(without)) {
    case 8:
      return kI16;
    case 16:
      return kI32;
    case 32:
      return kI64;
    default:
      return kF32;
  }
}

// The derivative of dot_general: the cotangents are products of the result's cotangent with the
// other operand, over the dimensions that this operand lacks.

// One of the operands, as the rule sees it: the role of each dimension.
struct Side {
  Shape batch, contracting, kept;
};

Side sideOf(size_t rank, const Shape& batch, const Shape& contracting) {
  return {batch, contracting, oracle::otherAxes(rank, batch, contracting)};
}

// The cotangent of one side. `first`: whether its kept dimensions come first in `g`.
SsaValue cotangentOf(const SsaValue& g, const Side& own, const SsaValue& other, const Side& beside,
                     bool first) {
  Shape batch(own.batch.size()), contracted(beside.kept.size());
  std::iota(batch.begin(), batch.end(), 0);
  std::iota(contracted.begin(), contracted.end(),
            static_cast<int64_t>(own.batch.size() + (first ? own.kept.size() : 0)));
  const SsaValue product = dotGeneral(g, other, {batch, beside.batch, contracted, beside.kept});
  // The product has the batch dimensions, the kept ones, and the contracted ones in the order of
  // the other operand.
  std::vector<size_t> order(own.contracting.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return beside.contracting[i]; });
  Shape places = own.batch;
  places.insert(places.end(), own.kept.begin(), own.kept.end());
  for (size_t i : order) places.push_back(own.contracting[i]);
  const Shape permutation = oracle::inversePermutation(places);
  return std::ranges::is_sorted(permutation) ? product : transpose(product, permutation);
}

SsaValues writeDot(const Pullback& p, const Dot& dot) {
  const SsaValue &a = p.inputs[0], &b = p.inputs[1], &g = p.cotangents[0];
  const oracle::DotDimensions& d = dot.dimensions;
  const Side left = sideOf(a.shape.size(), d.leftBatch, d.leftContracting);
  const Side right = sideOf(b.shape.size(), d.rightBatch, d.rightContracting);
  return {cotangentOf(g, left, b, right, true), cotangentOf(g, right, a, left, false)};
}

}  // namespace

VINTAGE_FAMILY(addDotGeneralCases) {
  for (ElementType type : types::kAll) {
    for (const Dot& dot : kDots) cases.add(dotCase(type, type, type, dot));
    cases.addPoly([&](Sizes s) {
      return dotCase(type, type, type, {{s.b, 3}, {3, s.c}, {{}, {}, {1}, {0}}});
    });
    cases.addPoly([&](Sizes s) {
      return dotCase(type, type, type, {{s.b, 2, s.c}, {s.b, s.c, 3}, {{0}, {0}, {2}, {1}}});
    });
    if (isFloat(type) || isComplex(type)) {
      for (const char* precision : {"HIGH", "HIGHEST"}) {
        for (size_t i = 0; i < 3; ++i) cases.add(dotCase(type, type, type, kDots[i], precision));
      }
    }
    for (ElementType other : types::kAll) {
      if (type != other) cases.add(dotCase(type, other, promoted(type, other), kDots[0]));
    }
  }
  using enum ElementType;
  static constexpr std::pair<ElementType, ElementType> kPreferred[] = {
      {kI8, kI16},   {kI8, kI32},  {kI16, kI32}, {kI32, kI64},  {kUi8, kUi32},
      {kBF16, kF32}, {kF16, kF32}, {kF32, kF64}, {kC64, kC128}, {kUi8, kUi16}};
  // Products of small types are summed in wider ones.
  for (ElementType type : types::kSmallFloats) {
    cases.add(dotCase(type, type, type, kDots[0], "", kF32));
    cases.add(dotCase(type, type, type, kDots[1], "", kBF16));
  }
  for (ElementType type : types::kSmallIntegers)
    cases.add(dotCase(type, type, type, kDots[0], "", isSignedInteger(type) ? kI32 : kUi32));
  for (auto [type, preferred] : kPreferred) {
    for (size_t i = 0; i < 3; ++i) cases.add(dotCase(type, type, type, kDots[i], "", preferred));
  }
}

VINTAGE_DERIVATIVES(contractionDerivatives) {
  DerivativeRules rules;
  for (const Dot& dot : std::span(kDots).first(8)) {
    rules.push_back({.primitive = "dot_general",
                     .label = labelOf(dot),
                     .shapes = {dot.left, dot.right},
                     .types = types::kInexact,
                     .besideIntegers = false,
                     .domains = {domains::kSmall},
                     .write = [&dot](const Pullback& p) { return writeDot(p, dot); },
                     .oracle = transposedMultilinear,
                     .units = 16});
  }
  return rules;
}

}  // namespace vintage::primitives
