#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

AttributeMap dimensionNumbers(const oracle::IndexingDimensions& d,
                              const std::string_view (&names)[5]) {
  const Shape* lists[] = {&d.offset, &d.collapsed, &d.operandBatching, &d.indicesBatching,
                          &d.startIndexMap};
  AttributeMap fields{{"index_vector_dim", d.indexVector}};
  for (size_t i = 0; i < std::size(names); ++i) fields.emplace(names[i], *lists[i]);
  return fields;
}

// [[1, 2], [0, 0]], a row for each dimension.
Tensor paddingOf(const Shape& low, const Shape& high) {
  Tensor padding(ElementType::kI64, {static_cast<int64_t>(low.size()), 2});
  for (size_t i = 0; i < low.size(); ++i) {
    padding.mutableValues<int64_t>()[2 * i] = low[i];
    padding.mutableValues<int64_t>()[2 * i + 1] = high[i];
  }
  return padding;
}

// Those that are not the default, and window_dimensions.
AttributeMap windowAttributes(const oracle::Window& window) {
  const Shape ones(window.dimensions.size(), 1), zeros(window.dimensions.size(), 0);
  AttributeMap attributes{{"window_dimensions", window.dimensions}};
  const auto add = [&](const char* name, const Shape& values) {
    if (values != ones) attributes.emplace(name, values);
  };
  add("base_dilations", window.baseDilation);
  add("window_dilations", window.windowDilation);
  add("window_strides", window.strides);
  if (window.paddingLow != zeros || window.paddingHigh != zeros)
    attributes.emplace("padding", paddingOf(window.paddingLow, window.paddingHigh));
  return attributes;
}

// Of both operands; none where it is empty.
void addPrecision(AttributeMap& attributes, const std::string& precision) {
  if (!precision.empty())
    attributes.emplace("precision_config", AttributeList{precision, precision});
}

// Where a role stands, and where the spatial dimensions do in their order.
int64_t placeOf(std::string_view layout, char role) {
  return static_cast<int64_t>(layout.find(role));
}

Shape spatialPlaces(std::string_view layout) {
  Shape places;
  for (size_t i = 0; i + 2 < layout.size(); ++i)
    places.push_back(placeOf(layout, static_cast<char>('0' + i)));
  return places;
}

AttributeMap dimensionNumbers(const ConvolutionLayout& layout) {
  const auto& [input, kernel, output] = layout;
  return {{"input_batch_dimension", placeOf(input, 'b')},
          {"input_feature_dimension", placeOf(input, 'f')},
          {"input_spatial_dimensions", spatialPlaces(input)},
          {"kernel_input_feature_dimension", placeOf(kernel, 'i')},
          {"kernel_output_feature_dimension", placeOf(kernel, 'o')},
          {"kernel_spatial_dimensions", spatialPlaces(kernel)},
          {"output_batch_dimension", placeOf(output, 'b')},
          {"output_feature_dimension", placeOf(output, 'f')},
          {"output_spatial_dimensions", spatialPlaces(output)}};
}

}  // namespace

SsaValue dotGeneral(const SsaValue& left, const SsaValue& right, const oracle::DotDimensions& d,
                    const std::string& precision, std::optional<ElementType> result) {
  AttributeMap attributes{
      {"dot_dimension_numbers", AttributeMap{{"lhs_batching_dimensions", d.leftBatch},
                                             {"rhs_batching_dimensions", d.rightBatch},
                                             {"lhs_contracting_dimensions", d.leftContracting},
                                             {"rhs_contracting_dimensions", d.rightContracting}}}};
  addPrecision(attributes, precision);
  return emitOne({result.value_or(left.type), oracle::dotShape(left.shape, right.shape, d)},
                 "stablehlo.dot_general", {left, right}, std::move(attributes));
}

SsaValue convolution(TensorType result, const SsaValue& input, const SsaValue& kernel,
                     const ConvolutionLayout& layout, const oracle::Convolution& c,
                     const std::string& precision) {
  AttributeMap attributes{{"dimension_numbers", dimensionNumbers(layout)},
                          {"window_strides", c.strides},
                          {"padding", paddingOf(c.paddingLow, c.paddingHigh)},
                          {"lhs_dilation", c.inputDilation},
                          {"rhs_dilation", c.kernelDilation},
                          {"batch_group_count", c.batchGroups},
                          {"feature_group_count", c.featureGroups}};
  addPrecision(attributes, precision);
  return emitOne(std::move(result), "stablehlo.convolution", {input, kernel},
                 std::move(attributes));
}

SsaValue gather(const SsaValue& operand, const SsaValue& indices,
                const oracle::IndexingDimensions& dimensions, const Shape& slice,
                IndexPromise promise) {
  static constexpr std::string_view kNames[] = {"offset_dims", "collapsed_slice_dims",
                                                "operand_batching_dims",
                                                "start_indices_batching_dims", "start_index_map"};
  return emitOne({operand.type, oracle::windowsShape(indices.shape, dimensions, slice)},
                 "stablehlo.gather", {operand, indices},
                 {{"dimension_numbers", dimensionNumbers(dimensions, kNames)},
                  {"indices_are_sorted", promise.sorted},
                  {"slice_sizes", slice}});
}

