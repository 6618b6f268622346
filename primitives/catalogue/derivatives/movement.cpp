#include "primitives/catalogue/derivatives/movement.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/catalogue/indexing/indexing_cases.h"
#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {

SsaValue sliceOf(FunctionWriter& writer, const SsaValue& operand, const Shape& start,
                 const Shape& limit, const Shape& strides) {
  std::vector<std::string> ranges;
  Shape shape;
  for (size_t i = 0; i < start.size(); ++i) {
    ranges.push_back(strides[i] == 1
                         ? fmt::format("{}:{}", start[i], limit[i])
                         : fmt::format("{}:{}:{}", start[i], limit[i], strides[i]));
    shape.push_back((limit[i] - start[i] + strides[i] - 1) / strides[i]);
  }
  const std::string result = tensorText(operand.type, shape);
  return writer.emit(operand.type, std::move(shape),
                     fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", operand.name,
                                 fmt::join(ranges, ", "), typeText(operand), result));
}

SsaValue sliceOf(FunctionWriter& writer, const SsaValue& operand, const Shape& start,
                 const Shape& limit) {
  return sliceOf(writer, operand, start, limit, Shape(start.size(), 1));
}

SsaValue padOf(FunctionWriter& writer, const SsaValue& operand, const SsaValue& value,
               const Shape& low, const Shape& high, const Shape& interior) {
  Shape shape;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t size = operand.shape[i];
    shape.push_back(low[i] + size + std::max<int64_t>(size - 1, 0) * interior[i] + high[i]);
  }
  const SsaValue both[] = {operand, value};
  const std::string result = tensorText(operand.type, shape);
  return writer.emit(operand.type, std::move(shape),
                     fmt::format("stablehlo.pad {}, low = {}, high = {}, interior = {} : ({}) -> "
                                 "{}",
                                 namesText(both), listText(low), listText(high), listText(interior),
                                 typesText(both), result));
}

SsaValue reverseOf(FunctionWriter& writer, const SsaValue& operand, const Shape& dimensions) {
  return writer.emit(operand.type, operand.shape,
                     fmt::format("stablehlo.reverse {}, dims = {} : {}", operand.name,
                                 listText(dimensions), typeText(operand)));
}

SsaValue totalOf(FunctionWriter& writer, const SsaValue& operand) {
  Shape all;
  for (size_t i = 0; i < operand.shape.size(); ++i) all.push_back(static_cast<int64_t>(i));
  return reduceAlong(writer, "add", operand, all);
}

SsaValue zerosLike(FunctionWriter& writer, const SsaValue& value) {
  return writer.fill(value.type, 0, value.shape);
}

SsaValue gatherOf(FunctionWriter& writer, const SsaValue& operand, const SsaValue& indices,
                  const oracle::IndexingDimensions& dimensions, const Shape& slice,
                  IndexPromise promise) {
  const Shape shape = oracle::windowsShape(indices.shape, dimensions, slice);
  const SsaValue both[] = {operand, indices};
  return writer.emit(
      operand.type, shape,
      fmt::format("\"stablehlo.gather\"({}) <{{dimension_numbers = {}, indices_are_sorted = {}, "
                  "slice_sizes = {}}}> : ({}) -> {}",
                  namesText(both), gatherDimensionText(dimensions), promise.sorted,
                  arrayText(slice), typesText(both), tensorText(operand.type, shape)));
}

SsaValue scatterOf(FunctionWriter& writer, std::string_view function, const SsaValue& operand,
                   const SsaValue& indices, const SsaValue& updates,
                   const oracle::IndexingDimensions& dimensions, IndexPromise promise) {
  const SsaValue all[] = {operand, indices, updates};
  const TensorType result{operand.type, operand.shape};
  const SsaValue scattered =
      writer
          .beginOperation(
              {&result, 1},
              fmt::format("\"stablehlo.scatter\"({}) <{{indices_are_sorted = {}, "
                          "scatter_dimension_numbers = {}, unique_indices = {}}}> ",
                          namesText(all), promise.sorted, scatterDimensionText(dimensions),
                          promise.unique))
          .front();
  const TensorType scalars[] = {{operand.type, {}}, {operand.type, {}}};
  writer.region(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
    if (function == "replace") return {pair[1]};
    return {combined(writer, function, pair[0], pair[1])};
  });
  writer.append(fmt::format(" : ({}) -> {}", typesText(all), typeText(operand)));
  writer.endOperation();
  return scattered;
}

}  // namespace vintage::primitives::catalogue
