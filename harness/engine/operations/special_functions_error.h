// The inverse error function and a Bessel function on the real line, right to
// double precision.
#pragma once

#include "harness/engine/room.h"

namespace vintage::harness::engine {

// x with erf(x) = y; infinite at ±1, NaN beyond.
long double inverseErf(double y);

// e^-|x| I_1(x), the modified Bessel function of the first kind and order 1.
long double besselI1e(double x);

}  // namespace vintage::harness::engine
