#include "golden/compare/scatter_windows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "golden/base/strict_json.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

using Json = nlohmann::json;
using Numbers = std::vector<int64_t>;

template <typename Windows, typename Visit>
void eachList(Windows& windows, const Visit& visit) {
  visit("update_window_dims", windows.updateWindowDims);
  visit("inserted_window_dims", windows.insertedWindowDims);
  visit("input_batching_dims", windows.inputBatchingDims);
  visit("scatter_indices_batching_dims", windows.scatterIndicesBatchingDims);
  visit("scatter_dims_to_operand_dims", windows.scatterDimsToOperandDims);
}

bool holds(const Numbers& list, int64_t number) {
  return std::ranges::find(list, number) != list.end();
}

bool areDimensions(const Numbers& list, int64_t rank) {
  return std::ranges::all_of(list, [&](int64_t one) { return one >= 0 && one < rank; });
}

Numbers othersThan(const Numbers& list, int64_t rank) {
  Numbers others;
  for (int64_t i = 0; i < rank; ++i)
    if (!holds(list, i)) others.push_back(i);
  return others;
}

Numbers stridesOf(const Shape& shape) {
  Numbers strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::optional<Numbers> integersOf(const Tensor& tensor) {
  return visitElementType(tensor.type(), [&]<typename T>() -> std::optional<Numbers> {
    if constexpr (std::is_integral_v<T> && !kIsPredicateStorage<T>) {
      const auto values = tensor.values<T>();
      Numbers numbers;
      // An element that no dimension reaches is outside.
      for (const T value : values)
        numbers.push_back(std::in_range<int64_t>(value) ? static_cast<int64_t>(value)
                                                        : std::numeric_limits<int64_t>::max());
      return numbers;
    }
    return std::nullopt;
  });
}

// The next index of `shape` in row-major order; false after the last.
bool next(const Shape& shape, Numbers& index) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

// The dimensions that the specification's section on scatter names, for these shapes.
class Geometry {
 public:
  Geometry(const ScatterWindows& numbers, const Tensor& operand, const Tensor& indices,
           const Tensor& updates)
      : numbers_(numbers), operand_(operand), indices_(indices), updates_(updates) {}

  bool fits() {
    const int64_t rank = operand_.rank(), indexRank = indices_.rank();
    if (!areDimensions(numbers_.updateWindowDims, updates_.rank()) ||
        !areDimensions(numbers_.insertedWindowDims, rank) ||
        !areDimensions(numbers_.inputBatchingDims, rank) ||
        !areDimensions(numbers_.scatterDimsToOperandDims, rank) ||
        !areDimensions(numbers_.scatterIndicesBatchingDims, indexRank) ||
        numbers_.inputBatchingDims.size() != numbers_.scatterIndicesBatchingDims.size() ||
        holds(numbers_.scatterIndicesBatchingDims, numbers_.indexVectorDim) ||
        numbers_.indexVectorDim < 0 || numbers_.indexVectorDim > indexRank || updates_.size() == 0)
      return false;
    Numbers absent = numbers_.insertedWindowDims;
    absent.insert(absent.end(), numbers_.inputBatchingDims.begin(),
                  numbers_.inputBatchingDims.end());
    windowDims_ = othersThan(absent, rank);
    scatterDims_ = othersThan(numbers_.updateWindowDims, updates_.rank());
    const bool hasVector = numbers_.indexVectorDim < indexRank;
    const int64_t entries = hasVector ? indices_.shape()[at(numbers_.indexVectorDim)] : 1;
    const auto values = integersOf(indices_);
    if (!values || windowDims_.size() != numbers_.updateWindowDims.size() ||
        entries != std::ssize(numbers_.scatterDimsToOperandDims))
      return false;
    starts_ = *values;
    // The indices without their vector have the shape of the updates without their windows.
    for (int64_t i = 0; i < indexRank; ++i)
      if (i != numbers_.indexVectorDim) indexDims_.push_back(i);
    if (indexDims_.size() != scatterDims_.size()) return false;
    for (size_t i = 0; i < indexDims_.size(); ++i)
      if (indices_.shape()[at(indexDims_[i])] != updates_.shape()[at(scatterDims_[i])])
        return false;
    return true;
  }

  // Where the window starts to which an element of the updates belongs.
  Numbers startOf(const Numbers& updateIndex) const {
    const Numbers strides = stridesOf(indices_.shape());
    int64_t offset = 0;
    for (size_t i = 0; i < indexDims_.size(); ++i)
      offset += updateIndex[at(scatterDims_[i])] * strides[at(indexDims_[i])];
    const int64_t step =
        numbers_.indexVectorDim < indices_.rank() ? strides[at(numbers_.indexVectorDim)] : 0;
    Numbers start(operand_.shape().size(), 0);
    for (size_t i = 0; i < numbers_.scatterDimsToOperandDims.size(); ++i)
      start[at(numbers_.scatterDimsToOperandDims[i])] =
          starts_[at(offset + static_cast<int64_t>(i) * step)];
    for (size_t i = 0; i < numbers_.inputBatchingDims.size(); ++i) {
      const int64_t dimension = numbers_.scatterIndicesBatchingDims[i];
      const size_t place = at(dimension - (dimension < numbers_.indexVectorDim ? 0 : 1));
      start[at(numbers_.inputBatchingDims[i])] = updateIndex[at(scatterDims_[place])];
    }
    return start;
  }

  bool isInside(const Numbers& start) const {
    for (size_t i = 0; i < windowDims_.size(); ++i) {
      const int64_t size = updates_.shape()[at(numbers_.updateWindowDims[i])];
      const int64_t room = operand_.shape()[at(windowDims_[i])] - size;
      if (start[at(windowDims_[i])] > room) return false;
    }
    return elementAt(start).has_value();
  }

  // The element of the operand; none outside.
  std::optional<int64_t> elementOf(const Numbers& start, const Numbers& updateIndex) const {
    Numbers place = start;
    for (size_t i = 0; i < windowDims_.size(); ++i) {
      int64_t& one = place[at(windowDims_[i])];
      const int64_t within = updateIndex[at(numbers_.updateWindowDims[i])];
      if (one > std::numeric_limits<int64_t>::max() - within) return std::nullopt;
      one += within;
    }
    return elementAt(place);
  }

 private:
  static size_t at(int64_t dimension) { return static_cast<size_t>(dimension); }

  std::optional<int64_t> elementAt(const Numbers& place) const {
    const Numbers strides = stridesOf(operand_.shape());
    int64_t element = 0;
    for (size_t i = 0; i < place.size(); ++i) {
      if (place[i] < 0 || place[i] >= operand_.shape()[i]) return std::nullopt;
      element += place[i] * strides[i];
    }
    return element;
  }

  const ScatterWindows& numbers_;
  const Tensor &operand_, &indices_, &updates_;
  Numbers windowDims_, scatterDims_, indexDims_, starts_;
};

}  // namespace

