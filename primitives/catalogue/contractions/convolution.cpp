// conv_general_dilated: padding, strides, dilations, feature and batch groups,
// layouts, one and two spatial dimensions.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/contraction.h"
#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Where each dimension of the canonical order (batch, spatial…, feature; of
// kernels spatial…, input, output feature) stands in the operand.
struct Layout {
  const char* name;
  ConvolutionLayout roles;
  Shape inputOrder, kernelOrder, outputOrder;
};

const Layout kNhwc{
    "nhwc", {"b01f", "01io", "b01f"}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
const Layout kNchw{
    "nchw", {"bf01", "oi01", "bf01"}, {0, 2, 3, 1}, {2, 3, 1, 0}, {0, 2, 3, 1}};
const Layout kNwc{"nwc", {"b0f", "0io", "b0f"}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}};

struct ConvolutionUse {
  const char* name;
  const Layout& layout;
  Shape input, kernel;  // In the canonical order.
  oracle::Convolution convolution;
};

const ConvolutionUse kUses[] = {
    {"plain", kNhwc, {2, 5, 6, 3}, {3, 2, 3, 4}, {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"plain", kNchw, {2, 5, 6, 3}, {3, 2, 3, 4}, {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"padding", kNhwc, {1, 4, 4, 2}, {3, 3, 2, 2}, {{1, 1}, {1, 2}, {1, 0}, {1, 1}, {1, 1}}},
    {"strides", kNhwc, {1, 6, 7, 2}, {2, 3, 2, 3}, {{2, 3}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"input_dilation", kNhwc, {1, 4, 4, 2}, {2, 3, 2, 2}, {{1, 1}, {1, 2}, {1, 2}, {2, 2}, {1, 1}}},
    {"kernel_dilation",
     kNhwc,
     {1, 6, 6, 2},
     {2, 2, 2, 2},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {2, 3}}},
    {"feature_groups",
     kNhwc,
     {1, 4, 5, 4},
     {2, 2, 2, 6},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 2}},
    {"depthwise", kNchw, {1, 4, 5, 3}, {2, 2, 1, 6}, {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 3}},
    {"batch_groups",
     kNhwc,
     {4, 4, 4, 2},
     {2, 2, 2, 6},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 1, 2}},
    {"line", kNwc, {2, 7, 3}, {3, 3, 2}, {{2}, {1}, {1}, {1}, {1}}},
};

// The canonical order's shape as the layout stores it.
Shape stored(const Shape& canonical, const Shape& order) {
  Shape shape(canonical.size());
  for (size_t i = 0; i < canonical.size(); ++i) shape[static_cast<size_t>(order[i])] = canonical[i];
  return shape;
}

CaseSpecification convolutionCase(ElementType type, const ConvolutionUse& use,
                                  const std::string& precision,
                                  std::optional<ElementType> preferred) {
  const ElementType result = preferred.value_or(type);
  const Shape input = stored(use.input, use.layout.inputOrder);
  const Shape kernel = stored(use.kernel, use.layout.kernelOrder);
  const Shape output = stored(oracle::convolutionShape(use.input, use.kernel, use.convolution),
                              use.layout.outputOrder);
  std::string label = fmt::format("{}_{}", use.name, use.layout.name);
  if (!precision.empty()) label += "_precision=" + precision;
  if (preferred) label += fmt::format("_preferred={}", dtypeName(*preferred));
  const double terms = static_cast<double>(elementCount(use.kernel)) + 2;
  const double unit = terms * epsilonOf(result);
  return {.primitive = "conv_general_dilated",
          .label = label,
          .arguments = {{type, input}, {type, kernel}},
          .emit = [use, output, result, precision](Arguments x) {
            return convolution({result, output}, x[0], x[1], use.layout.roles, use.convolution,
                               precision);
          },
          .expect = [use, result](Tensors inputs) {
            const Tensor canonical = oracle::convolved(
                oracle::transposed(inputs[0], use.layout.inputOrder),
                oracle::transposed(inputs[1], use.layout.kernelOrder), use.convolution, result);
            return oracle::transposed(canonical,
                                      oracle::inversePermutation(use.layout.outputOrder));
          },
          .oracle = isInteger(type) ? "exact" : "quadruple",
          // Operands lie in [-5, 5]; as many terms as the kernel has, at most.
          .comparators = {isInteger(result) ? exactly() : withinRelative(unit, unit * 25)}};
}

}  // namespace

VINTAGE_FAMILY(addConvolutionCases) {
  using enum ElementType;
  for (ElementType type : types::numbers()) {
    if (isUnsignedInteger(type)) continue;
    for (const ConvolutionUse& use : kUses) cases.add(convolutionCase(type, use, "", {}));
    cases.addPoly([&](Sizes s) {
      ConvolutionUse use = kUses[0];
      use.input[0] = s.b;
      return convolutionCase(type, use, "", {});
    });
    if (isInteger(type)) continue;
    cases.add(convolutionCase(type, kUses[0], "HIGH", {}));
    cases.add(convolutionCase(type, kUses[0], "HIGHEST", {}));
  }
  static constexpr std::pair<ElementType, ElementType> kPreferred[] = {
      {kI8, kI16}, {kI8, kI32}, {kI16, kI32}, {kI32, kI64},
      {kBF16, kF32}, {kF16, kF32}, {kF32, kF64}, {kC64, kC128}};
  for (auto [type, preferred] : kPreferred) {
    for (size_t i : {0, 3, 6}) cases.add(convolutionCase(type, kUses[i], "", preferred));
  }
}

}  // namespace vintage::primitives
