// applyUnary and applyBinary: a row for each function.
#include <algorithm>
#include <bit>
#include <iterator>

#include "golden/base/failures.h"
#include "golden/oracle/elementwise.h"
#include "golden/oracle/real.h"

namespace vintage::golden::oracle {
namespace {

template <Real::Unary kFunction>
Real mpfr(const Real& x) {
  return Real::of(kFunction, x);
}
template <Real::Binary kFunction>
Real mpfr(const Real& x, const Real& y) {
  return Real::of(kFunction, x, y);
}
// MPFR's roundings to integers take no rounding mode.
template <int (*kFunction)(mpfr_ptr, mpfr_srcptr)>
Real integral(const Real& x) {
  Real result;
  kFunction(result.get(), x.get());
  return result;
}

Real signReal(const Real& x) {
  if (x.isNan() || x.isZero()) return x;
  return Real(x.isNegative() ? -1.0 : 1.0);
}
Real logisticReal(const Real& x) { return Real(1.0) / (Real(1.0) + exp(-x)); }
// IEEE 754's rSqrt keeps the sign of zero; MPFR's rec_sqrt does not.
Real rsqrtReal(const Real& x) {
  return x.isZero() && x.isNegative() ? Real(-kInfinity) : Real::of(mpfr_rec_sqrt, x);
}
Real squareReal(const Real& x) { return x * x; }
Complex squareComplex(const Complex& z) { return z * z; }
Complex negate(const Complex& z) { return -z; }

Wide negateInteger(ElementType, Wide x) { return -x; }
Wide absInteger(ElementType, Wide x) { return x < 0 ? -x : x; }
Wide signInteger(ElementType, Wide x) { return (x > 0) - (x < 0); }
Wide notInteger(ElementType type, Wide x) { return isPredicate(type) ? 1 - x : ~x; }
uint64_t bitsOf(ElementType type, Wide x) {
  const int width = bitWidth(type);
  return static_cast<uint64_t>(x) & (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1);
}
Wide populationCount(ElementType type, Wide x) { return std::popcount(bitsOf(type, x)); }
Wide leadingZeros(ElementType type, Wide x) {
  return std::countl_zero(bitsOf(type, x)) - (64 - bitWidth(type));
}
Wide squareInteger(ElementType, Wide x) { return x * x; }

// A member is null where the function is not defined for that kind of type.
struct UnaryFunction {
  std::string_view name;
  Real (*real)(const Real&);
  Complex (*complex)(const Complex&);
  Wide (*integer)(ElementType, Wide);
};

struct BinaryFunction {
  std::string_view name;
  Real (*real)(const Real&, const Real&);
  Complex (*complex)(const Complex&, const Complex&);
  Wide (*integer)(ElementType, Wide, Wide);
};

const UnaryFunction kUnary[] = {
    {"neg", mpfr<mpfr_neg>, negate, negateInteger},
    {"abs", mpfr<mpfr_abs>, nullptr, absInteger},
    {"sign", signReal, sign, signInteger},
    {"not", nullptr, nullptr, notInteger},
    {"population_count", nullptr, nullptr, populationCount},
    {"clz", nullptr, nullptr, leadingZeros},
    {"square", squareReal, squareComplex, squareInteger},
    {"ceil", integral<mpfr_ceil>, nullptr, nullptr},
    {"floor", integral<mpfr_floor>, nullptr, nullptr},
    {"round_afz", integral<mpfr_round>, nullptr, nullptr},
    {"round_even", integral<mpfr_roundeven>, nullptr, nullptr},
    {"sqrt", mpfr<mpfr_sqrt>, sqrt, nullptr},
    {"rsqrt", rsqrtReal, rsqrt, nullptr},
    {"cbrt", mpfr<mpfr_cbrt>, nullptr, nullptr},
    {"exp", mpfr<mpfr_exp>, exp, nullptr},
    {"exp2", mpfr<mpfr_exp2>, nullptr, nullptr},
    {"expm1", mpfr<mpfr_expm1>, expm1, nullptr},
    {"log", mpfr<mpfr_log>, log, nullptr},
    {"log1p", mpfr<mpfr_log1p>, log1p, nullptr},
    {"sin", mpfr<mpfr_sin>, sin, nullptr},
    {"cos", mpfr<mpfr_cos>, cos, nullptr},
    {"tan", mpfr<mpfr_tan>, tan, nullptr},
    {"asin", mpfr<mpfr_asin>, asin, nullptr},
    {"acos", mpfr<mpfr_acos>, acos, nullptr},
    {"atan", mpfr<mpfr_atan>, atan, nullptr},
    {"sinh", mpfr<mpfr_sinh>, sinh, nullptr},
    {"cosh", mpfr<mpfr_cosh>, cosh, nullptr},
    {"tanh", mpfr<mpfr_tanh>, tanh, nullptr},
    {"asinh", mpfr<mpfr_asinh>, asinh, nullptr},
    {"acosh", mpfr<mpfr_acosh>, acosh, nullptr},
    {"atanh", mpfr<mpfr_atanh>, atanh, nullptr},
    {"logistic", logisticReal, logistic, nullptr},
    {"erf", mpfr<mpfr_erf>, nullptr, nullptr},
    {"erfc", mpfr<mpfr_erfc>, nullptr, nullptr},
    {"erf_inv", erfInverse, nullptr, nullptr},
    {"lgamma", lgamma, nullptr, nullptr},
    {"digamma", mpfr<mpfr_digamma>, nullptr, nullptr},
    {"bessel_i0e", besselI0e, nullptr, nullptr},
    {"bessel_i1e", besselI1e, nullptr, nullptr},
};

Real extreme(const Real& x, const Real& y, bool larger) {
  if (x.isNan() || y.isNan()) return Real(kNan);
  if (x.isZero() && y.isZero()) return x.isNegative() == larger ? y : x;
  return (larger ? y < x : x < y) ? x : y;
}
Real maxReal(const Real& x, const Real& y) { return extreme(x, y, true); }
Real minReal(const Real& x, const Real& y) { return extreme(x, y, false); }
bool less(const Complex& a, const Complex& b) { return a.re == b.re ? a.im < b.im : a.re < b.re; }
Complex maxComplex(const Complex& a, const Complex& b) { return less(b, a) ? a : b; }
Complex minComplex(const Complex& a, const Complex& b) { return less(a, b) ? a : b; }

Complex add(const Complex& a, const Complex& b) { return a + b; }
Complex subtract(const Complex& a, const Complex& b) { return a - b; }
Complex multiply(const Complex& a, const Complex& b) { return a * b; }
Complex divide(const Complex& a, const Complex& b) { return a / b; }

Wide addInteger(ElementType, Wide a, Wide b) { return a + b; }
Wide subtractInteger(ElementType, Wide a, Wide b) { return a - b; }
Wide multiplyInteger(ElementType type, Wide a, Wide b) {
  // Two 64-bit values can exceed 127 bits; modulo 2^128 is enough.
  return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}
// XLA defines what other languages leave open: x / 0 is all ones, x % 0 is x;
// the lowest value by -1 wraps.
Wide divideInteger(ElementType, Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; }
Wide remainderInteger(ElementType, Wide a, Wide b) { return b == 0 ? a : a % b; }
Wide maxInteger(ElementType, Wide a, Wide b) { return a > b ? a : b; }
Wide minInteger(ElementType, Wide a, Wide b) { return a < b ? a : b; }
Wide andInteger(ElementType, Wide a, Wide b) { return a & b; }
Wide orInteger(ElementType, Wide a, Wide b) { return a | b; }
Wide xorInteger(ElementType, Wide a, Wide b) { return a ^ b; }
// Shift amounts are unsigned; an amount of at least the type's width shifts out all bits.
Wide shiftLeft(ElementType type, Wide a, Wide b) {
  const uint64_t amount = bitsOf(type, b);
  return amount >= static_cast<uint64_t>(bitWidth(type)) ? Wide{0} : a * (Wide{1} << amount);
}
Wide shiftRightLogical(ElementType type, Wide a, Wide b) {
  const uint64_t amount = bitsOf(type, b);
  return amount >= static_cast<uint64_t>(bitWidth(type))
             ? Wide{0}
             : static_cast<Wide>(bitsOf(type, a) >> amount);
}
Wide shiftRightArithmetic(ElementType type, Wide a, Wide b) {
  const uint64_t amount = bitsOf(type, b);
  // The highest bit is shifted in, for unsigned types too.
  const auto width = static_cast<uint64_t>(bitWidth(type));
  Wide value = static_cast<Wide>(bitsOf(type, a));
  if (value >> (width - 1)) value -= Wide{1} << width;
  return value >> (amount >= width ? width - 1 : amount);
}
Wide powerInteger(ElementType type, Wide base, Wide exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  Wide result = 1;
  for (uint64_t left = static_cast<uint64_t>(exponent); left != 0; left >>= 1) {
    if (left & 1) result = wrap(type, multiplyInteger(type, result, base));
    base = wrap(type, multiplyInteger(type, base, base));
  }
  return result;
}

const BinaryFunction kBinary[] = {
    {"add", mpfr<mpfr_add>, add, addInteger},
    {"sub", mpfr<mpfr_sub>, subtract, subtractInteger},
    {"mul", mpfr<mpfr_mul>, multiply, multiplyInteger},
    {"div", mpfr<mpfr_div>, divide, divideInteger},
    {"rem", mpfr<mpfr_fmod>, nullptr, remainderInteger},
    {"max", maxReal, maxComplex, maxInteger},
    {"min", minReal, minComplex, minInteger},
    {"and", nullptr, nullptr, andInteger},
    {"or", nullptr, nullptr, orInteger},
    {"xor", nullptr, nullptr, xorInteger},
    {"shift_left", nullptr, nullptr, shiftLeft},
    {"shift_right_logical", nullptr, nullptr, shiftRightLogical},
    {"shift_right_arithmetic", nullptr, nullptr, shiftRightArithmetic},
    {"pow", mpfr<mpfr_pow>, pow, powerInteger},
    {"atan2", mpfr<mpfr_atan2>, nullptr, nullptr},
    {"igamma", igamma, nullptr, nullptr},
    {"igammac", igammac, nullptr, nullptr},
    {"zeta", hurwitzZeta, nullptr, nullptr},
};

Complex complexOf(const Number& number) { return {Real(number.real), Real(number.imaginary)}; }

// Applies the function element by element to as many tensors as it takes; one may be a scalar.
template <typename Table, typename... Operands>
Result<Tensor> applied(const Table& table, std::string_view name, const Shape& shape,
                       const Tensor& first, const Operands&... others) {
  const ElementType type = first.type();
  const auto entry = std::ranges::find(table, name, [](const auto& row) { return row.name; });
  if (entry == std::end(table) || (isComplex(type) ? !entry->complex
                                   : isFloat(type) ? !entry->real
                                                   : !entry->integer))
    return unsupported("The oracle has no element-wise function \"{}\" for {}.", name,
                       stablehloName(type));
  Tensor result(type, shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    const auto at = [i](const Tensor& operand) {
      return load(operand, operand.size() == 1 ? 0 : i);
    };
    if (isComplex(type)) {
      storeRounded(result, i, entry->complex(complexOf(at(first)), complexOf(at(others))...));
    } else if (isFloat(type)) {
      storeRounded(result, i, entry->real(Real(at(first).real), Real(at(others).real)...));
    } else {
      store(result, i, {entry->integer(type, at(first).integer, at(others).integer...)});
    }
  }
  return result;
}

}  // namespace

Result<Tensor> applyUnary(std::string_view function, const Tensor& operand) {
  return applied(kUnary, function, operand.shape(), operand);
}

Result<Tensor> applyBinary(std::string_view function, const Tensor& left, const Tensor& right) {
  return applied(kBinary, function, (left.size() >= right.size() ? left : right).shape(), left,
                 right);
}

}  // namespace vintage::golden::oracle
