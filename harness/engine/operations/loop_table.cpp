#include "harness/engine/operations/loop_table.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Elements of one step; operands and result of a step stay in the first-level cache.
constexpr size_t kStep = 512;
constexpr size_t kMostOperands = 3;

}  // namespace

ElementType computedIn(ElementType type) {
  return visitElementType(type, [&]<typename T>() {
    if constexpr (kIsNarrowFloat<T>) return ElementType::kF32;
    if constexpr (kIsNarrowIntegerStorage<T>) return kElementTypeOf<typename T::Byte>;
    return type;
  });
}

void widen(ElementType type, const void* from, void* to, size_t count) {
  visitElementType(type, [&]<typename T>() {
    const T* source = static_cast<const T*>(from);
    if constexpr (kIsNarrowFloat<T>) {
      std::transform(source, source + count, static_cast<float*>(to),
                     [](T value) { return static_cast<float>(value); });
    } else if constexpr (kIsNarrowIntegerStorage<T>) {
      std::transform(source, source + count, static_cast<typename T::Byte*>(to),
                     [](T value) -> typename T::Byte { return value; });
    }
  });
}

void narrow(ElementType type, const void* from, void* to, size_t count) {
  visitElementType(type, [&]<typename T>() {
    T* target = static_cast<T*>(to);
    if constexpr (kIsNarrowFloat<T>) {
      const auto* source = static_cast<const float*>(from);
      std::transform(source, source + count, target, [](float value) { return T(value); });
    } else if constexpr (kIsNarrowIntegerStorage<T>) {
      const auto* source = static_cast<const typename T::Byte*>(from);
      std::transform(source, source + count, target,
                     [](typename T::Byte value) { return T(value); });
    }
  });
}

ElementLoop staged(ElementLoop loop, std::span<const ElementType> operandTypes,
                   ElementType resultType) {
  const bool narrowResult = computedIn(resultType) != resultType;
  const bool any = narrowResult || std::ranges::any_of(operandTypes, [](ElementType type) {
                     return computedIn(type) != type;
                   });
  if (!any) return loop;
  return [loop = std::move(loop), types = std::vector(operandTypes.begin(), operandTypes.end()),
          resultType, narrowResult](std::span<const void* const> operands, void* result,
                                    size_t count) {
    alignas(64) std::byte wide[kMostOperands + 1][kStep * sizeof(double)];
    for (size_t done = 0; done < count; done += kStep) {
      const size_t step = std::min(kStep, count - done);
      const void* sources[kMostOperands];
      for (size_t i = 0; i < types.size(); ++i) {
        const void* from =
            static_cast<const std::byte*>(operands[i]) + done * byteWidth(types[i]);
        const bool widens = computedIn(types[i]) != types[i];
        if (widens) widen(types[i], from, wide[i], step);
        sources[i] = widens ? wide[i] : from;
      }
      void* to = static_cast<std::byte*>(result) + done * byteWidth(resultType);
      loop(std::span(sources, types.size()), narrowResult ? wide[kMostOperands] : to, step);
      if (narrowResult) narrow(resultType, wide[kMostOperands], to, step);
    }
  };
}

ElementLoop staged(RawLoop loop, std::span<const ElementType> operandTypes,
                   ElementType resultType) {
  return staged(ElementLoop([loop](std::span<const void* const> operands, void* result,
                                   size_t count) { loop(operands.data(), result, count); }),
                operandTypes, resultType);
}

tl::unexpected<Error> wrongTypes(const Operation& operation,
                                 std::span<const ElementType> operandTypes,
                                 ElementType resultType) {
  std::string operands;
  for (const ElementType type : operandTypes) {
    if (!operands.empty()) operands += " and ";
    operands += stablehloName(type);
  }
  return unsupported("{} does not take {} to give {}", operation.name,
                     operands.empty() ? "nothing" : operands, stablehloName(resultType));
}

std::optional<Result<ElementLoop>> makeElementLoop(const Operation& operation,
                                                   std::span<const ElementType> operandTypes,
                                                   ElementType resultType) {
  if (operandTypes.empty() || operandTypes.size() > kMostOperands) return std::nullopt;
  for (const auto make : {makeUnaryLoop, makeBinaryLoop, makeCompareLoop, makeConvertLoop,
                          makeSelectLoop, makeReducePrecisionLoop, makeSpecialFunctionLoop})
    if (auto loop = make(operation, operandTypes, resultType)) return loop;
  return std::nullopt;
}

}  // namespace vintage::harness