std::unordered_map<int64_t, int64_t> elementsOfCutWindows(const ScatterWindows& windows,
                                                          std::span<const Tensor> inputs) {
  std::unordered_map<int64_t, int64_t> cut, reached;
  if (std::max({windows.operand, windows.indices, windows.updates}) >= inputs.size()) return cut;
  const Tensor& updates = inputs[windows.updates];
  Geometry geometry(windows, inputs[windows.operand], inputs[windows.indices], updates);
  if (!geometry.fits()) return cut;
  const auto startsWindow = [&](const Numbers& index) {
    return std::ranges::all_of(windows.updateWindowDims,
                               [&](int64_t i) { return index[static_cast<size_t>(i)] == 0; });
  };
  Numbers index(updates.shape().size(), 0);
  // Most programs cut none, and have many elements.
  bool cutsAny = false;
  do cutsAny |= startsWindow(index) && !geometry.isInside(geometry.startOf(index));
  while (!cutsAny && next(updates.shape(), index));
  if (!cutsAny) return cut;
  std::ranges::fill(index, 0);
  int64_t update = 0;
  do {
    const Numbers start = geometry.startOf(index);
    if (const auto element = geometry.elementOf(start, index)) {
      ++reached[*element];
      if (!geometry.isInside(start)) cut[*element] = update;
    }
    ++update;
  } while (next(updates.shape(), index));
  // Where several meet, their order counts too.
  std::erase_if(cut, [&](const auto& one) { return reached[one.first] > 1; });
  return cut;
}

double updatedElement(const ScatterWindows& windows, double element, double update) {
  if (windows.computation == "replace") return update;
  if (windows.computation == "stablehlo.add") return element + update;
  if (windows.computation == "stablehlo.multiply") return element * update;
  if (windows.computation == "stablehlo.minimum") return std::min(element, update);
  if (windows.computation == "stablehlo.maximum") return std::max(element, update);
  return std::numeric_limits<double>::quiet_NaN();
}

Json scatterWindowsJson(const ScatterWindows& windows) {
  Json json{{"operand", windows.operand},
            {"indices", windows.indices},
            {"updates", windows.updates},
            {"computation", windows.computation},
            {"index_vector_dim", windows.indexVectorDim}};
  eachList(windows, [&](const char* name, const Numbers& list) { json[name] = list; });
  return json;
}

Result<ScatterWindows> scatterWindowsOfJson(const Json& json) {
  ScatterWindows windows;
  Status status;
  JsonObject object(json, "windows", status);
  const auto input = [&](const char* name, size_t& to) {
    int64_t number = 0;
    object.required(name, number);
    if (number < 0) object.fail(object.placeOf(name), "expected the number of an input");
    to = static_cast<size_t>(number);
  };
  input("operand", windows.operand);
  input("indices", windows.indices);
  input("updates", windows.updates);
  object.required("computation", windows.computation);
  object.required("index_vector_dim", windows.indexVectorDim);
  eachList(windows, [&](const char* name, Numbers& list) { object.required(name, list); });
  RETURN_IF_ERROR(status);
  return windows;
}

}  // namespace vintage::golden
