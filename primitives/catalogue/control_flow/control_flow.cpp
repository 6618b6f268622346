// Primitives that loop or branch: while, cond, scan.
#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// while i < n: x = x + y
CaseSpecification whileCase(ElementType type, int steps, const Shape& shape = {2, 3}) {
  return {.primitive = "while",
          .label = fmt::format("steps={}", steps),
          .arguments = {{type, shape}, {type, shape}},
          .domains = {Domain{.low = -1, .high = 1}},
          .emit = [=](FunctionBuilder& main, Arguments x) -> SsaValues {
            const SsaValue zero = main.constant(kInt, 0), one = main.constant(kInt, 1);
            const SsaValue limit = main.constant(kInt, steps);
            // Values that the body closes over are carried like the others.
            const SsaValue initial[] = {x[1], zero, x[0]};
            const SsaValues results = whileLoop(
                initial, [&](Arguments v) { return compare("LT", v[1], limit); },
                [&](Arguments v) -> SsaValues {
                  const SsaValue counted = v[1] + one;
                  return {v[0], counted, v[2] + v[0]};
                });
            return {results[2]};
          },
          .expect =
              [steps](Tensors inputs) {
                // Each addition rounds, as the loop's does.
                Result<Tensor> value = inputs[0];
                for (int i = 0; i < steps && value; ++i)
                  value = oracle::applyBinary("add", *value, inputs[1]);
                return value;
              }};
}

// cond(predicate, x + y, x * y): an if with two branches, chosen by an argument.
CaseSpecification condCase(ElementType type, bool predicate, const Shape& shape = {2, 3}) {
  return {.primitive = "cond",
          .label = fmt::format("taken={}", predicate),
          .arguments = {{ElementType::kI1, {}}, {type, shape}, {type, shape}},
          .emit = [=](FunctionBuilder& main, Arguments x) -> SsaValues {
            const SsaValue index = convert(x[0], kInt);
            return caseOf(index, {{type, shape}}, 2, [&](size_t branch) -> SsaValues {
              return {same(branch == 0 ? "stablehlo.multiply" : "stablehlo.add", x[1], x[2])};
            });
          },
          .expect =
              [](Tensors inputs) {
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
              }};
}

// Row `i` of an array, and an array with another row there, in functions of their own.
SsaValue callRowOf(const SsaValue& array, const SsaValue& i) {
  return callPrivate("dynamic_index_in_dim", {array, i}, [](Arguments x) {
    const int64_t width = x[0].shape[1];
    return reshape(dynamicSlice(x[0], {x[1], x[1].like(0)}, {1, width}), {width});
  })[0];
}

SsaValue callWithRow(const SsaValue& array, const SsaValue& row, const SsaValue& i) {
  return callPrivate("dynamic_update_index_in_dim", {array, row, i}, [](Arguments x) {
    static constexpr int64_t kAcross[] = {1};
    const SsaValue zero = x[2].like(0);
    const SsaValue wide = broadcast(x[1], kAcross, {1, x[0].shape[1]});
    return dynamicUpdateSlice(x[0], wide, {x[2], zero});
  })[0];
}

// scan(carry + x_i) over the leading dimension: the last carry and all of them.
CaseSpecification scanCase(ElementType type, int64_t width = 3) {
  const Shape xs{5, width}, carry{width};
  return {.primitive = "scan",
          .label = "length=5",
          .arguments = {{type, carry}, {type, xs}},
          .domains = {Domain{.low = -3, .high = 3}},
          .emit = [=](FunctionBuilder& main, Arguments arguments) -> SsaValues {
            // JAX computes sizes that are not known in 32 bits.
            const ElementType counter = isSymbolic(width) ? kInt : ElementType::kI64;
            const SsaValue zero = main.constant(counter, 0), one = main.constant(counter, 1);
            const SsaValue limit = main.constant(counter, 5);
            const SsaValue all = main.fill(type, 0, xs);
            const SsaValue initial[] = {arguments[1], zero, arguments[0], all};
            const SsaValues results = whileLoop(
                initial, [&](Arguments v) { return compare("LT", v[1], limit); },
                [&](Arguments v) -> SsaValues {
                  const SsaValue x = callRowOf(v[0], v[1]);
                  const SsaValue sum = v[2] + x;
                  const SsaValue kept = callWithRow(v[3], sum, v[1]);
                  return {v[0], v[1] + one, sum, kept};
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
          }};
}

}  // namespace

VINTAGE_FAMILY(addControlFlowCases) {
  for (ElementType type : types::kNumbers) {
    cases.add(whileCase(type, 4));
    cases.add(whileCase(type, 0));
    cases.add(condCase(type, true));
    cases.add(condCase(type, false));
    cases.add(scanCase(type));
    cases.addPoly([&](Sizes s) { return whileCase(type, 4, {s.b, 3}); });
    cases.addPoly([&](Sizes s) { return condCase(type, true, {s.b, 3}); });
    cases.addPoly([&](Sizes s) { return scanCase(type, s.b); });
  }
}

}  // namespace vintage::primitives
