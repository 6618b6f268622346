// ragged_dot_general with ragged rows: row i of the left matrix meets the right
// matrix of the group that it is in. JAX masks the rows for each group and
// contracts over the groups too; only TPUs have an operation for it.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/contraction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {
namespace {

constexpr ElementType kInt = ElementType::kI32;

struct Ragged {
  int64_t rows, inner, columns;
  Shape groups;  // How many rows each has.
};
const Ragged kUses[] = {{6, 3, 4, {2, 1, 3}},
                        {5, 2, 3, {5}},
                        {4, 3, 2, {0, 4, 0}},
                        {6, 2, 2, {1, 2}}};  // Rows that are in no group give zero.

// The number of rows in the groups up to each one.
Expression groupEnds(FunctionWriter& main, const SsaValue& sizes) {
  const int64_t groups = sizes.shape[0];
  const SsaValue zero = main.broadcast(main.constant(kInt, "0"), Shape{});
  const TensorType result{kInt, sizes.shape};
  const SsaValue sums =
      main.beginOperation(
              {&result, 1},
              fmt::format("\"stablehlo.reduce_window\"({}, {}) <{{padding = dense<[[{}, "
                          "0]]> : tensor<1x2xi64>, window_dimensions = array<i64: {}>}}> ",
                          sizes.name, zero.name, groups - 1, groups))
          .front();
  const TensorType scalars[] = {{kInt, {}}, {kInt, {}}};
  main.region(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
    return {main.same("stablehlo.add", pair[0], pair[1])};
  });
  main.append(fmt::format(" : ({}, {}) -> {}", typeText(sizes), typeText(zero), typeText(sums)));
  main.endOperation();
  return {main, sums};
}

SsaValue emitMasked(FunctionWriter& main, const Ragged& use, std::span<const SsaValue> arguments) {
  const SsaValue &left = arguments[0], &right = arguments[1];
  const auto groups = static_cast<int64_t>(use.groups.size());
  const Expression ends = groupEnds(main, arguments[2]);
  const Expression starts = ends - Expression(main, arguments[2]);
  const Shape wide{groups, use.rows, use.inner};
  const int64_t byGroup[] = {0};
  const Expression row(main, main.iota(kInt, wide, 1));
  const Expression first(main, main.broadcast(starts, byGroup, wide));
  const Expression last(main, main.broadcast(ends, byGroup, wide));
  const Expression inside = (first <= row) & (row < last);
  const int64_t inner[] = {1, 2};
  const Expression rows(main, main.broadcast(left, inner, wide));
  const SsaValue operands[] = {select(inside, rows, rows.like(0)), right};
  const Shape shape{use.rows, use.columns};
  return main.emit(
      left.type, shape,
      fmt::format("stablehlo.dot_general {}, contracting_dims = [0, 2] x [0, 1] : ({}) "
                  "-> {}",
                  namesText(operands), typesText(operands), tensorText(left.type, shape)));
}

void addRagged(CaseList& cases, ElementType type, const Ragged& use) {
  const auto groups = static_cast<int64_t>(use.groups.size());
  const double unit = static_cast<double>(use.inner * groups + 2) * epsilonOf(type);
  cases.add({.primitive = "ragged_dot_general",
             .label = "groups=" + dashed(use.groups),
             .arguments = {{type, {use.rows, use.inner}},
                           {type, {groups, use.inner, use.columns}},
                           {kInt, {groups}}},
             .emit = [&use](FunctionWriter& main, std::span<const SsaValue> arguments,
                            const std::string&) -> SsaValues {
               return {emitMasked(main, use, arguments)};
             },
             .expect = one([&use, type](std::span<const Tensor> inputs) -> Result<Tensor> {
               Tensor result(type, {use.rows, use.columns});
               int64_t row = 0;
               for (size_t group = 0; group < use.groups.size(); ++group) {
                 for (int64_t i = 0; i < use.groups[group]; ++i, ++row) {
                   for (int64_t column = 0; column < use.columns; ++column) {
                     oracle::Quad real = 0, imaginary = 0;
                     oracle::Wide whole = 0;
                     for (int64_t k = 0; k < use.inner; ++k) {
                       const auto g = static_cast<int64_t>(group);
                       const oracle::Number a = oracle::load(inputs[0], row * use.inner + k);
                       const oracle::Number b =
                           oracle::load(inputs[1], (g * use.inner + k) * use.columns + column);
                       whole += a.integer * b.integer;
                       real +=
                           oracle::Quad(a.real) * b.real - oracle::Quad(a.imaginary) * b.imaginary;
                       imaginary +=
                           oracle::Quad(a.real) * b.imaginary + oracle::Quad(a.imaginary) * b.real;
                     }
                     oracle::store(result, row * use.columns + column,
                                   {whole, oracle::roundTo(type, real),
                                    oracle::roundTo(type, imaginary)});
                   }
                 }
               }
               return result;
             }),
             .oracle = isInteger(type) ? "exact" : "quadruple",
             // Operands lie in [-5, 5].
             .comparators = {isInteger(type) ? exactly() : withinRelative(unit, 50 * unit)},
             .makeInputs = [=, &use](Random& random) {
               Tensor sizes(kInt, {groups});
               for (int64_t i = 0; i < groups; ++i) {
                 oracle::store(sizes, i, {use.groups[static_cast<size_t>(i)]});
               }
               return std::vector<Tensor>{
                   makeInput(type, {use.rows, use.inner}, domains::kPlain, random),
                   makeInput(type, {groups, use.inner, use.columns}, domains::kPlain, random),
                   std::move(sizes)};
             }});
}

}  // namespace

VINTAGE_FAMILY(addRaggedDotCases) {
  for (ElementType type : types::numbers()) {
    for (const Ragged& use : kUses) addRagged(cases, type, use);
  }
}

}  // namespace vintage::primitives::catalogue
