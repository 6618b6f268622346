// Derivatives of reduce_sum, reduce_max, reduce_min and reduce_prod.
#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/catalogue/derivatives/tree.h"
#include "primitives/lowering/expression.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct ReductionUse {
  const char* label;
  Shape shape, axes, kept;
};
const ReductionUse kReductionUses[] = {{"axes=0", {4, 5}, {0}, {1}},
                                       {"axes=0-1", {3, 6}, {0, 1}, {}},
                                       {"axes=1", {2, 3, 4}, {1}, {0, 2}}};

// The position in the result of an element of the operand.
int64_t resultPosition(const ReductionUse& use, const Shape& at) {
  int64_t position = 0;
  for (int64_t axis : use.kept) {
    const auto i = static_cast<size_t>(axis);
    position = position * use.shape[i] + at[i];
  }
  return position;
}

// Extreme elements share the cotangent equally. NaN does not even equal itself: no element is left
// to share, and the quotient by zero is NaN times zero.
SsaValues writeExtreme(const Pullback& p, const ReductionUse& use) {
  const SsaValue& x = p.inputs[0];
  const SsaValue extreme = p.answers()[0];
  const SsaValue wide = broadcast(extreme, use.kept, x.shape);
  const SsaValue places = convert(compare("EQ", x, wide), x.type);
  const SsaValue counts = reduceAlong("add", places, use.axes);
  const SsaValue share = p.cotangents[0] / counts;
  return {same("stablehlo.multiply", broadcast(share, use.kept, x.shape), places)};
}

std::vector<Tensor> extremeOracle(const PullbackValues& values, const ReductionUse& use) {
  const Tensor& x = values.inputs[0];
  const Tensor extreme = values.primal(values.inputs).value()[0];
  std::vector<int> counts(static_cast<size_t>(extreme.size()));
  const auto isExtreme = [&](const Shape& at, int64_t to) {
    const double value = oracle::load(x, oracle::positionOf(use.shape, at)).real;
    return value == oracle::load(extreme, to).real;
  };
  oracle::forEachIndex(use.shape, [&](const Shape& at) {
    const int64_t to = resultPosition(use, at);
    if (isExtreme(at, to)) ++counts[static_cast<size_t>(to)];
  });
  return {oracle::eachIndex(x.type(), use.shape, [&](const Shape& at) {
    const int64_t to = resultPosition(use, at);
    const oracle::Real share =
        realAt(values.cotangents[0], to) / oracle::Real(counts[static_cast<size_t>(to)]);
    // Where no element is the extreme, an infinite share times zero.
    return share * oracle::Real(isExtreme(at, to) ? 1.0 : 0.0);
  })};
}

SsaValues writeSum(const Pullback& p, const ReductionUse& use) {
  return {broadcast(p.cotangents[0], use.kept, p.inputs[0].shape)};
}

// A product of halves, of quarters and so on, each differentiated as a product of
// two: no division, so that zeros do no harm.
SsaValues writeProduct(const Pullback& p, const ReductionUse& use) {
  const SsaValue& x = p.inputs[0];
  Shape permutation = use.axes, shape{1}, moved;
  permutation.insert(permutation.end(), use.kept.begin(), use.kept.end());
  for (int64_t axis : use.axes) shape[0] *= x.shape[static_cast<size_t>(axis)];
  for (int64_t axis : use.kept) shape.push_back(x.shape[static_cast<size_t>(axis)]);
  for (int64_t axis : permutation) moved.push_back(x.shape[static_cast<size_t>(axis)]);
  const bool inOrder = std::ranges::is_sorted(permutation);
  const SsaValue front = inOrder ? x : transpose(x, permutation);
  Shape one = shape;
  one[0] = 1;
  const SsaValue root = reshape(p.cotangents[0], one);
  const SsaValue flat = productTreeCotangent(reshape(front, shape), root);
  const SsaValue result = reshape(flat, moved);
  return {inOrder ? result : transpose(result, oracle::inversePermutation(permutation))};
}

// The product of all others, element by element.
std::vector<Tensor> productOracle(const PullbackValues& values, const ReductionUse& use) {
  const Tensor& x = values.inputs[0];
  return {oracle::eachIndex(x.type(), use.shape, [&](const Shape& at) {
    oracle::Complex product = complexAt(values.cotangents[0], resultPosition(use, at));
    oracle::forEachIndex(use.shape, [&](const Shape& other) {
      if (other == at || resultPosition(use, other) != resultPosition(use, at)) return;
      product = product * complexAt(x, oracle::positionOf(use.shape, other));
    });
    return product;
  })};
}

}  // namespace

VINTAGE_DERIVATIVES(reductionDerivatives) {
  // Ties and infinities. No NaN: the derivative multiplies its quotient by a predicate, and XLA
  // turns that into a selection, which drops the NaN.
  constexpr Domain kTied{
      .low = -3, .high = 3, .edges = Domain::Edges::kFew, .nan = false, .wholeNumbers = true};
  constexpr Domain kTiedPlain{.low = 0, .high = 1, .wholeNumbers = true};
  DerivativeRules rules;
  for (const ReductionUse& use : kReductionUses) {
    rules.push_back(linearRule("reduce_sum", use.label, {use.shape},
                               [&use](const Pullback& p) { return writeSum(p, use); }));
    for (const char* primitive : {"reduce_max", "reduce_min"}) {
      rules.push_back({.primitive = primitive,
                       .label = use.label,
                       .shapes = {use.shape},
                       .domains = {use.kept.empty() ? kTiedPlain : kTied},
                       .write = [&use](const Pullback& p) { return writeExtreme(p, use); },
                       .oracle = [&use](const PullbackValues& v) { return extremeOracle(v, use); },
                       .units = 2,
                       .scale = 0});
    }
    rules.push_back({.primitive = "reduce_prod",
                     .label = use.label,
                     .shapes = {use.shape},
                     .types = types::kInexact,
                     .domains = {kFactors},
                     .write = [&use](const Pullback& p) { return writeProduct(p, use); },
                     .oracle = [&use](const PullbackValues& v) { return productOracle(v, use); },
                     .units = 24,
                     .scale = 1});
  }
  return rules;
}

}  // namespace vintage::primitives
