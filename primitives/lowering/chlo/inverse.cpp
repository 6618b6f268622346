// Inverse circular and hyperbolic functions, sinh, cosh, exp and square. Of complex numbers after
// Hull, Fairgrieve and Tang (1997), with care for what overflows and what cancels.
#include <cmath>
#include <limits>
#include <numbers>

#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

Expression real(const Expression& z) { return {z.builder(), z.builder().real(z)}; }
Expression imaginary(const Expression& z) { return {z.builder(), z.builder().imaginary(z)}; }
Expression complex(const Expression& re, const Expression& im) {
  return {re.builder(), re.builder().complex(re, im)};
}
Expression atan2(const Expression& y, const Expression& x) { return y.apply("stablehlo.atan2", x); }
Expression larger(const Expression& a, const Expression& b) {
  return a.apply("stablehlo.maximum", b);
}
Expression smaller(const Expression& a, const Expression& b) {
  return a.apply("stablehlo.minimum", b);
}

// The length of (a, b), both at least zero.
Expression hypotenuse(const Expression& a, const Expression& b) {
  const Expression high = larger(a, b), low = smaller(a, b);
  const Expression alike = compared("EQ", high, low);
  const Expression diagonal = constantLike(a, std::numbers::sqrt2) * high;
  const Expression ratio = low / high;
  const Expression square = ratio * ratio;
  const Expression one = constantLike(a, 1);
  const Expression root = sqrt(one + square);
  const Expression lost = compared("EQ", root, one) & compared("GT", square, constantLike(a, 0));
  const Expression near = high * square / constantLike(a, 2);
  const Expression byNear = high + near;
  const Expression byRoot = high * root;
  return select(alike, diagonal, select(lost, byNear, byRoot));
}

// |Re sqrt(1 - z^2)| and Im asin of the number whose parts are |Re z| and |Im z|: what all
// four inverse functions are made of.
Expression arcParts(const Expression& z) {
  const Expression x = abs(real(z));
  const Expression y = abs(imaginary(z));
  const Expression one = constantLike(x, 1), half = constantLike(x, 0.5);
  const Expression largest = larger(x, y);
  const Expression safe = sqrt(constantLike(x, largestOf(x.type()))) / constantLike(x, 8);
  const Expression beyond = compared("GE", largest, safe);
  const Expression within = compared("LE", x, one);
  const Expression xPlus = x + one;
  const Expression r = hypotenuse(abs(xPlus), y);
  const Expression xMinus = x - one;
  const Expression s = hypotenuse(abs(xMinus), y);
  const Expression a = half * (r + s);
  const Expression halfSum = half * (a + x);
  const Expression ySquare = y * y;
  const Expression rSum = r + xPlus;
  const Expression yByR = ySquare / rSum;
  const Expression sDifference = s - xMinus;
  const Expression byProduct = sqrt(halfSum * (yByR + sDifference));
  const Expression first = halfSum / rSum;
  const Expression sSum = s + xMinus;
  const Expression byQuotients = y * sqrt(first + halfSum / sSum);
  const Expression re = select(beyond, y, select(within, byProduct, byQuotients));

  const Expression moderate = compared("LT", x, safe * constantLike(x, 1e12));
  const Expression lowBorder = safe * constantLike(x, 1e-6);
  const Expression highBorder = safe * constantLike(x, 1e2);
  const Expression border = select(moderate, lowBorder, highBorder);
  const Expression steep = compared("GE", y, border);
  const Expression chosen = select(steep, y, x);
  const Expression limit = select(steep, border, safe);
  const Expression huge = compared("GE", chosen, limit);
  const Expression logTwo = log(constantLike(x, 2));
  const Expression logLarger = logTwo + log(chosen);
  const Expression infinite =
      compared("EQ", y, constantLike(x, std::numeric_limits<double>::infinity()));
  const Expression finite = steep & !infinite;
  const Expression ratio = select(finite, x / y, constantLike(x, 0));
  const Expression byLogarithm = logLarger + half * log1p(ratio * ratio);
  const Expression tiny =
      compared("LT", y, sqrt(constantLike(x, smallestOf(x.type()))) * constantLike(x, 4));
  const Expression flat = tiny & compared("LT", x, one);
  const Expression product = xPlus * xMinus;
  const Expression aPlus = a + one;
  const Expression whenFlat = -(product / aPlus);
  const Expression outside = compared("GE", x, one);
  const Expression halfSquare = half * ySquare;
  const Expression quotient = halfSquare / rSum;
  const Expression whenOutside = quotient + half * sSum;
  const Expression close = compared("LE", a, constantLike(x, 1.5));
  const Expression whenClose = quotient + halfSquare / sDifference;
  const Expression whenFar = a - one;
  const Expression aMinus =
      select(flat, whenFlat, select(outside, whenOutside, select(close, whenClose, whenFar)));
  const Expression root = sqrt(aMinus * aPlus);
  const Expression bySlope = y / root;
  const Expression im = select(huge, byLogarithm, select(flat, bySlope, log1p(aMinus + root)));
  return complex(re, im);
}

