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

template <typename T>
T rounded(long double value) {
  return static_cast<T>(value);
}

// `real` in terms of a double x (of a double itself for f64), and the standard
// library's complex function of the same name, which has the branch cuts of
// C99's annex G.
#define VINTAGE_COMPLEX_FUNCTION(Name, function)                                        \
  struct Name {                                                                         \
    template <typename T>                                                               \
    static T apply(T x) {                                                               \
      if constexpr (kIsComplexStorage<T>) {                                             \
        return wideComplex(x, [](std::complex<double> z) { return std::function(z); }); \
      } else {                                                                          \
        return static_cast<T>(std::function(static_cast<double>(x)));                   \
      }                                                                                 \
    }                                                                                   \
  };
VINTAGE_COMPLEX_FUNCTION(Acos, acos)
VINTAGE_COMPLEX_FUNCTION(Acosh, acosh)
VINTAGE_COMPLEX_FUNCTION(Asin, asin)
VINTAGE_COMPLEX_FUNCTION(Asinh, asinh)
VINTAGE_COMPLEX_FUNCTION(Atan, atan)
VINTAGE_COMPLEX_FUNCTION(Atanh, atanh)
VINTAGE_COMPLEX_FUNCTION(Cosh, cosh)
VINTAGE_COMPLEX_FUNCTION(Sinh, sinh)
#undef VINTAGE_COMPLEX_FUNCTION

#define VINTAGE_REAL_FUNCTION(Name, expression)    \
  struct Name {                                    \
    template <typename T>                          \
    static T apply(T value) {                      \
      const double x = static_cast<double>(value); \
      return rounded<T>(expression);               \
    }                                              \
  };
VINTAGE_REAL_FUNCTION(BesselI1e, besselI1e(x))
VINTAGE_REAL_FUNCTION(Digamma, digamma(x))
VINTAGE_REAL_FUNCTION(Erf, std::erf(x))
VINTAGE_REAL_FUNCTION(Erfc, std::erfc(x))
VINTAGE_REAL_FUNCTION(ErfInv, inverseErf(x))
VINTAGE_REAL_FUNCTION(Lgamma, logGamma(x))
#undef VINTAGE_REAL_FUNCTION

struct Polygamma {
  template <typename T>
  static T apply(T n, T x) {
    return rounded<T>(polygamma(n, x));
  }
};
struct Zeta {
  template <typename T>
  static T apply(T s, T q) {
    return rounded<T>(hurwitzZeta(s, q));
  }
};

struct Conj {
  template <typename T>
  static T apply(T x) {
    if constexpr (kIsComplexStorage<T>)
      return {x.real(), -x.imag()};
    else
      return x;
  }
};

struct Square {
  template <typename T>
  static T apply(T x) {
    if constexpr (kIsComplexStorage<T>) {
      // (a - b)(a + b) does not cancel where a² - b² would.
      return {(x.real() - x.imag()) * (x.real() + x.imag()), 2 * x.real() * x.imag()};
    } else {
      return x * x;
    }
  }
};

// What asin and acos have in common: for w = kernel(z),
// asin(z) = atan2(Re z, Re w) + i sign(Im z) Im w. After W. Kahan, "Branch cuts
// for complex elementary functions".
struct AsinAcosKernel {
  template <typename T>
  static T apply(T value) {
    return wideComplex(value, [](std::complex<double> z) {
      const auto a = std::sqrt(1.0 - z), b = std::sqrt(1.0 + z);
      return std::complex<double>((a * b).real(), std::fabs(std::asinh((std::conj(a) * b).imag())));
    });
  }
};

struct IsInf {
  template <typename T>
  static Predicate apply(T x) {
    return std::isinf(x);
  }
};
struct IsPosInf {
  template <typename T>
  static Predicate apply(T x) {
    return x == std::numeric_limits<T>::infinity();
  }
};
struct IsNegInf {
  template <typename T>
  static Predicate apply(T x) {
    return x == -std::numeric_limits<T>::infinity();
  }
};

struct MulHi {
  template <typename T>
  static T apply(T x, T y) {
    if constexpr (kIsNarrowIntegerStorage<T>) {
      return T(static_cast<int64_t>((int{x} * int{y}) >> kBitsOf<T>));
    } else {
      using Double = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
      return static_cast<T>((static_cast<Double>(x) * static_cast<Double>(y)) >> (8 * sizeof(T)));
    }
  }
};

// x toward y by one step of x's own format, which is why the narrow floats do
// not go through float here.
struct NextAfter {
  template <typename T>
  static T apply(T x, T y) {
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
  }
};

template <typename F>
constexpr LoopTable kReal = loopTable<F, 1, FloatTypes>();
template <typename F>
constexpr LoopTable kFloat = loopTable<F, 1, FloatTypes, ComplexTypes>();
template <typename F>
constexpr LoopTable kRealPair = loopTable<F, 2, FloatTypes>();

}  // namespace

const LoopsByName& specialFunctionLoops() {
  using enum NamedLoops::Gives;
  static const LoopsByName kLoops = {
      {"chlo._asin_acos_kernel", {loopTable<AsinAcosKernel, 1, ComplexTypes>()}},
      {"chlo.acos", {kFloat<Acos>}},
      {"chlo.acosh", {kFloat<Acosh>}},
      {"chlo.asin", {kFloat<Asin>}},
      {"chlo.asinh", {kFloat<Asinh>}},
      {"chlo.atan", {kFloat<Atan>}},
      {"chlo.atanh", {kFloat<Atanh>}},
      {"chlo.bessel_i1e", {kReal<BesselI1e>}},
      {"chlo.conj", {kFloat<Conj>}},
      {"chlo.cosh", {kFloat<Cosh>}},
      {"chlo.digamma", {kReal<Digamma>}},
      {"chlo.erf", {kReal<Erf>}},
      {"chlo.erf_inv", {kReal<ErfInv>}},
      {"chlo.erfc", {kReal<Erfc>}},
      {"chlo.is_inf", {kReal<IsInf>, 1, kPredicate}},
      {"chlo.is_neg_inf", {kReal<IsNegInf>, 1, kPredicate}},
      {"chlo.is_pos_inf", {kReal<IsPosInf>, 1, kPredicate}},
      {"chlo.lgamma", {kReal<Lgamma>}},
      {"chlo.mulhi", {loopTable<MulHi, 2, SignedTypes, UnsignedTypes, NarrowIntegers>(), 2}},
      {"chlo.next_after", {loopTable<NextAfter, 2, FloatTypes, NarrowFloats>(), 2}},
      {"chlo.polygamma", {kRealPair<Polygamma>, 2}},
      {"chlo.sinh", {kFloat<Sinh>}},
      {"chlo.square", {kFloat<Square>}},
      {"chlo.zeta", {kRealPair<Zeta>, 2}},
  };
  return kLoops;
}

}  // namespace vintage::harness
