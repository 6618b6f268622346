// ConvolutionConfiguration as matrix products: the patches that a run of output points sees
// become the columns of a matrix, which the kernel multiplies.
#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "golden/tensor/visit.h"
#include "harness/engine/operations/convolution_window.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/dot_general.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Elements of the patch matrix at a time: it should stay in cache.
constexpr int64_t kPatchElements = int64_t{1} << 18;

class PatchReader {
 public:
  PatchReader(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes)
      : sizes_(sizes),
        tables_(convolution, sizes, sizes.output.size()),
        kernelPoints_(elementCount(sizes.kernel)),
        inputPoints_(elementCount(sizes.input)) {}

  int64_t kernelPoints() const { return kernelPoints_; }

  // Writes rows (feature, kernel point) and columns (output points from
  // `first`, `count` of them). `image` has the features of one group.
  template <typename T>
  void read(const T* image, int64_t first, int64_t count, T* patches) const {
    if (!sizes_.kernel.empty() && sizes_.kernel.back() > count)
      return readByPoint(image, first, count, patches);
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
  // The same for large kernels and few output points, as gradients by kernels have them: a row of
  // kernel points at a time.
  template <typename T>
  void readByPoint(const T* image, int64_t first, int64_t count, T* patches) const {
    const size_t last = sizes_.kernel.size() - 1;
    const int64_t length = sizes_.kernel[last];
    const auto outer = std::span(sizes_.kernel).first(last);
    std::vector<int64_t> outputIndex(last + 1), row(last);
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = first + i;
      for (size_t d = last + 1; d-- > 0; rest /= sizes_.output[d])
        outputIndex[d] = rest % sizes_.output[d];
      const int64_t* places = tables_.of(last).data() + outputIndex[last] * length;
      T* to = patches + i;
      do {
        const int64_t base = tables_.source(outputIndex, row);
        for (int64_t feature = 0; feature < sizes_.groupFeatures; ++feature) {
          T* target = to + feature * kernelPoints_ * count;
          if (base < 0) {
            for (int64_t k = 0; k < length; ++k) target[k * count] = T(0);
            continue;
          }
          const T* from = image + feature * inputPoints_ + base * sizes_.input[last];
          for (int64_t k = 0; k < length; ++k)
            target[k * count] = places[k] < 0 ? T(0) : from[places[k]];
        }
        to += length * count;
      } while (nextIndex(outer, row));
    }
  }

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
      source = tables_.source(outputIndex, kernelIndex);
      for (size_t i = rank; i-- > 0;) {
        if (++outputIndex[i] < sizes_.output[i]) break;
        outputIndex[i] = 0;
      }
    }
  }

  const ConvolutionSizes& sizes_;
  SourceTables tables_;
  int64_t kernelPoints_, inputPoints_;
};

// Into [batch, feature, spatial…].
template <typename T>
void sumChannelsFirst(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes,
                      const Tensor& input, const Tensor& kernel, T* out) {
  const ConvolutionDimensions& d = convolution.dimensions;
  const AccumulatorView image(input, kElementTypeOf<T>,
                              joined({d.inputBatch, d.inputFeature}, d.inputSpatial));
  const AccumulatorView weights(
      kernel, kElementTypeOf<T>,
      joined({d.kernelOutputFeature, d.kernelInputFeature}, d.kernelSpatial));
  if constexpr (!kIsComplexStorage<T>)
    if (convolvesDirectly(convolution, sizes))
      return convolveDirectly(convolution, sizes, image.data<T>(), weights.data<T>(), out);
  const PatchReader patches(convolution, sizes);
  const int64_t points = elementCount(sizes.output), inputPoints = elementCount(sizes.input);
  const int64_t groups = convolution.featureGroups * convolution.batchGroups;
  const int64_t outputs = sizes.outputFeatures / groups;
  const int64_t inner = sizes.groupFeatures * patches.kernelPoints();
  const int64_t chunk = std::clamp<int64_t>(kPatchElements / std::max<int64_t>(inner, 1), 1,
                                            std::max<int64_t>(points, 1));
  std::vector<T> matrix(static_cast<size_t>(inner * chunk));
  std::vector<T> part(chunk < points ? static_cast<size_t>(outputs * chunk) : 0);
  for (int64_t batch = 0; batch < sizes.outputBatch; ++batch) {
    for (int64_t group = 0; group < groups; ++group) {
      const T* source =
          image.data<T>() + firstPlane(convolution, sizes, batch, group) * inputPoints;
      T* target = out + (batch * sizes.outputFeatures + group * outputs) * points;
      for (int64_t first = 0; first < points; first += chunk) {
        const int64_t count = std::min(chunk, points - first);
        patches.read(source, first, count, matrix.data());
        MatrixProduct shape;
        shape.rows = outputs;
        shape.columns = count;
        shape.inner = inner;
        const bool whole = count == points;
        multiplyMatrices(shape, weights.data<T>() + group * outputs * inner, matrix.data(),
                         whole ? target : part.data());
        for (int64_t row = 0; !whole && row < outputs; ++row)
          std::copy_n(part.data() + row * count, count, target + row * points + first);
      }
    }
  }
}

