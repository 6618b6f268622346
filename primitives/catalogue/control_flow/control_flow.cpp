// Primitives that loop or branch: while, cond, scan.
#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {
namespace {

constexpr ElementType kInt = ElementType::kI32;

// while i < n: x = x + y
void addWhile(CaseList& cases, ElementType type, int steps, const Shape& shape = {2, 3}) {
  cases.add(
      {.primitive = "while",
       .label = fmt::format("steps={}", steps),
       .arguments = {{type, shape}, {type, shape}},
       .domains = {Domain{.low = -1, .high = 1}},
       .emit = [=](FunctionBuilder& main, Arguments arguments) -> SsaValues {
         const SsaValue zero = main.constant(kInt, 0), one = main.constant(kInt, 1);
         const SsaValue limit = main.constant(kInt, steps);
         const SsaValue initial[] = {zero, arguments[0]};
         const SsaValues results = main.whileLoop(
             initial, [&](Arguments v) { return main.compare("LT", v[0], limit); },
             [&](Arguments v) -> SsaValues {
               const SsaValue next = main.same("stablehlo.add", v[1], arguments[1]);
               return {main.same("stablehlo.add", v[0], one), next};
             });
         return {results[1]};
       },
       .expect = [steps](Tensors inputs) {
         // Each addition rounds, as the loop's does.
         Result<Tensor> value = inputs[0];
         for (int i = 0; i < steps && value; ++i) {
           value = oracle::applyBinary("add", *value, inputs[1]);
         }
         return value;
       }});
}

// cond(predicate, x + y, x * y): an if with two branches, chosen by an argument.
void addCond(CaseList& cases, ElementType type, bool predicate, const Shape& shape = {2, 3}) {
  cases.add(
      {.primitive = "cond",
       .label = fmt::format("taken={}", predicate),
       .arguments = {{ElementType::kI1, {}}, {type, shape}, {type, shape}},
       .emit = [=](FunctionBuilder& main, Arguments arguments) -> SsaValues {
         const SsaValue index = main.convert(arguments[0], kInt);
         return main.caseOf(index, {{type, shape}}, 2, [&](size_t branch) -> SsaValues {
           return {main.same(branch == 0 ? "stablehlo.multiply" : "stablehlo.add", arguments[1],
                             arguments[2])};
         });
       },
       .expect = [](Tensors inputs) {
         const bool sum = oracle::load(inputs[0], 0).integer != 0;
         return oracle::applyBinary(sum ? "add" : "mul", inputs[1], inputs[2]);
       },
       .comparators = {isComplex(type) ? withinUlps(type, 8) : exactly()},
       .makeInputs =
           [=](Random& random) {
             Tensor flag(ElementType::kI1, {});
             oracle::store(flag, 0, {predicate});
             return std::vector<Tensor>{flag, makeInput(type, shape, domains::kFewEdges, random),
                                        makeInput(type, shape, domains::kFewEdges, random, 1)};
           }});
}

// scan(carry + x_i) over the leading dimension: the last carry and all of them.
void addScan(CaseList& cases, ElementType type, int64_t width = 3) {
  const Shape xs{5, width}, carry{width};
  cases.add(
      {.primitive = "scan",
       .label = "length=5",
       .arguments = {{type, carry}, {type, xs}},
       .domains = {Domain{.low = -3, .high = 3}},
       .emit = [=](FunctionBuilder& main, Arguments arguments) -> SsaValues {
         const SsaValue zero = main.constant(kInt, 0), one = main.constant(kInt, 1);
         const SsaValue limit = main.constant(kInt, 5);
         const SsaValue all = main.fill(type, 0, xs);
         const SsaValue initial[] = {zero, arguments[0], all};
         const SsaValues results = main.whileLoop(
             initial, [&](Arguments v) { return main.compare("LT", v[0], limit); },
             [&](Arguments v) -> SsaValues {
               const SsaValue slice = main.dynamicSlice(arguments[1], {v[0], zero}, {1, width});
               const SsaValue x = main.reshape(slice, carry);
               const SsaValue sum = main.same("stablehlo.add", v[1], x);
               const SsaValue row = main.reshape(sum, {1, width});
               const SsaValue kept = main.dynamicUpdateSlice(v[2], row, {v[0], zero});
               return {main.same("stablehlo.add", v[0], one), sum, kept};
             });
         return {results[1], results[2]};
       },
       .expect = [](Tensors inputs) -> Result<std::vector<Tensor>> {
         Tensor carry = inputs[0], all(inputs[1].type(), inputs[1].shape());
         const int64_t width = carry.size();
         const oracle::Combine add = oracle::combineFunction("add");
         for (int64_t i = 0; i < all.size(); ++i) {
           const oracle::Number sum =
               add(all.type(), oracle::load(carry, i % width), oracle::load(inputs[1], i));
           oracle::store(carry, i % width, sum);
           oracle::store(all, i, sum);
         }
         return std::vector<Tensor>{std::move(carry), std::move(all)};
       }});
}

}  // namespace

VINTAGE_FAMILY(addControlFlowCases) {
  for (ElementType type : types::numbers()) {
    addWhile(cases, type, 4);
    addWhile(cases, type, 0);
    addCond(cases, type, true);
    addCond(cases, type, false);
    addScan(cases, type);
    cases.addPoly([&](CaseList& list, Sizes s) { addWhile(list, type, 4, {s.b, 3}); });
    cases.addPoly([&](CaseList& list, Sizes s) { addCond(list, type, true, {s.b, 3}); });
    cases.addPoly([&](CaseList& list, Sizes s) { addScan(list, type, s.b); });
  }
}

}  // namespace vintage::primitives::catalogue
