// The types in which products are summed, and the way into and out of them.
//
// Narrow floats are summed as float, integers modulo 2^32 or 2^64 (which is
// exact in every integer type), predicates as counts.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

enum class DotAccumulator { kF32, kF64, kC64, kC128, kU32, kU64 };

// What a product of these two types with this result is summed in. An integer
// result of float operands is kUnsupported.
Result<DotAccumulator> accumulatorFor(ElementType left, ElementType right, ElementType result);

// Calls visitor.operator()<float>() … for the accumulator's C++ type.
template <typename Visitor>
decltype(auto) visitAccumulator(DotAccumulator accumulator, Visitor&& visitor) {
  switch (accumulator) {
    case DotAccumulator::kF32:
      return visitor.template operator()<float>();
    case DotAccumulator::kF64:
      return visitor.template operator()<double>();
    case DotAccumulator::kC64:
      return visitor.template operator()<std::complex<float>>();
    case DotAccumulator::kC128:
      return visitor.template operator()<std::complex<double>>();
    case DotAccumulator::kU32:
      return visitor.template operator()<uint32_t>();
    case DotAccumulator::kU64:
      break;
  }
  return visitor.template operator()<uint64_t>();
}

// The elements of a tensor as T in the order of permuted dimensions: either a
// view of the tensor's own bytes (it must outlive this) or a converted copy.
template <typename T>
class AccumulatorView {
 public:
  // permutation[i] is the dimension of `tensor` that becomes dimension i.
  AccumulatorView(const Tensor& tensor, std::span<const int64_t> permutation);
  const T* data() const { return data_; }
  // A copy to change in place; the view follows it.
  std::span<T> mutableCopy();

 private:
  std::vector<T> copy_;
  const T* data_ = nullptr;
  size_t count_ = 0;
};

// Rounds or wraps `values` into `result`, whose size must be theirs.
template <typename T>
void storeAccumulated(std::span<const T> values, Tensor& result);

// Whether `result` stores T itself, so that it can be accumulated in place.
template <typename T>
bool storesAccumulator(ElementType type);

}  // namespace vintage::harness::engine
