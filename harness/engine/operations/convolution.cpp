// stablehlo.convolution and stablehlo.dynamic_conv.
#include "golden/base/failures.h"

#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/convolution_window.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

Result<ConvolutionConfiguration> readConvolution(const Operation& operation) {
  CheckedAttributes read(operation);
  CheckedAttributes named = read.dictionary("dimension_numbers");
  ConvolutionConfiguration convolution;
  ConvolutionDimensions& d = convolution.dimensions;
  const std::vector<int64_t> none;
  d.inputBatch = named.integer("input_batch_dimension", 0);
  d.inputFeature = named.integer("input_feature_dimension", 0);
  d.inputSpatial = named.integers("input_spatial_dimensions", none);
  d.kernelInputFeature = named.integer("kernel_input_feature_dimension", 0);
  d.kernelOutputFeature = named.integer("kernel_output_feature_dimension", 0);
  d.kernelSpatial = named.integers("kernel_spatial_dimensions", none);
  d.outputBatch = named.integer("output_batch_dimension", 0);
  d.outputFeature = named.integer("output_feature_dimension", 0);
  d.outputSpatial = named.integers("output_spatial_dimensions", none);
  const size_t spatial = d.inputSpatial.size();
  const std::vector<int64_t> ones(spatial, 1), zeros(spatial, 0);
  auto strides = read.integers("window_strides", ones);
  // jax2tf wrote dynamic_conv with more strides than there are spatial dimensions;
  // the verifier lets it pass, and what is too much has nothing to stride over.
  if (operation.name == "stablehlo.dynamic_conv" && strides.size() > spatial)
    strides.resize(spatial);
  const auto padding = read.flattenedIntegers("padding", std::vector<int64_t>(2 * spatial, 0));
  auto inputDilation = read.integers("lhs_dilation", ones);
  auto kernelDilation = read.integers("rhs_dilation", ones);
  auto reversal = read.integers("window_reversal", zeros);
  convolution.featureGroups = read.integer("feature_group_count", 1);
  convolution.batchGroups = read.integer("batch_group_count", 1);
  RETURN_IF_ERROR(read.status());
  RETURN_IF_ERROR(named.status());
  for (const auto* list : {&strides, &inputDilation, &kernelDilation, &reversal})
    if (list->size() != spatial || padding.size() != 2 * spatial)
      return badInput(
          "{}: strides, padding, dilations and reversal must have an entry "
          "for each of the {} spatial dimensions.",
          operation.name, spatial);
  for (size_t i = 0; i < spatial; ++i)
    convolution.window.push_back({strides[i], padding[2 * i], padding[2 * i + 1], inputDilation[i],
                                  kernelDilation[i], reversal[i] != 0});
  return convolution;
}

Status takePadding(const KernelCall& call, ConvolutionConfiguration& convolution) {
  ASSIGN_OR_RETURN(const auto padding, integerOperand(call, 2));
  if (padding.size() != 2 * convolution.window.size())
    return badInput("the padding is {}; two integers for each spatial dimension are needed.",
                    describe(call.operands[2].tensor));
  for (size_t i = 0; i < convolution.window.size(); ++i) {
    convolution.window[i].padLow = padding[2 * i];
    convolution.window[i].padHigh = padding[2 * i + 1];
  }
  return {};
}

Result<Kernel> makeConvolution(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto convolution, readConvolution(request.operation));
  return tensorKernel(
      [=, type = request.resultTypes[0].element](KernelCall& call) -> Result<Tensor> {
        ConvolutionConfiguration padded = convolution;
        if (call.operands.size() == 3) RETURN_IF_ERROR(takePadding(call, padded));
        return convolve(padded, call.operands[0].tensor, call.operands[1].tensor, type,
                        call.availableBytes);
      });
}

int64_t dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

tl::unexpected<Error> misfit(std::string what, const Tensor& input, const Tensor& kernel) {
  return badInput("{} (input {}, kernel {}).", what, describe(input), describe(kernel));
}

}  // namespace

