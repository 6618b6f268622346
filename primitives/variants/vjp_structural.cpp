// Derivatives of what moves, repeats and sums elements: each is the transposed
// map, exact but where it sums.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/contraction.h"
#include "golden/oracle/data_movement.h"
#include "golden/oracle/reduction.h"
#include "primitives/lowering/fold.h"
#include "primitives/variants/vjp.h"

namespace vintage {
namespace {

using Values = std::span<const SsaValue>;
using Tensors = std::span<const Tensor>;

// `text` between the operation's name and its types has the operand's name in
// the place of {}.
SsaValue written(FunctionWriter& writer, const SsaValue& operand, Shape shape,
                 const std::string& before, const std::string& after) {
  const std::string result = tensorText(operand.type, shape);
  return writer.emit(operand.type, std::move(shape),
                     fmt::format("{} {}{} : ({}) -> {}", before, operand.name, after,
                                 typeText(operand), result));
}

SsaValue sliceOf(FunctionWriter& writer, const SsaValue& operand, const Shape& start,
                 const Shape& limit) {
  std::vector<std::string> ranges;
  Shape shape;
  for (size_t i = 0; i < start.size(); ++i) {
    ranges.push_back(fmt::format("{}:{}", start[i], limit[i]));
    shape.push_back(limit[i] - start[i]);
  }
  return written(writer, operand, shape, "stablehlo.slice",
                 fmt::format(" [{}]", fmt::join(ranges, ", ")));
}

SsaValue padOf(FunctionWriter& writer, const SsaValue& operand, const Shape& low, const Shape& high,
               const Shape& interior, Shape shape) {
  const SsaValue both[] = {operand, writer.number(operand.type, 0)};
  const std::string result = tensorText(operand.type, shape);
  return writer.emit(operand.type, std::move(shape),
                     fmt::format("stablehlo.pad {}, low = {}, high = {}, interior = {} : ({}) -> {}",
                                 namesText(both), listText(low), listText(high), listText(interior),
                                 typesText(both), result));
}

Tensor zeroOf(ElementType type) {
  Tensor zero(type, {});
  oracle::store(zero, 0, {});
  return zero;
}

DerivativeRule rule(std::string primitive, std::string label,
                    std::function<SsaValues(FunctionWriter&, Values)> emit,
                    std::function<std::vector<Tensor>(Tensors)> oracle, double units = 0) {
  return {std::move(primitive), std::move(label), Domain{.low = -2, .high = 2}, std::move(emit),
          std::move(oracle), units};
}

// A product's cotangents are products with the other operand.
DerivativeRule dotRule() {
  const auto dot = [](FunctionWriter& writer, const SsaValue& a, const SsaValue& b, int64_t left,
                      int64_t right, Shape shape) {
    const SsaValue both[] = {a, b};
    const std::string result = tensorText(a.type, shape);
    return writer.emit(a.type, std::move(shape),
                       fmt::format("stablehlo.dot_general {}, contracting_dims = [{}] x [{}] : ({}) "
                                   "-> {}",
                                   namesText(both), left, right, typesText(both), result));
  };
  static constexpr int64_t kSwapped[] = {1, 0};
  return rule(
      "dot_general", "contract=1x0",
      [dot](FunctionWriter& writer, Values v) -> SsaValues {
        const SsaValue &a = v[0], &b = v[1], &g = v[2];
        const SsaValue left = dot(writer, g, b, 1, 1, {a.shape[0], a.shape[1]});
        const SsaValue right = dot(writer, g, a, 0, 0, {b.shape[1], b.shape[0]});
        return {left, writer.transpose(right, kSwapped)};
      },
      [](Tensors v) {
        const Tensor right = oracle::dotGeneral(v[2], v[0], {{}, {}, {0}, {0}}, v[0].type());
        return std::vector<Tensor>{oracle::dotGeneral(v[2], v[1], {{}, {}, {1}, {1}}, v[0].type()),
                                   oracle::transposed(right, kSwapped)};
      },
      16);
}

}  // namespace

std::vector<DerivativeRule> structuralDerivatives() {
  static constexpr int64_t kFirst[] = {0}, kLast[] = {1}, kSwapped[] = {1, 0};
  std::vector<DerivativeRule> rules;
  const auto reshaped = [&](const char* primitive, const char* label) {
    rules.push_back(rule(
        primitive, label,
        [](FunctionWriter& writer, Values v) -> SsaValues {
          return {writer.reshape(v[1], v[0].shape)};
        },
        [](Tensors v) { return std::vector<Tensor>{*v[1].reshaped(v[0].shape())}; }));
  };
  reshaped("reshape", "new=3-2");
  reshaped("squeeze", "dims=0-2");
  reshaped("expand_dims", "dims=1");
  rules.push_back(rule(
      "broadcast_in_dim", "shape=2-3_dims=0",
      [](FunctionWriter& writer, Values v) -> SsaValues {
        return {reduceAlong(writer, "add", v[1], kLast)};
      },
      [](Tensors v) { return std::vector<Tensor>{oracle::reduced("add", v[1], kLast)}; }, 8));
  rules.push_back(rule(
      "transpose", "permutation=1-0",
      [](FunctionWriter& writer, Values v) -> SsaValues {
        return {writer.transpose(v[1], kSwapped)};
      },
      [](Tensors v) { return std::vector<Tensor>{oracle::transposed(v[1], kSwapped)}; }));
  rules.push_back(rule(
      "rev", "dims=0",
      [](FunctionWriter& writer, Values v) -> SsaValues {
        return {writer.emit(v[1].type, v[1].shape,
                            fmt::format("stablehlo.reverse {}, dims = [0] : {}", v[1].name,
                                        typeText(v[1])))};
      },
      [](Tensors v) { return std::vector<Tensor>{oracle::reversed(v[1], kFirst)}; }));
  rules.push_back(rule(
      "slice", "start=1-0_limit=3-4_strides=1-2",
      [](FunctionWriter& writer, Values v) -> SsaValues {
        return {padOf(writer, v[1], {1, 0}, {0, 1}, {0, 1}, v[0].shape)};
      },
      [](Tensors v) {
        static constexpr int64_t kLow[] = {1, 0}, kHigh[] = {0, 1}, kInterior[] = {0, 1};
        return std::vector<Tensor>{
            oracle::padded(v[1], zeroOf(v[1].type()), kLow, kHigh, kInterior)};
      }));
  rules.push_back(rule(
      "concatenate", "dim=0",
      [](FunctionWriter& writer, Values v) -> SsaValues {
        return {sliceOf(writer, v[2], {0, 0}, {2, 3}), sliceOf(writer, v[2], {2, 0}, {4, 3})};
      },
      [](Tensors v) {
        static constexpr int64_t kStart[] = {0, 0}, kMiddle[] = {2, 0}, kHalf[] = {2, 3},
                                 kEnd[] = {4, 3}, kSteps[] = {1, 1};
        return std::vector<Tensor>{oracle::sliced(v[2], kStart, kHalf, kSteps),
                                   oracle::sliced(v[2], kMiddle, kEnd, kSteps)};
      }));
  // The value's cotangent is the sum of all less the operand's.
  rules.push_back(rule(
      "pad", "low=1-2_high=1-2_interior=0-0",
      [](FunctionWriter& writer, Values v) -> SsaValues {
        static constexpr int64_t kBoth[] = {0, 1};
        const SsaValue operand = sliceOf(writer, v[2], {1, 2}, {3, 5});
        const SsaValue all = reduceAlong(writer, "add", v[2], kBoth);
        const SsaValue inner = reduceAlong(writer, "add", operand, kBoth);
        return {operand, writer.same("stablehlo.subtract", all, inner)};
      },
      [](Tensors v) {
        static constexpr int64_t kStart[] = {1, 2}, kEnd[] = {3, 5}, kSteps[] = {1, 1};
        oracle::Quad sum = 0;
        int64_t position = 0;
        oracle::forEachIndex(v[2].shape(), [&](const Shape& at) {
          const bool inside = at[0] >= 1 && at[0] < 3 && at[1] >= 2 && at[1] < 5;
          const double value = oracle::load(v[2], position++).real;
          if (!inside) sum += value;
        });
        Tensor rest(v[2].type(), {});
        oracle::store(rest, 0, {0, oracle::roundTo(rest.type(), sum), 0});
        return std::vector<Tensor>{oracle::sliced(v[2], kStart, kEnd, kSteps), rest};
      },
      64));
  rules.push_back(rule(
      "reduce_sum", "axes=0",
      [](FunctionWriter& writer, Values v) -> SsaValues {
        return {writer.broadcast(v[1], kLast, v[0].shape)};
      },
      [](Tensors v) {
        return std::vector<Tensor>{oracle::broadcastInDim(v[1], v[0].shape(), kLast)};
      }));
  rules.push_back(rule(
      "cumsum", "axis=0_reverse=false",
      [](FunctionWriter& writer, Values v) -> SsaValues {
        // The sum from each element to the end, by a window that is padded behind.
        const SsaValue zero = writer.number(v[1].type, 0);
        const TensorType result{v[1].type, v[1].shape};
        const int64_t length = v[1].shape[0];
        const SsaValue summed =
            writer.beginOperation({&result, 1},
                                  fmt::format("\"stablehlo.reduce_window\"({}, {}) <{{padding = "
                                              "dense<[[0, {}], [0, 0]]> : tensor<2x2xi64>, "
                                              "window_dimensions = array<i64: {}, 1>}}> ",
                                              v[1].name, zero.name, length - 1, length))[0];
        const TensorType scalars[] = {{v[1].type, {}}, {v[1].type, {}}};
        writer.region(scalars, [&](Values pair) -> SsaValues {
          return {combined(writer, "add", pair[0], pair[1])};
        });
        writer.append(fmt::format(" : ({}, {}) -> {}", typeText(v[1]), typeText(zero),
                                  typeText(v[1])));
        writer.endOperation();
        return {summed};
      },
      [](Tensors v) { return std::vector<Tensor>{oracle::cumulative("add", v[1], 0, true)}; }, 32));
  rules.push_back(dotRule());
  return rules;
}

}  // namespace vintage
