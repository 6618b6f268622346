// ragged_dot_general with ragged rows: row i of the left matrix meets the right
// matrix of the group that it is in. JAX masks the rows for each group and
// contracts over the groups too; only TPUs have an operation for it.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/contraction.h"
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/expression.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct Ragged {
  int64_t rows, inner, columns;
  Shape groups;  // How many rows each has.
};
const Ragged kRagged[] = {{6, 3, 4, {2, 1, 3}},
                        {5, 2, 3, {5}},
                        {4, 3, 2, {0, 4, 0}},
                        {6, 2, 2, {1, 2}}};  // Rows that are in no group give zero.

// The number of rows in the groups up to each one.
Expression groupEnds(FunctionBuilder& main, const SsaValue& sizes, const SsaValue& zero) {
  return {main, reduceWindow(main, "add", sizes, zero, runningWindow(sizes.shape, 0, false))};
}

Expression callGroupEnds(FunctionBuilder& main, const SsaValue& sizes) {
  const SsaValues ends =
      main.module().callPrivate(main, "cumsum", {sizes}, [](FunctionBuilder& callee) {
        const SsaValue zero = callee.broadcast(callee.constant(kInt, 0), Shape{});
        callee.finish({groupEnds(callee, callee.arguments()[0], zero)});
      });
  return {main, ends.front()};
}

// Which row each element is in, and where the rows of its group begin and end.
struct GroupRows {
  Expression row, first, last;
  Expression inside() const { return (first <= row) & (row < last); }
};

GroupRows groupRows(FunctionBuilder& builder, const Shape& wide, const Expression& starts,
                    const Expression& ends) {
  static constexpr int64_t kGroup[] = {0};
  const Expression row(builder, builder.iota(kInt, wide, 1));
  const Expression first(builder, builder.broadcast(starts, kGroup, wide));
  return {row, first, Expression(builder, builder.broadcast(ends, kGroup, wide))};
}

constexpr int64_t kMatrix[] = {1, 2};

void addRagged(CaseList& cases, ElementType type, const Ragged& use) {
  const auto groups = static_cast<int64_t>(use.groups.size());
  const double unit = static_cast<double>(use.inner * groups + 2) * epsilonOf(type);
  cases.add({.primitive = "ragged_dot_general",
             .label = "groups=" + dashed(use.groups),
             .arguments = {{type, {use.rows, use.inner}},
                           {type, {groups, use.inner, use.columns}},
                           {kInt, {groups}}},
             .emit = [&use](FunctionBuilder& main, Arguments arguments) {
               const Shape wide{arguments[2].shape[0], use.rows, use.inner};
               const Expression rows(main, main.broadcast(arguments[0], kMatrix, wide));
               const Expression row(main, main.iota(kInt, wide, 1));
               const Expression ends = callGroupEnds(main, arguments[2]);
               const Expression starts = ends - Expression(main, arguments[2]);
               static constexpr int64_t kGroup[] = {0};
               const Expression last(main, main.broadcast(ends, kGroup, wide));
               const Expression first(main, main.broadcast(starts, kGroup, wide));
               const Expression fromFirst = first <= row;
               const Expression inside = fromFirst & (row < last);
               return dotGeneral(main, select(inside, rows, rows.like(0)), arguments[1],
                                 {{}, {}, {2, 0}, {1, 0}});
             },
             .expect = [&use, type](Tensors inputs) {
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
             },
             .oracle = isInteger(type) ? "exact" : "quadruple",
             // Operands lie in [-5, 5].
             .comparators = {isInteger(type) ? exactly() : withinRelative(unit, 50 * unit)},
             .makeInputs =
                 [=, &use](Random& random) {
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
    for (const Ragged& use : kRagged) addRagged(cases, type, use);
  }
}

// The derivative of ragged_dot_general with ragged rows: rows of each group meet
// the cotangent's rows of the same group.
namespace {

// The matrix once for each group, with zeros in the rows of others.
SsaValue masked(FunctionBuilder& builder, const SsaValue& matrix, const Expression& starts,
                const Expression& ends) {
  const Shape wide{ends.shape()[0], matrix.shape[0], matrix.shape[1]};
  const GroupRows group = groupRows(builder, wide, starts, ends);
  const Expression rows(builder, builder.broadcast(matrix, kMatrix, wide));
  return select(group.inside(), rows, rows.like(0));
}

SsaValues writeRaggedDot(const Pullback& p) {
  FunctionBuilder& builder = p.builder;
  const SsaValue &left = p.inputs[0], &right = p.inputs[1], &g = p.cotangents[0];
  const Expression ends = groupEnds(builder, p.inputs[2], builder.constant(kInt, 0));
  const Expression starts = ends - Expression(builder, p.inputs[2]);
  const SsaValue toLeft =
      dotGeneral(builder, masked(builder, g, starts, ends), right, {{}, {}, {0, 2}, {0, 2}});
  return {toLeft, dotGeneral(builder, masked(builder, left, starts, ends), g, {{}, {}, {1}, {0}})};
}

}  // namespace

VINTAGE_DERIVATIVES(raggedDotDerivatives) {
  DerivativeRules rules;
  for (size_t i : {0, 2, 3}) {
    const Ragged& use = kRagged[i];
    const auto groups = static_cast<int64_t>(use.groups.size());
    rules.push_back({.primitive = "ragged_dot_general",
                     .label = "groups=" + dashed(use.groups),
                     .shapes = {{use.rows, use.inner}, {groups, use.inner, use.columns}, {groups}},
                     .types = types::inexact,
                     .write = writeRaggedDot,
                     .oracle = transposedMultilinear,
                     .units = 24,
                     .scale = 10});
  }
  return rules;
}

}  // namespace vintage::primitives
