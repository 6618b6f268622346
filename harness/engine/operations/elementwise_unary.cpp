// Unary elementwise operations. Complex functions are in complex_functions.h.
#include <bit>
#include <cmath>
#include <type_traits>

#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/complex_functions.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr auto kAbs = []<typename T>(T x) {
  if constexpr (kIsComplexStorage<T>)
    return std::abs(x);
  else if constexpr (std::is_floating_point_v<T>)
    return std::fabs(x);
  // Through the unsigned type: the smallest integer is its own absolute value.
  else
    return static_cast<T>(x < 0 ? UnsignedOf<T>{0} - static_cast<UnsignedOf<T>>(x) : x);
};

constexpr auto kNegate = []<typename T>(T x) -> T {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(UnsignedOf<T>{0} - static_cast<UnsignedOf<T>>(x));
  else
    return -x;
};

constexpr auto kSign = []<typename T>(T x) -> T {
  if constexpr (kIsComplexStorage<T>)
    return complexSign(x);
  else if constexpr (std::is_floating_point_v<T>)
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;  // Zeros keep their sign, NaN stays.
  else
    return static_cast<T>(x > 0 ? 1 : x < 0 ? -1 : 0);
};

constexpr auto kNot = []<typename T>(T x) -> T {
  if constexpr (kIsPredicateStorage<T>)
    return T(!x);
  else
    return static_cast<T>(~x);
};

constexpr auto kPopulationCount = []<typename T>(T x) {
  return static_cast<T>(std::popcount(bitsOf(x)));
};

constexpr auto kCountLeadingZeros = []<typename T>(T x) -> T {
  const auto bits = bitsOf(x);
  constexpr int kSpare = static_cast<int>(8 * sizeof(bits)) - kBitsOf<T>;
  return static_cast<T>(std::countl_zero(bits) - kSpare);
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

constexpr auto kCbrt = kRealOrComplex<cubeRoot, [](auto z) { return complexCbrt(z); }>;
constexpr auto kExponentialMinusOne =
    kRealOrComplex<[](double x) { return std::expm1(x); },
                   [](auto z) { return complexExponentialMinusOne(z); }>;
constexpr auto kLogPlusOne = kRealOrComplex<[](double x) { return std::log1p(x); },
                                            [](auto z) { return complexLogPlusOne(z); }>;
constexpr auto kRsqrt = kRealOrComplex<[](double x) { return 1 / std::sqrt(x); },
                                       [](auto z) { return complexRsqrt(z); }>;
constexpr auto kSqrt = []<typename T>(T x) -> T {
  if constexpr (kIsComplexStorage<T>)
    return wideComplex(x, [](auto z) { return std::sqrt(z); });
  else
    return std::sqrt(x);
};
constexpr auto kTangent =
    kRealOrComplex<[](double x) { return std::tan(x); }, [](auto z) { return complexTangent(z); }>;

template <auto kFunction>
constexpr LoopTable kBitsTable =
    loopTable<kFunction, 1, SignedTypes, UnsignedTypes, NarrowIntegers>();
template <auto kFunction>
constexpr LoopTable kSignedTable =
    loopTable<kFunction, 1, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>();

}  // namespace

const LoopsByName& unaryLoops() {
  using enum NamedLoops::Gives;
  static const LoopsByName kLoops = {
      {"stablehlo.abs", {kSignedTable<kAbs>, 1, kRealPart}},
      {"stablehlo.negate", {kSignedTable<kNegate>}},
      {"stablehlo.sign", {kSignedTable<kSign>}},
      {"stablehlo.not", {loopTable<kNot, 1, PredicateTypes, SignedTypes, UnsignedTypes>()}},
      {"stablehlo.popcnt", {kBitsTable<kPopulationCount>}},
      {"stablehlo.count_leading_zeros", {kBitsTable<kCountLeadingZeros>}},
      {"stablehlo.is_finite",
       {kRealTable<[](auto x) { return Predicate(std::isfinite(x)); }>, 1, kPredicate}},
      {"stablehlo.real", {kFloatTable<[](auto x) { return std::real(x); }>, 1, kRealPart}},
      {"stablehlo.imag", {kFloatTable<[](auto x) { return std::imag(x); }>, 1, kRealPart}},
      {"stablehlo.cbrt", {kFloatTable<kCbrt>}},
      {"stablehlo.ceil", {kRealTable<[](auto x) { return std::ceil(x); }>}},
      {"stablehlo.cosine", {kFloatTable<kInDouble<[](auto x) { return std::cos(x); }>>}},
      {"stablehlo.exponential", {kFloatTable<kInDouble<[](auto x) { return std::exp(x); }>>}},
      {"stablehlo.exponential_minus_one", {kFloatTable<kExponentialMinusOne>}},
      {"stablehlo.floor", {kRealTable<[](auto x) { return std::floor(x); }>}},
      {"stablehlo.log", {kFloatTable<kInDouble<[](auto x) { return std::log(x); }>>}},
      {"stablehlo.log_plus_one", {kFloatTable<kLogPlusOne>}},
      {"stablehlo.logistic",
       {kFloatTable<kInDouble<[](auto x) { return 1.0 / (1.0 + std::exp(-x)); }>>}},
      {"stablehlo.round_nearest_afz", {kRealTable<[](auto x) { return std::round(x); }>}},
      {"stablehlo.round_nearest_even", {kRealTable<[](auto x) { return std::nearbyint(x); }>}},
      {"stablehlo.rsqrt", {kFloatTable<kRsqrt>}},
      {"stablehlo.sine", {kFloatTable<kInDouble<[](auto x) { return std::sin(x); }>>}},
      {"stablehlo.sqrt", {kFloatTable<kSqrt>}},
      {"stablehlo.tan", {kFloatTable<kTangent>}},
      {"stablehlo.tanh", {kFloatTable<kInDouble<[](auto x) { return std::tanh(x); }>>}},
      {"chlo.tan", {kFloatTable<kTangent>}},
  };
  return kLoops;
}

}  // namespace vintage::harness
