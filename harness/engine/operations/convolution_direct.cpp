// Convolutions of few output features: a row of the result is the sum of rows of the input, moved
// and multiplied. A matrix of patches would be written for products that take less time than it.
#include <algorithm>
#include <array>
#include <vector>

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

// The rows of one output feature.
class Rows {
 public:
  Rows(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes)
      : sizes_(sizes),
        outer_(sizes.output.size() - 1),
        tables_(convolution, sizes, outer_),
        row_(convolution.window[outer_], sizes.kernel[outer_], sizes.input[outer_]),
        inputPoints_(elementCount(sizes.input)),
        kernel_(outer_) {}

  // `planes` has the features of the group, `weights` what each is multiplied by.
  template <typename T>
  void write(const T* planes, const T* weights, T* out) {
    const int64_t length = sizes_.output[outer_];
    std::vector<int64_t> at(outer_);
    do {
      for (int64_t first = 0; first < length; first += kTile) {
        const int64_t count = std::min(kTile, length - first);
        std::fill_n(out + first, count, T(0));
        addTo(out + first, at, first, count, planes, weights);
      }
      out += length;
    } while (nextIndex(std::span(sizes_.output).first(outer_), at));
  }

 private:
  // Elements [first, first + count) of the output row at this index.
  template <typename T>
  void addTo(T* out, std::span<const int64_t> at, int64_t first, int64_t count, const T* planes,
             const T* weights) {
    for (int64_t feature = 0; feature < sizes_.groupFeatures; ++feature) {
      std::ranges::fill(kernel_, 0);
      do {
        const int64_t source = tables_.source(at, kernel_);
        if (source >= 0)
          row_.add(planes + source * sizes_.input[outer_], weights, first, count, out);
        weights += sizes_.kernel[outer_];
      } while (nextIndex(std::span(sizes_.kernel).first(outer_), kernel_));
      planes += inputPoints_;
    }
  }

  const ConvolutionSizes& sizes_;
  size_t outer_;  // The number of spatial dimensions before the last.
  SourceTables tables_;
  Row row_;
  int64_t inputPoints_;
  std::vector<int64_t> kernel_;  // The present kernel row.
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
  const int64_t inputPoints = elementCount(sizes.input), points = elementCount(sizes.output);
  const int64_t kernelPoints = sizes.groupFeatures * elementCount(sizes.kernel);
  const int64_t groups = convolution.featureGroups * convolution.batchGroups;
  Rows rows(convolution, sizes);
  for (int64_t batch = 0; batch < sizes.outputBatch; ++batch)
    for (int64_t feature = 0; feature < sizes.outputFeatures; ++feature, out += points) {
      const int64_t group = feature / (sizes.outputFeatures / groups);
      rows.write(image + firstPlane(convolution, sizes, batch, group) * inputPoints,
                 weights + feature * kernelPoints, out);
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
