// dot_general by its definition: sums in quadruple precision, rounded once;
// integers wrap around. Operands of other types are converted to the result's
// kind first.
#pragma once

#include "golden/oracle/number.h"

namespace vintage::golden::oracle {

struct DotDimensions {
  Shape leftBatch, rightBatch, leftContracting, rightContracting;
};

// Batch dimensions, then the left free ones, then the right free ones.
Shape dotShape(std::span<const int64_t> left, std::span<const int64_t> right,
               const DotDimensions& dimensions);
Tensor dotGeneral(const Tensor& left, const Tensor& right, const DotDimensions& dimensions,
                  ElementType result);

// Convolution by its definition, in quadruple precision, rounded once.

struct Convolution {
  Shape strides, paddingLow, paddingHigh, inputDilation, kernelDilation;
  int64_t featureGroups = 1, batchGroups = 1;
};

// `input` is [batch, spatial…, feature], `kernel` [spatial…, input feature,
// output feature], the result [batch, spatial…, feature].
Shape convolutionShape(std::span<const int64_t> input, std::span<const int64_t> kernel,
                       const Convolution& convolution);
Tensor convolved(const Tensor& input, const Tensor& kernel, const Convolution& convolution,
                 ElementType result);

// Discrete Fourier transforms by their sums, in quadruple precision.

enum class FourierKind { kForward, kInverse, kRealForward, kRealInverse };

// Along the last `lengths.size()` dimensions, of these lengths. A real inverse takes the half
// spectrum that a real forward transform returns.
Tensor fourier(const Tensor& operand, FourierKind kind, std::span<const int64_t> lengths);

}  // namespace vintage::golden::oracle
