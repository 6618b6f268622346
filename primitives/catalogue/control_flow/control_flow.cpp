// Primitives that loop or branch: while, cond, scan.
#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

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
         // What the body closes over goes round with the others.
         const SsaValue initial[] = {arguments[1], zero, arguments[0]};
         const SsaValues results = main.whileLoop(
             initial, [&](Arguments v) { return main.compare("LT", v[1], limit); },
             [&](Arguments v) -> SsaValues {
               const SsaValue counted = main.same("stablehlo.add", v[1], one);
               return {v[0], counted, main.same("stablehlo.add", v[2], v[0])};
             });
         return {results[2]};
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

// Row `i` of an array, and an array with another row there, in functions of their own.
SsaValue callRowOf(FunctionBuilder& main, const SsaValue& array, const SsaValue& i) {
  return main.module()
      .callPrivate(main, "dynamic_index_in_dim", {array, i},
                   [](FunctionBuilder& callee) {
                     const SsaValues& x = callee.arguments();
                     const int64_t width = x[0].shape[1];
                     const SsaValue zero = callee.constant(x[1].type, 0);
                     const SsaValue row = callee.dynamicSlice(x[0], {x[1], zero}, {1, width});
                     callee.finish({callee.reshape(row, {width})});
                   })
      .front();
}

SsaValue callWithRow(FunctionBuilder& main, const SsaValue& array, const SsaValue& row,
                     const SsaValue& i) {
  return main.module()
      .callPrivate(main, "dynamic_update_index_in_dim", {array, row, i},
                   [](FunctionBuilder& callee) {
                     const SsaValues& x = callee.arguments();
                     static constexpr int64_t kAcross[] = {1};
                     const SsaValue zero = callee.constant(x[2].type, 0);
                     const SsaValue wide =
                         callee.broadcast(x[1], kAcross, {1, x[0].shape[1]});
                     callee.finish({callee.dynamicUpdateSlice(x[0], wide, {x[2], zero})});
                   })
      .front();
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
         // Sizes that are not known are computed in 32 bits.
         const ElementType counter = isSymbolic(width) ? kInt : ElementType::kI64;
         const SsaValue zero = main.constant(counter, 0), one = main.constant(counter, 1);
         const SsaValue limit = main.constant(counter, 5);
         const SsaValue all = main.fill(type, 0, xs);
         const SsaValue initial[] = {arguments[1], zero, arguments[0], all};
         const SsaValues results = main.whileLoop(
             initial, [&](Arguments v) { return main.compare("LT", v[1], limit); },
             [&](Arguments v) -> SsaValues {
               const SsaValue x = callRowOf(main, v[0], v[1]);
               const SsaValue sum = main.same("stablehlo.add", v[2], x);
               const SsaValue kept = callWithRow(main, v[3], sum, v[1]);
               return {v[0], main.same("stablehlo.add", v[1], one), sum, kept};
             });
         return {results[2], results[3]};
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

}  // namespace vintage::primitives
