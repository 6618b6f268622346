// Derivatives of sort, top_k and approx_top_k: a cotangent goes back to where its element came
// from, by the positions that were sorted along.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

constexpr ElementType kPosition = ElementType::kUi32;

// Adds each element of `g` to the place along `axis` that `positions` names.
SsaValue sentBack(FunctionBuilder& builder, const SsaValue& g, const SsaValue& positions,
                  size_t axis, Shape shape, bool unique) {
  oracle::IndexingDimensions dimensions;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto dimension = static_cast<int64_t>(i);
    if (i == axis) {
      dimensions.collapsed = dimensions.startIndexMap = {dimension};
      continue;
    }
    dimensions.operandBatching.push_back(dimension);
    dimensions.indicesBatching.push_back(dimension);
  }
  dimensions.indexVector = static_cast<int64_t>(shape.size());
  Shape vectors = positions.shape;
  vectors.push_back(1);
  const SsaValue indices = builder.reshape(positions, std::move(vectors));
  const SsaValue zeros = builder.fill(g.type, 0, std::move(shape));
  return scatter(builder, "add", zeros, indices, g, dimensions, {.unique = unique});
}

struct SortUse {
  const char* label;
  std::vector<Shape> shapes;
  size_t dimension, keys;
  bool stable;
  std::span<const ElementType> (*types)();
  Domain domain;
};

// The sort once more, with the positions as another operand.
SsaValues writeSort(const Pullback& p, const SortUse& use) {
  FunctionBuilder& builder = p.builder;
  SsaValues operands(p.inputs.begin(), p.inputs.end());
  const Shape shape = operands[0].shape;
  operands.push_back(builder.iota(kPosition, shape, static_cast<int64_t>(use.dimension)));
  const SsaValues sorted = sort(builder, operands, use.dimension, use.keys, use.stable);
  SsaValues found;
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    const ElementType type = p.inputs[i].type;
    if (!isFloat(type) && !isComplex(type)) continue;
    found.push_back(sentBack(builder, p.cotangents[i], sorted.back(), use.dimension, shape, false));
  }
  return found;
}

// Below zero, zero or above: NaN after everything, zeros of both signs equal.
int compareReals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) - std::isnan(b);
  return (a > b) - (a < b);
}
int compareNumbers(const oracle::Number& a, const oracle::Number& b) {
  if (a.integer != b.integer) return a.integer < b.integer ? -1 : 1;
  const int byReal = compareReals(a.real, b.real);
  return byReal != 0 ? byReal : compareReals(a.imaginary, b.imaginary);
}

std::vector<Tensor> sortOracle(const PullbackValues& values, const SortUse& use) {
  const Shape& shape = values.inputs[0].shape();
  const int64_t size = shape[use.dimension];
  const int64_t stride = oracle::stridesOf(shape)[use.dimension];
  std::vector<Tensor> results;
  for (const Tensor& input : values.inputs) results.emplace_back(input.type(), shape);
  Shape lines = shape;
  lines[use.dimension] = 1;
  oracle::forEachIndex(lines, [&](const Shape& first) {
    const int64_t start = oracle::positionOf(shape, first);
    std::vector<int64_t> order(static_cast<size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int64_t a, int64_t b) {
      for (size_t key = 0; key < use.keys; ++key) {
        const Tensor& by = values.inputs[key];
        const int sign = compareNumbers(oracle::load(by, start + a * stride),
                                        oracle::load(by, start + b * stride));
        if (sign != 0) return sign < 0;
      }
      return a < b;
    });
    for (size_t k = 0; k < results.size(); ++k) {
      if (values.cotangents[k].type() != results[k].type()) continue;  // A float0.
      for (int64_t i = 0; i < size; ++i) {
        oracle::copyElement(values.cotangents[k], start + i * stride, results[k],
                            start + order[static_cast<size_t>(i)] * stride);
      }
    }
  });
  std::erase_if(results, [](const Tensor& tensor) {
    return !isFloat(tensor.type()) && !isComplex(tensor.type());
  });
  return results;
}

// The primitive's second result says where along `axis` its elements were.
SsaValues writeTopK(const Pullback& p, size_t axis) {
  const SsaValues found = p.answers();
  return {sentBack(p.builder, p.cotangents[0], found[1], axis, p.inputs[0].shape, false)};
}

std::vector<Tensor> topKOracle(const PullbackValues& values, size_t axis) {
  const Tensor& x = values.inputs[0];
  const Tensor positions = values.primal(values.inputs).value()[1];
  Tensor result(x.type(), x.shape());
  int64_t position = 0;
  oracle::forEachIndex(positions.shape(), [&](Shape at) {
    at[axis] = static_cast<int64_t>(oracle::load(positions, position).integer);
    oracle::copyElement(values.cotangents[0], position++, result,
                        oracle::positionOf(x.shape(), at));
  });
  return {std::move(result)};
}

DerivativeRule topKRule(const char* primitive, std::string label, const Shape& shape,
                        size_t axis) {
  return {.primitive = primitive,
          .label = std::move(label),
          .shapes = {shape},
          .write = [axis](const Pullback& p) { return writeTopK(p, axis); },
          .oracle = [axis](const PullbackValues& v) { return topKOracle(v, axis); }};
}

}  // namespace

VINTAGE_DERIVATIVES(sortingDerivatives) {
  static const SortUse kSorts[] = {
      {"dimension=0_keys=1_stable", {{5, 7}}, 0, 1, true, types::inexact, domains::kFewEdges},
      {"dimension=0_keys=1_stable", {{100}}, 0, 1, true, types::floats, domains::kAllEdges},
      {"dimension=1_keys=1", {{5, 7}}, 1, 1, false, types::inexact, {.distinct = true}},
      {"dimension=0_keys=1_stable", {{100}, {100}}, 0, 1, true, types::floats, domains::kTies},
      {"dimension=0_keys=1_stable", {{40}, {40}}, 0, 1, true, types::inexact, domains::kTies},
      {"dimension=0_keys=2_stable", {{100}, {100}, {100}}, 0, 2, true, types::floats,
       domains::kTies}};
  DerivativeRules rules;
  for (const SortUse& use : kSorts) {
    rules.push_back({.primitive = "sort",
                     .label = use.label,
                     .shapes = use.shapes,
                     .types = use.types,
                     .domains = {use.domain},
                     .write = [&use](const Pullback& p) { return writeSort(p, use); },
                     .oracle = [&use](const PullbackValues& v) { return sortOracle(v, use); }});
  }
  for (const auto& [label, shape] : {std::pair("k=5", Shape{15}), std::pair("k=2", Shape{5, 3}),
                                     std::pair("k=6", Shape{3, 4, 6})}) {
    rules.push_back(topKRule("top_k", label, shape, shape.size() - 1));
  }
  for (const char* label : {"k=3_dimension=0_max=true", "k=3_dimension=0_max=false"}) {
    rules.push_back(topKRule("approx_top_k", label, {15}, 0));
  }
  rules.push_back(topKRule("approx_top_k", "k=2_dimension=1_max=true", {4, 6}, 1));
  rules.push_back(topKRule("approx_top_k", "k=6_dimension=0_max=false", {6, 4}, 0));
  return rules;
}

}  // namespace vintage::primitives
