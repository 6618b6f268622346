// stablehlo.sort.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operation_table.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/sort_comparator.h"

namespace vintage::harness::engine {
namespace {

struct Sort {
  int64_t dimension;
  SortComparator comparator;
};

// Lines along the last dimension of `arrays`, which are permuted together.
Status sortLines(const SortComparator& comparator, std::vector<Tensor>& arrays) {
  const auto length = static_cast<size_t>(arrays[0].shape().back());
  if (length < 2 || arrays[0].size() == 0) return {};
  const size_t lines = static_cast<size_t>(arrays[0].size()) / length;
  std::vector<std::byte*> data;
  std::vector<size_t> widths;
  for (Tensor& array : arrays) {
    data.push_back(array.mutableBytes().data());
    widths.push_back(byteWidth(array.type()));
  }
  std::vector<uint32_t> order(length);
  std::vector<std::byte> moved;
  std::vector<const std::byte*> line(data.size());
  SortComparator::Runner runner(comparator, widths);
  for (size_t k = 0; k < lines; ++k) {
    for (size_t i = 0; i < data.size(); ++i) line[i] = data[i] + k * length * widths[i];
    std::iota(order.begin(), order.end(), 0u);
    RETURN_IF_ERROR(runner.sort(line, order));
    for (size_t i = 0; i < data.size(); ++i) {
      const size_t width = widths[i];
      moved.resize(length * width);
      for (size_t j = 0; j < length; ++j)
        std::memcpy(moved.data() + j * width, line[i] + order[j] * width, width);
      std::memcpy(data[i] + k * length * width, moved.data(), moved.size());
    }
  }
  return {};
}

Status runSort(const Sort& sort, KernelCall& call) {
  const Shape shape = call.operands[0].tensor.shape();
  const auto rank = static_cast<int64_t>(shape.size());
  const bool last = sort.dimension == rank - 1;
  std::vector<int64_t> swapped(shape.size());
  std::iota(swapped.begin(), swapped.end(), 0);
  std::swap(swapped[static_cast<size_t>(sort.dimension)], swapped.back());
  std::vector<Tensor> arrays;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (call.operands[i].tensor.shape() != shape)
      return failure(Error::Kind::kBadInput,
                     fmt::format("{} and {} cannot be sorted together",
                                 describe(call.operands[0].tensor),
                                 describe(call.operands[i].tensor)));
    Tensor array = call.owned.empty() ? call.operands[i].tensor : std::move(call.owned[i].tensor);
    if (!last) {
      ASSIGN_OR_RETURN(auto transposed, transposeTensor(array, swapped));
      array = std::move(transposed);
    }
    arrays.push_back(std::move(array));
  }
  RETURN_IF_ERROR(sortLines(sort.comparator, arrays));
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!last) {
      ASSIGN_OR_RETURN(auto back, transposeTensor(arrays[i], swapped));
      arrays[i] = std::move(back);
    }
    call.results[i].tensor = std::move(arrays[i]);
  }
  return {};
}

Result<Kernel> makeSort(const KernelRequest& request) {
  const size_t count = request.operandTypes.size();
  if (count == 0 || request.resultTypes.size() != count || request.regions.size() != 1)
    return failure(Error::Kind::kBadInput,
                   fmt::format("stablehlo.sort has {} operands and {} results", count,
                               request.resultTypes.size()));
  CheckedAttributes read(request.operation);
  int64_t dimension = read.integer("dimension", -1);
  RETURN_IF_ERROR(read.status());
  const auto rank = static_cast<int64_t>(request.operandTypes[0].shape.size());
  if (dimension < 0) dimension += rank;
  if (rank == 0) {
    return [](KernelCall& call) -> Status {
      for (size_t i = 0; i < call.results.size(); ++i) call.results[i] = call.operands[i];
      return {};
    };
  }
  if (dimension < 0 || dimension >= rank)
    return failure(Error::Kind::kBadInput,
                   fmt::format("stablehlo.sort: dimension {} of rank {}", dimension, rank));
  ASSIGN_OR_RETURN(auto comparator, SortComparator::make(request));
  Sort sort{dimension, std::move(comparator)};
  return [sort](KernelCall& call) { return runSort(sort, call); };
}

constexpr OperationEntry kSortOperations[] = {{"stablehlo.sort", makeSort}};

}  // namespace

std::span<const OperationEntry> sortOperations() { return kSortOperations; }

}  // namespace vintage::harness::engine