Expression negative(const Expression& x) { return compared("LT", x, constantLike(x, 0)); }

}  // namespace

Expression acos(const Expression& x) {
  if (isComplex(x.type())) {
    const Expression parts = arcParts(x);
    const Expression re = atan2(real(parts), real(x));
    const Expression below = negative(imaginary(x));
    const Expression im = imaginary(parts);
    return complex(re, select(below, im, -im));
  }
  const Expression one = constantLike(x, 1);
  const Expression difference = one - x;
  return atan2(sqrt(difference * (one + x)), x);
}

Expression acosh(const Expression& x) {
  if (isComplex(x.type())) {
    const Expression parts = arcParts(x);
    const Expression re = imaginary(parts);
    const Expression below = negative(imaginary(x));
    const Expression angle = real(parts);
    const Expression im = atan2(angle, real(x));
    return complex(re, select(below, -im, im));
  }
  const Expression border = constantLike(x, largestOf(x.type())) / constantLike(x, 2);
  const Expression huge = compared("GE", x, border);
  const Expression logTwo = log(constantLike(x, 2));
  const Expression whenHuge = logTwo + log(x);
  const Expression one = constantLike(x, 1);
  const Expression below = sqrt(x - one);
  const Expression above = sqrt(x + one);
  return select(huge, whenHuge, log1p(below * (above + below)));
}

Expression asin(const Expression& x) {
  if (isComplex(x.type())) {
    const Expression horizontal = real(x);
    const Expression parts = arcParts(x);
    const Expression re = atan2(horizontal, real(parts));
    const Expression below = negative(imaginary(x));
    const Expression im = imaginary(parts);
    return complex(re, select(below, -im, im));
  }
  // JAX's own, whose constants are broadcast.
  const Expression difference = 1.0 - x;
  return atan2(x, sqrt(difference * (1.0 + x)));
}

Expression asinh(const Expression& x) {
  if (isComplex(x.type())) {
    // asin of i z, turned back.
    const Expression horizontal = real(x);
    const Expression left = negative(horizontal);
    const Expression vertical = imaginary(x);
    const Expression parts = arcParts(complex(-vertical, horizontal));
    const Expression im = imaginary(parts);
    const Expression re = select(left, -im, im);
    return complex(re, atan2(vertical, real(parts)));
  }
  const Expression sign = x.apply("stablehlo.sign");
  const Expression size = abs(x);
  const Expression huge = compared("GE", size, sqrt(constantLike(x, largestOf(x.type()))));
  const Expression logTwo = log(constantLike(x, 2));
  const Expression whenHuge = logTwo + log(size);
  const Expression square = size * size;
  const Expression one = constantLike(x, 1);
  const Expression root = sqrt(one + square);
  const Expression rest = square / (one + root);
  return sign * select(huge, whenHuge, log1p(size + rest));
}

Expression atan(const Expression& x) {
  if (!isComplex(x.type())) return atan2(x, constantLike(x, 1));
  // atanh of i z, turned back.
  const Expression negated = -imaginary(x);
  const Expression turned = atanh(complex(negated, real(x)));
  const Expression re = imaginary(turned);
  return complex(re, -real(turned));
}

namespace {

Expression isInfinite(const Expression& x) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Expression above = compared("EQ", x, constantLike(x, infinity));
  return above | compared("EQ", x, constantLike(x, -infinity));
}