// Into the result's own numbering, from that which `from` gives.
template <typename T>
void storePermuted(const T* values, const std::vector<int64_t>& from, Tensor& result) {
  const Shape shape = chosen(result.shape(), from);
  const std::vector<int64_t> strides = chosen(rowMajorStrides(result.shape()), from);
  std::vector<T> ordered(static_cast<size_t>(result.size()));
  stridedCopy(shape, sizeof(T),
              {reinterpret_cast<const std::byte*>(values), rowMajorStrides(shape)},
              {reinterpret_cast<std::byte*>(ordered.data()), strides});
  storeAccumulated(kElementTypeOf<T>, ordered.data(), result);
}

template <typename T>
void run(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes,
         const Tensor& input, const Tensor& kernel, Tensor& result) {
  const ConvolutionDimensions& d = convolution.dimensions;
  const bool channelsLast = !d.inputSpatial.empty() && convolution.featureGroups == 1 &&
                            convolution.batchGroups == 1 && d.inputFeature + 1 == input.rank();
  const auto from = channelsLast
                        ? joined({d.outputBatch}, d.outputSpatial, std::array{d.outputFeature})
                        : joined({d.outputBatch, d.outputFeature}, d.outputSpatial);
  const bool direct =
      storesAccumulator(kElementTypeOf<T>, result.type()) && std::ranges::is_sorted(from);
  std::unique_ptr<T[]> sums;
  if (!direct) sums = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(result.size()));
  T* out = direct ? result.mutableValues<T>().data() : sums.get();
  if (channelsLast) {
    const AccumulatorView image(input, kElementTypeOf<T>,
                                joined({d.inputBatch}, d.inputSpatial, std::array{d.inputFeature}));
    const AccumulatorView weights(
        kernel, kElementTypeOf<T>,
        joined(d.kernelSpatial, std::array{d.kernelInputFeature, d.kernelOutputFeature}));
    convolveChannelsLast(convolution, sizes, image.data<T>(), weights.data<T>(), out);
  } else {
    sumChannelsFirst(convolution, sizes, input, kernel, out);
  }
  if (!direct) storePermuted(out, from, result);
}

}  // namespace

Result<Tensor> convolve(const ConvolutionConfiguration& convolution, const Tensor& input,
                        const Tensor& kernel, ElementType resultType, size_t limitBytes) {
  ASSIGN_OR_RETURN(const auto sizes, convolutionSizes(convolution, input, kernel));
  ASSIGN_OR_RETURN(const auto accumulator, accumulatorFor(input.type(), kernel.type(), resultType));
  auto result = Tensor::makeUninitialized(resultType, sizes.outputShape, limitBytes);
  if (!result || result->size() == 0) return result;
  visitAccumulator(accumulator,
                   [&]<typename T>() { run<T>(convolution, sizes, input, kernel, *result); });
  return result;
}

}  // namespace vintage::harness
