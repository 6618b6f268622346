// Elementwise operations on two operands of one type, and clamp.
#include <cmath>
#include <type_traits>

#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/complex_functions.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

// For integers: repeated squaring with wraparound; to a negative power only 1
// and -1 give something other than 0.
constexpr auto kPower = []<typename T>(T x, T y) -> T {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      if (y < 0) return x == 1 ? T{1} : x == -1 ? T((y & 1) ? -1 : 1) : T{0};
    }
    T result = 1;
    for (auto exponent = static_cast<UnsignedOf<T>>(y); exponent != 0; exponent >>= 1) {
      if (exponent & 1) result = kMultiply(result, x);
      x = kMultiply(x, x);
    }
    return result;
  } else if constexpr (kIsComplexStorage<T>) {
    return complexPower(x, y);
  } else {
    return static_cast<T>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  }
};

constexpr auto kAtan2 = kRealOrComplex<[](double y, double x) { return std::atan2(y, x); },
                                       [](auto y, auto x) { return complexAtan2(y, x); }>;

// Amounts are unsigned; from the width on everything is shifted out.
template <typename T>
bool shiftsAllOut(T amount) {
  return bitsOf(amount) >= kBitsOf<T>;
}
constexpr auto kShiftLeft = []<typename T>(T x, T y) -> T {
  return shiftsAllOut(y) ? T(0) : static_cast<T>(bitsOf(x) << bitsOf(y));
};
constexpr auto kShiftRightLogical = []<typename T>(T x, T y) -> T {
  return shiftsAllOut(y) ? T(0) : static_cast<T>(bitsOf(x) >> bitsOf(y));
};
// The sign bit is copied even of an unsigned type.
constexpr auto kShiftRightArithmetic = []<typename T>(T x, T y) -> T {
  if constexpr (kIsNarrowIntegerStorage<T>) {
    const auto value = static_cast<int8_t>(x);
    return static_cast<T>(shiftsAllOut(y) ? (value < 0 ? -1 : 0) : value >> bitsOf(y));
  } else {
    const auto value = static_cast<std::make_signed_t<T>>(x);
    if (shiftsAllOut(y)) return static_cast<T>(value < 0 ? -1 : 0);
    return static_cast<T>(value >> y);
  }
};

// min(max(x, low), high), where NaN among the three gives NaN.
constexpr auto kClamp = []<typename T>(T low, T x, T high) -> T {
  if constexpr (kIsComplexStorage<T>) {
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
};

template <auto kFunction>
constexpr LoopTable kShiftTable =
    loopTable<kFunction, 2, SignedTypes, UnsignedTypes, NarrowIntegers>();
template <auto kFunction>
constexpr LoopTable kLogicalTable =
    loopTable<kFunction, 2, PredicateTypes, SignedTypes, UnsignedTypes>();
template <auto kFunction>
constexpr LoopTable kNumberTable =
    loopTable<kFunction, 2, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>();
template <auto kFunction, size_t kOperands = 2>
constexpr LoopTable kEveryTable = loopTable<kFunction, kOperands, PredicateTypes, SignedTypes,
                                            UnsignedTypes, FloatTypes, ComplexTypes>();

// Loops over a constant and an array, as in JAX's polynomials, hashes and normalizations.
using CommonIntegers = TypeList<int32_t, int64_t, uint32_t, uint64_t>;
template <auto kFunction, typename... Lists>
const std::map<ScalarOperands, LoopTable> kOneScalar = {
    {1, scalarTable<kFunction, 2, 1, Lists...>()}, {2, scalarTable<kFunction, 2, 2, Lists...>()}};
template <auto kFunction>
const std::map<ScalarOperands, LoopTable> kScalarNumber =
    kOneScalar<kFunction, CommonIntegers, FloatTypes>;

}  // namespace

const LoopsByName& binaryLoops() {
  using enum NamedLoops::Gives;
  static const LoopsByName kLoops = {
      {"stablehlo.add", {kEveryTable<kAdd>, 2, kOperandType, kScalarNumber<kAdd>}},
      {"stablehlo.subtract", {kNumberTable<kSubtract>, 2, kOperandType, kScalarNumber<kSubtract>}},
      {"stablehlo.multiply", {kEveryTable<kMultiply>, 2, kOperandType, kScalarNumber<kMultiply>}},
      {"stablehlo.divide", {kNumberTable<kDivide>, 2, kOperandType, kScalarNumber<kDivide>}},
      {"stablehlo.remainder",
       {loopTable<kRemainder, 2, SignedTypes, UnsignedTypes, FloatTypes>(), 2, kOperandType,
        kOneScalar<kRemainder, CommonIntegers>}},
      {"stablehlo.maximum", {kEveryTable<kMaximum>, 2, kOperandType, kScalarNumber<kMaximum>}},
      {"stablehlo.minimum", {kEveryTable<kMinimum>, 2, kOperandType, kScalarNumber<kMinimum>}},
      {"stablehlo.power", {kNumberTable<kPower>, 2}},
      {"stablehlo.atan2", {loopTable<kAtan2, 2, FloatTypes, ComplexTypes>(), 2}},
      {"stablehlo.and", {kLogicalTable<kAnd>, 2, kOperandType, kOneScalar<kAnd, CommonIntegers>}},
      {"stablehlo.or", {kLogicalTable<kOr>, 2, kOperandType, kOneScalar<kOr, CommonIntegers>}},
      {"stablehlo.xor", {kLogicalTable<kXor>, 2, kOperandType, kOneScalar<kXor, CommonIntegers>}},
      {"stablehlo.shift_left",
       {kShiftTable<kShiftLeft>, 2, kOperandType, kOneScalar<kShiftLeft, CommonIntegers>}},
      {"stablehlo.shift_right_logical",
       {kShiftTable<kShiftRightLogical>, 2, kOperandType,
        kOneScalar<kShiftRightLogical, CommonIntegers>}},
      {"stablehlo.shift_right_arithmetic", {kShiftTable<kShiftRightArithmetic>, 2}},
      {"stablehlo.complex",
       {loopTable<[]<typename T>(T x, T y) { return std::complex<T>(x, y); }, 2, FloatTypes>(), 2,
        kComplex}},
      {"stablehlo.clamp",
       {kEveryTable<kClamp, 3>,
        3,
        kOperandType,
        {{0b101, scalarTable<kClamp, 3, 0b101, CommonIntegers, FloatTypes>()}}}},
  };
  return kLoops;
}

}  // namespace vintage::harness
