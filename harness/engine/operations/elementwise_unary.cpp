// Unary elementwise operations. Complex functions are in complex_functions.h.
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/complex_functions.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct Abs {
  template <typename T>
  static auto apply(T x) {
    if constexpr (kIsComplexStorage<T>) return std::abs(x);
    else if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
    // Through the unsigned type: the smallest integer is its own absolute value.
    else return static_cast<T>(x < 0 ? UnsignedOf<T>{0} - static_cast<UnsignedOf<T>>(x) : x);
  }
};

struct Negate {
  template <typename T>
  static T apply(T x) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(UnsignedOf<T>{0} - static_cast<UnsignedOf<T>>(x));
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
  static T apply(T x) { return static_cast<T>(std::popcount(bitsOf(x))); }
};

struct CountLeadingZeros {
  template <typename T>
  static T apply(T x) {
    const auto bits = bitsOf(x);
    constexpr int kSpare = static_cast<int>(8 * sizeof(bits)) - kBitsOf<T>;
    return static_cast<T>(std::countl_zero(bits) - kSpare);
  }
};

struct IsFinite {
  template <typename T>
  static Predicate apply(T x) { return Predicate(std::isfinite(x)); }
};

struct RealPart {
  template <typename T>
  static auto apply(T x) {
    if constexpr (kIsComplexStorage<T>) return x.real();
    else return x;
  }
};

struct ImaginaryPart {
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
constexpr LoopTable kBitsTable = loopTable<F, 1, SignedTypes, UnsignedTypes, NarrowIntegers>();
template <typename F>
constexpr LoopTable kSignedTable =
    loopTable<F, 1, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>();

}  // namespace

const LoopsByName& unaryLoops() {
  using enum NamedLoops::Gives;
  static const LoopsByName kLoops = {
      {"stablehlo.abs", {kSignedTable<Abs>, 1, kRealPart}},
      {"stablehlo.negate", {kSignedTable<Negate>}},
      {"stablehlo.sign", {kSignedTable<Sign>}},
      {"stablehlo.not", {loopTable<Not, 1, PredicateTypes, SignedTypes, UnsignedTypes>()}},
      {"stablehlo.popcnt", {kBitsTable<PopulationCount>}},
      {"stablehlo.count_leading_zeros", {kBitsTable<CountLeadingZeros>}},
      {"stablehlo.is_finite", {kRealTable<IsFinite>, 1, kPredicate}},
      {"stablehlo.real", {kFloatTable<RealPart>, 1, kRealPart}},
      {"stablehlo.imag", {kFloatTable<ImaginaryPart>, 1, kRealPart}},
      {"stablehlo.cbrt", {kFloatTable<Cbrt>}},
      {"stablehlo.ceil", {kRealTable<Ceil>}},
      {"stablehlo.cosine", {kFloatTable<Cosine>}},
      {"stablehlo.exponential", {kFloatTable<Exponential>}},
      {"stablehlo.exponential_minus_one", {kFloatTable<ExponentialMinusOne>}},
      {"stablehlo.floor", {kRealTable<Floor>}},
      {"stablehlo.log", {kFloatTable<Log>}},
      {"stablehlo.log_plus_one", {kFloatTable<LogPlusOne>}},
      {"stablehlo.logistic", {kFloatTable<Logistic>}},
      {"stablehlo.round_nearest_afz", {kRealTable<RoundNearestAwayFromZero>}},
      {"stablehlo.round_nearest_even", {kRealTable<RoundNearestEven>}},
      {"stablehlo.rsqrt", {kFloatTable<Rsqrt>}},
      {"stablehlo.sine", {kFloatTable<Sine>}},
      {"stablehlo.sqrt", {kFloatTable<Sqrt>}},
      {"stablehlo.tan", {kFloatTable<Tan>}},
      {"stablehlo.tanh", {kFloatTable<Tanh>}},
      {"chlo.tan", {kFloatTable<Tan>}},
  };
  return kLoops;
}

}  // namespace vintage::harness
