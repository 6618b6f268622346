// Derivatives of functions that move and repeat elements: each is the transposed map. reshape,
// squeeze, expand_dims, broadcast_in_dim, transpose, rev, slice, concatenate, split.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

SsaValues writeReshape(const Pullback& p) { return {reshape(p.cotangents[0], p.inputs[0].shape)}; }

// Sums over added dimensions, and over stretched dimensions of size one.
DerivativeRule broadcastRule(std::string label, const Shape& from, const Shape& dimensions) {
  return linearRule(
      "broadcast_in_dim", std::move(label), {from},
      [dimensions](const Pullback& p) -> SsaValues {
        const SsaValue &g = p.cotangents[0], &x = p.inputs[0];
        Shape axes;
        for (size_t i = 0; i < g.shape.size(); ++i) {
          const auto axis = static_cast<int64_t>(i);
          const auto found = std::ranges::find(dimensions, axis);
          const bool kept = found != dimensions.end() &&
                            x.shape[static_cast<size_t>(found - dimensions.begin())] != 1;
          if (!kept) axes.push_back(axis);
        }
        const SsaValue sum = reduceAlong("add", g, axes);
        return {sum.shape == x.shape ? sum : reshape(sum, x.shape)};
      },
      8);
}

DerivativeRule transposeRule(std::string label, const Shape& shape, const Shape& permutation) {
  return linearRule(
      "transpose", std::move(label), {shape},
      [inverse = oracle::inversePermutation(permutation)](const Pullback& p) -> SsaValues {
        return {transpose(p.cotangents[0], inverse)};
      });
}

DerivativeRule reverseRule(std::string label, const Shape& shape, const Shape& dimensions) {
  return linearRule("rev", std::move(label), {shape}, [dimensions](const Pullback& p) -> SsaValues {
    return {reverse(p.cotangents[0], dimensions)};
  });
}

DerivativeRule sliceRule(const Shape& shape, const Shape& start, const Shape& limit,
                         const Shape& strides) {
  return linearRule(
      "slice",
      fmt::format("start={}_limit={}_strides={}", dashed(start), dashed(limit), dashed(strides)),
      {shape}, [=](const Pullback& p) -> SsaValues {
        const SsaValue& g = p.cotangents[0];
        Shape high, interior;
        for (size_t i = 0; i < shape.size(); ++i) {
          const int64_t reached = start[i] + 1 + (g.shape[i] - 1) * strides[i];
          high.push_back(shape[i] - reached);
          interior.push_back(strides[i] - 1);
        }
        const SsaValue zero = p.builder.number(g.type, 0);
        return {pad(g, zero, start, high, interior)};
      });
}

DerivativeRule concatenateRule(std::string label, std::vector<Shape> shapes, size_t axis) {
  return linearRule("concatenate", std::move(label), shapes,
                    [axis](const Pullback& p) -> SsaValues {
                      SsaValues results;
                      const SsaValue& g = p.cotangents[0];
                      Shape start(g.shape.size(), 0), limit = g.shape;
                      for (const SsaValue& input : p.inputs) {
                        limit[axis] = start[axis] + input.shape[axis];
                        results.push_back(slice(g, start, limit));
                        start[axis] = limit[axis];
                      }
                      return results;
                    });
}

DerivativeRule splitRule(std::string label, const Shape& shape, size_t axis) {
  return linearRule("split", std::move(label), {shape}, [axis](const Pullback& p) -> SsaValues {
    return {concatenate(p.cotangents, axis)};
  });
}

}  // namespace

VINTAGE_DERIVATIVES(shapeDerivatives) {
  return {linearRule("reshape", "new=3-2", {{2, 3}}, writeReshape),
          linearRule("reshape", "new=6", {{2, 3}}, writeReshape),
          linearRule("reshape", "new=scalar", {{1, 1}}, writeReshape),
          linearRule("squeeze", "dims=0-2", {{1, 2, 1, 3}}, writeReshape),
          linearRule("squeeze", "dims=0-1", {{1, 1}}, writeReshape),
          linearRule("expand_dims", "dims=1", {{2, 3}}, writeReshape),
          broadcastRule("shape=2-3_dims=0", {2}, {0}),
          broadcastRule("shape=4-3-2_dims=0-2", {1, 2}, {0, 2}),
          broadcastRule("shape=2-3_dims=", {}, {}),
          transposeRule("permutation=1-0", {2, 3}, {1, 0}),
          transposeRule("permutation=2-0-1", {2, 3, 4}, {2, 0, 1}),
          reverseRule("dims=0", {4, 5}, {0}),
          reverseRule("dims=0-2", {2, 3, 4}, {0, 2}),
          sliceRule({3, 4}, {1, 0}, {3, 4}, {1, 2}),
          sliceRule({8}, {1}, {6}, {2}),
          sliceRule({7, 5, 3}, {4, 0, 1}, {7, 1, 3}, {1, 1, 1}),
          concatenateRule("dim=0", {{2, 3}, {2, 3}}, 0),
          concatenateRule("dim=1", {{2, 3}, {2, 2}}, 1),
          splitRule("sizes=2-4_axis=0", {6}, 0),
          splitRule("sizes=1-2-2_axis=1", {4, 5}, 1)};
}

}  // namespace vintage::primitives
