// Element-wise functions of one argument.
#include <algorithm>
#include <numbers>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/chlo/functions.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct UnaryPrimitive {
  const char* name;
  const char* operation;  // "stablehlo.…"; without a prefix, of CHLO.
  std::span<const ElementType> types;
  // For f32 and f64. Narrower floats are computed in f32 and rounded: one ulp.
  int64_t ulps;
  Domain domain = domains::kAllEdges;
  const char* function = nullptr;  // The oracle's name, where it differs.
  const char* label = "";
  // Beside ulps, in units of the type's spacing at one: near the roots of a
  // function its relative error has no bound.
  double absolute = 0;
};

// Cases of their own cover poles and reflection to the left of zero.
constexpr Domain kPositive{
    .low = 0.1, .high = 20, .edges = Domain::Edges::kFew, .edgeLow = 0.4, .edgeHigh = 100};
constexpr Domain kOpenUnit{
    .low = -1, .high = 1, .edges = Domain::Edges::kAll, .edgeLow = -1, .edgeHigh = 1};
constexpr Domain kBessel{
    .low = -40, .high = 40, .edges = Domain::Edges::kAll, .edgeLow = -100, .edgeHigh = 100};
constexpr Domain kPhase{.low = -10, .high = 10, .edges = Domain::Edges::kAll};

using enum ElementType;
constexpr ElementType kInexactAndSigned[] = {kI8,  kI16, kI32, kI64, kBF16,
                                             kF16, kF32, kF64, kC64, kC128};

// Computed as exp(x + log 1/2): the rounding of the argument is multiplied by its size.
constexpr int64_t kOfExponential = 64;

const UnaryPrimitive kUnaryPrimitives[] = {
    {"neg", "stablehlo.negate", types::kNumbers, 0},
    {"abs", "stablehlo.abs", kInexactAndSigned, 0},
    {"sign", "stablehlo.sign", types::kNumbers, 0},
    {"not", "stablehlo.not", types::kIntegersAndBool, 0},
    {"population_count", "stablehlo.popcnt", types::kIntegers, 0},
    {"clz", "stablehlo.count_leading_zeros", types::kIntegers, 0},
    {"ceil", "stablehlo.ceil", types::kFloats, 0},
    {"floor", "stablehlo.floor", types::kFloats, 0},
    {"round", "stablehlo.round_nearest_afz", types::kFloats, 0, domains::kAllEdges, "round_afz",
     "method=away"},
    {"round", "stablehlo.round_nearest_even", types::kFloats, 0, domains::kAllEdges, "round_even",
     "method=even"},
    {"sqrt", "stablehlo.sqrt", types::kInexact, 0},
    {"rsqrt", "stablehlo.rsqrt", types::kInexact, 2},
    // C libraries compute it in f64 within 4 ulps, by the GNU library's documentation.
    {"cbrt", "stablehlo.cbrt", types::kFloats, 4},
    {"exp", "exponential", types::kInexact, 1},
    {"expm1", "stablehlo.exponential_minus_one", types::kInexact, 2},
    {"log", "stablehlo.log", types::kInexact, 1},
    {"log1p", "stablehlo.log_plus_one", types::kInexact, 2},
    {"sin", "stablehlo.sine", types::kInexact, 1, kPhase},
    {"cos", "stablehlo.cosine", types::kInexact, 1, kPhase},
    {"tan", "tan", types::kInexact, 2, kPhase},
    {"tanh", "stablehlo.tanh", types::kInexact, 6},
    {"logistic", "stablehlo.logistic", types::kInexact, 3},
    {"asin", "asin", types::kInexact, 2, kOpenUnit},
    {"acos", "acos", types::kInexact, 2, kOpenUnit},
    {"atan", "atan", types::kInexact, 2},
    {"sinh", "sinh", types::kInexact, kOfExponential},
    {"cosh", "cosh", types::kInexact, kOfExponential},
    {"asinh", "asinh", types::kInexact, 3},
    {"acosh",
     "acosh",
     types::kInexact,
     3,
     {.low = 1, .high = 50, .edges = Domain::Edges::kAll, .edgeLow = 1}},
    {"atanh", "atanh", types::kInexact, 3, kOpenUnit},
    {"erf", "erf", types::kFloats, 8},
    {"erfc", "erfc", types::kFloats, 32},
    {"erf_inv", "erf_inv", types::kFloats, 8, kOpenUnit},
    {"lgamma",
     "lgamma",
     types::kFloats,
     32,
     {.low = 0.1, .high = 30, .edges = Domain::Edges::kAll, .edgeLow = 1e-30},
     nullptr,
     "",
     32},
    {"digamma", "digamma", types::kFloats, 8, kPositive, nullptr, "", 8},
    {"bessel_i1e", "bessel_i1e", types::kFloats, 8, kBessel, nullptr, "", 2},
};

Comparator comparatorOf(const UnaryPrimitive& primitive, ElementType type) {
  if (isInteger(type) || isPredicate(type)) return exactly();
  if (isComplex(type)) {
    // Products of several rounded factors; the modulus bounds each part's error.
    if (primitive.name == std::string_view("neg")) return exactly();
    return withinUlps(type, std::max<int64_t>(16, primitive.ulps));
  }
  // XLA computes the square root of 8-bit floats in f16, and rounds a second time.
  const bool roundsTwice = primitive.name == std::string_view("sqrt") && bitWidth(type) == 8;
  if (primitive.ulps == 0 && !roundsTwice) return exactly();
  const bool narrow = bitWidth(type) < 32;
  // The decomposed form rounds three times.
  const int64_t narrowUlps = primitive.name == std::string_view("logistic") ? 3 : 1;
  Comparator comparator = withinUlps(type, narrow ? narrowUlps : primitive.ulps);
  if (primitive.absolute > 0) comparator.tolerance.absolute = primitive.absolute * epsilonOf(type);
  return comparator;
}

