// Inverse circular and hyperbolic functions, sinh, cosh, exp and square. Those of complex numbers
// follow Hull, Fairgrieve and Tang (1997), with care for overflow and cancellation.
#include <cmath>
#include <numbers>

#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

SsaValue atan2(const SsaValue& y, const SsaValue& x) { return same("stablehlo.atan2", y, x); }
SsaValue larger(const SsaValue& a, const SsaValue& b) { return same("stablehlo.maximum", a, b); }
SsaValue smaller(const SsaValue& a, const SsaValue& b) { return same("stablehlo.minimum", a, b); }

// The largest finite number of its type.
SsaValue largestLike(const SsaValue& x) {
  return constantLike(x, oracle::floatFormat(x.type).largestFinite());
}

// The length of (a, b), both at least zero.
SsaValue hypotenuse(const SsaValue& a, const SsaValue& b) {
  const SsaValue high = larger(a, b), low = smaller(a, b);
  const SsaValue alike = compared("EQ", high, low);
  const SsaValue diagonal = constantLike(a, std::numbers::sqrt2) * high;
  const SsaValue ratio = low / high;
  const SsaValue square = ratio * ratio;
  const SsaValue one = constantLike(a, 1);
  const SsaValue root = sqrt(one + square);
  const SsaValue lost = compared("EQ", root, one) & compared("GT", square, constantLike(a, 0));
  const SsaValue near = high * square / constantLike(a, 2);
  const SsaValue byNear = high + near;
  const SsaValue byRoot = high * root;
  return select(alike, diagonal, select(lost, byNear, byRoot));
}

// |Re sqrt(1 - z^2)| and Im asin of the number whose parts are |Re z| and |Im z|: what all
// four inverse functions are made of.
SsaValue arcParts(const SsaValue& z) {
  const SsaValue x = abs(realPart(z));
  const SsaValue y = abs(imaginaryPart(z));
  const SsaValue one = constantLike(x, 1), half = constantLike(x, 0.5);
  const SsaValue largest = larger(x, y);
  const SsaValue safe = sqrt(largestLike(x)) / constantLike(x, 8);
  const SsaValue beyond = compared("GE", largest, safe);
  const SsaValue within = compared("LE", x, one);
  const SsaValue xPlus = x + one;
  const SsaValue r = hypotenuse(abs(xPlus), y);
  const SsaValue xMinus = x - one;
  const SsaValue s = hypotenuse(abs(xMinus), y);
  const SsaValue a = half * (r + s);
  const SsaValue halfSum = half * (a + x);
  const SsaValue ySquare = y * y;
  const SsaValue rSum = r + xPlus;
  const SsaValue yByR = ySquare / rSum;
  const SsaValue sDifference = s - xMinus;
  const SsaValue byProduct = sqrt(halfSum * (yByR + sDifference));
  const SsaValue first = halfSum / rSum;
  const SsaValue sSum = s + xMinus;
  const SsaValue byQuotients = y * sqrt(first + halfSum / sSum);
  const SsaValue re = select(beyond, y, select(within, byProduct, byQuotients));

  const SsaValue moderate = compared("LT", x, safe * constantLike(x, 1e12));
  const SsaValue lowBorder = safe * constantLike(x, 1e-6);
  const SsaValue highBorder = safe * constantLike(x, 1e2);
  const SsaValue border = select(moderate, lowBorder, highBorder);
  const SsaValue steep = compared("GE", y, border);
  const SsaValue chosen = select(steep, y, x);
  const SsaValue limit = select(steep, border, safe);
  const SsaValue huge = compared("GE", chosen, limit);
  const SsaValue logTwo = log(constantLike(x, 2));
  const SsaValue logLarger = logTwo + log(chosen);
  const SsaValue infinite = compared("EQ", y, constantLike(x, oracle::kInfinity));
  const SsaValue finite = steep & !infinite;
  const SsaValue ratio = select(finite, x / y, constantLike(x, 0));
  const SsaValue byLogarithm = logLarger + half * log1p(ratio * ratio);
  const SsaValue tiny =
      compared("LT", y,
               sqrt(constantLike(x, std::ldexp(1.0, oracle::floatFormat(x.type).smallest))) *
                   constantLike(x, 4));
  const SsaValue flat = tiny & compared("LT", x, one);
  const SsaValue product = xPlus * xMinus;
  const SsaValue aPlus = a + one;
  const SsaValue whenFlat = -(product / aPlus);
  const SsaValue outside = compared("GE", x, one);
  const SsaValue halfSquare = half * ySquare;
  const SsaValue quotient = halfSquare / rSum;
  const SsaValue whenOutside = quotient + half * sSum;
  const SsaValue close = compared("LE", a, constantLike(x, 1.5));
  const SsaValue whenClose = quotient + halfSquare / sDifference;
  const SsaValue whenFar = a - one;
  const SsaValue aMinus =
      select(flat, whenFlat, select(outside, whenOutside, select(close, whenClose, whenFar)));
  const SsaValue root = sqrt(aMinus * aPlus);
  const SsaValue bySlope = y / root;
  const SsaValue im = select(huge, byLogarithm, select(flat, bySlope, log1p(aMinus + root)));
  return complexOf(re, im);
}

