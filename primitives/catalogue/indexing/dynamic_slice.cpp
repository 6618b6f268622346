// dynamic_slice, dynamic_update_slice: start indices are clamped so that the
// slice stays inside.
#include <algorithm>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/rule.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct Start {
  Shape operand, slice, start;
};

const Start kStarts[] = {
    {{3}, {1}, {1}},
    {{5}, {3}, {4}},   // Beyond the end: clamped.
    {{7}, {3}, {-1}},  // JAX counts negative indices from the end.
    {{5, 3}, {2, 2}, {1, 1}},
    {{7, 5, 3}, {2, 0, 1}, {4, 1, 0}},
    {{}, {}, {}},
};

std::string labelOf(const Start& start) {
  return "start=" + (start.start == Shape{-1} ? "m1" : dashed(start.start));
}

std::string sliceLabel(const Start& start) {
  return labelOf(start) + "_sizes=" + dashed(start.slice);
}

// The indices as scalars of @main, where JAX takes them from one array.
SsaValues startScalars(const SsaValue& indices, const Start& start) {
  FunctionBuilder& main = *indices.builder;
  SsaValues scalars;
  for (size_t i = 0; i < start.start.size(); ++i)
    scalars.push_back(element(indices, static_cast<int64_t>(i)));
  if (!isSignedInteger(indices.type)) return scalars;
  for (size_t i = 0; i < scalars.size(); ++i) {
    const SsaValue zero = main.number(indices.type, 0);
    const SsaValue size = main.number(indices.type, static_cast<double>(start.operand[i]));
    const SsaValue negative = compare("LT", scalars[i], zero);
    const SsaValue fromEnd = scalars[i] + size;
    scalars[i] = select(negative, fromEnd, scalars[i]);
  }
  return scalars;
}

Tensor startTensor(ElementType type, const Start& start) {
  Tensor indices(type, {static_cast<int64_t>(start.start.size())});
  for (size_t i = 0; i < start.start.size(); ++i)
    oracle::store(indices, static_cast<int64_t>(i), {start.start[i]});
  return indices;
}

Shape clampedStarts(const Tensor& indices, const Start& start) {
  Shape result;
  for (size_t i = 0; i < start.start.size(); ++i) {
    auto value = static_cast<int64_t>(oracle::load(indices, static_cast<int64_t>(i)).integer);
    if (value < 0) value += start.operand[i];
    result.push_back(std::clamp<int64_t>(value, 0, start.operand[i] - start.slice[i]));
  }
  return result;
}

CaseSpecification sliceCase(ElementType type, ElementType index, const Start& start) {
  const auto rank = static_cast<int64_t>(start.start.size());
  return {.primitive = "dynamic_slice",
          .label = sliceLabel(start),
          .arguments = {{type, start.operand}, {index, {rank}}},
          .emit =
              [start](Arguments x) {
                const SsaValues starts = startScalars(x[1], start);
                return dynamicSlice(x[0], starts, start.slice);
              },
          .expect =
              [start](Tensors inputs) {
                const Shape from = clampedStarts(inputs[1], start);
                Shape limit = from;
                for (size_t i = 0; i < limit.size(); ++i) limit[i] += start.slice[i];
                return oracle::sliced(inputs[0], from, limit, Shape(from.size(), 1));
              },
          .oracle = "definition",
          .makeInputs =
              [type, index, start](Random& random) {
                return std::vector<Tensor>{
                    makeInput(type, start.operand, domains::kFewEdges, random),
                    startTensor(index, start)};
              }};
}

