#include "harness/engine/operations/convolution_window.h"

#include <algorithm>
#include <complex>
#include <memory>

#include "harness/engine/operations/dot_general.h"

namespace vintage::harness {
using namespace golden;

std::vector<int64_t> sourceTable(const SpatialWindow& window, int64_t output, int64_t kernel,
                                 int64_t input) {
  std::vector<int64_t> table;
  table.reserve(static_cast<size_t>(output * kernel));
  for (int64_t o = 0; o < output; ++o) {
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t at = window.reversed ? kernel - 1 - k : k;
      const int64_t place = o * window.stride + at * window.kernelDilation - window.padLow;
      const bool inside =
          place >= 0 && place % window.inputDilation == 0 && place / window.inputDilation < input;
      table.push_back(inside ? place / window.inputDilation : -1);
    }
  }
  return table;
}

SourceTables::SourceTables(const ConvolutionConfiguration& convolution,
                           const ConvolutionSizes& sizes, size_t dimensions)
    : sizes_(sizes) {
  for (size_t i = 0; i < dimensions; ++i)
    tables_.push_back(
        sourceTable(convolution.window[i], sizes.output[i], sizes.kernel[i], sizes.input[i]));
}

int64_t firstPlane(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes,
                   int64_t batch, int64_t group) {
  if (convolution.batchGroups > 1) return (group * sizes.outputBatch + batch) * sizes.features;
  return batch * sizes.features + group * sizes.groupFeatures;
}

namespace {

// Elements of the patch matrix at a time: it should stay in the second-level cache.
constexpr int64_t kPatchBlock = int64_t{1} << 17;

// Neighbouring kernel indices of the last spatial dimension that read neighbouring
// points, or none at all (source < 0).
struct Run {
  int64_t kernel, source, count;
};

// Writes the patches that output points see: rows of [kernel point, feature].
class PatchRows {
 public:
  PatchRows(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes)
      : sizes_(sizes),
        outer_(sizes.output.size() - 1),
        features_(sizes.features),
        tables_(convolution, sizes, outer_) {
    const int64_t kernel = sizes.kernel[outer_];
    const auto last =
        sourceTable(convolution.window[outer_], sizes.output[outer_], kernel, sizes.input[outer_]);
    for (int64_t o = 0; o < sizes.output[outer_]; ++o)
      runs_.push_back(runsOf(
          std::span(last).subspan(static_cast<size_t>(o * kernel), static_cast<size_t>(kernel))));
    outerKernels_ = elementCount(std::span(sizes.kernel).first(outer_));
  }

  template <typename T>
  void read(const T* image, int64_t first, int64_t count, T* patches) const {
    const int64_t line = sizes_.output[outer_];
    const int64_t rowElements = sizes_.kernel[outer_] * features_;
    const int64_t patchElements = outerKernels_ * rowElements;
    while (count > 0) {
      const int64_t at = first % line, points = std::min(count, line - at);
      for (int64_t kernel = 0; kernel < outerKernels_; ++kernel) {
        const int64_t base = lineOf(first / line, kernel);
        T* target = patches + kernel * rowElements;
        for (int64_t i = 0; i < points; ++i, target += patchElements) {
          if (base < 0) {
            std::fill_n(target, rowElements, T(0));
            continue;
          }
          for (const Run& run : runs_[static_cast<size_t>(at + i)]) {
            T* to = target + run.kernel * features_;
            if (run.source < 0)
              std::fill_n(to, run.count * features_, T(0));
            else
              std::copy_n(image + (base * sizes_.input[outer_] + run.source) * features_,
                          run.count * features_, to);
          }
        }
      }
      patches += points * patchElements;
      first += points;
      count -= points;
    }
  }

 private:
  static std::vector<Run> runsOf(std::span<const int64_t> sources) {
    std::vector<Run> runs;
    for (size_t k = 0; k < sources.size(); ++k) {
      const int64_t source = sources[k];
      if (!runs.empty() && (source < 0 ? runs.back().source < 0
                                       : runs.back().source >= 0 &&
                                             source == runs.back().source + runs.back().count))
        ++runs.back().count;
      else
        runs.push_back({static_cast<int64_t>(k), source, 1});
    }
    return runs;
  }

  // The line of the input that kernel line `kernel` reads for an output line, or -1.
  int64_t lineOf(int64_t output, int64_t kernel) const {
    int64_t line = 0, scale = 1;
    for (size_t i = outer_; i-- > 0;) {
      const int64_t o = output % sizes_.output[i], k = kernel % sizes_.kernel[i];
      output /= sizes_.output[i];
      kernel /= sizes_.kernel[i];
      const int64_t at = tables_.of(i)[static_cast<size_t>(o * sizes_.kernel[i] + k)];
      if (at < 0) return -1;
      line += at * scale;
      scale *= sizes_.input[i];
    }
    return line;
  }

  const ConvolutionSizes& sizes_;
  size_t outer_;  // The number of spatial dimensions before the last.
  int64_t features_, outerKernels_ = 1;
  SourceTables tables_;                 // Of those dimensions.
  std::vector<std::vector<Run>> runs_;  // By index of the last one.
};

// The input is the matrix of patches already.
bool isPointwise(const ConvolutionConfiguration& convolution, const ConvolutionSizes& sizes) {
  for (size_t i = 0; i < sizes.output.size(); ++i) {
    const SpatialWindow& window = convolution.window[i];
    if (sizes.kernel[i] != 1 || window.stride != 1 || window.padLow != 0 ||
        window.inputDilation != 1 || sizes.output[i] != sizes.input[i])
      return false;
  }
  return true;
}

}  // namespace

template <typename T>
void convolveChannelsLast(const ConvolutionConfiguration& convolution,
                          const ConvolutionSizes& sizes, const T* image, const T* weights, T* out) {
  const int64_t points = elementCount(sizes.output), inputPoints = elementCount(sizes.input);
  MatrixProduct shape;
  shape.columns = sizes.outputFeatures;
  shape.inner = sizes.features * elementCount(sizes.kernel);
  if (isPointwise(convolution, sizes)) {
    shape.rows = sizes.outputBatch * points;
    multiplyMatrices(shape, image, weights, out);
    return;
  }
  const PatchRows patches(convolution, sizes);
  const int64_t chunk = std::clamp<int64_t>(kPatchBlock / std::max<int64_t>(shape.inner, 1), 1,
                                            std::max<int64_t>(points, 1));
  const auto matrix = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(shape.inner * chunk));
  for (int64_t batch = 0; batch < sizes.outputBatch; ++batch) {
    for (int64_t first = 0; first < points; first += chunk) {
      shape.rows = std::min(chunk, points - first);
      patches.read(image + batch * inputPoints * sizes.features, first, shape.rows, matrix.get());
      multiplyMatrices(shape, matrix.get(), weights,
                       out + (batch * points + first) * sizes.outputFeatures);
    }
  }
}

#define VINTAGE_CONVOLVE(T)                                                                    \
  template void convolveChannelsLast(const ConvolutionConfiguration&, const ConvolutionSizes&, \
                                     const T*, const T*, T*);
VINTAGE_CONVOLVE(float)
VINTAGE_CONVOLVE(double)
VINTAGE_CONVOLVE(std::complex<float>)
VINTAGE_CONVOLVE(std::complex<double>)
VINTAGE_CONVOLVE(uint32_t)
VINTAGE_CONVOLVE(uint64_t)
#undef VINTAGE_CONVOLVE

}  // namespace vintage::harness