SsaValue negative(const SsaValue& x) { return compared("LT", x, constantLike(x, 0)); }

SsaValue isInfinite(const SsaValue& x) {
  const SsaValue above = compared("EQ", x, constantLike(x, oracle::kInfinity));
  return above | compared("EQ", x, constantLike(x, -oracle::kInfinity));
}

// Kahan's (1987), with the border from the type's range.
SsaValue complexAtanh(const SsaValue& z) {
  const SsaValue x = realPart(z);
  const SsaValue zero = constantLike(x, 0), one = constantLike(x, 1);
  const SsaValue minusOne = constantLike(x, -1);
  const SsaValue sign = select(compared("GE", x, zero), one, minusOne);
  const SsaValue size = abs(x);
  const SsaValue largest = largestLike(x);
  // Which type it is, written as a comparison of its largest number.
  const bool wide = x.type == ElementType::kF64;
  const SsaValue isDouble =
      compared("GT", largest, constantLike(x, wide ? 1e308 : oracle::kInfinity));
  const SsaValue isSingle = compared("GT", largest, constantLike(x, 1e38));
  const SsaValue narrow = select(isSingle, constantLike(x, 16777218.0), constantLike(x, 2050.0));
  const SsaValue border = select(isDouble, constantLike(x, 9007199254740994.0), narrow);
  const SsaValue square = border * border;
  const SsaValue xInside = compared("LT", size, square);
  const SsaValue y = imaginaryPart(z);
  const SsaValue height = abs(y);
  const SsaValue inside = xInside & compared("LT", height, square);
  const SsaValue oneMinus = one - size;
  const SsaValue distance = oneMinus * oneMinus;
  const SsaValue ySquare = y * y;
  const SsaValue byDefinition = size / (distance + ySquare);
  const SsaValue flat = compared("LT", height * border, size);
  const SsaValue inverse = one / size;
  const SsaValue xInfinite = isInfinite(x);
  const SsaValue infinite = xInfinite | isInfinite(y);
  const SsaValue slope = size / y;
  const SsaValue whole = one / (slope + y / size);
  const SsaValue far = select(infinite, zero, whole / y);
  const SsaValue fraction = select(inside, byDefinition, select(flat, inverse, far));
  const SsaValue logarithm = log1p(constantLike(x, 4) * fraction);
  const SsaValue re = sign * logarithm * constantLike(x, 0.25);
  const SsaValue twice = y + y;
  const SsaValue difference = oneMinus * (one + size) - ySquare;
  const SsaValue angle = atan2(twice, difference);
  const SsaValue up = select(compared("GE", y, zero), one, minusOne);
  const SsaValue right = up * constantLike(x, std::numbers::pi);
  return complexOf(re, select(inside, angle, right) * constantLike(x, 0.5));
}

}  // namespace

SsaValue acos(const SsaValue& x) {
  if (isComplex(x.type)) {
    const SsaValue parts = arcParts(x);
    const SsaValue re = atan2(realPart(parts), realPart(x));
    const SsaValue below = negative(imaginaryPart(x));
    const SsaValue im = imaginaryPart(parts);
    return complexOf(re, select(below, im, -im));
  }
  const SsaValue one = constantLike(x, 1);
  const SsaValue difference = one - x;
  return atan2(sqrt(difference * (one + x)), x);
}

SsaValue acosh(const SsaValue& x) {
  if (isComplex(x.type)) {
    const SsaValue parts = arcParts(x);
    const SsaValue re = imaginaryPart(parts);
    const SsaValue below = negative(imaginaryPart(x));
    const SsaValue angle = realPart(parts);
    const SsaValue im = atan2(angle, realPart(x));
    return complexOf(re, select(below, -im, im));
  }
  const SsaValue border = largestLike(x) / constantLike(x, 2);
  const SsaValue huge = compared("GE", x, border);
  const SsaValue logTwo = log(constantLike(x, 2));
  const SsaValue whenHuge = logTwo + log(x);
  const SsaValue one = constantLike(x, 1);
  const SsaValue below = sqrt(x - one);
  const SsaValue above = sqrt(x + one);
  return select(huge, whenHuge, log1p(below * (above + below)));
}

