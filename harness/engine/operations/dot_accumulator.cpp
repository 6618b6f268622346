#include "harness/engine/operations/dot_general.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

template <typename T, typename S>
T widened(const S& value) {
  if constexpr (kIsComplexStorage<T>) {
    using Part = typename T::value_type;
    if constexpr (kIsComplexStorage<S>) {
      return T(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else {
      return T(static_cast<Part>(static_cast<Computation<S>>(value)));
    }
  } else if constexpr (kIsComplexStorage<S>) {
    return static_cast<T>(value.real());  // accumulatorFor never asks for it.
  } else if constexpr (kIsPredicateStorage<S>) {
    return static_cast<T>(value ? 1 : 0);
  } else {
    return static_cast<T>(static_cast<Computation<S>>(value));
  }
}

template <typename S, typename T>
S narrowed(const T& value) {
  if constexpr (kIsPredicateStorage<S>) {
    return S(value != T(0));
  } else if constexpr (kIsComplexStorage<S>) {
    return widened<S>(value);
  } else if constexpr (kIsComplexStorage<T>) {
    return S(value.real());
  } else if constexpr (kIsNarrowIntegerStorage<S>) {
    return S(static_cast<int64_t>(value));
  } else {
    return static_cast<S>(value);
  }
}

bool isIdentity(std::span<const int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

template <typename S, typename T>
void copyPermuted(const Tensor& tensor, std::span<const int64_t> permutation, std::vector<T>& out) {
  const auto values = tensor.values<S>();
  if (isIdentity(permutation)) {
    std::ranges::transform(values, out.begin(), widened<T, S>);
    return;
  }
  const size_t rank = permutation.size();
  std::vector<int64_t> stride(rank, 1), extent(rank), step(rank), index(rank, 0);
  for (size_t i = rank; i-- > 1;) stride[i - 1] = stride[i] * tensor.shape()[i];
  for (size_t i = 0; i < rank; ++i) {
    extent[i] = tensor.shape()[permutation[i]];
    step[i] = stride[permutation[i]];
  }
  int64_t place = 0;
  for (T& target : out) {
    target = widened<T>(values[place]);
    for (size_t i = rank; i-- > 0;) {
      place += step[i];
      if (++index[i] < extent[i]) break;
      place -= step[i] * extent[i];
      index[i] = 0;
    }
  }
}

}  // namespace

Result<DotAccumulator> accumulatorFor(ElementType left, ElementType right, ElementType result) {
  const auto isWide = [](ElementType type) {
    return type == ElementType::kF64 || type == ElementType::kC128;
  };
  const bool wide = isWide(left) || isWide(right) || isWide(result);
  if (isComplex(left) || isComplex(right) || isComplex(result)) {
    return wide ? DotAccumulator::kC128 : DotAccumulator::kC64;
  }
  if (isFloat(result)) return wide ? DotAccumulator::kF64 : DotAccumulator::kF32;
  if (isFloat(left) || isFloat(right)) {
    return unsupported(
        "A product of {} and {} cannot be accumulated as {}; give it a "
        "float result and convert that.",
        stablehloName(left), stablehloName(right), stablehloName(result));
  }
  return bitWidth(result) > 32 ? DotAccumulator::kU64 : DotAccumulator::kU32;
}

template <typename T>
AccumulatorView<T>::AccumulatorView(const Tensor& tensor, std::span<const int64_t> permutation)
    : count_(static_cast<size_t>(tensor.size())) {
  if (storesAccumulator<T>(tensor.type()) && isIdentity(permutation)) {
    data_ = tensor.values<T>().data();
    return;
  }
  copy_.resize(count_);
  if (storesAccumulator<T>(tensor.type())) {
    const std::vector<int64_t> own = rowMajorStrides(tensor.shape());
    Shape shape;
    std::vector<int64_t> strides;
    for (const int64_t dimension : permutation) {
      shape.push_back(tensor.shape()[static_cast<size_t>(dimension)]);
      strides.push_back(own[static_cast<size_t>(dimension)]);
    }
    if (count_ > 0)
      stridedCopy(shape, sizeof(T), {tensor.bytes().data(), std::move(strides)},
                  {reinterpret_cast<std::byte*>(copy_.data()), rowMajorStrides(shape)});
    data_ = copy_.data();
    return;
  }
  visitElementType(tensor.type(), [&]<typename S>() {
    if constexpr (!kIsComplexStorage<S> || kIsComplexStorage<T>) {
      copyPermuted<S, T>(tensor, permutation, copy_);
    }
  });
  data_ = copy_.data();
}

template <typename T>
std::span<T> AccumulatorView<T>::mutableCopy() {
  if (copy_.empty() && count_ > 0) copy_.assign(data_, data_ + count_);
  data_ = copy_.data();
  return copy_;
}

template <typename T>
void storeAccumulated(std::span<const T> values, Tensor& result) {
  visitElementType(result.type(), [&]<typename S>() {
    std::ranges::transform(values, result.mutableValues<S>().begin(), narrowed<S, T>);
  });
}

template <typename T>
bool storesAccumulator(ElementType type) {
  if constexpr (std::is_same_v<T, uint32_t>) {
    return type == ElementType::kI32 || type == ElementType::kUi32;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return type == ElementType::kI64 || type == ElementType::kUi64;
  } else {
    return type == kElementTypeOf<T>;
  }
}

#define VINTAGE_ACCUMULATOR(T)                                 \
  template class AccumulatorView<T>;                           \
  template void storeAccumulated(std::span<const T>, Tensor&); \
  template bool storesAccumulator<T>(ElementType);
VINTAGE_ACCUMULATOR(float)
VINTAGE_ACCUMULATOR(double)
VINTAGE_ACCUMULATOR(std::complex<float>)
VINTAGE_ACCUMULATOR(std::complex<double>)
VINTAGE_ACCUMULATOR(uint32_t)
VINTAGE_ACCUMULATOR(uint64_t)
#undef VINTAGE_ACCUMULATOR

}  // namespace vintage::harness
