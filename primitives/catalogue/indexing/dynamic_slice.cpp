// dynamic_slice, dynamic_update_slice: start indices are clamped so that the
// slice stays inside.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {
namespace {

struct Start {
  Shape operand, slice, start;
};

const Start kStarts[] = {
    {{3}, {1}, {1}},
    {{5}, {3}, {4}},     // Beyond the end: clamped.
    {{7}, {3}, {-1}},    // JAX counts negative indices from the end.
    {{5, 3}, {2, 2}, {1, 1}},
    {{7, 5, 3}, {2, 0, 1}, {4, 1, 0}},
    {{}, {}, {}},
};

int64_t clampedStart(int64_t start, int64_t size, int64_t slice) {
  if (start < 0) start += size;
  return std::clamp<int64_t>(start, 0, size - slice);
}

// The indices as scalars of @main, where JAX takes them from one array.
std::vector<SsaValue> startScalars(FunctionWriter& main, const SsaValue& indices,
                                   const Start& start) {
  std::vector<SsaValue> scalars;
  for (size_t i = 0; i < start.start.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const SsaValue piece = main.emit(
        indices.type, {1},
        fmt::format("stablehlo.slice {} [{}:{}] : ({}) -> {}", indices.name, at, at + 1,
                    typeText(indices), tensorText(indices.type, Shape{1})));
    SsaValue scalar = main.reshape(piece, {});
    if (isSignedInteger(indices.type)) {
      const SsaValue zero = main.number(indices.type, 0);
      const SsaValue size = main.number(indices.type, static_cast<double>(start.operand[i]));
      const SsaValue negative = main.compare("LT", scalar, zero);
      const SsaValue fromEnd = main.same("stablehlo.add", scalar, size);
      scalar = main.select(negative, fromEnd, scalar);
    }
    scalars.push_back(std::move(scalar));
  }
  return scalars;
}

Tensor startTensor(ElementType type, const Start& start) {
  Tensor indices(type, {static_cast<int64_t>(start.start.size())});
  for (size_t i = 0; i < start.start.size(); ++i) {
    oracle::store(indices, static_cast<int64_t>(i), {start.start[i]});
  }
  return indices;
}

Shape clampedStarts(const Tensor& indices, const Start& start) {
  Shape result;
  for (size_t i = 0; i < start.start.size(); ++i) {
    const auto value = static_cast<int64_t>(oracle::load(indices, static_cast<int64_t>(i)).integer);
    result.push_back(clampedStart(value, start.operand[i], start.slice[i]));
  }
  return result;
}

void addSlice(CaseList& cases, ElementType type, ElementType index, const Start& start) {
  const auto rank = static_cast<int64_t>(start.start.size());
  cases.add({.primitive = "dynamic_slice",
             .label = "start=" + (start.start == Shape{-1} ? "m1" : dashed(start.start)) +
                      "_sizes=" + dashed(start.slice),
             .arguments = {{type, start.operand}, {index, {rank}}},
             .emit = [start](FunctionWriter& main, std::span<const SsaValue> arguments,
                              const std::string&) -> SsaValues {
               const SsaValue& operand = arguments[0];
               std::vector<SsaValue> all{operand};
               for (SsaValue& scalar : startScalars(main, arguments[1], start)) {
                 all.push_back(std::move(scalar));
               }
               return {main.emit(operand.type, start.slice,
                                 fmt::format("stablehlo.dynamic_slice {}, sizes = {} : ({}) -> {}",
                                             namesText(all), listText(start.slice), typesText(all),
                                             tensorText(operand.type, start.slice)))};
             },
             .expect = one([start](std::span<const Tensor> inputs) -> Result<Tensor> {
               const Shape from = clampedStarts(inputs[1], start);
               Shape limit = from;
               for (size_t i = 0; i < limit.size(); ++i) limit[i] += start.slice[i];
               return oracle::sliced(inputs[0], from, limit, Shape(from.size(), 1));
             }),
             .oracle = "definition",
             .makeInputs = [type, index, start](Random& random) {
               return std::vector<Tensor>{
                   makeInput(type, start.operand, domains::kFewEdges, random),
                   startTensor(index, start)};
             }});
}

void addUpdate(CaseList& cases, ElementType type, ElementType index, const Start& start) {
  const auto rank = static_cast<int64_t>(start.start.size());
  cases.add({.primitive = "dynamic_update_slice",
             .label = "start=" + (start.start == Shape{-1} ? "m1" : dashed(start.start)),
             .arguments = {{type, start.operand}, {type, start.slice}, {index, {rank}}},
             .emit = [start](FunctionWriter& main, std::span<const SsaValue> arguments,
                              const std::string&) -> SsaValues {
               const SsaValue& operand = arguments[0];
               std::vector<SsaValue> all{operand, arguments[1]};
               for (SsaValue& scalar : startScalars(main, arguments[2], start)) {
                 all.push_back(std::move(scalar));
               }
               return {main.emit(operand.type, operand.shape,
                                 fmt::format("stablehlo.dynamic_update_slice {} : ({}) -> {}",
                                             namesText(all), typesText(all), typeText(operand)))};
             },
             .expect = one([start](std::span<const Tensor> inputs) -> Result<Tensor> {
               const Shape from = clampedStarts(inputs[2], start);
               Tensor result = inputs[0];
               int64_t position = 0;
               oracle::forEachIndex(start.slice, [&](Shape at) {
                 for (size_t i = 0; i < at.size(); ++i) at[i] += from[i];
                 oracle::copyElement(inputs[1], position++, result,
                                     oracle::positionOf(start.operand, at));
               });
               return result;
             }),
             .oracle = "definition",
             .makeInputs = [type, index, start](Random& random) {
               return std::vector<Tensor>{
                   makeInput(type, start.operand, domains::kFewEdges, random),
                   makeInput(type, start.slice, domains::kPlain, random),
                   startTensor(index, start)};
             }});
}

}  // namespace

VINTAGE_FAMILY(addDynamicSliceCases) {
  for (ElementType type : types::all()) {
    for (const Start& start : kStarts) {
      addSlice(cases, type, ElementType::kI32, start);
      addUpdate(cases, type, ElementType::kI32, start);
    }
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addSlice(list, type, ElementType::kI32, {{sizes.b, 5}, {2, 2}, {4, 1}});
    });
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addSlice(list, type, ElementType::kI32, {{5, sizes.b}, {2, sizes.b}, {4, 0}});
    });
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addUpdate(list, type, ElementType::kI32, {{sizes.b, 5}, {2, 2}, {4, 1}});
    });
  }
  for (ElementType index : types::integers()) {
    if (index == ElementType::kI32) continue;
    addSlice(cases, ElementType::kF32, index, kStarts[1]);
    addUpdate(cases, ElementType::kF32, index, kStarts[1]);
  }
}

}  // namespace vintage::primitives::catalogue
