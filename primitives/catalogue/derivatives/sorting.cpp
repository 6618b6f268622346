// Derivatives of sort, top_k and approx_top_k: a cotangent returns to the original position of its
// element, by the positions that were sorted along.
#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

constexpr ElementType kPosition = ElementType::kUi32;

// Adds each element of `g` to the place along `axis` that `positions` names.
SsaValue sentBack(const SsaValue& g, const SsaValue& positions, size_t axis, Shape shape) {
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
  const SsaValue indices = reshape(positions, std::move(vectors));
  const SsaValue zeros = g.builder->fill(g.type, 0, std::move(shape));
  return scatter("add", zeros, indices, g, dimensions);
}

struct SortUse {
  const char* label;
  std::vector<Shape> shapes;
  size_t dimension, keys;
  bool stable;
  std::span<const ElementType> types;
  Domain domain;
};

// Sorts once more, with the positions as another operand.
SsaValues writeSort(const Pullback& p, const SortUse& use) {
  SsaValues operands(p.inputs.begin(), p.inputs.end());
  const Shape shape = operands[0].shape;
  operands.push_back(p.builder.iota(kPosition, shape, static_cast<int64_t>(use.dimension)));
  const SsaValues sorted = sort(operands, use.dimension, use.keys, use.stable);
  SsaValues found;
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    if (!isInexact(p.inputs[i].type)) continue;
    found.push_back(sentBack(p.cotangents[i], sorted.back(), use.dimension, shape));
  }
  return found;
}

std::vector<Tensor> sortOracle(const PullbackValues& values, const SortUse& use) {
  std::vector<Tensor> results;
  for (const Tensor& input : values.inputs) results.emplace_back(input.type(), input.shape());
  oracle::forEachSortedLine(
      values.inputs.first(use.keys), use.dimension, [&](const auto& places, const auto& to) {
        for (size_t k = 0; k < results.size(); ++k) {
          if (values.cotangents[k].type() != results[k].type()) continue;  // A float0.
          for (size_t i = 0; i < places.size(); ++i)
            oracle::copyElement(values.cotangents[k], places[i], results[k], to[i]);
        }
      });
  std::erase_if(results, [](const Tensor& tensor) { return !isInexact(tensor.type()); });
  return results;
}

// The primitive's second result has the original positions of its elements along `axis`.
SsaValues writeTopK(const Pullback& p, size_t axis) {
  return {sentBack(p.cotangents[0], p.answers()[1], axis, p.inputs[0].shape)};
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

DerivativeRule topKRule(const char* primitive, std::string label, const Shape& shape, size_t axis) {
  return {.primitive = primitive,
          .label = std::move(label),
          .shapes = {shape},
          .write = [axis](const Pullback& p) { return writeTopK(p, axis); },
          .oracle = [axis](const PullbackValues& v) { return topKOracle(v, axis); }};
}

}  // namespace

VINTAGE_DERIVATIVES(sortingDerivatives) {
  static const SortUse kSorts[] = {
      {"dimension=0_keys=1_stable", {{5, 7}}, 0, 1, true, types::kInexact, domains::kFewEdges},
      {"dimension=0_keys=1_stable", {{100}}, 0, 1, true, types::kFloats, domains::kAllEdges},
      {"dimension=1_keys=1", {{5, 7}}, 1, 1, false, types::kInexact, {.distinct = true}},
      {"dimension=0_keys=1_stable", {{100}, {100}}, 0, 1, true, types::kFloats, domains::kTies},
      {"dimension=0_keys=1_stable", {{40}, {40}}, 0, 1, true, types::kInexact, domains::kTies},
      {"dimension=0_keys=2_stable",
       {{100}, {100}, {100}},
       0,
       2,
       true,
       types::kFloats,
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
  for (const char* label : {"k=3_dimension=0_max=true", "k=3_dimension=0_max=false"})
    rules.push_back(topKRule("approx_top_k", label, {15}, 0));
  rules.push_back(topKRule("approx_top_k", "k=2_dimension=1_max=true", {4, 6}, 1));
  rules.push_back(topKRule("approx_top_k", "k=6_dimension=0_max=false", {6, 4}, 0));
  return rules;
}

}  // namespace vintage::primitives
