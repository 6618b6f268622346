// The derivative of conv_general_dilated: both cotangents are convolutions again,
// with strides and dilations exchanged and the roles of the dimensions turned.
#include <algorithm>
#include <numeric>

#include "golden/oracle/contraction.h"
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Where an operand has its dimensions: the batch, the feature and then the spatial
// ones; of a kernel the output feature stands first and then the input's.
using Roles = Shape;

struct ConvolutionDerivative {
  const char* label;
  Roles input, kernel, output;
  Shape inputShape, kernelShape;  // As stored.
  oracle::Convolution convolution;
};

const Roles kNhwc{0, 3, 1, 2}, kHwio{3, 2, 0, 1}, kNchw{0, 1, 2, 3}, kNwc{0, 2, 1}, kWio{2, 1, 0};

const ConvolutionDerivative kConvolutions[] = {
    {"plain_nhwc", kNhwc, kHwio, kNhwc, {2, 5, 6, 3}, {3, 2, 3, 4},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"plain_nchw", kNchw, kNchw, kNchw, {2, 3, 5, 6}, {4, 3, 3, 2},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"padding_nhwc", kNhwc, kHwio, kNhwc, {1, 4, 4, 2}, {3, 3, 2, 2},
     {{1, 1}, {1, 2}, {1, 0}, {1, 1}, {1, 1}}},
    {"strides_nhwc", kNhwc, kHwio, kNhwc, {1, 6, 7, 2}, {2, 3, 2, 3},
     {{2, 3}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"input_dilation_nhwc", kNhwc, kHwio, kNhwc, {1, 4, 4, 2}, {2, 3, 2, 2},
     {{1, 1}, {1, 2}, {1, 2}, {2, 2}, {1, 1}}},
    {"kernel_dilation_nhwc", kNhwc, kHwio, kNhwc, {1, 6, 6, 2}, {2, 2, 2, 2},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {2, 3}}},
    {"feature_groups_nhwc", kNhwc, kHwio, kNhwc, {1, 4, 5, 4}, {2, 2, 2, 6},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 2}},
    {"depthwise_nchw", kNchw, kNchw, kNchw, {1, 3, 4, 5}, {6, 1, 2, 2},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 3}},
    {"batch_groups_nhwc", kNhwc, kHwio, kNhwc, {4, 4, 4, 2}, {2, 2, 2, 6},
     {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 1, 2}},
    {"line_nwc", kNwc, kWio, kNwc, {2, 7, 3}, {3, 3, 2}, {{2}, {1}, {1}, {1}, {1}}},
};

// "b01f": `names` of the first two roles.
std::string rolesText(const Roles& roles, const char* names) {
  std::string text(roles.size(), ' ');
  for (size_t i = 0; i < roles.size(); ++i)
    text[static_cast<size_t>(roles[i])] = i < 2 ? names[i] : static_cast<char>('0' + i - 2);
  return text;
}

SsaValue convolutionOf(const SsaValue& input, const Roles& inputRoles, const SsaValue& kernel,
                       const Roles& kernelRoles, const Roles& outputRoles, Shape shape,
                       const oracle::Convolution& c) {
  const std::string inputText = rolesText(inputRoles, "bf"),
                    kernelText = rolesText(kernelRoles, "oi"),
                    outputText = rolesText(outputRoles, "bf");
  return convolution({input.type, std::move(shape)}, input, kernel,
                     {inputText, kernelText, outputText}, c);
}

Roles exchanged(Roles roles) {
  std::swap(roles[0], roles[1]);
  return roles;
}

size_t at(const Roles& roles, size_t i) { return static_cast<size_t>(roles[i]); }

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

