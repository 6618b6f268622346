// Primitives that call a function: jit, custom_jvp_call, custom_vjp_call, checkpoint, composite;
// and optimization_barrier and platform_index, which only matter to the compiler.
#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// max(x, 0), or x squared of complex numbers.
SsaValue unit(const SsaValue& x) {
  return isComplex(x.type) ? x * x : same("stablehlo.maximum", x, x.like(0));
}

Result<Tensor> expectUnit(const Tensor& operand) {
  if (isComplex(operand.type())) return oracle::applyBinary("mul", operand, operand);
  return oracle::applyBinary("max", operand, Tensor(operand.type(), operand.shape()));
}

struct CallPrimitive {
  const char* name;
  SsaValue (*write)(const SsaValue&);
};

SsaValue writeJit(const SsaValue& x) {
  return callPrivate("relu", {x}, [](Arguments y) { return unit(y[0]); })[0];
}

SsaValue writeComposite(const SsaValue& x) {
  return callComposite("vintage.unit", "vintage.unit", {x}, {{"degree", 1}},
                       [](Arguments y) { return unit(y[0]); })[0];
}

// One branch for the CPU, another for other platforms, with equal results.
SsaValue writePlatformIndex(const SsaValue& x) {
  const SsaValue index =
      x.builder->constant(ElementType::kI32, x.builder->platform() == "cpu" ? 0 : 1);
  return caseOf(index, {typeOf(x)}, 2, [&](size_t branch) {
    if (branch == 0 || isComplex(x.type)) return unit(x);
    return select(x < 0.0, x.like(0), x);
  })[0];
}

// Neither the derivative rules nor the recomputation appear in the module; the primal function is
// inlined.
const CallPrimitive kCalls[] = {
    {"jit", writeJit},    {"custom_jvp_call", unit},     {"custom_vjp_call", unit},
    {"checkpoint", unit}, {"composite", writeComposite}, {"platform_index", writePlatformIndex}};

CaseSpecification callCase(const CallPrimitive& primitive, ElementType type, const Shape& shape) {
  // Equivalent branches may differ in the sign of zero and in NaN.
  const bool branches = primitive.write == writePlatformIndex;
  return {.primitive = primitive.name,
          .arguments = {{type, shape}},
          .domains = {isComplex(type) ? domains::kPlain
                      : branches      ? domains::kTies
                                      : domains::kFewEdges},
          .emit = [&primitive](Arguments x) { return primitive.write(x[0]); },
          .expect = [](Tensors inputs) { return expectUnit(inputs[0]); },
          .comparators = {isComplex(type) ? withinUlps(type, 8) : exactly()}};
}

CaseSpecification barrierCase(ElementType type) {
  return {.primitive = "optimization_barrier",
          .arguments = {{type, {2, 3}}, {ElementType::kI32, {}}},
          .domains = {domains::kComplexEdges},
          .emit =
              [](FunctionBuilder& main, Arguments x) {
                return main.emit(typesOf(x), "stablehlo.optimization_barrier", x);
              },
          .expect = [](Tensors inputs) -> Result<std::vector<Tensor>> {
            return std::vector<Tensor>(inputs.begin(), inputs.end());
          },
          .oracle = "definition"};
}

}  // namespace

VINTAGE_FAMILY(addCallCases) {
  for (ElementType type : types::kNumbers) {
    for (const CallPrimitive& primitive : kCalls) {
      cases.add(callCase(primitive, type, {4, 5}));
      if (type == ElementType::kF32) cases.add(callCase(primitive, type, {}));
      if (type == ElementType::kF32) cases.add(callCase(primitive, type, {0, 3}));
    }
  }
  for (ElementType type : types::kAll) cases.add(barrierCase(type));
}

}  // namespace vintage::primitives
