#include "harness/runtimes/embedded/dimension_origin.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Results of these have dimensions that are not their operands', although sizes may agree.
const std::set<std::string_view> kMovesDimensions = {
    "stablehlo.convolution",    "stablehlo.custom_call",  "stablehlo.gather",
    "stablehlo.dynamic_gather", "stablehlo.dynamic_conv", "stablehlo.rng_bit_generator",
    "stablehlo.case",           "stablehlo.if",           "stablehlo.all_to_all",
    "stablehlo.all_gather"};

// The dimensions of an operand that are not `gone` are those of the result from `first` on.
void keepOthers(const std::vector<int64_t>& gone, size_t rank, size_t first, Origin& origin) {
  for (size_t d = 0; d < rank && first < origin.size(); ++d)
    if (std::ranges::find(gone, static_cast<int64_t>(d)) == gone.end())
      origin[first++] = static_cast<int64_t>(d);
}

// A result of dot_general has the batching dimensions, those left of lhs, and those of rhs.
void dotOrigin(CheckedAttributes read, size_t rank, bool isLhs, Origin& origin) {
  const auto batching =
      read.integers(isLhs ? "lhs_batching_dimensions" : "rhs_batching_dimensions", Shape{});
  std::vector<int64_t> gone =
      read.integers(isLhs ? "lhs_contracting_dimensions" : "rhs_contracting_dimensions", Shape{});
  gone.insert(gone.end(), batching.begin(), batching.end());
  if (gone.size() > rank || batching.size() > origin.size()) return;
  std::ranges::copy(batching, origin.begin());
  const size_t left = rank - gone.size();
  if (left > origin.size()) return;
  keepOthers(gone, rank, isLhs ? batching.size() : origin.size() - left, origin);
}

// Which dimension of the indices of a gather each dimension of its result is.
Origin indexOrigin(CheckedAttributes read, size_t rank) {
  const auto offsets = read.integers("offset_dims", Shape{});
  const int64_t vector = read.integer("index_vector_dim", 0);
  Origin origin(rank, -1);
  int64_t next = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (std::ranges::count(offsets, static_cast<int64_t>(d)) > 0) continue;
    if (next == vector) ++next;
    origin[d] = next++;
  }
  return origin;
}

// Where a slice has all of a dimension, offset_dims names that dimension in the result.
void gatherOrigin(CheckedAttributes read, const std::vector<int64_t>& sizes, const Shape& from,
                  Origin& origin) {
  std::vector<int64_t> gone = read.integers("collapsed_slice_dims", Shape{});
  const auto batching = read.integers("operand_batching_dims", Shape{});
  gone.insert(gone.end(), batching.begin(), batching.end());
  Origin kept(from.size(), -1);
  keepOthers(gone, from.size(), 0, kept);
  const auto offsets = read.integers("offset_dims", Shape{});
  for (size_t i = 0; i < offsets.size() && i < kept.size() && sizes.size() == from.size(); ++i) {
    const int64_t to = offsets[i], dimension = kept[i];
    if (to < 0 || to >= std::ssize(origin) || dimension < 0) return;
    if (sizes[static_cast<size_t>(dimension)] == from[static_cast<size_t>(dimension)])
      origin[static_cast<size_t>(to)] = dimension;
  }
  const std::vector<int64_t> indices = indexOrigin(read, origin.size());
  const auto batches = read.integers("start_indices_batching_dims", Shape{});
  for (size_t i = 0; i < batches.size() && i < batching.size(); ++i) {
    const auto at = std::ranges::find(indices, batches[i]);
    if (at != indices.end()) origin[static_cast<size_t>(at - indices.begin())] = batching[i];
  }
}