SsaValues writeConvolution(const Pullback& p, const ConvolutionDerivative& use) {
  const SsaValue &x = p.inputs[0], &kernel = p.inputs[1], &g = p.cotangents[0];
  const oracle::Convolution& c = use.convolution;
  const int64_t groups = std::max(c.featureGroups, c.batchGroups);
  oracle::Convolution byInput{c.inputDilation, {}, {}, c.strides, c.kernelDilation, groups, 1};
  oracle::Convolution byKernel{c.kernelDilation, c.paddingLow, {}, c.inputDilation, c.strides,
                               c.batchGroups, c.featureGroups};
  Shape spatial;
  for (size_t i = 0; i < c.strides.size(); ++i) {
    spatial.push_back(use.kernel[i + 2]);
    const int64_t input = dilated(x.shape[at(use.input, i + 2)], c.inputDilation[i]);
    const int64_t window = dilated(kernel.shape[at(use.kernel, i + 2)], c.kernelDilation[i]);
    const int64_t output = dilated(g.shape[at(use.output, i + 2)], c.strides[i]);
    byInput.paddingLow.push_back(window - 1 - c.paddingLow[i]);
    byInput.paddingHigh.push_back(input + window - 1 - output - byInput.paddingLow[i]);
    byKernel.paddingHigh.push_back(output + window - input - 1 - c.paddingLow[i]);
  }
  SsaValue turned = kernel;
  if (groups > 1) turned = regrouped(kernel, at(use.kernel, 0), at(use.kernel, 1), groups);
  turned = reverse(turned, spatial);
  Shape shape = x.shape;
  if (c.batchGroups > 1) {
    shape[at(use.input, 0)] /= groups;
    shape[at(use.input, 1)] *= groups;
  }
  SsaValue toInput =
      convolutionOf(g, use.output, turned, exchanged(use.kernel), use.input, shape, byInput);
  if (c.batchGroups > 1) {
    toInput = regrouped(toInput, at(use.input, 1), at(use.input, 0), groups);
  }
  return {toInput, convolutionOf(x, exchanged(use.input), g, exchanged(use.output),
                                 exchanged(use.kernel), kernel.shape, byKernel)};
}

// By definition: every product of the convolution gives to both of its factors.
std::vector<Tensor> oracleOf(const PullbackValues& values, const ConvolutionDerivative& use) {
  const Tensor &x = values.inputs[0], &kernel = values.inputs[1], &g = values.cotangents[0];
  const oracle::Convolution& c = use.convolution;
  CotangentSums toInput(x.type(), x.shape()), toKernel(kernel.type(), kernel.shape());
  const int64_t features = g.shape()[at(use.output, 1)], batch = g.shape()[at(use.output, 0)];
  const int64_t channels = kernel.shape()[at(use.kernel, 1)];
  Shape window;
  for (size_t i = 0; i < c.strides.size(); ++i) {
    window.push_back(kernel.shape()[at(use.kernel, i + 2)]);
  }
  int64_t position = 0;
  oracle::forEachIndex(g.shape(), [&](const Shape& to) {
    const oracle::QuadComplex cotangent = oracle::quadOf(oracle::load(g, position++));
    const int64_t feature = to[at(use.output, 1)];
    Shape from(to.size()), with(to.size());
    const int64_t batchGroup = feature / (features / c.batchGroups);
    from[at(use.input, 0)] = to[at(use.output, 0)] + batchGroup * batch;
    with[at(use.kernel, 0)] = feature;
    oracle::forEachIndex(window, [&](const Shape& offset) {
      for (size_t i = 0; i < window.size(); ++i) {
        const int64_t place = to[at(use.output, i + 2)] * c.strides[i] +
                              offset[i] * c.kernelDilation[i] - c.paddingLow[i];
        const int64_t element = place / c.inputDilation[i];
        if (place < 0 || place % c.inputDilation[i] != 0) return;
        if (element >= x.shape()[at(use.input, i + 2)]) return;
        from[at(use.input, i + 2)] = element;
        with[at(use.kernel, i + 2)] = offset[i];
      }
      for (int64_t k = 0; k < channels; ++k) {
        from[at(use.input, 1)] = feature / (features / c.featureGroups) * channels + k;
        with[at(use.kernel, 1)] = k;
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

VINTAGE_DERIVATIVES(convolutionDerivatives) {
  DerivativeRules rules;
  for (const ConvolutionDerivative& use : kConvolutions) {
    rules.push_back({.primitive = "conv_general_dilated",
                     .label = use.label,
                     .shapes = {use.inputShape, use.kernelShape},
                     .types = types::inexact,
                     .domains = {domains::kSmall},
                     .write = [&use](const Pullback& p) { return writeConvolution(p, use); },
                     .oracle = [&use](const PullbackValues& v) { return oracleOf(v, use); },
                     // As many terms as the result has places, at most some sixty.
                     .units = 64,
                     .scale = 4});
  }
  return rules;
}

}  // namespace vintage::primitives
