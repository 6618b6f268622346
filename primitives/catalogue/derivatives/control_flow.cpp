// Derivatives of cond and scan, which branch and loop again, and of calls.
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// cond(predicate, x + y, x * y): the derivative of the branch that was taken.
SsaValues writeCond(const Pullback& p) {
  const SsaValue &x = p.inputs[1], &y = p.inputs[2], &g = p.cotangents[0];
  const SsaValue index = convert(p.inputs[0], kInt);
  return caseOf(index, {typeOf(x), typeOf(y)}, 2, [&](size_t branch) -> SsaValues {
    if (branch == 1) return {g, g};
    return {g * y, x * g};
  });
}

// The coefficients of a product are its other factor, those of a sum are ones.
std::vector<Tensor> condOracle(const PullbackValues& values) {
  const bool sum = oracle::load(values.inputs[0], 0).integer != 0;
  const Tensor& g = values.cotangents[0];
  if (sum) return {g, g};
  const auto by = [&](const Tensor& factor) {
    return oracle::eachElement(g.type(), g.shape(),
                               [&](int64_t i) { return complexAt(g, i) * complexAt(factor, i); });
  };
  return {by(values.inputs[2]), by(values.inputs[1])};
}

// Walks the running sum from its end: the carry's cotangent collects those of the sums.
SsaValues writeScan(const Pullback& p) {
  FunctionBuilder& builder = p.builder;
  const SsaValue &xs = p.inputs[1], &last = p.cotangents[0], &all = p.cotangents[1];
  const Shape row{1, xs.shape[1]};
  const SsaValue zero = builder.constant(kInt, 0), one = builder.constant(kInt, 1);
  const SsaValue limit = builder.constant(kInt, xs.shape[0]);
  const SsaValue end = builder.constant(kInt, xs.shape[0] - 1);
  const SsaValue initial[] = {zero, last, xs.like(0)};
  const SsaValues results = whileLoop(
      initial, [&](Arguments v) { return compare("LT", v[0], limit); },
      [&](Arguments v) -> SsaValues {
        const SsaValue place = end - v[0];
        const SsaValue slice = dynamicSlice(all, {place, zero}, row);
        const SsaValue sum = same("stablehlo.add", v[1], reshape(slice, last.shape));
        const SsaValue written = reshape(sum, row);
        const SsaValue kept = dynamicUpdateSlice(v[2], written, {place, zero});
        return {v[0] + one, sum, kept};
      });
  return {results[1], results[2]};
}

// The calls' function is max(x, 0), or x squared of complex numbers.
SsaValue unitCotangent(const SsaValue& g, const SsaValue& x) {
  if (isComplex(x.type)) {
    const SsaValue left = g * x;
    return left + x * g;
  }
  const SsaValue zero = x.like(0);
  const SsaValue larger = same("stablehlo.maximum", x, zero);
  const SsaValue chosen = select(equal(x, larger), x.like(1), zero);
  return g * (chosen / select(equal(zero, larger), x.like(2), x.like(1)));
}

// A custom rule differs at zero, where it returns no cotangent.
SsaValue customCotangent(const SsaValue& g, const SsaValue& x) {
  if (isComplex(x.type)) return g * (2.0 * x);
  return select(x > 0.0, g, g.like(0));
}

using Cotangent = SsaValue (*)(const SsaValue&, const SsaValue&);

template <Cotangent kCotangent>
SsaValues writeInline(const Pullback& p) {
  return {kCotangent(p.cotangents[0], p.inputs[0])};
}

SsaValues writeCall(const char* name, const SsaValue& x, const SsaValue& g) {
  return callPrivate(name, {x, g}, [](Arguments both) { return unitCotangent(both[1], both[0]); });
}

// The barrier keeps the compiler from merging the recomputed values with the first ones.
SsaValues writeCheckpoint(const Pullback& p) {
  const SsaValue both[] = {p.inputs[0], p.cotangents[0]};
  const SsaValues apart = p.builder.emit(typesOf(both), "stablehlo.optimization_barrier", both);
  return writeCall("checkpoint", apart[0], apart[1]);
}

std::vector<Tensor> callOracle(const PullbackValues& values, double atZero) {
  const Tensor &x = values.inputs[0], &g = values.cotangents[0];
  return {oracle::eachElement(g.type(), g.shape(), [&](int64_t i) -> oracle::Complex {
    const oracle::Complex cotangent = complexAt(g, i), z = complexAt(x, i);
    const oracle::Complex two{oracle::Real(2.0), oracle::Real(0.0)};
    if (isComplex(x.type())) return two * z * cotangent;
    const double value = oracle::load(x, i).real;
    const oracle::Real factor(value > 0 ? 1.0 : value == 0 ? atZero : 0.0);
    return {factor * cotangent.re, oracle::Real(0.0)};
  })};
}

DerivativeRule callRule(const char* primitive, double atZero, WritePullback write) {
  return {.primitive = primitive,
          .shapes = {{4, 5}},
          .types = types::kInexact,
          .write = std::move(write),
          .oracle = [atZero](const PullbackValues& v) { return callOracle(v, atZero); },
          .units = 16,
          .scale = 20};
}

}  // namespace

VINTAGE_DERIVATIVES(controlFlowDerivatives) {
  DerivativeRules rules;
  for (const char* label : {"taken=true", "taken=false"}) {
    rules.push_back({.primitive = "cond",
                     .label = label,
                     .shapes = {{}, {2, 3}, {2, 3}},
                     .types = types::kInexact,
                     .write = writeCond,
                     .oracle = condOracle,
                     .units = 4});
  }
  rules.push_back(linearRule("scan", "length=5", {{3}, {5, 3}}, writeScan, 16));
  rules.push_back(callRule("jit", 0.5, [](const Pullback& p) {
    return writeCall("relu", p.inputs[0], p.cotangents[0]);
  }));
  rules.push_back(callRule("checkpoint", 0.5, writeCheckpoint));
  rules.push_back(callRule("composite", 0.5, writeInline<unitCotangent>));
  rules.push_back(callRule("custom_jvp_call", 0, writeInline<customCotangent>));
  rules.push_back(callRule("custom_vjp_call", 0, writeInline<customCotangent>));
  return rules;
}

}  // namespace vintage::primitives
