// From an ElementType to the C++ type that stores it, so that a kernel is
// written once:
//
//   visitElementType(tensor.type(), [&]<typename T>() {
//     for (T& value : tensor.mutableValues<T>()) value = T(1);
//   });
//
// All calls must return the same type. ElementTypeOf<T> goes the other way.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "golden/tensor/element_type.h"
#include "golden/tensor/float_formats.h"
#include "golden/tensor/narrow_integers.h"

namespace vintage::golden {

template <ElementType kType>
struct StorageOf;
template <typename T>
struct ElementTypeOfStorage;

template <typename T>
inline constexpr ElementType kElementTypeOf = ElementTypeOfStorage<T>::value;
template <ElementType kType>
using Storage = typename StorageOf<kType>::type;

// clang-format off: it indents such a list by one more step a line.
#define VINTAGE_STORAGE_TYPES(X) \
  X(kI1, Predicate) X(kI2, Int2) X(kI4, Int4) X(kI8, int8_t) X(kI16, int16_t) X(kI32, int32_t) \
  X(kI64, int64_t) X(kUi2, Uint2) X(kUi4, Uint4) X(kUi8, uint8_t) X(kUi16, uint16_t) \
  X(kUi32, uint32_t) X(kUi64, uint64_t) X(kF4E2M1FN, Float4E2M1FN) X(kF6E2M3FN, Float6E2M3FN) \
  X(kF6E3M2FN, Float6E3M2FN) X(kF8E3M4, Float8E3M4) X(kF8E4M3, Float8E4M3) \
  X(kF8E4M3B11FNUZ, Float8E4M3B11FNUZ) X(kF8E4M3FN, Float8E4M3FN) X(kF8E4M3FNUZ, Float8E4M3FNUZ) \
  X(kF8E5M2, Float8E5M2) X(kF8E5M2FNUZ, Float8E5M2FNUZ) X(kF8E8M0FNU, Float8E8M0FNU) \
  X(kBF16, BFloat16) X(kF16, Float16) X(kF32, float) X(kF64, double) \
  X(kC64, std::complex<float>) X(kC128, std::complex<double>)
// clang-format on

#define VINTAGE_STORAGE(TYPE, STORAGE)                                                            \
  template <>                                                                                     \
  struct StorageOf<ElementType::TYPE> {                                                           \
    using type = STORAGE;                                                                         \
  };                                                                                              \
  template <>                                                                                     \
  struct ElementTypeOfStorage<STORAGE> : std::integral_constant<ElementType, ElementType::TYPE> { \
  };
VINTAGE_STORAGE_TYPES(VINTAGE_STORAGE)
#undef VINTAGE_STORAGE

template <typename Visitor>
decltype(auto) visitElementType(ElementType type, Visitor&& visitor) {
  switch (type) {
#define VINTAGE_STORAGE(TYPE, STORAGE) \
  case ElementType::TYPE:              \
    return visitor.template operator()<STORAGE>();
    VINTAGE_STORAGE_TYPES(VINTAGE_STORAGE)
#undef VINTAGE_STORAGE
  }
  __builtin_unreachable();  // No other value of the enumeration exists.
}

// Classes of T, for `if constexpr` and requires clauses.
template <typename T>
inline constexpr bool kIsPredicateStorage = std::is_same_v<T, Predicate>;
template <typename T>
inline constexpr bool kIsNarrowIntegerStorage = false;
template <int kBits, bool kSigned>
inline constexpr bool kIsNarrowIntegerStorage<NarrowInteger<kBits, kSigned>> = true;
template <typename T>
inline constexpr bool kIsIntegerStorage = std::is_integral_v<T> || kIsNarrowIntegerStorage<T>;
template <typename T>
inline constexpr bool kIsFloatStorage = std::is_floating_point_v<T> || kIsNarrowFloat<T>;
template <typename T>
inline constexpr bool kIsComplexStorage =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// The type that a kernel computes in: float for the narrow floats, int64_t or uint64_t for the
// integers and predicates, T itself for the rest.
template <typename T>
using Computation = std::conditional_t<
    kIsNarrowFloat<T>, float,
    std::conditional_t<kIsIntegerStorage<T> || kIsPredicateStorage<T>,
                       std::conditional_t<std::numeric_limits<T>::is_signed, int64_t, uint64_t>,
                       T>>;

}  // namespace vintage::golden
