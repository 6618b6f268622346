// The derivative of ragged_dot_general with ragged rows: rows of each group meet
// the cotangent's rows of the same group.
#include <fmt/format.h>

#include "primitives/catalogue/derivatives/movement.h"
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {
namespace {

// How many rows are in the groups up to each one.
Expression groupEnds(FunctionWriter& writer, const SsaValue& sizes) {
  const int64_t groups = sizes.shape[0];
  const SsaValue zero = writer.constant(sizes.type, "0");
  const TensorType result{sizes.type, sizes.shape};
  const std::string text =
      fmt::format("\"stablehlo.reduce_window\"({}, {}) <{{padding = dense<[[{}, 0]]> : "
                  "tensor<1x2xi64>, window_dimensions = array<i64: {}>}}> ",
                  sizes.name, zero.name, groups - 1, groups);
  const SsaValue sums = writer.beginOperation({&result, 1}, text).front();
  const TensorType scalars[] = {{sizes.type, {}}, {sizes.type, {}}};
  writer.region(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
    return {writer.same("stablehlo.add", pair[0], pair[1])};
  });
  writer.append(fmt::format(" : ({}, {}) -> {}", typeText(sizes), typeText(zero), typeText(sums)));
  writer.endOperation();
  return {writer, sums};
}

// The matrix once for each group, with zeros in the rows of others.
SsaValue masked(FunctionWriter& writer, const SsaValue& matrix, const Expression& starts,
                const Expression& ends) {
  const Shape wide{ends.shape()[0], matrix.shape[0], matrix.shape[1]};
  static constexpr int64_t kGroup[] = {0}, kMatrix[] = {1, 2};
  const Expression row(writer, writer.iota(ends.type(), wide, 1));
  const Expression first(writer, writer.broadcast(starts, kGroup, wide));
  const Expression last(writer, writer.broadcast(ends, kGroup, wide));
  const Expression rows(writer, writer.broadcast(matrix, kMatrix, wide));
  return select((first <= row) & (row < last), rows, rows.like(0));
}

SsaValue contracted(FunctionWriter& writer, const SsaValue& a, const SsaValue& b, const Shape& left,
                    const Shape& right, const Shape& shape) {
  const SsaValue both[] = {a, b};
  return writer.emit(a.type, shape,
                     fmt::format("stablehlo.dot_general {}, contracting_dims = {} x {} : ({}) -> "
                                 "{}",
                                 namesText(both), listText(left), listText(right), typesText(both),
                                 tensorText(a.type, shape)));
}

SsaValues writeRaggedDot(const PullbackWriter& p) {
  FunctionWriter& writer = p.writer;
  const SsaValue &left = p.inputs[0], &right = p.inputs[1], &g = p.cotangents[0];
  const Expression ends = groupEnds(writer, p.inputs[2]);
  const Expression starts = ends - Expression(writer, p.inputs[2]);
  const SsaValue toLeft =
      contracted(writer, masked(writer, g, starts, ends), right, {0, 2}, {0, 2}, left.shape);
  return {toLeft,
          contracted(writer, masked(writer, left, starts, ends), g, {1}, {0}, right.shape)};
}

}  // namespace

DerivativeRules raggedDotDerivatives() {
  DerivativeRules rules;
  for (const auto& [label, left, right] :
       {std::tuple("groups=2-1-3", Shape{6, 3}, Shape{3, 3, 4}),
        std::tuple("groups=0-4-0", Shape{4, 3}, Shape{3, 3, 2}),
        std::tuple("groups=1-2", Shape{6, 2}, Shape{2, 2, 2})}) {
    rules.push_back({.primitive = "ragged_dot_general", .label = label,
                     .shapes = {left, right, {right[0]}}, .types = types::inexact,
                     .write = writeRaggedDot, .oracle = transposedMultilinear,
                     .units = 24,
                     .scale = 10});
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue
