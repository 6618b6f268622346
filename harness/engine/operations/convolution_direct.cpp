// Convolutions of few output features: a row of the result is the sum of rows of the input, moved
// and multiplied. A matrix of patches would be written for products that take less time than it.
#include <algorithm>
#include <array>
#include <complex>

#include "golden/tensor/visit.h"
#include "harness/engine/operations/convolution_window.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/processors.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int64_t kMostOutputs = 4;  // More make good use of each patch.
constexpr int64_t kShortestRow = 8;
constexpr int64_t kTile = 2048;  // Elements of a row at a time: they stay in the first-level cache.
constexpr size_t kRows = 4;

// out[i] += w[0] x[0][i], then w[1] x[1][i] and so on.
template <typename T>
[[gnu::always_inline]] inline void addRows(const T* const* x, const T* w, T* out, int64_t count) {
#pragma clang loop vectorize(assume_safety)
  for (int64_t i = 0; i < count; ++i)
    out[i] = (((out[i] + w[0] * x[0][i]) + w[1] * x[1][i]) + w[2] * x[2][i]) + w[3] * x[3][i];
}
template <typename T>
[[gnu::always_inline]] inline void addRow(const T* x, T w, T* out, int64_t count) {
#pragma clang loop vectorize(assume_safety)
  for (int64_t i = 0; i < count; ++i) out[i] += w * x[i];
}

// The last spatial dimension.
class Row {
 public:
  Row(const SpatialWindow& window, int64_t kernel, int64_t input) : input_(input) {
    for (int64_t k = 0; k < kernel; ++k)
      offsets_.push_back((window.reversed ? kernel - 1 - k : k) * window.kernelDilation -
                         window.padLow);
  }

  // Adds to elements [first, first + count) of an output row, which lie at `out`, what a row of the
  // input and one of the kernel give.
  template <typename T>
  void add(const T* row, const T* weights, int64_t first, int64_t count, T* out) const {
    size_t k = 0;
    for (; k + kRows <= offsets_.size(); k += kRows) {
      // All four are inside on [from, to), and each by itself beside.
      int64_t from = first, to = first + count;
      for (size_t i = k; i < k + kRows; ++i) {
        from = std::max(from, -offsets_[i]);
        to = std::min(to, input_ - offsets_[i]);
      }
      from = std::min(from, first + count);
      to = std::max(to, from);
      std::array<const T*, kRows> x;
      for (size_t i = 0; i < kRows; ++i) {
        addPart(row, weights, k + i, first, from, first, out);
        addPart(row, weights, k + i, to, first + count, first, out);
        x[i] = row + from + offsets_[k + i];
      }
      if (from < to)
        onAnyProcessor<&addRows<T>>(x.data(), weights + k, out + (from - first), to - from);
    }
    for (; k < offsets_.size(); ++k) addPart(row, weights, k, first, first + count, first, out);
  }

 private:
  // Kernel index k alone, on [from, to).
  template <typename T>
  void addPart(const T* row, const T* weights, size_t k, int64_t from, int64_t to, int64_t first,
               T* out) const {
    from = std::max(from, -offsets_[k]);
    to = std::min(to, input_ - offsets_[k]);
    if (from < to)
      onAnyProcessor<&addRow<T>>(row + from + offsets_[k], weights[k], out + (from - first),
                                 to - from);
  }

  int64_t input_;
  std::vector<int64_t> offsets_;  // Output element i reads input element i + offset.
};

}  // namespace

bool convolvesDirectly(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes) {
  if (convolution.window.empty()) return false;
  const SpatialWindow& last = convolution.window.back();
  return sizes.outputFeatures <=
             kMostOutputs * convolution.featureGroups * convolution.batchGroups &&
         last.stride == 1 && last.inputDilation == 1 && sizes.output.back() >= kShortestRow;
}

template <typename T>
void convolveDirectly(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes,
                      const T* image, const T* weights, T* out) {
  const size_t last = sizes.output.size() - 1;
  const Row row(convolution.window[last], sizes.kernel[last], sizes.input[last]);
  std::vector<std::vector<int64_t>> tables;
  for (size_t i = 0; i < last; ++i)
    tables.push_back(
        sourceTable(convolution.window[i], sizes.output[i], sizes.kernel[i], sizes.input[i]));
  const auto outerOutput = std::span(sizes.output).first(last);
  const auto outerKernel = std::span(sizes.kernel).first(last);
  // The input row of an output row and a kernel row; -1 where padding or a gap lies.
  const auto sourceRow = [&](std::span<const int64_t> at, std::span<const int64_t> kernel) {
    int64_t source = 0;
    for (size_t d = 0; d < last; ++d) {
      const int64_t place = tables[d][static_cast<size_t>(at[d] * sizes.kernel[d] + kernel[d])];
      if (place < 0) return int64_t{-1};
      source = source * sizes.input[d] + place;
    }
    return source;
  };

  const int64_t inputPoints = elementCount(sizes.input), kernelPoints = elementCount(sizes.kernel);
  const int64_t length = sizes.output[last];
  const int64_t groups = convolution.featureGroups * convolution.batchGroups;
  const int64_t outputsOfGroup = sizes.outputFeatures / groups;
  for (int64_t batch = 0; batch < sizes.outputBatch; ++batch) {
    for (int64_t feature = 0; feature < sizes.outputFeatures; ++feature) {
      const int64_t group = feature / outputsOfGroup;
      const bool byBatch = convolution.batchGroups > 1;
      const int64_t inputBatch = byBatch ? group * sizes.outputBatch + batch : batch;
      const int64_t firstFeature = byBatch ? 0 : group * sizes.groupFeatures;
      const T* planes = image + (inputBatch * sizes.features + firstFeature) * inputPoints;
      const T* own = weights + feature * sizes.groupFeatures * kernelPoints;
      std::vector<int64_t> at(last);
      do {
        for (int64_t first = 0; first < length; first += kTile) {
          const int64_t count = std::min(kTile, length - first);
          std::fill_n(out + first, count, T(0));
          for (int64_t f = 0; f < sizes.groupFeatures; ++f) {
            std::vector<int64_t> kernel(last);
            const T* kernelRow = own + f * kernelPoints;
            do {
              const int64_t source = sourceRow(at, kernel);
              if (source >= 0)
                row.add(planes + f * inputPoints + source * sizes.input[last], kernelRow, first,
                        count, out + first);
              kernelRow += sizes.kernel[last];
            } while (nextIndex(outerKernel, kernel));
          }
        }
        out += length;
      } while (nextIndex(outerOutput, at));
    }
  }
}

template void convolveDirectly(const ConvolutionConfiguration&, const ConvolutionSizes&,
                               const float*, const float*, float*);
template void convolveDirectly(const ConvolutionConfiguration&, const ConvolutionSizes&,
                               const double*, const double*, double*);
template void convolveDirectly(const ConvolutionConfiguration&, const ConvolutionSizes&,
                               const uint32_t*, const uint32_t*, uint32_t*);
template void convolveDirectly(const ConvolutionConfiguration&, const ConvolutionSizes&,
                               const uint64_t*, const uint64_t*, uint64_t*);

}  // namespace vintage::harness
