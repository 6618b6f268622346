#include "primitives/lowering/operations.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/fold.h"

namespace vintage::primitives::lowering {
namespace {

// "#stablehlo.gather<offset_dims = [1], …>"; empty lists are not printed.
NamedAttribute dimensionNumbers(std::string attribute, std::string_view kind,
                                const oracle::IndexingDimensions& d,
                                const std::string_view (&names)[5]) {
  const Shape* lists[] = {&d.offset, &d.collapsed, &d.operandBatching, &d.indicesBatching,
                          &d.startIndexMap};
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::size(names); ++i) {
    if (!lists[i]->empty()) parts.push_back(fmt::format("{} = {}", names[i], listText(*lists[i])));
  }
  if (d.indexVector != 0) parts.push_back(fmt::format("index_vector_dim = {}", d.indexVector));
  return {std::move(attribute), fmt::format("#stablehlo.{}<{}>", kind, fmt::join(parts, ", "))};
}

// "[1, 2], [0, 0]"
std::string pairsText(const Shape& low, const Shape& high) {
  std::vector<std::string> pairs;
  for (size_t i = 0; i < low.size(); ++i) pairs.push_back(fmt::format("[{}, {}]", low[i], high[i]));
  return fmt::format("{}", fmt::join(pairs, ", "));
}

// Those that are not the default, and window_dimensions, in alphabetical order.
NamedAttributes windowAttributes(const oracle::Window& window) {
  const Shape ones(window.dimensions.size(), 1), zeros(window.dimensions.size(), 0);
  NamedAttributes attributes;
  const auto add = [&](const char* name, const Shape& values) {
    if (values != ones) attributes.push_back({name, values});
  };
  add("base_dilations", window.baseDilation);
  if (window.paddingLow != zeros || window.paddingHigh != zeros) {
    attributes.push_back(
        {"padding", fmt::format("dense<[{}]> : tensor<{}x2xi64>",
                                pairsText(window.paddingLow, window.paddingHigh), ones.size())});
  }
  add("window_dilations", window.windowDilation);
  attributes.push_back({"window_dimensions", window.dimensions});
  add("window_strides", window.strides);
  return attributes;
}

std::string windowText(const oracle::Convolution& c) {
  const Shape ones(c.strides.size(), 1), zeros(c.strides.size(), 0);
  std::vector<std::string> parts;
  if (c.strides != ones) parts.push_back("stride = " + listText(c.strides));
  if (c.paddingLow != zeros || c.paddingHigh != zeros)
    parts.push_back(fmt::format("pad = [{}]", pairsText(c.paddingLow, c.paddingHigh)));
  if (c.inputDilation != ones) parts.push_back("lhs_dilate = " + listText(c.inputDilation));
  if (c.kernelDilation != ones) parts.push_back("rhs_dilate = " + listText(c.kernelDilation));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

SsaValue dotGeneral(FunctionBuilder& builder, const SsaValue& left, const SsaValue& right,
                    const oracle::DotDimensions& d, const std::string& precision,
                    std::optional<ElementType> result) {
  NamedAttributes attributes;
  if (!d.leftBatch.empty())
    attributes.push_back({"batching_dims", std::pair(d.leftBatch, d.rightBatch)});
  attributes.push_back({"contracting_dims", std::pair(d.leftContracting, d.rightContracting)});
  if (!precision.empty()) attributes.push_back({"precision", fmt::format("[{0}, {0}]", precision)});
  return builder.emitOne({result.value_or(left.type), oracle::dotShape(left.shape, right.shape, d)},
                         "stablehlo.dot_general", {left, right}, std::move(attributes));
}

SsaValue convolution(FunctionBuilder& builder, TensorType result, const SsaValue& input,
                     const SsaValue& kernel, std::string dimensionNumbers,
                     const oracle::Convolution& c, const std::string& precision) {
  NamedAttributes attributes{{"dim_numbers", std::move(dimensionNumbers)},
                             {"window", windowText(c)},
                             {"batch_group_count", c.batchGroups},
                             {"feature_group_count", c.featureGroups}};
  if (!precision.empty()) {
    attributes.push_back(
        {"precision_config",
         fmt::format("[#stablehlo<precision {0}>, #stablehlo<precision {0}>]", precision)});
  }
  return builder.emitOne(std::move(result), "stablehlo.convolution", {input, kernel},
                         std::move(attributes));
}

SsaValue gather(FunctionBuilder& builder, const SsaValue& operand, const SsaValue& indices,
                const oracle::IndexingDimensions& dimensions, const Shape& slice,
                IndexPromise promise) {
  static constexpr std::string_view kNames[] = {"offset_dims", "collapsed_slice_dims",
                                                "operand_batching_dims",
                                                "start_indices_batching_dims", "start_index_map"};
  return builder.emitOne({operand.type, oracle::windowsShape(indices.shape, dimensions, slice)},
                         "stablehlo.gather", {operand, indices},
                         {dimensionNumbers("dimension_numbers", "gather", dimensions, kNames),
                          {"indices_are_sorted", promise.sorted},
                          {"slice_sizes", slice}});
}

SsaValue scatter(FunctionBuilder& builder, std::string_view function, const SsaValue& operand,
                 const SsaValue& indices, const SsaValue& updates,
                 const oracle::IndexingDimensions& dimensions, IndexPromise promise) {
  static constexpr std::string_view kNames[] = {
      "update_window_dims", "inserted_window_dims", "input_batching_dims",
      "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
  return builder.emitOne(
      typeOf(operand), "stablehlo.scatter", {operand, indices, updates},
      {{"indices_are_sorted", promise.sorted},
       dimensionNumbers("scatter_dimension_numbers", "scatter", dimensions, kNames),
       {"unique_indices", promise.unique}},
      {combiner(builder, function, operand.type)});
}

oracle::Window runningWindow(const Shape& shape, size_t axis, bool reverse) {
  const Shape ones(shape.size(), 1), zeros(shape.size(), 0);
  oracle::Window window{ones, ones, zeros, zeros, ones, ones};
  window.dimensions[axis] = shape[axis];
  (reverse ? window.paddingHigh : window.paddingLow)[axis] = shape[axis] - 1;
  return window;
}

SsaValue reduceWindow(FunctionBuilder& builder, const SsaValue& operand, const SsaValue& initial,
                      const oracle::Window& window, BuiltRegion body) {
  return builder.emitOne({operand.type, window.resultShape(operand.shape)},
                         "stablehlo.reduce_window", {operand, initial}, windowAttributes(window),
                         {std::move(body)});
}

SsaValue reduceWindow(FunctionBuilder& builder, std::string_view function, const SsaValue& operand,
                      const SsaValue& initial, const oracle::Window& window) {
  return reduceWindow(builder, operand, initial, window, combiner(builder, function, operand.type));
}

SsaValue selectAndScatter(FunctionBuilder& builder, const SsaValue& operand, const SsaValue& source,
                          const SsaValue& zero, bool largest, const oracle::Window& window) {
  const TensorType scalar{operand.type, {}};
  BuiltRegion wins = builder.region({scalar, scalar}, [&](Arguments pair) -> SsaValues {
    return {builder.compare(largest ? "GE" : "LE", pair[0], pair[1])};
  });
  // JAX pads by operations of its own, with what never wins, and cuts that off again.
  const SsaValue padded =
      builder.pad(operand, identityOf(builder, largest ? "max" : "min", operand.type),
                  window.paddingLow, window.paddingHigh);
  oracle::Window inner = window;
  inner.paddingLow = inner.paddingHigh = Shape(operand.shape.size(), 0);
  const SsaValue scattered = builder.emitOne(
      typeOf(padded), "stablehlo.select_and_scatter", {padded, source, zero},
      windowAttributes(inner), {std::move(wins), combiner(builder, isPredicate(operand.type) ? "or" : "add", operand.type)});
  Shape limit = window.paddingLow;
  for (size_t i = 0; i < limit.size(); ++i) limit[i] += operand.shape[i];
  return builder.slice(scattered, window.paddingLow, limit);
}

SsaValue selectAndGather(FunctionBuilder& builder, const SsaValue& tangents,
                         const SsaValue& operand, bool largest, const oracle::Window& window) {
  const SsaValue worst = identityOf(builder, largest ? "max" : "min", operand.type);
  const SsaValue zero = builder.number(operand.type, 0);
  const TensorType result{operand.type, window.resultShape(operand.shape)};
  const std::vector<TensorType> scalars(4, TensorType{operand.type, {}});
  BuiltRegion body = builder.region(scalars, [&](Arguments v) -> SsaValues {
    const SsaValue keep = builder.compare(largest ? "GE" : "LE", v[0], v[2]);
    const SsaValue key = builder.select(keep, v[0], v[2]);
    return {key, builder.select(keep, v[1], v[3])};
  });
  return builder.emit({result, result}, "stablehlo.reduce_window", {operand, tangents, worst, zero},
                      windowAttributes(window), {std::move(body)})[1];
}

// JAX folds pairs of value and position: NaN wins, then the better value, then
// the lower position.
SsaValue argumentReduce(FunctionBuilder& builder, const SsaValue& operand, bool largest,
                        int64_t dimension, ElementType index) {
  const SsaValue positions = builder.iota(index, operand.shape, dimension);
  const SsaValue worst = identityOf(builder, largest ? "max" : "min", operand.type);
  const SsaValue zero = builder.number(index, 0);
  Shape shape = operand.shape;
  shape.erase(shape.begin() + dimension);
  const Types results{{operand.type, shape}, {index, shape}};
  const Types scalars{{operand.type, {}}, {index, {}}, {operand.type, {}}, {index, {}}};
  BuiltRegion body = builder.region(scalars, [&](Arguments values) -> SsaValues {
    const SsaValue better = builder.compare(largest ? "GT" : "LT", values[0], values[2]);
    const SsaValue isNan = builder.compare("NE", values[0], values[0]);
    const SsaValue pick = builder.same("stablehlo.or", better, isNan);
    const SsaValue tie = builder.compare("EQ", values[0], values[2]);
    const SsaValue earlier = builder.compare("LT", values[1], values[3]);
    const SsaValue both = builder.same("stablehlo.and", tie, earlier);
    const SsaValue pickPosition = builder.same("stablehlo.or", pick, both);
    const SsaValue value = builder.select(pick, values[0], values[2]);
    return {value, builder.select(pickPosition, values[1], values[3])};
  });
  return builder.emit(results, "stablehlo.reduce", {operand, positions, worst, zero},
                      {{"dimensions", Shape{dimension}}}, {std::move(body)})[1];
}

SsaValues sort(FunctionBuilder& builder, const Operands& operands, size_t dimension, size_t keys,
               bool stable) {
  std::vector<TensorType> scalars;
  for (const SsaValue& operand : operands) scalars.insert(scalars.end(), 2, {operand.type, {}});
  NamedAttributes attributes{{"dimension", static_cast<int64_t>(dimension)}};
  if (stable) attributes.push_back({"is_stable", true});
  BuiltRegion before = builder.region(scalars, [&](Arguments pairs) -> SsaValues {
    SsaValues left, right;
    for (size_t key = 0; key < keys; ++key) {
      left.push_back(pairs[2 * key]);
      right.push_back(pairs[2 * key + 1]);
    }
    return {comesBefore(builder, left, right)};
  });
  return builder.emit(typesOf(operands), "stablehlo.sort", operands, std::move(attributes),
                      {std::move(before)});
}

}  // namespace vintage::primitives::lowering
