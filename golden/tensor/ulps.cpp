#include "golden/tensor/ulps.h"

#include <algorithm>

namespace vintage::golden::tensor {

int64_t ulpDistance(const Tensor& a, int64_t indexOfA, const Tensor& b, int64_t indexOfB) {
  return visitElementType(a.type(), [&]<typename T>() -> int64_t {
    const T x = a.values<T>()[static_cast<size_t>(indexOfA)];
    const T y = b.values<T>()[static_cast<size_t>(indexOfB)];
    if constexpr (kIsComplexStorage<T>)
      return std::max(ulpDistance(x.real(), y.real()), ulpDistance(x.imag(), y.imag()));
    else if constexpr (kIsFloatStorage<T>)
      return ulpDistance(x, y);
    else
      return x == y ? 0 : kFarApart;
  });
}

}  // namespace vintage::golden::tensor
