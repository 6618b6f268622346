// ConvolutionConfiguration as matrix products: the patches that a run of output points sees
// become the columns of a matrix, which the kernel multiplies.
#include <algorithm>

#include "harness/engine/operations/convolution_window.h"
#include "harness/engine/operations/dot_accumulator.h"
#include "harness/engine/operations/dot_matrix_multiply.h"

namespace vintage::harness::engine {
namespace {

// Elements of the patch matrix at a time: it should stay in cache.
constexpr int64_t kPatchElements = int64_t{1} << 18;

std::vector<int64_t> order(int64_t first, int64_t second, const std::vector<int64_t>& spatial) {
  std::vector<int64_t> all{first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return all;
}

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t all = 1;
  for (int64_t size : sizes) all *= size;
  return all;
}

// For each spatial dimension, output index and kernel index: the input index,
// or -1 where padding or a gap of the dilation lies.
std::vector<std::vector<int64_t>> sourceTables(const ConvolutionConfiguration& convolution,
                                               const ConvolutionSizes& sizes) {
  std::vector<std::vector<int64_t>> tables;
  for (size_t i = 0; i < sizes.output.size(); ++i) {
    const SpatialWindow& window = convolution.window[i];
    std::vector<int64_t> table;
    table.reserve(sizes.output[i] * sizes.kernel[i]);
    for (int64_t o = 0; o < sizes.output[i]; ++o) {
      for (int64_t k = 0; k < sizes.kernel[i]; ++k) {
        const int64_t at = window.reversed ? sizes.kernel[i] - 1 - k : k;
        const int64_t place = o * window.stride + at * window.kernelDilation - window.padLow;
        const bool inside = place >= 0 && place % window.inputDilation == 0 &&
                            place / window.inputDilation < sizes.input[i];
        table.push_back(inside ? place / window.inputDilation : -1);
      }
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

class PatchReader {
 public:
  PatchReader(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes)
      : sizes_(sizes),
        tables_(sourceTables(convolution, sizes)),
        kernelPoints_(product(sizes.kernel)),
        inputPoints_(product(sizes.input)) {}

  int64_t kernelPoints() const { return kernelPoints_; }

  // Writes rows (feature, kernel point) and columns (output points from
  // `first`, `count` of them). `image` has the features of one group.
  template <typename T>
  void read(const T* image, int64_t first, int64_t count, T* patches) const {
    std::vector<int64_t> sources(static_cast<size_t>(count));
    for (int64_t point = 0; point < kernelPoints_; ++point) {
      sourcePlaces(point, first, sources);
      for (int64_t feature = 0; feature < sizes_.groupFeatures; ++feature) {
        const T* plane = image + feature * inputPoints_;
        T* row = patches + (feature * kernelPoints_ + point) * count;
        for (int64_t i = 0; i < count; ++i) row[i] = sources[i] < 0 ? T(0) : plane[sources[i]];
      }
    }
  }

 private:
  void sourcePlaces(int64_t kernelPoint, int64_t first, std::vector<int64_t>& sources) const {
    const size_t rank = sizes_.output.size();
    std::vector<int64_t> kernelIndex(rank), outputIndex(rank);
    for (size_t i = rank; i-- > 0;) {
      kernelIndex[i] = kernelPoint % sizes_.kernel[i];
      kernelPoint /= sizes_.kernel[i];
      outputIndex[i] = first % sizes_.output[i];
      first /= sizes_.output[i];
    }
    for (int64_t& source : sources) {
      source = 0;
      for (size_t i = 0; i < rank; ++i) {
        const int64_t at = tables_[i][outputIndex[i] * sizes_.kernel[i] + kernelIndex[i]];
        if (at < 0) {
          source = -1;
          break;
        }
        source = source * sizes_.input[i] + at;
      }
      for (size_t i = rank; i-- > 0;) {
        if (++outputIndex[i] < sizes_.output[i]) break;
        outputIndex[i] = 0;
      }
    }
  }

  const ConvolutionSizes& sizes_;
  std::vector<std::vector<int64_t>> tables_;
  int64_t kernelPoints_, inputPoints_;
};

template <typename T>
std::vector<T> sums(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes,
                    const Tensor& input, const Tensor& kernel) {
  const ConvolutionDimensions& d = convolution.dimensions;
  const AccumulatorView<T> image(input, order(d.inputBatch, d.inputFeature, d.inputSpatial));
  const AccumulatorView<T> weights(
      kernel, order(d.kernelOutputFeature, d.kernelInputFeature, d.kernelSpatial));
  const PatchReader patches(convolution, sizes);
  const int64_t points = product(sizes.output), inputPoints = product(sizes.input);
  const int64_t groups = convolution.featureGroups * convolution.batchGroups;
  const int64_t outputs = sizes.outputFeatures / groups;
  const int64_t inner = sizes.groupFeatures * patches.kernelPoints();
  const int64_t chunk = std::clamp<int64_t>(kPatchElements / std::max<int64_t>(inner, 1), 1,
                                            std::max<int64_t>(points, 1));
  std::vector<T> out(static_cast<size_t>(sizes.outputBatch * sizes.outputFeatures * points), T(0));
  std::vector<T> matrix(static_cast<size_t>(inner * chunk));
  std::vector<T> part(static_cast<size_t>(outputs * chunk));
  for (int64_t batch = 0; batch < sizes.outputBatch; ++batch) {
    for (int64_t group = 0; group < groups; ++group) {
      const bool byBatch = convolution.batchGroups > 1;
      const int64_t inputBatch = byBatch ? group * sizes.outputBatch + batch : batch;
      const int64_t firstFeature = byBatch ? 0 : group * sizes.groupFeatures;
      const T* source = image.data() + (inputBatch * sizes.features + firstFeature) * inputPoints;
      T* target = out.data() + (batch * sizes.outputFeatures + group * outputs) * points;
      for (int64_t first = 0; first < points; first += chunk) {
        const int64_t count = std::min(chunk, points - first);
        patches.read(source, first, count, matrix.data());
        MatrixProduct shape;
        shape.rows = outputs;
        shape.columns = count;
        shape.inner = inner;
        multiplyMatrices(shape, weights.data() + group * outputs * inner, matrix.data(),
                         part.data());
        for (int64_t row = 0; row < outputs; ++row) {
          std::copy_n(part.data() + row * count, count, target + row * points + first);
        }
      }
    }
  }
  return out;
}

// From [batch, feature, spatial…] to the result's own numbering.
template <typename T>
void storePermuted(const std::vector<T>& values, const ConvolutionDimensions& d, Tensor& result) {
  const auto from = order(d.outputBatch, d.outputFeature, d.outputSpatial);
  const size_t rank = from.size();
  std::vector<int64_t> stride(rank, 1), step(rank), extent(rank), index(rank, 0);
  for (size_t i = rank; i-- > 1;) stride[i - 1] = stride[i] * result.shape()[from[i]];
  for (size_t i = 0; i < rank; ++i) step[from[i]] = stride[i];
  std::vector<T> ordered(values.size());
  int64_t place = 0;
  for (T& target : ordered) {
    target = values[place];
    for (size_t i = rank; i-- > 0;) {
      place += step[i];
      if (++index[i] < result.shape()[i]) break;
      place -= step[i] * result.shape()[i];
      index[i] = 0;
    }
  }
  storeAccumulated<T>(ordered, result);
}

}  // namespace

Result<Tensor> convolve(const ConvolutionConfiguration& convolution, const Tensor& input,
                        const Tensor& kernel, ElementType resultType, size_t limitBytes) {
  ASSIGN_OR_RETURN(const auto sizes, convolutionSizes(convolution, input, kernel));
  ASSIGN_OR_RETURN(const auto accumulator, accumulatorFor(input.type(), kernel.type(), resultType));
  auto result = Tensor::makeUninitialized(resultType, sizes.outputShape, limitBytes);
  if (!result || result->size() == 0) return result;
  visitAccumulator(accumulator, [&]<typename T>() {
    storePermuted(sums<T>(convolution, sizes, input, kernel), convolution.dimensions, *result);
  });
  return result;
}

}  // namespace vintage::harness::engine