SsaValue scatter(std::string_view function, const SsaValue& operand, const SsaValue& indices,
                 const SsaValue& updates, const oracle::IndexingDimensions& dimensions,
                 IndexPromise promise) {
  static constexpr std::string_view kNames[] = {
      "update_window_dims", "inserted_window_dims", "input_batching_dims",
      "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
  return emitOne(typeOf(operand), "stablehlo.scatter", {operand, indices, updates},
                 {{"indices_are_sorted", promise.sorted},
                  {"scatter_dimension_numbers", dimensionNumbers(dimensions, kNames)},
                  {"unique_indices", promise.unique}},
                 {combiner(function, operand)});
}

oracle::Window runningWindow(const Shape& shape, size_t axis, bool reverse) {
  const Shape ones(shape.size(), 1), zeros(shape.size(), 0);
  oracle::Window window{ones, ones, zeros, zeros, ones, ones};
  window.dimensions[axis] = shape[axis];
  (reverse ? window.paddingHigh : window.paddingLow)[axis] = shape[axis] - 1;
  return window;
}

SsaValue reduceWindow(const SsaValue& operand, const SsaValue& initial,
                      const oracle::Window& window, Region body) {
  return emitOne({operand.type, window.resultShape(operand.shape)}, "stablehlo.reduce_window",
                 {operand, initial}, windowAttributes(window), {std::move(body)});
}

SsaValue reduceWindow(std::string_view function, const SsaValue& operand, const SsaValue& initial,
                      const oracle::Window& window) {
  return reduceWindow(operand, initial, window, combiner(function, operand));
}

SsaValue selectAndScatter(const SsaValue& operand, const SsaValue& source, const SsaValue& zero,
                          bool largest, const oracle::Window& window) {
  const TensorType scalar{operand.type, {}};
  Region wins = operand.builder->region({scalar, scalar}, [&](Arguments pair) -> SsaValues {
    return {compare(largest ? "GE" : "LE", pair[0], pair[1])};
  });
  // JAX pads by operations of its own, with what never wins, and cuts that off again.
  const SsaValue padded = pad(operand, identityOf(largest ? "max" : "min", operand),
                              window.paddingLow, window.paddingHigh);
  oracle::Window inner = window;
  inner.paddingLow = inner.paddingHigh = Shape(operand.shape.size(), 0);
  const SsaValue scattered =
      emitOne(typeOf(padded), "stablehlo.select_and_scatter", {padded, source, zero},
              windowAttributes(inner),
              {std::move(wins), combiner(isPredicate(operand.type) ? "or" : "add", operand)});
  Shape limit = window.paddingLow;
  for (size_t i = 0; i < limit.size(); ++i) limit[i] += operand.shape[i];
  return slice(scattered, window.paddingLow, limit);
}

SsaValue selectAndGather(const SsaValue& tangents, const SsaValue& operand, bool largest,
                         const oracle::Window& window) {
  FunctionBuilder& builder = *tangents.builder;
  const SsaValue worst = identityOf(largest ? "max" : "min", operand);
  const SsaValue zero = builder.number(operand.type, 0);
  const TensorType result{operand.type, window.resultShape(operand.shape)};
  const std::vector<TensorType> scalars(4, TensorType{operand.type, {}});
  Region body = builder.region(scalars, [&](Arguments v) -> SsaValues {
    const SsaValue keep = compare(largest ? "GE" : "LE", v[0], v[2]);
    return {select(keep, v[0], v[2]), select(keep, v[1], v[3])};
  });
  return builder.emit({result, result}, "stablehlo.reduce_window", {operand, tangents, worst, zero},
                      windowAttributes(window), {std::move(body)})[1];
}

// JAX folds pairs of value and position: NaN wins, then the better value, then
// the lower position.
SsaValue argumentReduce(const SsaValue& operand, bool largest, int64_t dimension,
                        ElementType index) {
  FunctionBuilder& builder = *operand.builder;
  const SsaValue positions = builder.iota(index, operand.shape, dimension);
  const SsaValue worst = identityOf(largest ? "max" : "min", operand);
  const SsaValue zero = builder.number(index, 0);
  Shape shape = operand.shape;
  shape.erase(shape.begin() + dimension);
  const Types results{{operand.type, shape}, {index, shape}};
  const Types scalars{{operand.type, {}}, {index, {}}, {operand.type, {}}, {index, {}}};
  Region body = builder.region(scalars, [&](Arguments values) -> SsaValues {
    const SsaValue better = compare(largest ? "GT" : "LT", values[0], values[2]);
    const SsaValue isNan = compare("NE", values[0], values[0]);
    const SsaValue pick = better | isNan;
    const SsaValue tie = compare("EQ", values[0], values[2]);
    const SsaValue earlier = compare("LT", values[1], values[3]);
    const SsaValue both = tie & earlier;
    const SsaValue pickPosition = pick | both;
    return {select(pick, values[0], values[2]), select(pickPosition, values[1], values[3])};
  });
  return builder.emit(results, "stablehlo.reduce", {operand, positions, worst, zero},
                      {{"dimensions", Shape{dimension}}}, {std::move(body)})[1];
}

SsaValues sort(const Operands& operands, size_t dimension, size_t keys, bool stable) {
  FunctionBuilder& builder = *operands[0].builder;
  std::vector<TensorType> scalars;
  for (const SsaValue& operand : operands) scalars.insert(scalars.end(), 2, {operand.type, {}});
  AttributeMap attributes{{"dimension", static_cast<int64_t>(dimension)}};
  if (stable) attributes.emplace("is_stable", true);
  Region before = builder.region(scalars, [&](Arguments pairs) -> SsaValues {
    SsaValues left, right;
    for (size_t key = 0; key < keys; ++key) {
      left.push_back(pairs[2 * key]);
      right.push_back(pairs[2 * key + 1]);
    }
    return {comesBefore(left, right)};
  });
  return builder.emit(typesOf(operands), "stablehlo.sort", operands, std::move(attributes),
                      {std::move(before)});
}

}  // namespace vintage::primitives
