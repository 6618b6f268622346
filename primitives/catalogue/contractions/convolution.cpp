// conv_general_dilated: padding, strides, dilations, feature and batch groups,
// layouts, one and two spatial dimensions.
#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "golden/oracle/contraction.h"
#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Arrays by the roles of their dimensions, as convolution() takes them.
struct Layout {
  const char* name;
  ConvolutionLayout roles;
};

const Layout kNhwc{"nhwc", {"b01f", "01io", "b01f"}};
const Layout kNchw{"nchw", {"bf01", "oi01", "bf01"}};
const Layout kNwc{"nwc", {"b0f", "0io", "b0f"}};

struct ConvolutionUse {
  const char* name;
  const Layout& layout;
  Shape input, kernel;  // In the canonical order, which is that of nhwc and nwc.
  oracle::Convolution convolution;

  // The positions of the canonical order's dimensions in each array.
  Shape inputOrder() const { return orderOf(layout.roles.input, canonical().input); }
  Shape kernelOrder() const { return orderOf(layout.roles.kernel, canonical().kernel); }
  Shape outputOrder() const { return orderOf(layout.roles.output, canonical().output); }
  std::string label() const { return fmt::format("{}_{}", name, layout.name); }

 private:
  const ConvolutionLayout& canonical() const { return (input.size() == 4 ? kNhwc : kNwc).roles; }
  static Shape orderOf(std::string_view stored, std::string_view canonical) {
    Shape order;
    for (const char role : canonical) order.push_back(static_cast<int64_t>(stored.find(role)));
    return order;
  }
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
  const Shape input = stored(use.input, use.inputOrder());
  const Shape kernel = stored(use.kernel, use.kernelOrder());
  const Shape output =
      stored(oracle::convolutionShape(use.input, use.kernel, use.convolution), use.outputOrder());
  std::string label = use.label();
  if (!precision.empty()) label += "_precision=" + precision;
  if (preferred) label += fmt::format("_preferred={}", dtypeName(*preferred));
  const double terms = static_cast<double>(elementCount(use.kernel)) + 2;
  const double unit = terms * epsilonOf(result);
  return {.primitive = "conv_general_dilated",
          .label = label,
          .arguments = {{type, input}, {type, kernel}},
          .emit =
              [use, output, result, precision](Arguments x) {
                return convolution({result, output}, x[0], x[1], use.layout.roles, use.convolution,
                                   precision);
              },
          .expect =
              [use, result](Tensors inputs) {
                const Tensor canonical = oracle::convolved(
                    oracle::transposed(inputs[0], use.inputOrder()),
                    oracle::transposed(inputs[1], use.kernelOrder()), use.convolution, result);
                return oracle::transposed(canonical, oracle::inversePermutation(use.outputOrder()));
              },
          .oracle = isInteger(type) ? "exact" : "quadruple",
          // Operands are in [-5, 5]; there are at most as many terms as the kernel has elements.
          .comparators = {isInteger(result) ? exactly() : withinRelative(unit, unit * 25)}};
}

// The derivative of conv_general_dilated: both cotangents are convolutions again,
// with strides and dilations exchanged and the roles of the dimensions turned.

// The layout with each role of `from` replaced by that of `to`.
std::string renamed(std::string_view layout, std::string_view from, std::string_view to) {
  std::string text(layout);
  for (char& role : text) {
    if (const size_t i = from.find(role); i != from.npos) role = to[i];
  }
  return text;
}

size_t at(const Shape& order, size_t i) { return static_cast<size_t>(order[i]); }

// Moves `count` groups from the dimension `from` to the front of the dimension `to`.
SsaValue regrouped(const SsaValue& x, size_t from, size_t to, int64_t count) {
  Shape apart = x.shape;
  apart[from] /= count;
  apart.insert(apart.begin() + static_cast<int64_t>(from), count);
  // The axis `to` has moved up by one if it stood behind `from`.
  Shape permutation;
  for (size_t i = 0; i < apart.size(); ++i) {
    if (i != from) permutation.push_back(static_cast<int64_t>(i));
  }
  permutation.insert(permutation.begin() + static_cast<int64_t>(to), static_cast<int64_t>(from));
  Shape shape = x.shape;
  shape[from] /= count;
  shape[to] *= count;
  return reshape(transpose(reshape(x, apart), permutation), shape);
}

