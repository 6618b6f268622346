// Primitives that call a function: jit, custom_jvp_call, custom_vjp_call,
// checkpoint, composite; and optimization_barrier and platform_index, which only
// the compiler sees.
#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {
namespace {

// max(x, 0), or x squared of complex numbers, in a function by `name`.
SsaValue callUnit(FunctionWriter& main, const std::string& name, const SsaValue& operand) {
  return main.module()
      .callPrivate(main, name, {&operand, 1},
                   [](FunctionWriter& callee) {
                     const Expression x(callee, callee.arguments()[0]);
                     const SsaValue result =
                         isComplex(x.type()) ? x * x : x.apply("stablehlo.maximum", x.like(0));
                     callee.finish({&result, 1});
                   })
      .front();
}

Result<Tensor> expectUnit(const Tensor& operand) {
  if (isComplex(operand.type())) return oracle::applyBinary("mul", operand, operand);
  return oracle::applyBinary("max", operand, Tensor(operand.type(), operand.shape()));
}

using Write = SsaValue (*)(FunctionWriter&, const SsaValue&, const std::string& platform);

struct CallPrimitive {
  const char* name;
  Write write;
};

SsaValue writeJit(FunctionWriter& main, const SsaValue& x, const std::string&) {
  return callUnit(main, "relu", x);
}

// The rule for derivatives leaves no trace; the primal function stands in line.
SsaValue writeInline(FunctionWriter& main, const SsaValue& operand, const std::string&) {
  const Expression x(main, operand);
  return isComplex(x.type()) ? x * x : x.apply("stablehlo.maximum", x.like(0));
}

// What is computed again must not be found to be the same as before.
SsaValue writeCheckpoint(FunctionWriter& main, const SsaValue& x, const std::string&) {
  const SsaValue apart = main.same("stablehlo.optimization_barrier", x);
  return callUnit(main, "checkpoint", apart);
}

SsaValue writeComposite(FunctionWriter& main, const SsaValue& x, const std::string&) {
  const TensorType argument{x.type, x.shape};
  const std::string decomposition = main.module().definePrivate(
      "vintage.unit", {&argument, 1}, [](FunctionWriter& callee) {
        const SsaValue result = writeInline(callee, callee.arguments()[0], "");
        callee.finish({&result, 1});
      });
  return main.emit(x.type, x.shape,
                   fmt::format("stablehlo.composite \"vintage.unit\" {} {{composite_attributes = "
                               "{{degree = 1 : i64}}, decomposition = @{}, version = 1 : i32}} : "
                               "({}) -> {}",
                               x.name, decomposition, typeText(x), typeText(x)));
}

// One branch for the CPU, another for the rest, which come to the same.
SsaValue writePlatformIndex(FunctionWriter& main, const SsaValue& x, const std::string& platform) {
  const SsaValue index = main.constant(ElementType::kI32, platform == "cpu" ? "0" : "1");
  const TensorType result{x.type, x.shape};
  const SsaValue chosen =
      main.beginOperation({&result, 1}, fmt::format("\"stablehlo.case\"({}) ", index.name)).front();
  main.append("(");
  main.branch([&]() -> SsaValues { return {writeInline(main, x, "")}; });
  main.append(", ");
  main.branch([&]() -> SsaValues {
    const Expression value(main, x);
    if (isComplex(x.type)) return {value * value};
    return {select(value.compare("LT", value.like(0)), value.like(0), value)};
  });
  main.append(fmt::format(") : ({}) -> {}", typeText(index), typeText(x)));
  main.endOperation();
  return chosen;
}

const CallPrimitive kCalls[] = {{"jit", writeJit},
                                {"custom_jvp_call", writeInline},
                                {"custom_vjp_call", writeInline},
                                {"checkpoint", writeCheckpoint},
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
             .emit = [&primitive](FunctionWriter& main, std::span<const SsaValue> arguments,
                                  const std::string& platform) -> SsaValues {
               return {primitive.write(main, arguments[0], platform)};
             },
             .expect = one([](std::span<const Tensor> inputs) { return expectUnit(inputs[0]); }),
             .comparators = {isComplex(type) ? withinUlps(type, 8) : exactly()}});
}

void addBarrier(CaseList& cases, ElementType type) {
  const CaseArgument arguments[] = {{type, {2, 3}}, {ElementType::kI32, {}}};
  cases.add({.primitive = "optimization_barrier",
             .arguments = {arguments[0], arguments[1]},
             .domains = {domains::kComplexEdges},
             .emit = [](FunctionWriter& main, std::span<const SsaValue> arguments,
                        const std::string&) -> SsaValues {
               const TensorType results[] = {{arguments[0].type, arguments[0].shape},
                                             {arguments[1].type, arguments[1].shape}};
               return main.emit(results, fmt::format("stablehlo.optimization_barrier {} : {}",
                                                     namesText(arguments), typesText(arguments)));
             },
             .expect = [](std::span<const Tensor> inputs) -> Result<std::vector<Tensor>> {
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

}  // namespace vintage::primitives::catalogue
