// Derivatives of what chooses between arguments: the cotangent goes where the
// element came from, and nowhere else. select_n, clamp.
#include "primitives/catalogue/derivatives/movement.h"
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {
namespace {

SsaValues writeSelect(const PullbackWriter& p) {
  FunctionWriter& writer = p.writer;
  const SsaValue& g = p.cotangents[0];
  const SsaValue zeros = zerosLike(writer, g);
  SsaValue which = p.inputs[0];
  if (isPredicate(which.type)) {
    const SsaValue first = writer.select(which, zeros, g);
    return {first, writer.select(which, g, zeros)};
  }
  SsaValues results;
  for (size_t i = 0; i + 1 < p.inputs.size(); ++i) {
    const SsaValue number = writer.fill(which.type, static_cast<double>(i), which.shape);
    SsaValue chosen = writer.compare("EQ", which, number);
    if (chosen.shape != g.shape) chosen = writer.broadcast(chosen, g.shape);
    results.push_back(writer.select(chosen, g, zeros));
  }
  return results;
}

// A bound that is a scalar meets every element: its cotangents are summed.
SsaValue summedLike(FunctionWriter& writer, const SsaValue& value, const SsaValue& bound) {
  return bound.shape.empty() ? totalOf(writer, value) : value;
}

// On a bound nothing moves: neither of the comparisons holds.
SsaValues writeClamp(const PullbackWriter& p) {
  FunctionWriter& writer = p.writer;
  const Shape& shape = p.inputs[1].shape;
  const auto wide = [&](const SsaValue& bound) {
    return Expression(writer, bound.shape == shape ? bound : writer.broadcast(bound, shape));
  };
  const Expression low = wide(p.inputs[0]), x(writer, p.inputs[1]), high = wide(p.inputs[2]);
  const Expression g(writer, p.cotangents[0]);
  const Expression zeros = g.like(0);
  const Expression byLow = select((low > x) & (low < high), g, zeros);
  const Expression byOperand = select((x > low) & (x < high), g, zeros);
  const Expression byHigh = select(high < x, g, zeros);
  return {summedLike(writer, byLow, p.inputs[0]), byOperand,
          summedLike(writer, byHigh, p.inputs[2])};
}

std::vector<Tensor> clampOracle(const PullbackValues& values) {
  const ElementType type = values.inputs[1].type();
  std::vector<CotangentSums> sums;
  for (const Tensor& input : values.inputs) sums.emplace_back(type, input.shape());
  const auto at = [&](size_t k, int64_t i) {
    const Tensor& tensor = values.inputs[k];
    return oracle::load(tensor, tensor.size() == 1 ? 0 : i).real;
  };
  for (int64_t i = 0; i < values.inputs[1].size(); ++i) {
    const double low = at(0, i), x = at(1, i), high = at(2, i);
    const double g = oracle::load(values.cotangents[0], i).real;
    // The bound that is above the operand, unless it is beyond the other one.
    const int source = x < low && low < high ? 0 : high < x ? 2 : low < x && x < high ? 1 : -1;
    if (source < 0) continue;
    CotangentSums& to = sums[static_cast<size_t>(source)];
    to.add(values.inputs[static_cast<size_t>(source)].size() == 1 ? 0 : i, g);
  }
  return {sums[0].rounded(), sums[1].rounded(), sums[2].rounded()};
}

}  // namespace

DerivativeRules selectionDerivatives() {
  DerivativeRules rules;
  const Shape shape{2, 3}, scalar{};
  const auto select = [&](std::vector<Shape> shapes) {
    rules.push_back({.primitive = "select_n",
                     .shapes = std::move(shapes),
                     .types = types::inexact,
                     .write = writeSelect,
                     .oracle = transposedLinear});
  };
  select({shape, shape, shape});
  select({shape, shape, shape, shape});
  select({scalar, {18}, {18}});
  select({scalar, shape, shape, shape, shape});
  // Below, on, between and above the bounds.
  const std::vector<Domain> whole{Domain{.low = -2, .high = -1, .wholeNumbers = true},
                                  Domain{.low = -3, .high = 3, .wholeNumbers = true},
                                  Domain{.low = 1, .high = 2, .wholeNumbers = true}};
  for (const auto& [low, high] : {std::pair(scalar, scalar), std::pair(shape, shape),
                                  std::pair(scalar, shape), std::pair(shape, scalar)}) {
    rules.push_back({.primitive = "clamp",
                     .shapes = {low, shape, high},
                     .domains = whole,
                     .write = writeClamp,
                     .oracle = clampOracle,
                     .units = 8});
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue
