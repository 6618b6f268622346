// Reinterprets the bits of a tensor as another type.
#pragma once

#include "golden/result.h"
#include "golden/tensor/tensor.h"

namespace vintage {

// A wider element becomes a last dimension of narrower ones, lowest bits first,
// and the other way round.
Result<Tensor> bitcastTensor(const Tensor& tensor, ElementType type, size_t limitBytes);

}  // namespace vintage
