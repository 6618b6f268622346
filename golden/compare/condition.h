// How much a matrix magnifies the errors of what is computed with it.
#pragma once

#include "golden/compare/room.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden::compare {

// ||A|| ||A^-1|| in Frobenius' norm, of a matrix that is not square by that of
// A^H A; infinite where A is singular, or holds what is not finite. Of a batch the
// largest. 1 for a tensor that holds no matrix of numbers.
double conditionOf(const Tensor& matrices);

}  // namespace vintage::golden::compare