std::vector<OperationEntry> convolutionOperations() {
  return {{"stablehlo.convolution", makeConvolution, 2, 1},
          {"stablehlo.dynamic_conv", makeConvolution, 3, 1}};
}

Result<ConvolutionSizes> convolutionSizes(const ConvolutionConfiguration& convolution,
                                          const Tensor& input, const Tensor& kernel) {
  const ConvolutionDimensions& d = convolution.dimensions;
  const size_t spatial = convolution.window.size();
  const auto rank = static_cast<int64_t>(spatial) + 2;
  const bool numbered =
      d.inputSpatial.size() == spatial && d.kernelSpatial.size() == spatial &&
      d.outputSpatial.size() == spatial && input.rank() == rank && kernel.rank() == rank &&
      isPermutation(joined({d.inputBatch, d.inputFeature}, d.inputSpatial), rank) &&
      isPermutation(joined({d.kernelInputFeature, d.kernelOutputFeature}, d.kernelSpatial), rank) &&
      isPermutation(joined({d.outputBatch, d.outputFeature}, d.outputSpatial), rank);
  if (!numbered) return misfit("The dimension numbers do not fit the operands", input, kernel);
  ConvolutionSizes sizes;
  sizes.batch = input.shape()[d.inputBatch];
  sizes.features = input.shape()[d.inputFeature];
  sizes.outputFeatures = kernel.shape()[d.kernelOutputFeature];
  sizes.groupFeatures = kernel.shape()[d.kernelInputFeature];
  const int64_t featureGroups = convolution.featureGroups, batchGroups = convolution.batchGroups;
  if (featureGroups < 1 || batchGroups < 1 || (featureGroups > 1 && batchGroups > 1) ||
      sizes.batch % batchGroups != 0 || sizes.outputFeatures % batchGroups != 0 ||
      sizes.outputFeatures % featureGroups != 0 ||
      sizes.features != sizes.groupFeatures * featureGroups)
    return misfit(fmt::format("feature_group_count {} and batch_group_count {} do not divide the "
                              "operands",
                              featureGroups, batchGroups),
                  input, kernel);
  sizes.outputBatch = sizes.batch / batchGroups;
  sizes.outputShape.assign(rank, 0);
  sizes.outputShape[d.outputBatch] = sizes.outputBatch;
  sizes.outputShape[d.outputFeature] = sizes.outputFeatures;
  for (size_t i = 0; i < spatial; ++i) {
    const SpatialWindow& window = convolution.window[i];
    constexpr int64_t kLargest = int64_t{1} << 40;
    const auto sane = [](int64_t value) { return value >= -kLargest && value <= kLargest; };
    if (window.stride < 1 || window.inputDilation < 1 || window.kernelDilation < 1 ||
        !sane(window.stride) || !sane(window.padLow) || !sane(window.padHigh) ||
        window.inputDilation > (1 << 20) || window.kernelDilation > (1 << 20))
      return misfit(
          fmt::format("Strides and dilations must be positive and padding sane; spatial "
                      "dimension {} has stride {}, padding {} and {}, dilations {} and {}",
                      i, window.stride, window.padLow, window.padHigh, window.inputDilation,
                      window.kernelDilation),
          input, kernel);
    const int64_t in = input.shape()[d.inputSpatial[i]], size = kernel.shape()[d.kernelSpatial[i]];
    const int64_t padded = dilated(in, window.inputDilation) + window.padLow + window.padHigh;
    const int64_t room = padded - dilated(size, window.kernelDilation);
    const int64_t out = padded < 0 || room < 0 ? 0 : room / window.stride + 1;
    sizes.input.push_back(in);
    sizes.kernel.push_back(size);
    sizes.output.push_back(out);
    sizes.outputShape[d.outputSpatial[i]] = out;
  }
  return sizes;
}

}  // namespace vintage::harness
