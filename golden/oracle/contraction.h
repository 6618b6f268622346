// dot_general by its definition: sums in quadruple precision, rounded once;
// integers wrap around. Operands of other types are converted to the result's
// kind first.
#pragma once

#include "golden/oracle/number.h"
#include "golden/oracle/room.h"

namespace vintage::golden::oracle {

struct DotDimensions {
  Shape leftBatch, rightBatch, leftContracting, rightContracting;
};

// Batch dimensions, then the left free ones, then the right free ones.
Shape dotShape(std::span<const int64_t> left, std::span<const int64_t> right,
               const DotDimensions& dimensions);
Tensor dotGeneral(const Tensor& left, const Tensor& right, const DotDimensions& dimensions,
                  ElementType result);

}  // namespace vintage::golden::oracle
