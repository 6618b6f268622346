// Derivatives of dynamic_slice and dynamic_update_slice: each is written with the
// other one, at the same start.
#include <fmt/format.h>

#include "primitives/catalogue/derivatives/movement.h"
#include "primitives/catalogue/derivatives/transposed.h"

namespace vintage::primitives::catalogue {
namespace {

struct StartUse {
  const char *slice, *update;  // Labels.
  Shape operand, sizes;
};
const StartUse kUses[] = {
    {"start=1_sizes=1", "start=1", {3}, {1}},
    {"start=4_sizes=3", "start=4", {5}, {3}},      // Beyond the end: clamped.
    {"start=m1_sizes=3", "start=m1", {7}, {3}},    // From the end.
    {"start=1-1_sizes=2-2", "start=1-1", {5, 3}, {2, 2}},
};

// The start of each dimension; JAX counts negative ones from the end.
SsaValues startsOf(FunctionWriter& writer, const SsaValue& indices, const Shape& operand) {
  SsaValues starts;
  for (size_t i = 0; i < operand.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    SsaValue start = writer.reshape(sliceOf(writer, indices, {at}, {at + 1}), {});
    if (isSignedInteger(indices.type)) {
      const SsaValue size = writer.number(indices.type, static_cast<double>(operand[i]));
      const SsaValue negative = writer.compare("LT", start, writer.number(indices.type, 0));
      start = writer.select(negative, writer.same("stablehlo.add", start, size), start);
    }
    starts.push_back(std::move(start));
  }
  return starts;
}

SsaValue updated(FunctionWriter& writer, const SsaValue& operand, const SsaValue& update,
                 const SsaValues& starts) {
  SsaValues all{operand, update};
  all.insert(all.end(), starts.begin(), starts.end());
  return writer.emit(operand.type, operand.shape,
                     fmt::format("stablehlo.dynamic_update_slice {} : ({}) -> {}", namesText(all),
                                 typesText(all), typeText(operand)));
}

SsaValue cut(FunctionWriter& writer, const SsaValue& operand, const SsaValues& starts,
             const Shape& sizes) {
  SsaValues all{operand};
  all.insert(all.end(), starts.begin(), starts.end());
  return writer.emit(operand.type, sizes,
                     fmt::format("stablehlo.dynamic_slice {}, sizes = {} : ({}) -> {}",
                                 namesText(all), listText(sizes), typesText(all),
                                 tensorText(operand.type, sizes)));
}

SsaValues writeSlice(const PullbackWriter& p) {
  const SsaValue zeros = zerosLike(p.writer, p.inputs[0]);
  const SsaValues starts = startsOf(p.writer, p.inputs[1], p.inputs[0].shape);
  return {updated(p.writer, zeros, p.cotangents[0], starts)};
}

// What was written over does not depend on the operand.
SsaValues writeUpdate(const PullbackWriter& p) {
  const SsaValue& g = p.cotangents[0];
  const SsaValues starts = startsOf(p.writer, p.inputs[2], p.inputs[0].shape);
  const SsaValue operand = updated(p.writer, g, zerosLike(p.writer, p.inputs[1]), starts);
  return {operand, cut(p.writer, g, starts, p.inputs[1].shape)};
}

}  // namespace

DerivativeRules dynamicSliceDerivatives() {
  DerivativeRules rules;
  for (const StartUse& use : kUses) {
    const Shape rank{static_cast<int64_t>(use.operand.size())};
    rules.push_back({.primitive = "dynamic_slice", .label = use.slice,
                     .shapes = {use.operand, rank}, .types = types::inexact,
                     .write = writeSlice, .oracle = transposedLinear});
    rules.push_back({.primitive = "dynamic_update_slice", .label = use.update,
                     .shapes = {use.operand, use.sizes, rank}, .types = types::inexact,
                     .write = writeUpdate, .oracle = transposedLinear});
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue
