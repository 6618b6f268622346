// erf, erfc and the inverse of erf: rational functions after Cephes (Moshier) and, for the
// inverse, polynomials of Giles (2012).
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

SsaValue clamped(const SsaValue& x, double low, double high) {
  return same("stablehlo.clamp", {constantLike(x, low), x, constantLike(x, high)});
}

// --- f32

constexpr double kErfNumerator[] = {-2.72614237e-10, 2.77068146e-08,  -2.10102394e-06,
                                    -5.69250624e-05, -7.34990637e-04, -2.954600e-03,
                                    -0.0160960332};
constexpr double kErfDenominator[] = {-1.45660715e-05, -2.13374049e-04, -0.00168282702,
                                      -0.00737332925, -0.0142647391};
constexpr double kErfSeries[] = {7.85386146e-05, -8.0101937e-04, 0.00518832775, -0.0268538129,
                                 0.112835854,    -0.37612626,    1.12837911};
constexpr double kErfcNear[] = {2.326820e-02, -0.138703942, 0.368742466,  -0.582473278, 0.621000468,
                                -0.494451523, 3.404880e-01, -0.274112701, 0.563825965};
constexpr double kErfcFar[] = {-10.477664,  1.297720e+01, -7.49551868,  2.92101908,
                               -1.01526523, 0.42184633,   -0.282076746, 0.564189494};

SsaValue singleErf(const SsaValue& operand) {
  const SsaValue x = clamped(operand, -4, 4);
  const SsaValue square = x * x;
  const SsaValue numerator = polynomial(square, kErfNumerator);
  const SsaValue denominator = polynomial(square, kErfDenominator);
  return clamped(x * numerator / denominator, -1, 1);
}

// 2 - y on the left of zero.
SsaValue reflected(const SsaValue& x, const SsaValue& y) {
  const SsaValue left = compared("LT", x, constantLike(x, 0));
  return select(left, constantLike(x, 2) - y, y);
}

// Zero where exp(-x^2) is.
SsaValue unlessZero(const SsaValue& exponent, double lowest, const SsaValue& y) {
  const SsaValue vanishes = compared("LT", exponent, constantLike(y, lowest));
  return select(vanishes, constantLike(y, 0), y);
}

SsaValue singleErfcBeyondOne(const SsaValue& x) {
  const SsaValue square = x * x;
  const SsaValue exponent = -square;
  const SsaValue size = abs(x);
  const SsaValue one = constantLike(x, 1);
  const SsaValue inverse = one / square;
  const SsaValue decay = exp(exponent);
  const SsaValue factor = decay * (one / size);
  const SsaValue isNear = compared("LT", size, constantLike(x, 2));
  const SsaValue near = polynomial(inverse, kErfcNear);
  const SsaValue far = polynomial(inverse, kErfcFar);
  const SsaValue y = factor * select(isNear, near, far);
  return reflected(x, unlessZero(exponent, -88.7228394, y));
}

SsaValue singleErfWithinOne(const SsaValue& x) { return x * polynomial(x * x, kErfSeries); }

// --- f64

constexpr double kDoubleErfNumerator[] = {9.6049737398705161, 90.026019720384269,
                                          2232.0053459468431, 7003.3251411280507,
                                          55592.301301039493};
constexpr double kDoubleErfDenominator[] = {1,
                                            33.561714164750313,
                                            521.35794978015269,
                                            4594.3238297098014,
                                            22629.000061389095,
                                            49267.394260863592};
constexpr double kDoubleNearNumerator[] = {
    2.4619698147353052e-10, 0.56418956483106886, 7.4632105644226989,
    48.637197098568137,     196.5208329560771,   526.44519499547732,
    934.52852717195765,     1027.5518868951572,  557.53533536939938};
constexpr double kDoubleNearDenominator[] = {1,
                                             13.228195115474499,
                                             86.707214088598973,
                                             354.93777888781989,
                                             975.70850174320549,
                                             1823.9091668790973,
                                             2246.3376081871097,
                                             1656.6630919416134,
                                             557.53534081772773};
