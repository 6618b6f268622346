// dot_general: matrix products, batches, several contracting dimensions, mixed
// element types with a preferred one.
#include <fmt/format.h>

#include "golden/oracle/contraction.h"
#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {
namespace {

struct Dot {
  Shape left, right;
  oracle::DotDimensions dimensions;
};

const Dot kDots[] = {
    {{4, 3}, {3, 6}, {{}, {}, {1}, {0}}},                   // A matrix product.
    {{3, 4, 4}, {3, 4, 4}, {{0}, {0}, {2}, {1}}},           // A batch of them.
    {{3}, {3}, {{}, {}, {0}, {0}}},                         // An inner product.
    {{3, 5}, {2, 5}, {{}, {}, {1}, {1}}},
    {{5, 3}, {5, 2}, {{}, {}, {0}, {0}}},
    {{2, 3, 4}, {4, 3, 5}, {{}, {}, {1, 2}, {1, 0}}},       // Two contracting dimensions.
    {{2, 3}, {4}, {{}, {}, {}, {}}},                        // An outer product.
    {{3, 2, 4}, {5, 4, 3}, {{0}, {2}, {2}, {1}}},           // Batch dimensions apart.
    {{2, 0}, {0, 3}, {{}, {}, {1}, {0}}},                   // Empty sums are zero.
};

std::string joined(const Shape& values) { return listText(values); }

std::string dotText(std::span<const SsaValue> operands, const oracle::DotDimensions& d,
                    const std::string& result, const std::string& precision) {
  std::string text = "stablehlo.dot_general " + namesText(operands);
  if (!d.leftBatch.empty()) {
    text += fmt::format(", batching_dims = {} x {}", joined(d.leftBatch), joined(d.rightBatch));
  }
  text += fmt::format(", contracting_dims = {} x {}", joined(d.leftContracting),
                      joined(d.rightContracting));
  if (!precision.empty()) text += fmt::format(", precision = [{0}, {0}]", precision);
  return text + fmt::format(" : ({}) -> {}", typesText(operands), result);
}

// The rounding of n products and sums in the result's type.
Comparator comparatorOf(ElementType result, ElementType operand, int64_t terms) {
  if (isInteger(result) || isPredicate(result)) return exactly();
  const double unit = epsilonOf(result) * static_cast<double>(terms + 2);
  // Operands lie in [-5, 5].
  const double scale = isComplex(operand) || isComplex(result) ? 50 : 25;
  return withinRelative(unit, unit * scale);
}

void addDot(CaseList& cases, ElementType left, ElementType right, ElementType computed,
            const Dot& dot, const std::string& precision = "",
            std::optional<ElementType> preferred = {}) {
  const ElementType result = preferred.value_or(computed);
  int64_t terms = 1;
  for (int64_t axis : dot.dimensions.leftContracting) terms *= dot.left[static_cast<size_t>(axis)];
  std::string label = fmt::format("contract={}x{}", dashed(dot.dimensions.leftContracting),
                                  dashed(dot.dimensions.rightContracting));
  if (!precision.empty()) label += "_precision=" + precision;
  if (preferred) label += fmt::format("_preferred={}", dtypeName(*preferred));
  cases.add({.primitive = "dot_general",
             .label = label,
             .arguments = {{left, dot.left}, {right, dot.right}},
             .domains = {isInteger(result) ? domains::kFewEdges : domains::kPlain},
             .emit = [=](FunctionWriter& main, std::span<const SsaValue> arguments,
                               const std::string&) -> SsaValues {
               const SsaValue operands[] = {main.convert(arguments[0], computed),
                                         main.convert(arguments[1], computed)};
               const Shape shape = oracle::dotShape(dot.left, dot.right, dot.dimensions);
               return {main.emit(result, shape,
                                 dotText(operands, dot.dimensions, tensorText(result, shape),
                                         precision))};
             },
             .expect = one([=](std::span<const Tensor> inputs) -> Result<Tensor> {
               return oracle::dotGeneral(inputs[0], inputs[1], dot.dimensions, result);
             }),
             .oracle = isInteger(result) ? "exact" : "quadruple",
             .comparators = {comparatorOf(result, left, terms)}});
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
  if (isSignedInteger(left) == isSignedInteger(right)) {
    return bitWidth(left) > bitWidth(right) ? left : right;
  }
  // A signed type that holds both, or JAX's weak float beyond 64 bits.
  const ElementType withSign = isSignedInteger(left) ? left : right;
  const ElementType without = isSignedInteger(left) ? right : left;
  if (bitWidth(withSign) > bitWidth(without)) return withSign;
  switch (bitWidth(without)) {
    case 8: return kI16;
    case 16: return kI32;
    case 32: return kI64;
    default: return kF32;
  }
}

}  // namespace

VINTAGE_FAMILY(addDotGeneralCases) {
  for (ElementType type : types::all()) {
    for (const Dot& dot : kDots) addDot(cases, type, type, type, dot);
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addDot(list, type, type, type, {{sizes.b, 3}, {3, sizes.c}, {{}, {}, {1}, {0}}});
    });
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addDot(list, type, type, type,
             {{sizes.b, 2, sizes.c}, {sizes.b, sizes.c, 3}, {{0}, {0}, {2}, {1}}});
    });
    if (isFloat(type) || isComplex(type)) {
      for (const char* precision : {"HIGH", "HIGHEST"}) {
        for (size_t i = 0; i < 3; ++i) addDot(cases, type, type, type, kDots[i], precision);
      }
    }
    for (ElementType other : types::all()) {
      if (type != other) addDot(cases, type, other, promoted(type, other), kDots[0]);
    }
  }
  using enum ElementType;
  static constexpr std::pair<ElementType, ElementType> kPreferred[] = {
      {kI8, kI16},  {kI8, kI32},  {kI16, kI32}, {kI32, kI64},  {kUi8, kUi32},
      {kBF16, kF32}, {kF16, kF32}, {kF32, kF64}, {kC64, kC128}, {kUi8, kUi16}};
  // Products of small types are summed in wider ones.
  for (ElementType type : types::smallFloats()) {
    addDot(cases, type, type, type, kDots[0], "", kF32);
    addDot(cases, type, type, type, kDots[1], "", kBF16);
  }
  for (ElementType type : types::smallIntegers()) {
    addDot(cases, type, type, type, kDots[0], "", isSignedInteger(type) ? kI32 : kUi32);
  }
  for (auto [type, preferred] : kPreferred) {
    for (size_t i = 0; i < 3; ++i) addDot(cases, type, type, type, kDots[i], "", preferred);
  }
}

}  // namespace vintage::primitives::catalogue
