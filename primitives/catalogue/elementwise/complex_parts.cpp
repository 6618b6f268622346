// real, imag, conj, complex, is_finite, nextafter, reduce_precision.
#include <cmath>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Number;

// A result element from the arguments' elements at the same position.
template <typename Function>
Expect eachElement(ElementType type, Function function) {
  return [type, function](Tensors inputs) {
    return oracle::eachElement(type, inputs[0].shape(), [&](int64_t i) {
      const Number second = inputs.size() > 1 ? oracle::load(inputs[1], i) : Number{};
      return function(oracle::load(inputs[0], i), second);
    });
  };
}

void addPart(CaseList& cases, const char* name, ElementType type, Emit emit, Expect expect) {
  for (const Shape& shape : {Shape{4, 5}, Shape{}}) {
    cases.add({.primitive = name,
               .arguments = {{type, shape}},
               .domains = {isFloat(type) ? domains::kAllEdges : domains::kPlain},
               .emit = emit,
               .expect = expect});
  }
}

// The neighbour of `from` in the direction of `to`, in the type's own spacing.
double neighbour(ElementType type, double from, double to) {
  if (std::isnan(from) || std::isnan(to)) return oracle::kNan;
  if (from == to) return to;
  const oracle::FloatFormat format = oracle::floatFormat(type);
  const double smallest = std::ldexp(1.0, format.smallest - format.precision + 1);
  if (from == 0) return to > 0 ? smallest : -smallest;
  if (std::isinf(from)) return std::copysign(format.largestFinite(), from);
  const bool away = (to > from) == (from > 0);  // Its magnitude grows.
  int exponent = std::max(std::ilogb(from), format.smallest);
  // Below a power of two the spacing is the finer one.
  if (!away && std::abs(from) == std::ldexp(1.0, exponent) && exponent > format.smallest)
    --exponent;
  const double spacing = std::ldexp(1.0, exponent - format.precision + 1);
  // The sum is exact in quadruple precision; roundTo turns overflow to infinity.
  const oracle::Quad moved = oracle::Quad(from) + ((to > from) ? spacing : -spacing);
  return moved == 0 ? std::copysign(0.0, from) : oracle::roundTo(type, moved);
}

// To `mantissa` bits and `exponent` bits, as IEEE 754 would store it, with
// numbers below the normal ones flushed to zero.
double reducedPrecision(double value, int exponentBits, int mantissaBits) {
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  const int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = std::ilogb(value);
  const double unit = std::ldexp(1.0, exponent - mantissaBits);
  // A double with at most 53 bits divided by a power of two: exact.
  const double rounded = std::nearbyint(value / unit) * unit;
  exponent = std::ilogb(rounded);
  if (exponent > bias) return std::copysign(oracle::kInfinity, value);
  if (exponent < 1 - bias) return std::copysign(0.0, value);
  return rounded;
}

void addReducePrecision(CaseList& cases, ElementType type) {
  static constexpr std::pair<int, int> kFormats[] = {{8, 23}, {8, 7}, {5, 10}, {11, 52},
                                                     {5, 2},  {4, 3}, {6, 9},  {3, 1}};
  for (auto [exponent, mantissa] : kFormats) {
    cases.add({.primitive = "reduce_precision",
               .label = fmt::format("e{}m{}", exponent, mantissa),
               .arguments = {{type, {6, 7}}},
               // It is not specified whether numbers below the source's normal ones survive in a
               // wider format: edges stay above them.
               .domains = {Domain{.low = -100,
                                  .high = 100,
                                  .edges = Domain::Edges::kAll,
                                  .edgeLow = -1e4,
                                  .edgeHigh = 1e4}},
               .emit =
                   [exponent, mantissa](FunctionBuilder& main, Arguments x) {
                     const auto bits = [](int count) {
                       return Attribute(int64_t{count}, ElementType::kI32);
                     };
                     return emitOne(
                         typeOf(x[0]), "stablehlo.reduce_precision", {x[0]},
                         {{"exponent_bits", bits(exponent)}, {"mantissa_bits", bits(mantissa)}});
                   },
               .expect = eachElement(type, [type, exponent, mantissa](const Number& x, Number) {
                 // Subnormals survive only if the exponent keeps its width; their bits are rounded
                 // like those of others.
                 const oracle::FloatFormat own = oracle::floatFormat(type);
                 if (std::abs(x.real) < std::ldexp(1.0, own.smallest)) {
                   const bool kept = 2 - (1 << (exponent - 1)) <= own.smallest;
                   const double unit =
                       std::ldexp(1.0, own.smallest - std::min(mantissa, own.precision - 1));
                   const double rounded = kept ? std::nearbyint(x.real / unit) * unit : 0.0;
                   return Number{0, std::copysign(rounded, x.real), 0};
                 }
                 return Number{0, reducedPrecision(x.real, exponent, mantissa), 0};
               })});
  }
}

}  // namespace

VINTAGE_FAMILY(addComplexPartCases) {
  for (ElementType type : types::kComplexes) {
    const ElementType part = realPart(type);
    addPart(
        cases, "real", type, [](Arguments x) { return realPart(x[0]); },
        eachElement(part, [](const Number& z, Number) { return Number{0, z.real, 0}; }));
    addPart(
        cases, "imag", type, [](Arguments x) { return imaginaryPart(x[0]); },
        eachElement(part, [](const Number& z, Number) { return Number{0, z.imaginary, 0}; }));
    addPart(
        cases, "conj", type, [](Arguments x) { return conjugated(x[0]); },
        eachElement(type, [](const Number& z, Number) { return Number{0, z.real, -z.imaginary}; }));
    addPart(
        cases, "conj", part, [](Arguments x) { return complexOf(x[0], x[0].like(0)); },
        eachElement(type, [](const Number& x, Number) { return x; }));
    for (const Shape& shape : {Shape{4, 5}, Shape{}}) {
      cases.add({.primitive = "complex",
                 .arguments = {{part, shape}, {part, shape}},
                 .domains = {domains::kFewEdges},
                 .emit = [](Arguments x) { return complexOf(x[0], x[1]); },
                 .expect = eachElement(type, [](const Number& re, const Number& im) {
                   return Number{0, re.real, im.real};
                 })});
    }
  }
  for (ElementType type : types::kFloats) {
    addPart(
        cases, "is_finite", type, [](Arguments x) { return isFinite(x[0]); },
        eachElement(ElementType::kI1,
                    [](const Number& x, Number) { return Number{std::isfinite(x.real)}; }));
    for (const Shape& shape : {Shape{9, 10}, Shape{}}) {
      cases.add({.primitive = "nextafter",
                 .arguments = {{type, shape}, {type, shape}},
                 .domains = {domains::kFewEdges},
                 .emit = [](Arguments x) { return chlo::elementwise("next_after", x); },
                 .expect = eachElement(type, [type](const Number& from, const Number& to) {
                   return Number{0, neighbour(type, from.real, to.real), 0};
                 })});
    }
    addReducePrecision(cases, type);
  }
}

}  // namespace vintage::primitives
