// The window of a convolution: sizes, strides, padding and dilation of one spatial dimension, and
// the numbering of all dimensions.
#pragma once

#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

struct SpatialWindow {
  int64_t stride = 1;
  int64_t padLow = 0, padHigh = 0;  // May be negative: that much is cut off.
  int64_t inputDilation = 1, kernelDilation = 1;
  bool reversed = false;
};

struct ConvolutionDimensions {
  int64_t inputBatch = 0, inputFeature = 0;
  std::vector<int64_t> inputSpatial;
  int64_t kernelInputFeature = 0, kernelOutputFeature = 0;
  std::vector<int64_t> kernelSpatial;
  int64_t outputBatch = 0, outputFeature = 0;
  std::vector<int64_t> outputSpatial;
};

struct ConvolutionConfiguration {
  ConvolutionDimensions dimensions;
  std::vector<SpatialWindow> window;  // One for each spatial dimension.
  int64_t featureGroups = 1, batchGroups = 1;
};

// Sizes of one run, all checked against each other.
struct ConvolutionSizes {
  int64_t batch, features;  // Of the input.
  int64_t outputBatch, outputFeatures;
  int64_t groupFeatures;                       // Input features that one output feature sees.
  std::vector<int64_t> input, kernel, output;  // Spatial.
  golden::Shape outputShape;                   // In the numbering of the result.
};

// kBadInput where numbers, ranks and sizes do not fit.
Result<ConvolutionSizes> convolutionSizes(const ConvolutionConfiguration& convolution,
                                          const golden::Tensor& input,
                                          const golden::Tensor& kernel);

Result<golden::Tensor> convolve(const ConvolutionConfiguration& convolution,
                                const golden::Tensor& input, const golden::Tensor& kernel,
                                golden::ElementType resultType,
                                size_t limitBytes = golden::Tensor::kDefaultLimit);

// For each output index and kernel index of a spatial dimension, kernel indices side by
// side: the input index, or -1 where padding or a gap of the dilation lies.
std::vector<int64_t> sourceTable(const SpatialWindow& window, int64_t output, int64_t kernel,
                                 int64_t input);
// Those of the first `dimensions` spatial dimensions. The sizes must outlive them.
class SourceTables {
 public:
  SourceTables(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes,
               size_t dimensions);
  std::span<const int64_t> of(size_t dimension) const { return tables_[dimension]; }
  // The number, row-major, of the input point that an output point and a kernel point read, in as
  // many dimensions as the latter has; -1 where padding or a gap lies.
  int64_t source(std::span<const int64_t> output, std::span<const int64_t> kernel) const {
    int64_t source = 0;
    for (size_t d = 0; d < kernel.size(); ++d) {
      const int64_t at = tables_[d][static_cast<size_t>(output[d] * sizes_.kernel[d] + kernel[d])];
      if (at < 0) return -1;
      source = source * sizes_.input[d] + at;
    }
    return source;
  }

 private:
  const ConvolutionSizes& sizes_;
  std::vector<std::vector<int64_t>> tables_;
};

// The number, among [batch, feature] of the input, of the first one that a group's features see.
int64_t firstPlane(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes,
                   int64_t batch, int64_t group);

// Convolutions of few output features, whose rows are sums of rows of the input.
bool convolvesDirectly(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes);
// Where that holds. `image` is [batch, feature, spatial…], `weights` [output feature, input feature
// of a group, kernel spatial…] and `out` [batch, output feature, spatial…]. Writes every element of
// `out`. T: the real ones of multiplyMatrices.
template <typename T>
void convolveDirectly(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes,
                      const T* image, const T* weights, T* out);

// Convolutions whose features lie side by side in memory, as JAX's users mostly
// write them: a patch is a few long copies, and the kernel, the patches and the
// result are the three matrices of one product as they lie.

// One group only. `image` is [batch, spatial…, feature], `weights` [kernel spatial…, input feature,
// output feature] and `out` [batch, spatial…, output feature]. Writes every element of `out`. T: as
// in multiplyMatrices.
template <typename T>
void convolveChannelsLast(const ConvolutionConfiguration& convolution,
                          const ConvolutionSizes& sizes, const T* image, const T* weights, T* out);

}  // namespace vintage::harness