SsaValues writeConvolution(const Pullback& p, const ConvolutionUse& use) {
  const SsaValue &x = p.inputs[0], &kernel = p.inputs[1], &g = p.cotangents[0];
  const oracle::Convolution& c = use.convolution;
  const size_t n = c.strides.size();
  const Shape inputs = use.inputOrder(), kernels = use.kernelOrder(), outputs = use.outputOrder();
  const int64_t groups = std::max(c.featureGroups, c.batchGroups);
  oracle::Convolution byInput{c.inputDilation, {}, {}, c.strides, c.kernelDilation, groups, 1};
  oracle::Convolution byKernel{c.kernelDilation, c.paddingLow,   {}, c.inputDilation, c.strides,
                               c.batchGroups,    c.featureGroups};
  Shape spatial;
  for (size_t i = 0; i < n; ++i) {
    spatial.push_back(kernels[i]);
    const int64_t input = dilated(x.shape[at(inputs, i + 1)], c.inputDilation[i]);
    const int64_t window = dilated(kernel.shape[at(kernels, i)], c.kernelDilation[i]);
    const int64_t output = dilated(g.shape[at(outputs, i + 1)], c.strides[i]);
    byInput.paddingLow.push_back(window - 1 - c.paddingLow[i]);
    byInput.paddingHigh.push_back(input + window - 1 - output - byInput.paddingLow[i]);
    byKernel.paddingHigh.push_back(output + window - input - 1 - c.paddingLow[i]);
  }
  SsaValue turned = kernel;
  if (groups > 1) turned = regrouped(kernel, at(kernels, n + 1), at(kernels, n), groups);
  turned = reverse(turned, spatial);
  Shape shape = x.shape;
  if (c.batchGroups > 1) {
    shape[at(inputs, 0)] /= groups;
    shape[at(inputs, n + 1)] *= groups;
  }
  const auto& [input, window, output] = use.layout.roles;
  const std::string turnedRoles = renamed(window, "io", "oi");
  SsaValue toInput = convolution({x.type, shape}, g, turned, {output, turnedRoles, input}, byInput);
  if (c.batchGroups > 1) toInput = regrouped(toInput, at(inputs, n + 1), at(inputs, 0), groups);
  const std::string byFeature = renamed(input, "bf", "fb"), asKernel = renamed(output, "bf", "io"),
                    asOutput = renamed(window, "io", "bf");
  return {toInput, convolution(typeOf(kernel), x, g, {byFeature, asKernel, asOutput}, byKernel)};
}

// By definition: every product of the convolution contributes to the cotangents of both its
// factors.
std::vector<Tensor> oracleOf(const PullbackValues& values, const ConvolutionUse& use) {
  const Tensor &x = values.inputs[0], &kernel = values.inputs[1], &g = values.cotangents[0];
  const oracle::Convolution& c = use.convolution;
  const size_t n = c.strides.size();
  const Shape inputs = use.inputOrder(), kernels = use.kernelOrder(), outputs = use.outputOrder();
  CotangentSums toInput{x.type(), x.shape()}, toKernel{kernel.type(), kernel.shape()};
  const int64_t features = g.shape()[at(outputs, n + 1)], batch = g.shape()[at(outputs, 0)];
  const int64_t channels = kernel.shape()[at(kernels, n)];
  Shape window;
  for (size_t i = 0; i < n; ++i) window.push_back(kernel.shape()[at(kernels, i)]);
  int64_t position = 0;
  oracle::forEachIndex(g.shape(), [&](const Shape& to) {
    const oracle::QuadComplex cotangent = oracle::quadOf(oracle::load(g, position++));
    const int64_t feature = to[at(outputs, n + 1)];
    Shape from(to.size()), with(to.size());
    const int64_t batchGroup = feature / (features / c.batchGroups);
    from[at(inputs, 0)] = to[at(outputs, 0)] + batchGroup * batch;
    with[at(kernels, n + 1)] = feature;
    oracle::forEachIndex(window, [&](const Shape& offset) {
      for (size_t i = 0; i < window.size(); ++i) {
        const int64_t place = to[at(outputs, i + 1)] * c.strides[i] +
                              offset[i] * c.kernelDilation[i] - c.paddingLow[i];
        const int64_t element = place / c.inputDilation[i];
        if (place < 0 || place % c.inputDilation[i] != 0) return;
        if (element >= x.shape()[at(inputs, i + 1)]) return;
        from[at(inputs, i + 1)] = element;
        with[at(kernels, i)] = offset[i];
      }
      for (int64_t k = 0; k < channels; ++k) {
        from[at(inputs, n + 1)] = feature / (features / c.featureGroups) * channels + k;
        with[at(kernels, n)] = k;
        const int64_t ofInput = oracle::positionOf(x.shape(), from);
        const int64_t ofKernel = oracle::positionOf(kernel.shape(), with);
        toInput.add(ofInput, cotangent * oracle::quadOf(oracle::load(kernel, ofKernel)));
        toKernel.add(ofKernel, cotangent * oracle::quadOf(oracle::load(x, ofInput)));
      }
    });
  });
  return {toInput.rounded(), toKernel.rounded()};
}

}  // namespace

VINTAGE_FAMILY(addConvolutionCases) {
  using enum ElementType;
  for (ElementType type : types::kNumbers) {
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
      {kI8, kI16},   {kI8, kI32},  {kI16, kI32}, {kI32, kI64},
      {kBF16, kF32}, {kF16, kF32}, {kF32, kF64}, {kC64, kC128}};
  for (auto [type, preferred] : kPreferred) {
    for (size_t i : {0, 3, 6}) cases.add(convolutionCase(type, kUses[i], "", preferred));
  }
}

VINTAGE_DERIVATIVES(convolutionDerivatives) {
  DerivativeRules rules;
  for (const ConvolutionUse& use : kUses) {
    rules.push_back(
        {.primitive = "conv_general_dilated",
         .label = use.label(),
         .shapes = {stored(use.input, use.inputOrder()), stored(use.kernel, use.kernelOrder())},
         .types = types::kInexact,
         .domains = {domains::kSmall},
         .write = [&use](const Pullback& p) { return writeConvolution(p, use); },
         .oracle = [&use](const PullbackValues& v) { return oracleOf(v, use); },
         // As many terms as the result has elements, at most about sixty.
         .units = 64,
         .scale = 4});
  }
  return rules;
}

}  // namespace vintage::primitives
