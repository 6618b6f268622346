// Primitives that call a function: jit, custom_jvp_call, custom_vjp_call,
// checkpoint, composite; and optimization_barrier and platform_index, which only
// the compiler sees.
#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// max(x, 0), or x squared of complex numbers, in a function by `name`.
SsaValue callUnit(FunctionBuilder& main, const std::string& name, const SsaValue& operand) {
  return main.module()
      .callPrivate(main, name, {operand},
                   [](FunctionBuilder& callee) {
                     const Expression x(callee, callee.arguments()[0]);
                     const SsaValue result =
                         isComplex(x.type()) ? x * x : x.apply("stablehlo.maximum", x.like(0));
                     callee.finish({result});
                   })
      .front();
}

Result<Tensor> expectUnit(const Tensor& operand) {
  if (isComplex(operand.type())) return oracle::applyBinary("mul", operand, operand);
  return oracle::applyBinary("max", operand, Tensor(operand.type(), operand.shape()));
}

using Write = SsaValue (*)(FunctionBuilder&, const SsaValue&, const std::string& platform);

struct CallPrimitive {
  const char* name;
  Write write;
};

SsaValue writeJit(FunctionBuilder& main, const SsaValue& x, const std::string&) {
  return callUnit(main, "relu", x);
}

// The rule for derivatives leaves no trace, nor what they compute again; the primal function
// stands in line.
SsaValue writeInline(FunctionBuilder& main, const SsaValue& operand, const std::string&) {
  const Expression x(main, operand);
  return isComplex(x.type()) ? x * x : x.apply("stablehlo.maximum", x.like(0));
}

SsaValue writeComposite(FunctionBuilder& main, const SsaValue& x, const std::string&) {
  const std::string decomposition =
      main.module().privateName("vintage.unit", {typeOf(x)}, [](FunctionBuilder& callee) {
        callee.finish({writeInline(callee, callee.arguments()[0], "")});
      });
  return main.composite("vintage.unit", {x}, {typeOf(x)}, {{"degree", 1}}, decomposition).front();
}

// One branch for the CPU, another for the rest, which come to the same.
SsaValue writePlatformIndex(FunctionBuilder& main, const SsaValue& x, const std::string& platform) {
  const SsaValue index = main.constant(ElementType::kI32, platform == "cpu" ? 0 : 1);
  return main.caseOf(index, {typeOf(x)}, 2, [&](size_t branch) -> SsaValues {
    const Expression value(main, x);
    if (branch == 0) return {writeInline(main, x, "")};
    if (isComplex(x.type)) return {value * value};
    return {select(value.compare("LT", value.like(0)), value.like(0), value)};
  })[0];
}

const CallPrimitive kCalls[] = {{"jit", writeJit},
                                {"custom_jvp_call", writeInline},
                                {"custom_vjp_call", writeInline},
                                {"checkpoint", writeInline},
                                {"composite", writeComposite},
                                {"platform_index", writePlatformIndex}};

void addCall(CaseList& cases, const CallPrimitive& primitive, ElementType type,
             const Shape& shape) {
  // Two branches that agree need not agree on the sign of zero and on NaN.
  const bool branches = primitive.write == writePlatformIndex;
  cases.add({.primitive = primitive.name,
             .arguments = {{type, shape}},
             .domains = {isComplex(type) ? domains::kPlain
                         : branches      ? domains::kTies
                                         : domains::kFewEdges},
             .emit = [&primitive](FunctionBuilder& main, Arguments arguments,
                                  const std::string& platform) {
               return primitive.write(main, arguments[0], platform);
             },
             .expect = [](Tensors inputs) { return expectUnit(inputs[0]); },
             .comparators = {isComplex(type) ? withinUlps(type, 8) : exactly()}});
}

void addBarrier(CaseList& cases, ElementType type) {
  const CaseArgument arguments[] = {{type, {2, 3}}, {ElementType::kI32, {}}};
  cases.add(
      {.primitive = "optimization_barrier",
       .arguments = {arguments[0], arguments[1]},
       .domains = {domains::kComplexEdges},
       .emit = [](FunctionBuilder& main, Arguments arguments) {
         return main.emit(typesOf(arguments), "stablehlo.optimization_barrier", arguments);
       },
       .expect = [](Tensors inputs) -> Result<std::vector<Tensor>> {
         return std::vector<Tensor>(inputs.begin(), inputs.end());
       },
       .oracle = "definition"});
}

}  // namespace

VINTAGE_FAMILY(addCallCases) {
  for (ElementType type : types::numbers()) {
    for (const CallPrimitive& primitive : kCalls) {
      addCall(cases, primitive, type, {4, 5});
      if (type == ElementType::kF32) addCall(cases, primitive, type, {});
      if (type == ElementType::kF32) addCall(cases, primitive, type, {0, 3});
    }
  }
  for (ElementType type : types::all()) addBarrier(cases, type);
}

}  // namespace vintage::primitives
