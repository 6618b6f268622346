#include "harness/engine/operations/loop_table.h"

#include <algorithm>
#include <string>
#include <vector>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Elements of one step; operands and result of a step stay in the first-level cache.
constexpr size_t kStagedStep = 512;
constexpr size_t kMostOperands = 3;

bool fits(const NamedLoops& loops, const LoopRequest& request) {
  const ElementType type = request.operandTypes[0], result = request.resultType;
  if (request.operandTypes.size() != loops.operands ||
      std::ranges::count(request.operandTypes, type) != std::ssize(request.operandTypes))
    return false;
  switch (loops.gives) {
    case NamedLoops::Gives::kOperandType:
      return result == type;
    case NamedLoops::Gives::kPredicate:
      return result == ElementType::kI1;
    case NamedLoops::Gives::kRealPart:
      return result == realPart(type);
    case NamedLoops::Gives::kComplex:
      return result != type && realPart(result) == type;
  }
  return false;
}

MadeLoop makeTableLoop(const LoopRequest& request) {
  for (const LoopsByName* all : {&unaryLoops(), &binaryLoops(), &specialFunctionLoops()}) {
    const auto found = all->find(request.operation.name);
    if (found == all->end()) continue;
    const NamedLoops& loops = found->second;
    if (!fits(loops, request)) return wrongTypes(request);
    const ElementType type = request.operandTypes[0], computed = computedIn(type);
    const auto at = [&](ElementType element) { return loops.table[static_cast<size_t>(element)]; };
    if (type != computed && at(type) != nullptr) return elementLoop(at(type));
    if (at(computed) == nullptr) return wrongTypes(request);
    if (const auto special = loops.withScalars.find(request.scalars);
        special != loops.withScalars.end())
      if (const RawLoop loop = special->second[static_cast<size_t>(computed)])
        return staged(elementLoop(loop), request);
    const RawLoop vector = computed == ElementType::kF32 ? vectorFunction(found->first) : nullptr;
    return staged(elementLoop(vector != nullptr ? vector : at(computed)), request);
  }
  return std::nullopt;
}

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

ElementLoop elementLoop(RawLoop loop) {
  return [loop](std::span<const void* const> operands, void* result, size_t count) {
    loop(operands.data(), result, count);
  };
}

ElementLoop staged(ElementLoop loop, const LoopRequest& request) {
  const ElementType resultType = request.resultType;
  const bool narrowResult = computedIn(resultType) != resultType;
  const bool any = narrowResult || std::ranges::any_of(request.operandTypes, [](ElementType type) {
                     return computedIn(type) != type;
                   });
  if (!any) return loop;
  return [loop = std::move(loop),
          types = std::vector(request.operandTypes.begin(), request.operandTypes.end()), resultType,
          narrowResult](std::span<const void* const> operands, void* result, size_t count) {
    alignas(64) std::byte wide[kMostOperands + 1][kStagedStep * sizeof(double)];
    for (size_t done = 0; done < count; done += kStagedStep) {
      const size_t step = std::min(kStagedStep, count - done);
      const void* sources[kMostOperands];
      for (size_t i = 0; i < types.size(); ++i) {
        const void* from = static_cast<const std::byte*>(operands[i]) + done * byteWidth(types[i]);
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

tl::unexpected<Error> wrongTypes(const LoopRequest& request) {
  std::string operands;
  for (const ElementType type : request.operandTypes) {
    if (!operands.empty()) operands += " and ";
    operands += stablehloName(type);
  }
  return unsupported("{} does not take {} to give {}", request.operation.name,
                     operands.empty() ? "nothing" : operands, stablehloName(request.resultType));
}

MadeLoop makeElementLoop(const LoopRequest& request) {
  if (request.operandTypes.empty() || request.operandTypes.size() > kMostOperands)
    return std::nullopt;
  for (const auto make :
       {makeTableLoop, makeCompareLoop, makeConvertLoop, makeSelectLoop, makeReducePrecisionLoop})
    if (auto loop = make(request)) return loop;
  return std::nullopt;
}

}  // namespace vintage::harness
