// stablehlo.select and stablehlo.clamp, the operations of three operands.
#include <algorithm>
#include <cstring>

#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

template <typename Word>
void selectWords(const void* const* operands, void* result, size_t count) {
  const auto* choice = static_cast<const Predicate*>(operands[0]);
  const auto* yes = static_cast<const Word*>(operands[1]);
  const auto* no = static_cast<const Word*>(operands[2]);
  auto* out = static_cast<Word*>(result);
  for (size_t i = 0; i < count; ++i) out[i] = choice[i] ? yes[i] : no[i];
}

RawLoop selectLoop(size_t width) {
  switch (width) {
    case 1: return selectWords<uint8_t>;
    case 2: return selectWords<uint16_t>;
    case 4: return selectWords<uint32_t>;
    case 8: return selectWords<uint64_t>;
    default: return selectWords<std::complex<double>>;
  }
}

// min(max(x, low), high), where NaN among the three gives NaN.
struct Clamp {
  template <typename T>
  static T apply(T low, T x, T high) {
    if constexpr (kIsComplexStorage<T>) {
      const auto precedes = [](T a, T b) {
        return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
      };
      const T raised = precedes(x, low) ? low : x;
      return precedes(high, raised) ? high : raised;
    } else {
      if constexpr (std::is_floating_point_v<T>) {
        if (x != x) return x;
        if (low != low) return low;
        if (high != high) return high;
      }
      const T raised = x < low ? low : x;
      return high < raised ? high : raised;
    }
  }
};

constexpr LoopTable kClamp =
    loopTable<Clamp, 3, PredicateTypes, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>();

}  // namespace

std::optional<Result<ElementLoop>> makeSelectLoop(const Operation& operation,
                                                  std::span<const ElementType> operandTypes,
                                                  ElementType resultType) {
  const bool select = operation.name == "stablehlo.select";
  if (!select && operation.name != "stablehlo.clamp") return std::nullopt;
  if (operandTypes.size() != 3 || operandTypes[1] != resultType || operandTypes[2] != resultType ||
      operandTypes[0] != (select ? ElementType::kI1 : resultType))
    return Result<ElementLoop>(wrongTypes(operation, operandTypes, resultType));
  if (select) {
    const RawLoop loop = selectLoop(byteWidth(resultType));
    return Result<ElementLoop>([loop](std::span<const void* const> operands, void* result,
                                      size_t count) { loop(operands.data(), result, count); });
  }
  const RawLoop loop = kClamp[static_cast<size_t>(computedIn(resultType))];
  return Result<ElementLoop>(staged(loop, operandTypes, resultType));
}

}  // namespace vintage::harness
