// Unary elementwise operations. Complex functions are in complex_functions.h.
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "harness/engine/operations/complex_functions.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

struct Abs {
  template <typename T>
  static auto apply(T x) {
    if constexpr (kIsComplexStorage<T>) return std::abs(x);
    else if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
    // Through the unsigned type: the smallest integer is its own absolute value.
    else return static_cast<T>(x < 0 ? Unsigned<T>{0} - static_cast<Unsigned<T>>(x) : x);
  }
};

struct Negate {
  template <typename T>
  static T apply(T x) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(x));
    else return -x;
  }
};

struct Sign {
  template <typename T>
  static T apply(T x) {
    if constexpr (kIsComplexStorage<T>) return complexSign(x);
    else if constexpr (std::is_floating_point_v<T>)
      return x > 0 ? T(1) : x < 0 ? T(-1) : x;  // Zeros keep their sign, NaN stays.
    else return static_cast<T>(x > 0 ? 1 : x < 0 ? -1 : 0);
  }
};

struct Not {
  template <typename T>
  static T apply(T x) {
    if constexpr (kIsPredicateStorage<T>) return T(!x);
    else return static_cast<T>(~x);
  }
};

struct PopulationCount {
  template <typename T>
  static T apply(T x) { return static_cast<T>(std::popcount(static_cast<Unsigned<T>>(x))); }
};

struct CountLeadingZeros {
  template <typename T>
  static T apply(T x) { return static_cast<T>(std::countl_zero(static_cast<Unsigned<T>>(x))); }
};

struct IsFinite {
  template <typename T>
  static Predicate apply(T x) { return Predicate(std::isfinite(x)); }
};

struct Real {
  template <typename T>
  static auto apply(T x) {
    if constexpr (kIsComplexStorage<T>) return x.real();
    else return x;
  }
};

struct Imaginary {
  template <typename T>
  static auto apply(T x) {
    if constexpr (kIsComplexStorage<T>) return x.imag();
    else return T(0);
  }
};

// The C library's cube root is some units off (glibc promises four for doubles). One
// step of Newton with the residue y^3 - x computed exactly brings it below one.
double cubeRoot(double x) {
  const double y = std::cbrt(x);
  if (y == 0 || !std::isfinite(y)) return y;
  const double square = y * y, squareRest = std::fma(y, y, -square);
  const double residue = std::fma(square, y, -x) + squareRest * y;
  const double step = residue / (3 * square);
  return std::isfinite(step) ? y - step : y;  // The square of the tiniest is zero.
}

// A functor for each function that a real library call and a complex one give.
// Floats are computed in double and rounded once, which gives the correctly
// rounded answer but for the rarest cases.
#define VINTAGE_FUNCTION(NAME, REAL, COMPLEX)                     \
  struct NAME {                                                   \
    template <typename T>                                         \
    static T apply(T z) {                                         \
      if constexpr (kIsComplexStorage<T>) {                       \
        return COMPLEX;                                           \
      } else {                                                    \
        const double x = static_cast<double>(z);                  \
        return static_cast<T>(REAL);                              \
      }                                                           \
    }                                                             \
  };
VINTAGE_FUNCTION(Cbrt, cubeRoot(x), complexCbrt(z))
VINTAGE_FUNCTION(Cosine, std::cos(x), wideComplex(z, [](auto w) { return std::cos(w); }))
VINTAGE_FUNCTION(Exponential, std::exp(x), complexExponential(z))
VINTAGE_FUNCTION(ExponentialMinusOne, std::expm1(x), complexExponentialMinusOne(z))
VINTAGE_FUNCTION(Log, std::log(x), wideComplex(z, [](auto w) { return std::log(w); }))
VINTAGE_FUNCTION(LogPlusOne, std::log1p(x), complexLogPlusOne(z))
VINTAGE_FUNCTION(Logistic, 1 / (1 + std::exp(-x)), complexLogistic(z))
VINTAGE_FUNCTION(Rsqrt, 1 / std::sqrt(x), complexRsqrt(z))
VINTAGE_FUNCTION(Sine, std::sin(x), wideComplex(z, [](auto w) { return std::sin(w); }))
VINTAGE_FUNCTION(Tan, std::tan(x), wideComplex(z, [](auto w) { return std::tan(w); }))
VINTAGE_FUNCTION(Tanh, std::tanh(x), wideComplex(z, [](auto w) { return std::tanh(w); }))
#undef VINTAGE_FUNCTION

struct Sqrt {
  template <typename T>
  static T apply(T x) {
    if constexpr (kIsComplexStorage<T>)
      return wideComplex(x, [](auto z) { return std::sqrt(z); });
    else return std::sqrt(x);
  }
};
struct Ceil {
  template <typename T>
  static T apply(T x) { return std::ceil(x); }
};
struct Floor {
  template <typename T>
  static T apply(T x) { return std::floor(x); }
};
struct RoundNearestEven {
  template <typename T>
  static T apply(T x) { return std::nearbyint(x); }
};
struct RoundNearestAwayFromZero {
  template <typename T>
  static T apply(T x) { return std::round(x); }
};

