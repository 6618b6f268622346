// ragged_dot_general with ragged rows: row i of the left matrix is multiplied with the right matrix
// of its group. JAX masks the rows for each group and also contracts over the groups; only TPUs
// have an operation for it.
#include "golden/oracle/contraction.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/rule.h"
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
SsaValue groupEnds(const SsaValue& sizes, const SsaValue& zero) {
  return reduceWindow("add", sizes, zero, runningWindow(sizes.shape, 0, false));
}

SsaValue callGroupEnds(const SsaValue& sizes) {
  return callPrivate("cumsum", {sizes}, [](Arguments x) {
    return groupEnds(x[0], broadcast(x[0].builder->constant(kInt, 0), Shape{}));
  })[0];
}

constexpr int64_t kGroup[] = {0}, kMatrix[] = {1, 2};

CaseSpecification raggedCase(ElementType type, const Ragged& use) {
  const auto groups = static_cast<int64_t>(use.groups.size());
  const double unit = static_cast<double>(use.inner * groups + 2) * epsilonOf(type);
  return {
      .primitive = "ragged_dot_general",
      .label = "groups=" + dashed(use.groups),
      .arguments = {{type, {use.rows, use.inner}},
                    {type, {groups, use.inner, use.columns}},
                    {kInt, {groups}}},
      .emit =
          [&use](FunctionBuilder& main, Arguments x) {
            const Shape wide{x[2].shape[0], use.rows, use.inner};
            const SsaValue rows = broadcast(x[0], kMatrix, wide);
            const SsaValue row = main.iota(kInt, wide, 1);
            const SsaValue ends = callGroupEnds(x[2]);
            const SsaValue starts = ends - x[2];
            const SsaValue last = broadcast(ends, kGroup, wide);
            const SsaValue first = broadcast(starts, kGroup, wide);
            const SsaValue fromFirst = first <= row;
            const SsaValue inside = fromFirst & (row < last);
            return dotGeneral(select(inside, rows, rows.like(0)), x[1], {{}, {}, {2, 0}, {1, 0}});
          },
      .expect =
          [&use, type](Tensors inputs) {
            // The group of each row; rows without a group give zero.
            Shape groupOf;
            for (size_t group = 0; group < use.groups.size(); ++group)
              groupOf.resize(groupOf.size() + static_cast<size_t>(use.groups[group]),
                             static_cast<int64_t>(group));
            return oracle::eachIndex(type, {use.rows, use.columns}, [&](const Shape& at) {
              oracle::QuadComplex sum;
              oracle::Wide whole = 0;
              const auto row = static_cast<size_t>(at[0]);
              for (int64_t k = 0; row < groupOf.size() && k < use.inner; ++k) {
                const oracle::Number a = oracle::load(inputs[0], at[0] * use.inner + k);
                const oracle::Number b =
                    oracle::load(inputs[1], (groupOf[row] * use.inner + k) * use.columns + at[1]);
                whole += a.integer * b.integer;
                sum = sum + oracle::quadOf(a) * oracle::quadOf(b);
              }
              return oracle::Number{whole, oracle::roundTo(type, sum.re),
                                    oracle::roundTo(type, sum.im)};
            });
          },
      .oracle = isInteger(type) ? "exact" : "quadruple",
      // Operands lie in [-5, 5].
      .comparators = {isInteger(type) ? exactly() : withinRelative(unit, 50 * unit)},
      .makeInputs =
          [=, &use](Random& random) {
            Tensor sizes(kInt, {groups});
            for (int64_t i = 0; i < groups; ++i)
              oracle::store(sizes, i, {use.groups[static_cast<size_t>(i)]});
            return std::vector<Tensor>{
                makeInput(type, {use.rows, use.inner}, domains::kPlain, random),
                makeInput(type, {groups, use.inner, use.columns}, domains::kPlain, random),
                std::move(sizes)};
          }};
}

// The derivative of ragged_dot_general with ragged rows: rows of each group are multiplied with the
// cotangent's rows of the same group.

// The matrix once for each group, with zeros in the rows of others.
SsaValue masked(const SsaValue& matrix, const SsaValue& starts, const SsaValue& ends) {
  const Shape wide{ends.shape[0], matrix.shape[0], matrix.shape[1]};
  const SsaValue row = matrix.builder->iota(kInt, wide, 1);
  const SsaValue first = broadcast(starts, kGroup, wide), last = broadcast(ends, kGroup, wide);
  const SsaValue rows = broadcast(matrix, kMatrix, wide);
  return select((first <= row) & (row < last), rows, rows.like(0));
}

SsaValues writeRaggedDot(const Pullback& p) {
  const SsaValue &left = p.inputs[0], &right = p.inputs[1], &g = p.cotangents[0];
  const SsaValue ends = groupEnds(p.inputs[2], p.builder.constant(kInt, 0));
  const SsaValue starts = ends - p.inputs[2];
  const SsaValue toLeft = dotGeneral(masked(g, starts, ends), right, {{}, {}, {0, 2}, {0, 2}});
  return {toLeft, dotGeneral(masked(left, starts, ends), g, {{}, {}, {1}, {0}})};
}

}  // namespace

VINTAGE_FAMILY(addRaggedDotCases) {
  for (ElementType type : types::kNumbers) {
    for (const Ragged& use : kRagged) cases.add(raggedCase(type, use));
  }
}

VINTAGE_DERIVATIVES(raggedDotDerivatives) {
  DerivativeRules rules;
  for (size_t i : {0, 2, 3}) {
    const Ragged& use = kRagged[i];
    const auto groups = static_cast<int64_t>(use.groups.size());
    rules.push_back({.primitive = "ragged_dot_general",
                     .label = "groups=" + dashed(use.groups),
                     .shapes = {{use.rows, use.inner}, {groups, use.inner, use.columns}, {groups}},
                     .types = types::kInexact,
                     .write = writeRaggedDot,
                     .oracle = transposedMultilinear,
                     .units = 24,
                     .scale = 10});
  }
  return rules;
}

}  // namespace vintage::primitives
