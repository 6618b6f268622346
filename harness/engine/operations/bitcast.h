// Reinterprets the bits of a tensor as another type.
#pragma once

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// A wider element becomes a last dimension of narrower ones, lowest bits first,
// and the other way round.
Result<Tensor> bitcastTensor(const Tensor& tensor, ElementType type, size_t limitBytes);

}  // namespace vintage::harness::engine
