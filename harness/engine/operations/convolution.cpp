// stablehlo.convolution and stablehlo.dynamic_conv.

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/convolution_window.h"

namespace vintage::harness {
using namespace golden;

namespace {

Result<ConvolutionConfiguration> readConvolution(const Operation& operation) {
  CheckedAttributes read(operation);
  const AttributeMap numbers = read.dictionary("dimension_numbers");
  CheckedAttributes named(numbers, operation.name + " dimension_numbers");
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
  auto givenStrides = read.integers("window_strides", ones);
  // jax2tf wrote dynamic_conv with more strides than there are spatial dimensions;
  // the verifier lets it pass, and what is too much has nothing to stride over.
  if (operation.name == "stablehlo.dynamic_conv" && givenStrides.size() > spatial)
    givenStrides.resize(spatial);
  const auto strides = std::move(givenStrides);
  const auto padding = read.flattenedIntegers("padding", std::vector<int64_t>(2 * spatial, 0));
  const auto inputDilation = read.integers("lhs_dilation", ones);
  const auto kernelDilation = read.integers("rhs_dilation", ones);
  const auto reversal = read.integers("window_reversal", zeros);
  convolution.featureGroups = read.integer("feature_group_count", 1);
  convolution.batchGroups = read.integer("batch_group_count", 1);
  RETURN_IF_ERROR(read.status());
  RETURN_IF_ERROR(named.status());
  for (const auto* list : {&strides, &inputDilation, &kernelDilation, &reversal}) {
    if (list->size() != spatial || padding.size() != 2 * spatial) {
      return badInput(
          "{}: strides, padding, dilations and reversal must have an entry "
          "for each of the {} spatial dimensions.",
          operation.name, spatial);
    }
  }
  for (size_t i = 0; i < spatial; ++i) {
    convolution.window.push_back({strides[i], padding[2 * i], padding[2 * i + 1], inputDilation[i],
                                  kernelDilation[i], reversal[i] != 0});
  }
  return convolution;
}

Status takePadding(const Tensor& padding, ConvolutionConfiguration& convolution) {
  const bool wide = padding.type() == ElementType::kI64;
  if (!(wide || padding.type() == ElementType::kI32) ||
      padding.size() != 2 * static_cast<int64_t>(convolution.window.size())) {
    return badInput(
        "stablehlo.dynamic_conv: the padding is {}; two i64 or i32 for each "
        "spatial dimension are needed.",
        describe(padding));
  }
  const auto at = [&](size_t i) -> int64_t {
    return wide ? padding.values<int64_t>()[i] : padding.values<int32_t>()[i];
  };
  for (size_t i = 0; i < convolution.window.size(); ++i) {
    convolution.window[i].padLow = at(2 * i);
    convolution.window[i].padHigh = at(2 * i + 1);
  }
  return {};
}

Result<Kernel> makeConvolution(const KernelRequest& request) {
  const std::string name = request.operation.name;
  const bool dynamic = name == "stablehlo.dynamic_conv";
  if (request.operandTypes.size() != (dynamic ? 3 : 2) || request.resultTypes.size() != 1) {
    return badInput("{} has {} operands and {} results.", name, request.operandTypes.size(),
                    request.resultTypes.size());
  }
  auto convolution = readConvolution(request.operation);
  if (!convolution) return tl::unexpected(convolution.error());
  return Kernel([=, convolution = *std::move(convolution),
                 type = request.resultTypes[0].element](KernelCall& call) -> Status {
    ConvolutionConfiguration padded = convolution;
    if (dynamic) {
      RETURN_IF_ERROR(takePadding(call.operands[2].tensor, padded));
    }
    ASSIGN_OR_RETURN(call.results[0].tensor,
                     within(name, convolve(padded, call.operands[0].tensor, call.operands[1].tensor,
                                           type, call.availableBytes)));
    return {};
  });
}

constexpr OperationEntry kConvolutionOperations[] = {{"stablehlo.convolution", makeConvolution},
                                          {"stablehlo.dynamic_conv", makeConvolution}};

}  // namespace

std::span<const OperationEntry> convolutionOperations() { return kConvolutionOperations; }

}  // namespace vintage::harness
