// gather, in JAX's three modes for indices that point outside.
#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/indexing/indexing_cases.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// JAX's fill value: NaN, the lowest signed or highest unsigned integer, true.
Tensor fillTensor(ElementType type) {
  return filledWith(
      type, {},
      {isSignedInteger(type) ? oracle::lowest(type) : oracle::highest(type), oracle::kNan});
}

// Whether each slice is inside: a predicate for each index vector.
SsaValue insideMask(const SsaValue& indices, const IndexingUse& use) {
  FunctionBuilder& main = *indices.builder;
  const SsaValue zero = main.fill(ElementType::kI32, 0, indices.shape);
  const SsaValue atLeast = compare("GE", indices, zero);
  const SsaValue highest = main.constant(ElementType::kI32, highestStarts(use));
  const int64_t vectorDimension[] = {use.dimensions.indexVector};
  Shape vector(indices.shape.size(), 1);
  vector[static_cast<size_t>(vectorDimension[0])] = highest.shape[0];
  const SsaValue row = broadcast(highest, vectorDimension, vector);
  const SsaValue limits = broadcast(row, leadingAxes(indices.shape.size()), indices.shape);
  const SsaValue atMost = compare("LE", indices, limits);
  const SsaValue both = atLeast & atMost;
  return reduceAlong("and", both, vectorDimension);
}

SsaValues emitGather(Arguments arguments, const IndexingUse& use, IndexMode mode) {
  const SsaValue &operand = arguments[0], &indices = arguments[1];
  SsaValue mask;
  if (mode == IndexMode::kFillOrDrop) mask = insideMask(indices, use);
  const SsaValue gathered = gather(operand, indices, use.dimensions, use.slice);
  const Shape& shape = gathered.shape;
  if (mode != IndexMode::kFillOrDrop) return {gathered};
  const Shape batch = oracle::otherAxes(shape.size(), use.dimensions.offset);
  const SsaValue wide = mask.shape == shape ? mask : broadcast(mask, batch, shape);
  const SsaValue fill = arguments[0].builder->fill(fillTensor(operand.type), shape);
  return {select(wide, gathered, fill)};
}

CaseSpecification gatherCase(ElementType type, const IndexingUse& use, IndexMode mode) {
  return {.primitive = "gather",
          .label = fmt::format("{}_mode={}", use.name, indexModeName(mode)),
          .arguments = {{type, use.operand}, {ElementType::kI32, use.indices}},
          .emit = [use, mode](Arguments x) { return emitGather(x, use, mode); },
          .expect =
              [use, mode, type](Tensors inputs) {
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
              }};
}

}  // namespace

VINTAGE_FAMILY(addGatherCases) {
  for (ElementType type : types::kAll) {
    for (const IndexingUse& use : indexingUses()) {
      for (IndexMode mode : kIndexModes) cases.add(gatherCase(type, use, mode));
    }
    cases.addPoly([&](Sizes s) {
      return gatherCase(type, {"rows", {s.b, 5}, {s.c, 1}, {1, 3}, {{1}, {0}, {}, {}, {0}, 1}},
                        IndexMode::kFillOrDrop);
    });
    cases.addPoly([&](Sizes s) {
      return gatherCase(type, {"columns", {s.b, 5}, {2, 1}, {s.b, 1}, {{1}, {1}, {}, {}, {1}, 1}},
                        IndexMode::kClip);
    });
  }
}

}  // namespace vintage::primitives