constexpr double kDoubleFarNumerator[] = {0.56418958354775506, 1.275366707599781,
                                          5.0190504225118051,  6.160210979930536,
                                          7.4097426995044895,  2.9788666537210022};
constexpr double kDoubleFarDenominator[] = {1,
                                            2.2605286322011726,
                                            9.3960352493800147,
                                            12.048953980809666,
                                            17.081445074756591,
                                            9.6089680906328585,
                                            3.3690764510008151};

SsaValue doubleErfWithinOne(const SsaValue& x) {
  const SsaValue square = x * x;
  const SsaValue numerator = x * polynomial(square, kDoubleErfNumerator);
  return numerator / polynomial(square, kDoubleErfDenominator);
}

SsaValue doubleErfcBeyondOne(const SsaValue& x) {
  const SsaValue exponent = -(x * x);
  const SsaValue decay = exp(exponent);
  const SsaValue size = abs(x);
  const SsaValue nearNumerator = decay * polynomial(size, kDoubleNearNumerator);
  const SsaValue near = nearNumerator / polynomial(size, kDoubleNearDenominator);
  const SsaValue farNumerator = decay * polynomial(size, kDoubleFarNumerator);
  const SsaValue far = farNumerator / polynomial(size, kDoubleFarDenominator);
  const SsaValue isNear = compared("LT", size, constantLike(x, 8));
  const SsaValue y = select(isNear, near, far);
  return reflected(x, unlessZero(exponent, -709.78271289338397, y));
}

SsaValue isWithinOne(const SsaValue& x) { return compared("LT", abs(x), constantLike(x, 1)); }

// --- The inverse

// Of two ranges, and of f64 three: each power's coefficient is chosen.
struct Choice {
  double near, far;
};
constexpr Choice kSingleInverse[] = {
    {2.81022636e-08, -2.00214257e-04}, {3.43273939e-07, 1.00950558e-04},
    {-3.5233877e-06, 0.00134934322},   {-4.39150654e-06, -0.00367342844},
    {2.1858087e-04, 0.00573950773},    {-0.00125372503, -0.0076224613},
    {-0.00417768164, 0.00943887047},   {0.246640727, 1.00167406},
    {1.50140941, 2.83297682}};

SsaValue choose(const SsaValue& isNear, const SsaValue& x, double near, double far) {
  return select(isNear, constantLike(x, near), constantLike(x, far));
}

// An infinity at the ends.
SsaValue withEnds(const SsaValue& x, const SsaValue& inside) {
  const SsaValue atEnd = compared("EQ", abs(x), constantLike(x, 1));
  return select(atEnd, x * constantLike(x, oracle::kInfinity), inside);
}

SsaValue singleErfInv(const SsaValue& x) {
  const SsaValue w = -log1p(x * -x);
  const SsaValue isNear = compared("LT", w, constantLike(x, 5));
  const SsaValue near = w - constantLike(x, 2.5);
  const SsaValue far = sqrt(w) - constantLike(x, 3);
  const SsaValue t = select(isNear, near, far);
  SsaValue sum = choose(isNear, x, kSingleInverse[0].near, kSingleInverse[0].far);
  for (const auto& [whenNear, whenFar] : std::span(kSingleInverse).subspan(1)) {
    const SsaValue coefficient = choose(isNear, x, whenNear, whenFar);
    sum = coefficient + sum * t;
  }
  return withEnds(x, sum * x);
}

constexpr double kDoubleInverseNear[] = {
    -3.6444120640178197e-21, -1.6850591381820166e-19, 1.28584807152564e-18,
    1.1157877678025181e-17,  -1.3331716628546209e-16, 2.0972767875968562e-17,
    6.6376381343583238e-15,  -4.0545662729752069e-14, -8.1519341976054721e-14,
    2.6335093153082323e-12,  -1.2975133253453532e-11, -5.4154120542946279e-11,
    1.0512122733215323e-09,  -4.1126339803469837e-09, -2.9070369957882005e-08,
    4.2347877827932404e-07,  -1.3654692000834679e-06, -1.3882523362786469e-05,
    1.8673420803405714e-04,  -7.4070253416626698e-04, -0.0060336708714301491,
    0.24015818242558962,     1.6536545626831027};
constexpr double kDoubleInverseMiddle[] = {
    2.2137376921775787e-09, 9.075656193888539e-08,  -2.7517406297064545e-07,
    1.8239629214389228e-08, 1.5027403968909828e-06, -4.013867526981546e-06,
    2.9234449089955446e-06, 1.2475304481671779e-05, -4.7318229009055734e-05,
    6.8284851459573175e-05, 2.4031110387097894e-05, -3.5503752036284748e-04,
    9.5328937973738049e-04, -0.0016882755560235047, 0.0024914420961078508,
    -0.0037512085075692412, 0.0053709145535900636,  1.0052589676941592,
    3.0838856104922208};
constexpr double kDoubleInverseFar[] = {
    -2.7109920616438573e-11, -2.5556418169965252e-10, 1.5076572693500548e-09,
    -3.789465440126737e-09,  7.6157012080783394e-09,  -1.496002662714924e-08,
    2.9147953450901081e-08,  -6.7711997758452339e-08, 2.2900482228026655e-07,
    -9.9298272942317003e-07, 4.5260625972231537e-06,  -1.9681778105531671e-05,
    7.5995277030017761e-05,  -2.1503011930044477e-04, -1.3871931833623122e-04,
    1.0103004648645344,      4.8499064014085844};

SsaValue doubleErfInv(const SsaValue& x) {
  const SsaValue w = -log1p(x * -x);
  const SsaValue isNear = compared("LT", w, constantLike(x, 6.25));
  const SsaValue isMiddle = compared("LT", w, constantLike(x, 16));
  const SsaValue root = sqrt(w);
  const SsaValue near = w - constantLike(x, 3.125);
  const SsaValue beyond = root - choose(isMiddle, x, 3.25, 5);
  const SsaValue t = select(isNear, near, beyond);
  const auto coefficient = [&](size_t i) {
    const SsaValue inner = choose(isNear, x, kDoubleInverseNear[i], kDoubleInverseMiddle[i]);
    return select(isMiddle, inner, constantLike(x, kDoubleInverseFar[i]));
  };
  // The polynomials differ in length: the shorter ones end earlier.
  SsaValue sum = coefficient(0);
  size_t i = 1;
  for (; i < std::size(kDoubleInverseFar); ++i) {
    const SsaValue next = coefficient(i);
    sum = next + sum * t;
  }
  for (; i < std::size(kDoubleInverseMiddle); ++i) {
    const SsaValue next = choose(isNear, x, kDoubleInverseNear[i], kDoubleInverseMiddle[i]);
    sum = select(isMiddle, next + sum * t, sum);
  }
  for (; i < std::size(kDoubleInverseNear); ++i)
    sum = select(isNear, constantLike(x, kDoubleInverseNear[i]) + sum * t, sum);
  return withEnds(x, sum * x);
}

}  // namespace

SsaValue erf(const SsaValue& x) {
  if (x.type != ElementType::kF64) return singleErf(x);
  const SsaValue within = doubleErfWithinOne(x);
  const SsaValue complement = doubleErfcBeyondOne(x);
  const SsaValue beyond = constantLike(x, 1) - complement;
  return select(isWithinOne(x), within, beyond);
}

SsaValue erfc(const SsaValue& x) {
  const bool wide = x.type == ElementType::kF64;
  const SsaValue beyond = wide ? doubleErfcBeyondOne(x) : singleErfcBeyondOne(x);
  const SsaValue near = wide ? doubleErfWithinOne(x) : singleErfWithinOne(x);
  const SsaValue within = constantLike(x, 1) - near;
  return select(isWithinOne(x), within, beyond);
}

SsaValue erfInv(const SsaValue& x) {
  return x.type == ElementType::kF64 ? doubleErfInv(x) : singleErfInv(x);
}

}  // namespace vintage::primitives::chlo
