// gather, in JAX's three modes for indices that point outside.
#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "primitives/catalogue/families.h"
#include "primitives/catalogue/indexing/indexing_cases.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// What JAX fills with: NaN, the lowest signed or highest unsigned integer, true.
Tensor fillTensor(ElementType type) {
  Tensor fill(type, {});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  oracle::store(fill, 0,
                {isSignedInteger(type) ? oracle::lowest(type) : oracle::highest(type), nan, 0});
  return fill;
}

// Whether each slice is inside: a predicate for each index vector.
SsaValue insideMask(FunctionBuilder& main, const SsaValue& indices, const IndexingUse& use) {
  const SsaValue zero = main.fill(ElementType::kI32, 0, indices.shape);
  const SsaValue atLeast = main.compare("GE", indices, zero);
  const SsaValue highest = main.constant(ElementType::kI32, highestStarts(use));
  const int64_t vectorDimension[] = {use.dimensions.indexVector};
  Shape vector(indices.shape.size(), 1), all(indices.shape.size());
  vector[static_cast<size_t>(vectorDimension[0])] = highest.shape[0];
  std::iota(all.begin(), all.end(), 0);
  const SsaValue row = main.broadcast(highest, vectorDimension, vector);
  const SsaValue limits = main.broadcast(row, all, indices.shape);
  const SsaValue atMost = main.compare("LE", indices, limits);
  const SsaValue both = main.same("stablehlo.and", atLeast, atMost);
  return reduceAlong(main, "and", both, vectorDimension);
}

SsaValues emitGather(FunctionBuilder& main, Arguments arguments, const IndexingUse& use,
                     IndexMode mode) {
  const SsaValue &operand = arguments[0], &indices = arguments[1];
  SsaValue mask;
  if (mode == IndexMode::kFillOrDrop) mask = insideMask(main, indices, use);
  const SsaValue gathered = gather(main, operand, indices, use.dimensions, use.slice);
  const Shape& shape = gathered.shape;
  if (mode != IndexMode::kFillOrDrop) return {gathered};
  Shape batch;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (std::find(use.dimensions.offset.begin(), use.dimensions.offset.end(), axis) ==
        use.dimensions.offset.end()) {
      batch.push_back(axis);
    }
  }
  const SsaValue wide = mask.shape == shape ? mask : main.broadcast(mask, batch, shape);
  const SsaValue fill = main.fill(fillTensor(operand.type), shape);
  return {main.select(wide, gathered, fill)};
}

void addGather(CaseList& cases, ElementType type, const IndexingUse& use, IndexMode mode) {
  cases.add({.primitive = "gather",
             .label = fmt::format("{}_mode={}", use.name, indexModeName(mode)),
             .arguments = {{type, use.operand}, {ElementType::kI32, use.indices}},
             .emit = [use, mode](FunctionBuilder& main, Arguments arguments) {
               return emitGather(main, arguments, use, mode);
             },
             .expect = [use, mode, type](Tensors inputs) {
               const Tensor fill = fillTensor(type);
               return oracle::gather(inputs[0], inputs[1], use.dimensions, use.slice,
                                     mode == IndexMode::kFillOrDrop ? &fill : nullptr);
             },
             .oracle = "definition",
             .makeInputs =
                 [type, use, mode](Random& random) {
                   return std::vector<Tensor>{
                       makeInput(type, use.operand, domains::kFewEdges, random),
                       makeIndices(use, false, mode != IndexMode::kPromiseInBounds, random)};
                 }});
}

}  // namespace

VINTAGE_FAMILY(addGatherCases) {
  for (ElementType type : types::all()) {
    for (const IndexingUse& use : indexingUses()) {
      for (IndexMode mode : kIndexModes) addGather(cases, type, use, mode);
    }
    cases.addPoly([&](CaseList& list, Sizes s) {
      addGather(list, type,
                {"rows", {s.b, 5}, {s.c, 1}, {1, 3}, {{1}, {0}, {}, {}, {0}, 1}},
                IndexMode::kFillOrDrop);
    });
    cases.addPoly([&](CaseList& list, Sizes s) {
      addGather(list, type,
                {"columns", {s.b, 5}, {2, 1}, {s.b, 1}, {{1}, {1}, {}, {}, {1}, 1}},
                IndexMode::kClip);
    });
  }
}

}  // namespace vintage::primitives
