#pragma once

#include "golden/tensor/tensor.h"

namespace vintage::primitives {

struct TensorType {
  golden::ElementType type;
  golden::Shape shape;

  bool operator==(const TensorType&) const = default;
};

}  // namespace vintage::primitives