// A result of scatter has the dimensions of its input. The window dimensions of the updates are
// those that are neither inserted nor batching; the others are dimensions of the indices.
void scatterOrigin(CheckedAttributes read, const Shape& from, const Shape& to, bool isUpdates,
                   Origin& origin) {
  const auto batching = read.integers("input_batching_dims", Shape{});
  const auto batches = read.integers("scatter_indices_batching_dims", Shape{});
  const auto windows = read.integers("update_window_dims", Shape{});
  auto gone = read.integers("inserted_window_dims", Shape{});
  gone.insert(gone.end(), batching.begin(), batching.end());
  const int64_t vector = read.integer("index_vector_dim", 0);
  const auto place = [&](int64_t dimension, size_t d) {
    if (dimension >= 0 && dimension < std::ssize(to) &&
        to[static_cast<size_t>(dimension)] == from[d])
      origin[static_cast<size_t>(dimension)] = static_cast<int64_t>(d);
  };
  int64_t index = 0, window = 0;
  for (size_t d = 0; d < from.size(); ++d) {
    if (isUpdates && std::ranges::count(windows, static_cast<int64_t>(d)) > 0) {
      while (std::ranges::count(gone, window) > 0) ++window;
      place(window++, d);
      continue;
    }
    if (isUpdates && index == vector) ++index;
    const auto batch = std::ranges::find(batches, index++);
    const auto at = static_cast<size_t>(batch - batches.begin());
    if (batch != batches.end() && at < batching.size()) place(batching[at], d);
  }
}

// Where dimensions are split or merged, the major one of each side is the same.
void reshapeOrigin(const Shape& from, const Shape& to, Origin& origin) {
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    if (from[i] == 1 && to[j] != 1) {
      ++i;
      continue;
    }
    if (to[j] == 1 && from[i] != 1) {
      ++j;
      continue;
    }
    origin[j] = static_cast<int64_t>(i);
    int64_t before = from[i++], after = to[j++];
    if (before < 1 || after < 1) return;
    while (before != after) {
      int64_t& less = before < after ? before : after;
      const Shape& shape = before < after ? from : to;
      size_t& next = before < after ? i : j;
      if (next == shape.size() || shape[next] < 1) return;
      less *= shape[next++];
    }
  }
}

}  // namespace

Origin originOf(const Function& function, const Operation& operation, size_t operand,
                size_t result) {
  const Shape& from = function.valueTypes[operation.operands[operand]].shape;
  const Shape& to = function.valueTypes[operation.results[result]].shape;
  Origin origin(to.size(), -1);
  CheckedAttributes read(operation);
  const auto areDimensions = [&](const std::vector<int64_t>& dimensions) {
    return std::ranges::all_of(
        dimensions, [&](int64_t d) { return d >= 0 && d < static_cast<int64_t>(from.size()); });
  };
  if (operation.name == "stablehlo.transpose") {
    const auto order = read.integers("permutation", Shape{});
    if (order.size() == to.size() && areDimensions(order)) origin = order;
  } else if (operation.name == "stablehlo.broadcast_in_dim") {
    const auto places = read.integers("broadcast_dimensions", Shape{});
    for (size_t i = 0; i < places.size() && i < from.size(); ++i)
      if (places[i] >= 0 && places[i] < static_cast<int64_t>(to.size()) &&
          from[i] == to[static_cast<size_t>(places[i])])
        origin[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
  } else if (operation.name == "stablehlo.reduce") {
    keepOthers(read.integers("dimensions", Shape{}), from.size(), 0, origin);
  } else if (operation.name == "stablehlo.dot_general") {
    dotOrigin(read.dictionary("dot_dimension_numbers", true), from.size(), operand == 0, origin);
  } else if (operation.name == "stablehlo.reshape") {
    reshapeOrigin(from, to, origin);
  } else if (operation.name == "stablehlo.scatter" && operand >= operation.results.size()) {
    scatterOrigin(read.dictionary("scatter_dimension_numbers", true), from, to,
                  operand > operation.results.size(), origin);
  } else if (operation.name == "stablehlo.gather" && operand == 1) {
    origin = indexOrigin(read.dictionary("dimension_numbers", true), to.size());
    for (int64_t& dimension : origin)
      if (dimension >= std::ssize(from)) dimension = -1;
  } else if (operation.name == "stablehlo.gather" && operand == 0) {
    gatherOrigin(read.dictionary("dimension_numbers", true), read.integers("slice_sizes", Shape{}),
                 from, origin);
  } else if (from.size() == to.size() && !kMovesDimensions.contains(operation.name)) {
    for (size_t d = 0; d < to.size(); ++d)
      if (from[d] == to[d]) origin[d] = static_cast<int64_t>(d);
  }
  return origin;
}

}  // namespace vintage::harness
