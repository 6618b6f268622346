// Convolution by its definition, in quadruple precision, rounded once.
#pragma once

#include "golden/oracle/number.h"
#include "golden/oracle/room.h"

namespace vintage::golden::oracle {

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

}  // namespace vintage::golden::oracle
