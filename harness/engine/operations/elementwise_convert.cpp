// stablehlo.convert between all types.
//
// In two steps, through a type that holds every value of the source exactly (int64_t, uint64_t,
// float, double, complex<double>); so the second step is the only one that rounds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr size_t kConvertStep = 512;

enum class WideKind { kSigned, kUnsigned, kFloat, kDouble, kComplex };

WideKind wideOf(ElementType type) {
  if (isComplex(type)) return WideKind::kComplex;
  if (type == ElementType::kF64) return WideKind::kDouble;
  if (isFloat(type)) return WideKind::kFloat;
  return isSignedInteger(type) ? WideKind::kSigned : WideKind::kUnsigned;
}

template <typename T>
constexpr auto wideValue(T value) {
  if constexpr (kIsComplexStorage<T>)
    return std::complex<double>(value);
  else if constexpr (std::is_same_v<T, double>)
    return value;
  else if constexpr (kIsFloatStorage<T>)
    return static_cast<float>(value);
  else if constexpr (kIsPredicateStorage<T>)
    return static_cast<uint64_t>(bool{value});
  else if constexpr (std::numeric_limits<T>::is_signed)
    return static_cast<int64_t>(value);
  else
    return static_cast<uint64_t>(value);
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
    else
      return converted<T>(value.real());
  } else if constexpr (kIsComplexStorage<T>) {
    return {static_cast<typename T::value_type>(value), 0};
  } else if constexpr (kIsPredicateStorage<T>) {
    return T(value != 0);
  } else if constexpr (kIsIntegerStorage<T>) {
    if constexpr (std::is_floating_point_v<From>)
      return integerFromReal<T>(value);
    else
      return T(static_cast<int64_t>(value));  // Wraps around.
  } else {
    return static_cast<T>(value);
  }
}

void load(ElementType type, const void* from, void* to, size_t count) {
  visitElementType(type, [&]<typename T>() {
    const T* source = static_cast<const T*>(from);
    std::transform(source, source + count, static_cast<decltype(wideValue(T()))*>(to),
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

}  // namespace

void convertElements(ElementType type, ElementType resultType, const void* source, void* result,
                     size_t count) {
  const WideKind wide = wideOf(type);
  alignas(64) std::byte memory[kConvertStep * sizeof(std::complex<double>)];
  for (size_t done = 0; done < count; done += kConvertStep) {
    const size_t step = std::min(kConvertStep, count - done);
    load(type, static_cast<const std::byte*>(source) + done * byteWidth(type), memory, step);
    void* to = static_cast<std::byte*>(result) + done * byteWidth(resultType);
    switch (wide) {
      case WideKind::kSigned:
        store<int64_t>(resultType, memory, to, step);
        break;
      case WideKind::kUnsigned:
        store<uint64_t>(resultType, memory, to, step);
        break;
      case WideKind::kFloat:
        store<float>(resultType, memory, to, step);
        break;
      case WideKind::kDouble:
        store<double>(resultType, memory, to, step);
        break;
      case WideKind::kComplex:
        store<std::complex<double>>(resultType, memory, to, step);
        break;
    }
  }
}

MadeLoop makeConvertLoop(const LoopRequest& request) {
  if (request.operation.name != "stablehlo.convert") return std::nullopt;
  if (request.operandTypes.size() != 1) return wrongTypes(request);
  return [type = request.operandTypes[0], resultType = request.resultType](
             std::span<const void* const> operands, void* result, size_t count) {
    convertElements(type, resultType, operands[0], result, count);
  };
}

Result<Tensor> convertTensor(const Tensor& tensor, ElementType type, size_t limitBytes) {
  if (tensor.type() == type) return tensor;
  auto result = Tensor::makeUninitialized(type, tensor.shape(), limitBytes);
  if (result)
    convertElements(tensor.type(), type, tensor.bytes().data(), result->mutableBytes().data(),
                    static_cast<size_t>(tensor.size()));
  return result;
}

}  // namespace vintage::harness
