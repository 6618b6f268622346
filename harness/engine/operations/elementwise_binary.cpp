// Binary elementwise operations on two operands of one type.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/complex_functions.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

// For integers: repeated squaring with wraparound; to a negative power only 1
// and -1 give something other than 0.
struct Power {
  template <typename T>
  static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>) {
        if (y < 0) return x == 1 ? T{1} : x == -1 ? T((y & 1) ? -1 : 1) : T{0};
      }
      T result = 1;
      for (auto exponent = static_cast<UnsignedOf<T>>(y); exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = Multiply::apply(result, x);
        x = Multiply::apply(x, x);
      }
      return result;
    } else if constexpr (kIsComplexStorage<T>) {
      return complexPower(x, y);
    } else {
      return static_cast<T>(std::pow(static_cast<double>(x), static_cast<double>(y)));
    }
  }
};

struct Atan2 {
  template <typename T>
  static T apply(T x, T y) {
    if constexpr (kIsComplexStorage<T>) return complexAtan2(x, y);
    else return static_cast<T>(std::atan2(static_cast<double>(x), static_cast<double>(y)));
  }
};

// Amounts are unsigned; from the width on everything is shifted out.
template <typename T>
bool shiftsAllOut(T amount) {
  return static_cast<UnsignedOf<T>>(amount) >= 8 * sizeof(T);
}
struct ShiftLeft {
  template <typename T>
  static T apply(T x, T y) {
    return shiftsAllOut(y) ? T{0} : static_cast<T>(static_cast<UnsignedOf<T>>(x) << y);
  }
};
struct ShiftRightLogical {
  template <typename T>
  static T apply(T x, T y) {
    return shiftsAllOut(y) ? T{0} : static_cast<T>(static_cast<UnsignedOf<T>>(x) >> y);
  }
};
// The sign bit is copied even of an unsigned type.
struct ShiftRightArithmetic {
  template <typename T>
  static T apply(T x, T y) {
    const auto value = static_cast<std::make_signed_t<T>>(x);
    if (shiftsAllOut(y)) return static_cast<T>(value < 0 ? -1 : 0);
    return static_cast<T>(value >> y);
  }
};

struct MakeComplex {
  template <typename T>
  static std::complex<T> apply(T x, T y) { return {x, y}; }
};

template <typename F>
constexpr LoopTable kIntegerTable = loopTable<F, 2, SignedTypes, UnsignedTypes>();
template <typename F>
constexpr LoopTable kLogicalTable = loopTable<F, 2, PredicateTypes, SignedTypes, UnsignedTypes>();
template <typename F>
constexpr LoopTable kNumberTable =
    loopTable<F, 2, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>();
template <typename F>
constexpr LoopTable kEveryTable =
    loopTable<F, 2, PredicateTypes, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>();

const std::unordered_map<std::string_view, LoopTable>& binaryTables() {
  static const std::unordered_map<std::string_view, LoopTable> kTables = {
      {"stablehlo.add", kEveryTable<Add>},
      {"stablehlo.subtract", kNumberTable<Subtract>},
      {"stablehlo.multiply", kEveryTable<Multiply>},
      {"stablehlo.divide", kNumberTable<Divide>},
      {"stablehlo.remainder", loopTable<Remainder, 2, SignedTypes, UnsignedTypes, FloatTypes>()},
      {"stablehlo.maximum", kEveryTable<Maximum>},
      {"stablehlo.minimum", kEveryTable<Minimum>},
      {"stablehlo.power", kNumberTable<Power>},
      {"stablehlo.atan2", loopTable<Atan2, 2, FloatTypes, ComplexTypes>()},
      {"stablehlo.and", kLogicalTable<And>},
      {"stablehlo.or", kLogicalTable<Or>},
      {"stablehlo.xor", kLogicalTable<Xor>},
      {"stablehlo.shift_left", kIntegerTable<ShiftLeft>},
      {"stablehlo.shift_right_logical", kIntegerTable<ShiftRightLogical>},
      {"stablehlo.shift_right_arithmetic", kIntegerTable<ShiftRightArithmetic>},
      {"stablehlo.complex", loopTable<MakeComplex, 2, FloatTypes>()},
  };
  return kTables;
}

// Integers of 2 and 4 bits are kept sign-extended: the copies of the sign must
// not be shifted in, and an amount of all ones is large and not -1.
ElementLoop narrowShift(RawLoop loop, int bits, bool maskValue) {
  return [loop, bits, maskValue](std::span<const void* const> operands, void* result,
                                 size_t count) {
    constexpr size_t kStep = 256;
    const auto mask = static_cast<uint8_t>((1 << bits) - 1);
    uint8_t values[kStep], amounts[kStep];
    for (size_t done = 0; done < count; done += kStep) {
      const size_t step = std::min(kStep, count - done);
      const auto* value = static_cast<const uint8_t*>(operands[0]) + done;
      const auto* amount = static_cast<const uint8_t*>(operands[1]) + done;
      for (size_t i = 0; i < step; ++i) {
        values[i] = maskValue ? value[i] & mask : value[i];
        amounts[i] = amount[i] & mask;
        // A type of 4 bits holds amounts from 4 to 15: those shift all out.
        if (amounts[i] >= bits) amounts[i] = 8;
      }
      const void* sources[] = {values, amounts};
      loop(sources, static_cast<uint8_t*>(result) + done, step);
    }
  };
}

}  // namespace

std::optional<Result<ElementLoop>> makeBinaryLoop(const Operation& operation,
                                                  std::span<const ElementType> operandTypes,
                                                  ElementType resultType) {
  const auto found = binaryTables().find(operation.name);
  if (found == binaryTables().end()) return std::nullopt;
  const auto wrong = [&] { return wrongTypes(operation, operandTypes, resultType); };
  if (operandTypes.size() != 2 || operandTypes[0] != operandTypes[1])
    return Result<ElementLoop>(wrong());
  const ElementType type = operandTypes[0];
  const RawLoop loop = found->second[static_cast<size_t>(computedIn(type))];
  const bool makesComplex = found->first == "stablehlo.complex";
  if (loop == nullptr || (makesComplex ? realPart(resultType) != type || resultType == type
                                       : resultType != type))
    return Result<ElementLoop>(wrong());
  const bool shifts = found->first.starts_with("stablehlo.shift_");
  if (shifts && bitWidth(type) < 8) {
    const bool logical = found->first == "stablehlo.shift_right_logical";
    return Result<ElementLoop>(
        staged(narrowShift(loop, bitWidth(type), logical), operandTypes, resultType));
  }
  return Result<ElementLoop>(staged(loop, operandTypes, resultType));
}

}  // namespace vintage::harness
