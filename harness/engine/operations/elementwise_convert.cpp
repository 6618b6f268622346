// stablehlo.convert between all types.
//
// In two steps, through the widest type of the source's kind (int64_t,
// uint64_t, double, complex<double>), which holds every value of the source
// exactly; so the second step is the only one that rounds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr size_t kStep = 512;

enum class Wide { kSigned, kUnsigned, kReal, kComplex };

Wide wideOf(ElementType type) {
  if (isComplex(type)) return Wide::kComplex;
  if (isFloat(type)) return Wide::kReal;
  return isSignedInteger(type) ? Wide::kSigned : Wide::kUnsigned;
}

template <typename T>
constexpr auto wideValue(T value) {
  if constexpr (kIsComplexStorage<T>) return std::complex<double>(value);
  else if constexpr (kIsFloatStorage<T>) return static_cast<double>(value);
  else if constexpr (kIsPredicateStorage<T>) return static_cast<uint64_t>(bool{value});
  else if constexpr (std::numeric_limits<T>::is_signed) return static_cast<int64_t>(value);
  else return static_cast<uint64_t>(value);
}

// Truncates; saturates beyond the range; NaN becomes 0.
template <typename T>
T integerFromReal(double value) {
  if (std::isnan(value)) return T{};
  using Limits = std::numeric_limits<T>;
  constexpr int kDigits = Limits::digits;
  // One more than the largest.
  constexpr double kBeyond = 2.0 * static_cast<double>(uint64_t{1} << (kDigits - 1));
  if (value >= kBeyond) return Limits::max();
  if constexpr (Limits::is_signed) {
    if (value < -kBeyond) return Limits::lowest();
    return T(static_cast<int64_t>(value));
  } else {
    if (value <= 0) return T{};
    return T(static_cast<uint64_t>(value));
  }
}

template <typename T, typename From>
T converted(From value) {
  if constexpr (std::is_same_v<From, std::complex<double>>) {
    if constexpr (kIsComplexStorage<T>)
      return {static_cast<typename T::value_type>(value.real()),
              static_cast<typename T::value_type>(value.imag())};
    else return converted<T>(value.real());
  } else if constexpr (kIsComplexStorage<T>) {
    return {static_cast<typename T::value_type>(value), 0};
  } else if constexpr (kIsPredicateStorage<T>) {
    return T(value != 0);
  } else if constexpr (kIsIntegerStorage<T>) {
    if constexpr (std::is_same_v<From, double>) return integerFromReal<T>(value);
    else return T(static_cast<int64_t>(value));  // Wraps around.
  } else {
    return static_cast<T>(value);
  }
}

void load(ElementType type, const void* from, void* to, size_t count) {
  visitElementType(type, [&]<typename T>() {
    const T* source = static_cast<const T*>(from);
    std::transform(source, source + count, static_cast<decltype(wideValue(T())) *>(to),
                   [](T value) { return wideValue(value); });
  });
}

template <typename From>
void store(ElementType type, const void* from, void* to, size_t count) {
  visitElementType(type, [&]<typename T>() {
    const From* source = static_cast<const From*>(from);
    std::transform(source, source + count, static_cast<T*>(to),
                   [](From value) { return converted<T>(value); });
  });
}

void convert(ElementType type, ElementType resultType, const void* source, void* result,
             size_t count) {
  const Wide wide = wideOf(type);
  alignas(64) std::byte memory[kStep * sizeof(std::complex<double>)];
  for (size_t done = 0; done < count; done += kStep) {
    const size_t step = std::min(kStep, count - done);
    load(type, static_cast<const std::byte*>(source) + done * byteWidth(type), memory, step);
    void* to = static_cast<std::byte*>(result) + done * byteWidth(resultType);
    switch (wide) {
      case Wide::kSigned: store<int64_t>(resultType, memory, to, step); break;
      case Wide::kUnsigned: store<uint64_t>(resultType, memory, to, step); break;
      case Wide::kReal: store<double>(resultType, memory, to, step); break;
      case Wide::kComplex: store<std::complex<double>>(resultType, memory, to, step); break;
    }
  }
}

}  // namespace

std::optional<Result<ElementLoop>> makeConvertLoop(const Operation& operation,
                                                   std::span<const ElementType> operandTypes,
                                                   ElementType resultType) {
  if (operation.name != "stablehlo.convert") return std::nullopt;
  if (operandTypes.size() != 1)
    return Result<ElementLoop>(wrongTypes(operation, operandTypes, resultType));
  return Result<ElementLoop>(
      [type = operandTypes[0], resultType](std::span<const void* const> operands, void* result,
                                           size_t count) {
        convert(type, resultType, operands[0], result, count);
      });
}

Result<Tensor> convertTensor(const Tensor& tensor, ElementType type, size_t limitBytes) {
  if (tensor.type() == type) return tensor;
  auto result = Tensor::makeUninitialized(type, tensor.shape(), limitBytes);
  if (result)
    convert(tensor.type(), type, tensor.bytes().data(), result->mutableBytes().data(),
            static_cast<size_t>(tensor.size()));
  return result;
}

}  // namespace vintage::harness
