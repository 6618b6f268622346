// The loops of CHLO's elementwise operations.
//
// f32 is computed in double and rounded once; f64 through the C library's
// double functions or our own in long double; narrow floats through float.
#include <cmath>
#include <limits>

#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/complex_functions.h"
#include "harness/engine/operations/loop_table.h"
#include "harness/engine/operations/special_functions.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr auto kConj = []<typename T>(T x) -> T {
  if constexpr (kIsComplexStorage<T>)
    return {x.real(), -x.imag()};
  else
    return x;
};

constexpr auto kSquare = []<typename T>(T x) -> T {
  if constexpr (kIsComplexStorage<T>) {
    // (a - b)(a + b) does not cancel where a² - b² would.
    return {(x.real() - x.imag()) * (x.real() + x.imag()), 2 * x.real() * x.imag()};
  } else {
    return x * x;
  }
};

// The part that asin and acos share: for w = kernel(z),
// asin(z) = atan2(Re z, Re w) + i sign(Im z) Im w. After W. Kahan, "Branch cuts
// for complex elementary functions".
constexpr auto kAsinAcosKernel = []<typename T>(T value) -> T {
  return wideComplex(value, [](std::complex<double> z) {
    const auto a = std::sqrt(1.0 - z), b = std::sqrt(1.0 + z);
    return std::complex<double>((a * b).real(), std::fabs(std::asinh((std::conj(a) * b).imag())));
  });
};

constexpr auto kPositiveInfinite = []<typename T>(T x) {
  return Predicate(x == std::numeric_limits<T>::infinity());
};
constexpr auto kNegativeInfinite = [](auto x) { return kPositiveInfinite(-x); };

constexpr auto kMulHi = []<typename T>(T x, T y) -> T {
  if constexpr (kIsNarrowIntegerStorage<T>) {
    return T(static_cast<int64_t>((int{x} * int{y}) >> kBitsOf<T>));
  } else {
    using Double = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Double>(x) * static_cast<Double>(y)) >> (8 * sizeof(T)));
  }
};

// x toward y by one step of x's own format, which is why the narrow floats do
// not go through float here.
constexpr auto kNextAfter = []<typename T>(T x, T y) -> T {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(x, y);
  } else {
    using Bits = typename T::Bits;
    if (x.isNan() || y.isNan()) return std::numeric_limits<T>::quiet_NaN();
    if (x == y) return y;
    const bool up = x < y;
    if constexpr (T::kSigned) {
      if (static_cast<float>(x) == 0)
        return T::fromBits(static_cast<Bits>((up ? 0 : T::kSignBit) | 1));
    }
    const bool away = up == !x.isNegative();  // From zero.
    return T::fromBits(static_cast<Bits>(x.bits() + (away ? 1 : -1)));
  }
};

}  // namespace

const LoopsByName& specialFunctionLoops() {
  using enum NamedLoops::Gives;
  static const LoopsByName kLoops = {
      {"chlo._asin_acos_kernel", {loopTable<kAsinAcosKernel, 1, ComplexTypes>()}},
      {"chlo.acos", {kFloatTable<kInDouble<[](auto x) { return std::acos(x); }>>}},
      {"chlo.acosh", {kFloatTable<kInDouble<[](auto x) { return std::acosh(x); }>>}},
      {"chlo.asin", {kFloatTable<kInDouble<[](auto x) { return std::asin(x); }>>}},
      {"chlo.asinh", {kFloatTable<kInDouble<[](auto x) { return std::asinh(x); }>>}},
      {"chlo.atan", {kFloatTable<kInDouble<[](auto x) { return std::atan(x); }>>}},
      {"chlo.atanh", {kFloatTable<kInDouble<[](auto x) { return std::atanh(x); }>>}},
      {"chlo.bessel_i1e", {kRealTable<kInDouble<besselI1e>>}},
      {"chlo.conj", {kFloatTable<kConj>}},
      {"chlo.cosh", {kFloatTable<kInDouble<[](auto x) { return std::cosh(x); }>>}},
      {"chlo.digamma", {kRealTable<kInDouble<digamma>>}},
      {"chlo.erf", {kRealTable<kInDouble<[](auto x) { return std::erf(x); }>>}},
      {"chlo.erf_inv", {kRealTable<kInDouble<inverseErf>>}},
      {"chlo.erfc", {kRealTable<kInDouble<[](auto x) { return std::erfc(x); }>>}},
      {"chlo.is_inf", {kRealTable<[](auto x) { return Predicate(std::isinf(x)); }>, 1, kPredicate}},
      {"chlo.is_neg_inf", {kRealTable<kNegativeInfinite>, 1, kPredicate}},
      {"chlo.is_pos_inf", {kRealTable<kPositiveInfinite>, 1, kPredicate}},
      {"chlo.lgamma", {kRealTable<kInDouble<logGamma>>}},
      {"chlo.mulhi", {loopTable<kMulHi, 2, SignedTypes, UnsignedTypes, NarrowIntegers>(), 2}},
      {"chlo.next_after", {loopTable<kNextAfter, 2, FloatTypes, NarrowFloats>(), 2}},
      {"chlo.polygamma",
       {loopTable<[]<typename T>(T n, T x) { return static_cast<T>(polygamma(n, x)); }, 2,
                  FloatTypes>(),
        2}},
      {"chlo.sinh", {kFloatTable<kInDouble<[](auto x) { return std::sinh(x); }>>}},
      {"chlo.square", {kFloatTable<kSquare>}},
      {"chlo.zeta",
       {loopTable<[]<typename T>(T s, T q) { return static_cast<T>(hurwitzZeta(s, q)); }, 2,
                  FloatTypes>(),
        2}},
  };
  return kLoops;
}

}  // namespace vintage::harness