SsaValues emitUnary(const UnaryPrimitive& primitive, FunctionBuilder& main, const SsaValue& x) {
  const std::string_view name = primitive.name;
  if (name == "abs" && isComplex(x.type))
    return {convert("stablehlo.abs", x, realPart(x.type), x.shape)};
  if (name == "sign" && isUnsignedInteger(x.type)) {
    const auto filled = [&](double value) {
      return broadcast(main.number(x.type, value), x.shape);
    };
    const SsaValue isZero = compare("EQ", x, filled(0));
    const SsaValue zero = filled(0);
    return {select(isZero, zero, filled(1))};
  }
  // Intermediate values of narrower floats would overflow.
  if (name == "logistic" && bitWidth(x.type) >= 16) {
    const SsaValue negated = -x;
    const SsaValue decay = chlo::elementwise("exponential", {negated});
    const SsaValue sum = 1.0 + decay;
    return {1.0 / sum};
  }
  const std::string_view operation = primitive.operation;
  if (operation.starts_with("stablehlo.")) return {same(operation, x)};
  return {chlo::elementwise(operation, {x})};
}

Result<Tensor> expectUnary(const UnaryPrimitive& primitive, const Tensor& operand) {
  const std::string_view name = primitive.name;
  if (name != "abs" || !isComplex(operand.type()))
    return oracle::applyUnary(primitive.function ? primitive.function : name, operand);
  return oracle::eachElement(realPart(operand.type()), operand.shape(), [&](int64_t i) {
    const oracle::Number z = oracle::load(operand, i);
    return oracle::hypot(z.real, z.imaginary);
  });
}

CaseSpecification unaryCase(const UnaryPrimitive& primitive, ElementType type, const Shape& shape) {
  const Domain narrow{.low = primitive.domain.low < -2 ? -2 : primitive.domain.low, .high = 2};
  return {.primitive = primitive.name,
          .label = primitive.label,
          .arguments = {{type, shape}},
          .domains = {shape.empty() || isComplex(type) ? narrow : primitive.domain},
          .emit = [&primitive](FunctionBuilder& main,
                               Arguments x) { return emitUnary(primitive, main, x[0]); },
          .expect = [&primitive](Tensors inputs) { return expectUnary(primitive, inputs[0]); },
          .oracle = isFloat(type) || isComplex(type) ? "mpfr" : "exact",
          .comparators = {comparatorOf(primitive, type)}};
}

// Whether JAX has the function in a type of less than a byte, or of eight bits.
bool takesSmall(const UnaryPrimitive& primitive, ElementType type) {
  static constexpr std::string_view kFloats[] = {"neg",  "abs", "sign", "ceil", "floor",   "round",
                                                 "sqrt", "exp", "log",  "tanh", "logistic"};
  static constexpr std::string_view kIntegers[] = {"neg", "sign", "not", "population_count", "clz"};
  if (isFloat(type)) return std::ranges::find(kFloats, primitive.name) != std::end(kFloats);
  return std::ranges::find(kIntegers, primitive.name) != std::end(kIntegers);
}

// JAX lowers exp2 to the exponential of a product with log 2 in the operand's own type. The
// product's rounding is multiplied by its size, which is at most kLargest.
constexpr double kLargest = 12;
constexpr Domain kExponent{.low = -kLargest,
                           .high = kLargest,
                           .edges = Domain::Edges::kAll,
                           .edgeLow = -kLargest,
                           .edgeHigh = kLargest};

CaseSpecification exp2Case(ElementType type, const Shape& shape) {
  return {.primitive = "exp2",
          .arguments = {{type, shape}},
          .domains = {shape.empty() ? domains::kSmall : kExponent},
          .emit =
              [](FunctionBuilder& main, Arguments x) {
                const SsaValue log2 = main.number(x[0].type, std::numbers::ln2);
                return exp(broadcast(log2, x[0].shape) * x[0]);
              },
          .expect = [](Tensors inputs) { return oracle::applyUnary("exp2", inputs[0]); },
          .oracle = "mpfr",
          .comparators = {withinUlps(type, static_cast<int64_t>(kLargest) + 2)}};
}

}  // namespace

VINTAGE_FAMILY(addUnaryCases) {
  for (const UnaryPrimitive& primitive : kUnaryPrimitives) {
    for (ElementType type : primitive.types) {
      for (const Shape& shape : {Shape{8, 8}, Shape{}})
        cases.add(unaryCase(primitive, type, shape));
    }
    for (ElementType type : types::kSmall.first(10)) {
      if (takesSmall(primitive, type)) cases.add(unaryCase(primitive, type, {8, 8}));
    }
  }
}

VINTAGE_FAMILY(addExp2Cases) {
  for (ElementType type : types::kFloats) {
    for (const Shape& shape : {Shape{8, 8}, Shape{}}) cases.add(exp2Case(type, shape));
  }
}

}  // namespace vintage::primitives
