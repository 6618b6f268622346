// The derivative of dot_general: a product's cotangents are products of the result's
// with the other operand, over the dimensions that this one does not have.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "golden/oracle/contraction.h"
#include "primitives/catalogue/derivatives/transposed.h"

namespace vintage::primitives::catalogue {
namespace {

struct DotUse {
  const char* label;
  Shape left, right;
  oracle::DotDimensions dimensions;
};

const DotUse kUses[] = {
    {"contract=1x0", {4, 3}, {3, 6}, {{}, {}, {1}, {0}}},
    {"contract=2x1", {3, 4, 4}, {3, 4, 4}, {{0}, {0}, {2}, {1}}},
    {"contract=0x0", {3}, {3}, {{}, {}, {0}, {0}}},
    {"contract=1x1", {3, 5}, {2, 5}, {{}, {}, {1}, {1}}},
    {"contract=0x0", {5, 3}, {5, 2}, {{}, {}, {0}, {0}}},
    {"contract=1-2x1-0", {2, 3, 4}, {4, 3, 5}, {{}, {}, {1, 2}, {1, 0}}},
    {"contract=x", {2, 3}, {4}, {{}, {}, {}, {}}},
    {"contract=2x1", {3, 2, 4}, {5, 4, 3}, {{0}, {2}, {2}, {1}}},
};

SsaValue dotOf(FunctionWriter& writer, const SsaValue& a, const SsaValue& b,
               const oracle::DotDimensions& d) {
  const SsaValue both[] = {a, b};
  const Shape shape = oracle::dotShape(a.shape, b.shape, d);
  std::string batch;
  if (!d.leftBatch.empty()) {
    batch = fmt::format(", batching_dims = {} x {}", listText(d.leftBatch), listText(d.rightBatch));
  }
  return writer.emit(a.type, shape,
                     fmt::format("stablehlo.dot_general {}{}, contracting_dims = {} x {} : ({}) -> "
                                 "{}",
                                 namesText(both), batch, listText(d.leftContracting),
                                 listText(d.rightContracting), typesText(both),
                                 tensorText(a.type, shape)));
}

// One of the operands, as the rule sees it: which of its dimensions do what.
struct Side {
  Shape batch, contracting, kept;
};

Side sideOf(size_t rank, const Shape& batch, const Shape& contracting) {
  Side side{batch, contracting, {}};
  for (size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (std::ranges::count(batch, axis) + std::ranges::count(contracting, axis) == 0) {
      side.kept.push_back(axis);
    }
  }
  return side;
}

// The cotangent of one side. `first`: whether its kept dimensions come first in `g`.
SsaValue cotangentOf(FunctionWriter& writer, const SsaValue& g, const Side& own,
                     const SsaValue& other, const Side& beside, bool first) {
  Shape batch(own.batch.size()), contracted(beside.kept.size());
  std::iota(batch.begin(), batch.end(), 0);
  std::iota(contracted.begin(), contracted.end(),
            static_cast<int64_t>(own.batch.size() + (first ? own.kept.size() : 0)));
  const SsaValue product =
      dotOf(writer, g, other, {batch, beside.batch, contracted, beside.kept});
  // The product has the batch, what was kept, and what was contracted in the order
  // of the other operand.
  std::vector<size_t> order(own.contracting.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return beside.contracting[i]; });
  Shape places = own.batch;
  places.insert(places.end(), own.kept.begin(), own.kept.end());
  for (size_t i : order) places.push_back(own.contracting[i]);
  Shape permutation(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    permutation[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
  }
  return std::ranges::is_sorted(permutation) ? product : writer.transpose(product, permutation);
}

SsaValues writeDot(const PullbackWriter& p, const DotUse& use) {
  const SsaValue &a = p.inputs[0], &b = p.inputs[1], &g = p.cotangents[0];
  const oracle::DotDimensions& d = use.dimensions;
  const Side left = sideOf(a.shape.size(), d.leftBatch, d.leftContracting);
  const Side right = sideOf(b.shape.size(), d.rightBatch, d.rightContracting);
  const SsaValue first = cotangentOf(p.writer, g, left, b, right, true);
  return {first, cotangentOf(p.writer, g, right, a, left, false)};
}

}  // namespace

DerivativeRules contractionDerivatives() {
  DerivativeRules rules;
  for (const DotUse& use : kUses) {
    rules.push_back({.primitive = "dot_general", .label = use.label,
                     .shapes = {use.left, use.right}, .types = types::inexact,
                     .besideIntegers = false,
                     .domains = {domains::kSmall},
                     .write = [&use](const PullbackWriter& p) { return writeDot(p, use); },
                     .oracle = transposedMultilinear,
                     .units = 16});
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue
