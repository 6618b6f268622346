#include "harness/engine/operations/convolution_window.h"

#include <fmt/format.h>

#include <algorithm>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Whether the numbers are 0 … rank - 1, each once.
bool numbersAll(int64_t first, int64_t second, const std::vector<int64_t>& spatial, int64_t rank) {
  std::vector<int64_t> all = spatial;
  all.push_back(first);
  all.push_back(second);
  std::ranges::sort(all);
  if (static_cast<int64_t>(all.size()) != rank) return false;
  for (int64_t i = 0; i < rank; ++i) {
    if (all[i] != i) return false;
  }
  return true;
}

int64_t dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

tl::unexpected<Error> misfit(std::string what, const Tensor& input, const Tensor& kernel) {
  return badInput("{} (input {}, kernel {}).", what, describe(input), describe(kernel));
}

}  // namespace

Result<ConvolutionSizes> convolutionSizes(const ConvolutionConfiguration& convolution,
                                          const Tensor& input, const Tensor& kernel) {
  const ConvolutionDimensions& d = convolution.dimensions;
  const size_t spatial = convolution.window.size();
  const auto rank = static_cast<int64_t>(spatial) + 2;
  const bool numbered =
      d.inputSpatial.size() == spatial && d.kernelSpatial.size() == spatial &&
      d.outputSpatial.size() == spatial && input.rank() == rank && kernel.rank() == rank &&
      numbersAll(d.inputBatch, d.inputFeature, d.inputSpatial, rank) &&
      numbersAll(d.kernelInputFeature, d.kernelOutputFeature, d.kernelSpatial, rank) &&
      numbersAll(d.outputBatch, d.outputFeature, d.outputSpatial, rank);
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
      sizes.features != sizes.groupFeatures * featureGroups) {
    return misfit(fmt::format("feature_group_count {} and batch_group_count {} do not divide the "
                              "operands",
                              featureGroups, batchGroups),
                  input, kernel);
  }
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
        window.inputDilation > (1 << 20) || window.kernelDilation > (1 << 20)) {
      return misfit(
          fmt::format("Strides and dilations must be positive and padding sane; spatial "
                      "dimension {} has stride {}, padding {} and {}, dilations {} and {}",
                      i, window.stride, window.padLow, window.padHigh, window.inputDilation,
                      window.kernelDilation),
          input, kernel);
    }
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
