#include "golden/oracle/real.h"

#include <cmath>
#include <limits>

#include "golden/oracle/number.h"

namespace vintage::golden::oracle {

double Real::roundTo(ElementType type) const {
  const FloatFormat format = floatFormat(type);
  if (!isFinite() || isZero()) return withinFormat(format, toDouble());
  const long magnitude = exponent() - 1;  // 2^magnitude <= |x|
  const double sign = isNegative() ? -1.0 : 1.0;
  if (!format.subnormals && sign > 0 && magnitude < format.smallest) {
    return std::ldexp(1.0, format.smallest);  // Nothing is nearer: there is no zero.
  }
  const double infinity = std::numeric_limits<double>::infinity();
  if (magnitude > format.largest) return withinFormat(format, sign * infinity);
  const long precision =
      magnitude >= format.smallest ? format.precision
                                   : format.precision - (format.smallest - magnitude);
  if (precision < 1) {
    // Below the smallest subnormal: half of it is the border, and goes to zero.
    Real half(1.0);
    mpfr_mul_2si(half.get(), half.get(), format.smallest - format.precision, MPFR_RNDN);
    if (!(half < abs(*this))) return withinFormat(format, sign * 0.0);
    mpfr_mul_2si(half.get(), half.get(), 1, MPFR_RNDN);
    return withinFormat(format, sign * half.toDouble());
  }
  Real rounded;
  mpfr_set_prec(rounded.get(), precision);
  mpfr_set(rounded.get(), value_, MPFR_RNDN);
  if (rounded.exponent() - 1 > format.largest) return withinFormat(format, sign * infinity);
  return withinFormat(format, rounded.toDouble());
}

}  // namespace vintage::golden::oracle