CaseSpecification updateCase(ElementType type, ElementType index, const Start& start) {
  const auto rank = static_cast<int64_t>(start.start.size());
  return {.primitive = "dynamic_update_slice",
          .label = labelOf(start),
          .arguments = {{type, start.operand}, {type, start.slice}, {index, {rank}}},
          .emit =
              [start](Arguments x) {
                const SsaValues starts = startScalars(x[2], start);
                return dynamicUpdateSlice(x[0], x[1], starts);
              },
          .expect =
              [start](Tensors inputs) {
                const Shape from = clampedStarts(inputs[2], start);
                Tensor result = inputs[0];
                int64_t position = 0;
                oracle::forEachIndex(start.slice, [&](Shape at) {
                  for (size_t i = 0; i < at.size(); ++i) at[i] += from[i];
                  oracle::copyElement(inputs[1], position++, result,
                                      oracle::positionOf(start.operand, at));
                });
                return result;
              },
          .oracle = "definition",
          .makeInputs =
              [type, index, start](Random& random) {
                return std::vector<Tensor>{
                    makeInput(type, start.operand, domains::kFewEdges, random),
                    makeInput(type, start.slice, domains::kPlain, random),
                    startTensor(index, start)};
              }};
}

// Derivatives of dynamic_slice and dynamic_update_slice: each is written with the
// other one, at the same start.

// The start of each dimension; JAX counts negative ones from the end.
SsaValues startsOf(const SsaValue& indices, const Shape& operand) {
  FunctionBuilder& builder = *indices.builder;
  SsaValues starts;
  for (size_t i = 0; i < operand.size(); ++i) {
    SsaValue start = element(indices, static_cast<int64_t>(i));
    if (isSignedInteger(indices.type)) {
      const SsaValue size = builder.number(indices.type, static_cast<double>(operand[i]));
      const SsaValue negative = compare("LT", start, builder.number(indices.type, 0));
      start = select(negative, start + size, start);
    }
    starts.push_back(std::move(start));
  }
  return starts;
}

SsaValues writeSlice(const Pullback& p) {
  const SsaValue zeros = p.inputs[0].like(0);
  const SsaValues starts = startsOf(p.inputs[1], p.inputs[0].shape);
  return {dynamicUpdateSlice(zeros, p.cotangents[0], starts)};
}

// The result does not depend on the overwritten elements of the operand.
SsaValues writeUpdate(const Pullback& p) {
  const SsaValue& g = p.cotangents[0];
  const SsaValues starts = startsOf(p.inputs[2], p.inputs[0].shape);
  const SsaValue zeros = p.inputs[1].like(0);
  const SsaValue operand = dynamicUpdateSlice(g, zeros, starts);
  return {operand, dynamicSlice(g, starts, p.inputs[1].shape)};
}

}  // namespace

VINTAGE_FAMILY(addDynamicSliceCases) {
  for (ElementType type : types::kAll) {
    for (const Start& start : kStarts) {
      cases.add(sliceCase(type, ElementType::kI32, start));
      cases.add(updateCase(type, ElementType::kI32, start));
    }
    cases.addPoly(
        [&](Sizes s) { return sliceCase(type, ElementType::kI32, {{s.b, 5}, {2, 2}, {4, 1}}); });
    cases.addPoly(
        [&](Sizes s) { return sliceCase(type, ElementType::kI32, {{5, s.b}, {2, s.b}, {4, 0}}); });
    cases.addPoly(
        [&](Sizes s) { return updateCase(type, ElementType::kI32, {{s.b, 5}, {2, 2}, {4, 1}}); });
  }
  for (ElementType index : types::kIntegers) {
    if (index == ElementType::kI32) continue;
    cases.add(sliceCase(ElementType::kF32, index, kStarts[1]));
    cases.add(updateCase(ElementType::kF32, index, kStarts[1]));
  }
}

VINTAGE_DERIVATIVES(dynamicSliceDerivatives) {
  DerivativeRules rules;
  for (const Start& use : std::span(kStarts).first(4)) {
    const Shape rank{static_cast<int64_t>(use.operand.size())};
    rules.push_back(linearRule("dynamic_slice", sliceLabel(use), {use.operand, rank}, writeSlice));
    rules.push_back(linearRule("dynamic_update_slice", labelOf(use), {use.operand, use.slice, rank},
                               writeUpdate));
  }
  return rules;
}

}  // namespace vintage::primitives