template <typename F>
constexpr LoopTable kRealTable = loopTable<F, 1, FloatTypes>();
template <typename F>
constexpr LoopTable kFloatTable = loopTable<F, 1, FloatTypes, ComplexTypes>();
template <typename F>
constexpr LoopTable kUnaryIntegerTable = loopTable<F, 1, SignedTypes, UnsignedTypes>();

const std::unordered_map<std::string_view, LoopTable>& unaryTables() {
  static const std::unordered_map<std::string_view, LoopTable> kTables = {
      {"stablehlo.abs", loopTable<Abs, 1, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>()},
      {"stablehlo.negate",
       loopTable<Negate, 1, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>()},
      {"stablehlo.sign",
       loopTable<Sign, 1, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>()},
      {"stablehlo.not", loopTable<Not, 1, PredicateTypes, SignedTypes, UnsignedTypes>()},
      {"stablehlo.popcnt", kUnaryIntegerTable<PopulationCount>},
      {"stablehlo.count_leading_zeros", kUnaryIntegerTable<CountLeadingZeros>},
      {"stablehlo.is_finite", kRealTable<IsFinite>},
      {"stablehlo.real", kFloatTable<Real>},
      {"stablehlo.imag", kFloatTable<Imaginary>},
      {"stablehlo.cbrt", kFloatTable<Cbrt>},
      {"stablehlo.ceil", kRealTable<Ceil>},
      {"stablehlo.cosine", kFloatTable<Cosine>},
      {"stablehlo.exponential", kFloatTable<Exponential>},
      {"stablehlo.exponential_minus_one", kFloatTable<ExponentialMinusOne>},
      {"stablehlo.floor", kRealTable<Floor>},
      {"stablehlo.log", kFloatTable<Log>},
      {"stablehlo.log_plus_one", kFloatTable<LogPlusOne>},
      {"stablehlo.logistic", kFloatTable<Logistic>},
      {"stablehlo.round_nearest_afz", kRealTable<RoundNearestAwayFromZero>},
      {"stablehlo.round_nearest_even", kRealTable<RoundNearestEven>},
      {"stablehlo.rsqrt", kFloatTable<Rsqrt>},
      {"stablehlo.sine", kFloatTable<Sine>},
      {"stablehlo.sqrt", kFloatTable<Sqrt>},
      {"stablehlo.tan", kFloatTable<Tan>},
      {"stablehlo.tanh", kFloatTable<Tanh>},
  };
  return kTables;
}

// Bits of integers of 2 and 4 bits, which are kept sign-extended in a byte.
ElementLoop narrowBitCount(RawLoop loop, int bits, bool leadingZeros) {
  return [loop, bits, leadingZeros](std::span<const void* const> operands, void* result,
                                    size_t count) {
    const auto* in = static_cast<const uint8_t*>(operands[0]);
    auto* out = static_cast<uint8_t*>(result);
    const auto mask = static_cast<uint8_t>((1 << bits) - 1);
    for (size_t i = 0; i < count; ++i) out[i] = in[i] & mask;
    const void* masked = result;
    loop(&masked, result, count);
    if (leadingZeros)
      for (size_t i = 0; i < count; ++i) out[i] = static_cast<uint8_t>(out[i] - (8 - bits));
  };
}

}  // namespace

std::optional<Result<ElementLoop>> makeUnaryLoop(const Operation& operation,
                                                 std::span<const ElementType> operandTypes,
                                                 ElementType resultType) {
  const auto found = unaryTables().find(operation.name);
  if (found == unaryTables().end()) return std::nullopt;
  const auto wrong = [&] { return wrongTypes(operation, operandTypes, resultType); };
  if (operandTypes.size() != 1) return Result<ElementLoop>(wrong());
  const ElementType type = operandTypes[0];
  const std::string_view name = found->first;
  RawLoop loop = found->second[static_cast<size_t>(computedIn(type))];
  if (computedIn(type) == ElementType::kF32)
    if (const RawLoop vector = vectorFunction(name)) loop = vector;
  const bool realPartOnly =
      name == "stablehlo.real" || name == "stablehlo.imag" || name == "stablehlo.abs";
  const ElementType expected = name == "stablehlo.is_finite" ? ElementType::kI1
                               : realPartOnly                ? realPart(type)
                                                             : type;
  if (loop == nullptr || resultType != expected) return Result<ElementLoop>(wrong());
  const bool leadingZeros = name == "stablehlo.count_leading_zeros";
  if (isInteger(type) && bitWidth(type) < 8 && (leadingZeros || name == "stablehlo.popcnt")) {
    const RawLoop bytes = found->second[static_cast<size_t>(ElementType::kUi8)];
    // A count of 4 does not fit i2 and wraps like any other number.
    return Result<ElementLoop>(
        staged(narrowBitCount(bytes, bitWidth(type), leadingZeros), operandTypes, resultType));
  }
  return Result<ElementLoop>(staged(loop, operandTypes, resultType));
}

}  // namespace vintage::harness