SsaValue asin(const SsaValue& x) {
  if (isComplex(x.type)) {
    const SsaValue horizontal = realPart(x);
    const SsaValue parts = arcParts(x);
    const SsaValue re = atan2(horizontal, realPart(parts));
    const SsaValue below = negative(imaginaryPart(x));
    const SsaValue im = imaginaryPart(parts);
    return complexOf(re, select(below, -im, im));
  }
  // JAX's own, whose constants are broadcast.
  const SsaValue difference = 1.0 - x;
  return atan2(x, sqrt(difference * (1.0 + x)));
}

SsaValue asinh(const SsaValue& x) {
  if (isComplex(x.type)) {
    // asin of i z, turned back.
    const SsaValue horizontal = realPart(x);
    const SsaValue left = negative(horizontal);
    const SsaValue vertical = imaginaryPart(x);
    const SsaValue parts = arcParts(complexOf(-vertical, horizontal));
    const SsaValue im = imaginaryPart(parts);
    const SsaValue re = select(left, -im, im);
    return complexOf(re, atan2(vertical, realPart(parts)));
  }
  const SsaValue sign = same("stablehlo.sign", x);
  const SsaValue size = abs(x);
  const SsaValue huge = compared("GE", size, sqrt(largestLike(x)));
  const SsaValue logTwo = log(constantLike(x, 2));
  const SsaValue whenHuge = logTwo + log(size);
  const SsaValue square = size * size;
  const SsaValue one = constantLike(x, 1);
  const SsaValue root = sqrt(one + square);
  const SsaValue rest = square / (one + root);
  return sign * select(huge, whenHuge, log1p(size + rest));
}

SsaValue atan(const SsaValue& x) {
  if (!isComplex(x.type)) return atan2(x, constantLike(x, 1));
  // atanh of i z, turned back.
  const SsaValue negated = -imaginaryPart(x);
  const SsaValue turned = atanh(complexOf(negated, realPart(x)));
  const SsaValue re = imaginaryPart(turned);
  return complexOf(re, -realPart(turned));
}

SsaValue atanh(const SsaValue& x) {
  if (isComplex(x.type)) return complexAtanh(x);
  const SsaValue outside = compared("GT", abs(x), constantLike(x, 1));
  const SsaValue above = log1p(x);
  const SsaValue below = log1p(-x);
  const SsaValue result = (above - below) * constantLike(x, 0.5);
  return select(outside, constantLike(x, oracle::kNan), result);
}

// For complex numbers the exponential of half the real part is multiplied twice, where that of the
// whole is infinite and the product need not be.
SsaValue exponential(const SsaValue& z) {
  if (!isComplex(z.type)) return exp(z);
  const SsaValue x = realPart(z);
  const SsaValue whole = exp(x);
  const SsaValue infinite = compared("EQ", whole, constantLike(x, oracle::kInfinity));
  const SsaValue half = exp(x * constantLike(x, 0.5));
  const SsaValue y = imaginaryPart(z);
  const auto times = [&](const SsaValue& factor) {
    const SsaValue halfway = half * factor;
    const SsaValue inSteps = halfway * half;
    return select(infinite, inSteps, whole * factor);
  };
  const SsaValue re = times(same("stablehlo.cosine", y));
  const SsaValue zero = constantLike(x, 0);
  const SsaValue flat = compared("EQ", y, zero);
  return complexOf(re, select(flat, zero, times(same("stablehlo.sine", y))));
}

// For complex numbers, without the difference of two terms that may be infinite.
SsaValue square(const SsaValue& x) {
  if (!isComplex(x.type)) return x * x;
  const SsaValue re = realPart(x);
  const SsaValue finite = isFinite(re);
  const SsaValue width = abs(re);
  const SsaValue im = imaginaryPart(x);
  const SsaValue diagonal = finite & compared("EQ", width, abs(im));
  const SsaValue difference = re - im;
  const SsaValue product = difference * (re + im);
  const SsaValue square = select(diagonal, constantLike(re, 0), product);
  return complexOf(square, constantLike(re, 2) * (re * im));
}

SsaValue tan(const SsaValue& x) { return same("stablehlo.tan", x); }

// By exponentials of a half each, which overflow only where the result does.
SsaValue cosh(const SsaValue& x) {
  const SsaValue logHalf = log(constantLike(x, 0.5));
  const SsaValue growing = exp(x + logHalf);
  return growing + exp(logHalf - x);
}

SsaValue sinh(const SsaValue& x) {
  const SsaValue half = constantLike(x, 0.5);
  const SsaValue logHalf = log(half);
  const SsaValue growing = exp(x + logHalf);
  const SsaValue difference = growing - exp(logHalf - x);
  if (isComplex(x.type)) return difference;
  const SsaValue one = constantLike(x, 1);
  const SsaValue minusOne = same("stablehlo.exponential_minus_one", x);
  const SsaValue ratio = minusOne / (minusOne + one);
  const SsaValue nearZero = half * (minusOne + ratio);
  return select(compared("LT", abs(x), one), nearZero, difference);
}

}  // namespace vintage::primitives::chlo