// Kahan's (1987), with the border from the type's range.
Expression complexAtanh(const Expression& z) {
  const Expression x = real(z);
  const Expression zero = constantLike(x, 0), one = constantLike(x, 1);
  const Expression minusOne = constantLike(x, -1);
  const Expression sign = select(compared("GE", x, zero), one, minusOne);
  const Expression size = abs(x);
  const Expression largest = constantLike(x, largestOf(x.type()));
  // Which type it is, written as a comparison of its largest number.
  const bool wide = x.type() == ElementType::kF64;
  const Expression isDouble = compared(
      "GT", largest, constantLike(x, wide ? 1e308 : std::numeric_limits<double>::infinity()));
  const Expression isSingle = compared("GT", largest, constantLike(x, 1e38));
  const Expression narrow = select(isSingle, constantLike(x, 16777218.0), constantLike(x, 2050.0));
  const Expression border = select(isDouble, constantLike(x, 9007199254740994.0), narrow);
  const Expression square = border * border;
  const Expression xInside = compared("LT", size, square);
  const Expression y = imaginary(z);
  const Expression height = abs(y);
  const Expression inside = xInside & compared("LT", height, square);
  const Expression oneMinus = one - size;
  const Expression distance = oneMinus * oneMinus;
  const Expression ySquare = y * y;
  const Expression byDefinition = size / (distance + ySquare);
  const Expression flat = compared("LT", height * border, size);
  const Expression inverse = one / size;
  const Expression xInfinite = isInfinite(x);
  const Expression infinite = xInfinite | isInfinite(y);
  const Expression slope = size / y;
  const Expression whole = one / (slope + y / size);
  const Expression far = select(infinite, zero, whole / y);
  const Expression fraction = select(inside, byDefinition, select(flat, inverse, far));
  const Expression logarithm = log1p(constantLike(x, 4) * fraction);
  const Expression re = sign * logarithm * constantLike(x, 0.25);
  const Expression twice = y + y;
  const Expression difference = oneMinus * (one + size) - ySquare;
  const Expression angle = atan2(twice, difference);
  const Expression up = select(compared("GE", y, zero), one, minusOne);
  const Expression right = up * constantLike(x, std::numbers::pi);
  return complex(re, select(inside, angle, right) * constantLike(x, 0.5));
}

}  // namespace

Expression atanh(const Expression& x) {
  if (isComplex(x.type())) return complexAtanh(x);
  const Expression outside = compared("GT", abs(x), constantLike(x, 1));
  const Expression above = log1p(x);
  const Expression below = log1p(-x);
  const Expression result = (above - below) * constantLike(x, 0.5);
  return select(outside, constantLike(x, std::numeric_limits<double>::quiet_NaN()), result);
}

// Of complex numbers by the exponential of half the real part twice, where the whole one is
// infinite and the product need not be.
Expression exponential(const Expression& z) {
  if (!isComplex(z.type())) return exp(z);
  const Expression x = real(z);
  const Expression whole = exp(x);
  const Expression infinite =
      compared("EQ", whole, constantLike(x, std::numeric_limits<double>::infinity()));
  const Expression half = exp(x * constantLike(x, 0.5));
  const Expression y = imaginary(z);
  const auto times = [&](const Expression& factor) {
    const Expression halfway = half * factor;
    const Expression inSteps = halfway * half;
    return select(infinite, inSteps, whole * factor);
  };
  const Expression re = times(y.apply("stablehlo.cosine"));
  const Expression zero = constantLike(x, 0);
  const Expression flat = compared("EQ", y, zero);
  return complex(re, select(flat, zero, times(y.apply("stablehlo.sine"))));
}

// Of complex numbers without the difference of what may be two infinities.
Expression square(const Expression& x) {
  if (!isComplex(x.type())) return x * x;
  const Expression re = real(x);
  const Expression finite(
      x.builder(), x.builder().convert("stablehlo.is_finite", re, ElementType::kI1, x.shape()));
  const Expression width = abs(re);
  const Expression im = imaginary(x);
  const Expression diagonal = finite & compared("EQ", width, abs(im));
  const Expression difference = re - im;
  const Expression product = difference * (re + im);
  const Expression square = select(diagonal, constantLike(re, 0), product);
  return complex(square, constantLike(re, 2) * (re * im));
}

Expression tan(const Expression& x) { return x.apply("stablehlo.tan"); }

// By exponentials of a half each, which overflow only where the result does.
Expression cosh(const Expression& x) {
  const Expression logHalf = log(constantLike(x, 0.5));
  const Expression growing = exp(x + logHalf);
  return growing + exp(logHalf - x);
}

Expression sinh(const Expression& x) {
  const Expression half = constantLike(x, 0.5);
  const Expression logHalf = log(half);
  const Expression growing = exp(x + logHalf);
  const Expression difference = growing - exp(logHalf - x);
  if (isComplex(x.type())) return difference;
  const Expression one = constantLike(x, 1);
  const Expression minusOne = x.apply("stablehlo.exponential_minus_one");
  const Expression ratio = minusOne / (minusOne + one);
  const Expression nearZero = half * (minusOne + ratio);
  return select(compared("LT", abs(x), one), nearZero, difference);
}

}  // namespace vintage::primitives::chlo
