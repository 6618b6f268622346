// stablehlo.sort.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/sort_keys.h"
#include "harness/engine/scalar_program.h"

namespace vintage::harness {
using namespace golden;

namespace {

// The comparator of a sort: any region over pairs of elements. A comparison of keys is recognized
// and runs as typed code.
struct SortComparator {
  std::vector<ElementType> types;
  std::optional<SortKeys> keys;
  ScalarRegion region;
};

constexpr size_t kKeyLanes = 512;

Result<SortComparator> makeComparator(const KernelRequest& request) {
  SortComparator comparator{elementsOf(request.operandTypes), {}, {}};
  std::vector<ElementType> pairs;
  for (const ValueType& type : request.operandTypes) pairs.insert(pairs.end(), 2, type.element);
  const Region& region = request.operation.regions[0];
  if (region.blocks.size() != 1 || region.blocks[0].arguments.size() != pairs.size())
    return badInput("stablehlo.sort: the comparator must take two elements of each operand");
  ASSIGN_OR_RETURN(comparator.region,
                   ScalarRegion::make(request, 0, std::move(pairs), {ElementType::kI1}));
  if (comparator.region.isProgram())
    comparator.keys = sortKeysOf(region.blocks[0], *request.regions[0].program);
  return comparator;
}

// One thread's use of a comparator on lines of `length` elements.
class LineSorter {
 public:
  LineSorter(const SortComparator& comparator, size_t length)
      : comparator_(comparator), runner_(comparator.region, 1), length_(length) {
    if (!comparator.keys) return;
    const ScalarProgram& sides = *comparator.keys->sides;
    sides_.emplace(comparator.keys->sides, kKeyLanes);
    for (const ElementType type : sides.resultTypes()) keys_.emplace_back(length * byteWidth(type));
    results_.resize(keys_.size());
  }

  // Sorts `order`, which numbers the elements of `line` (one array for each operand, of elements of
  // these widths). Stable, and safe with comparators that order nothing.
  Status sort(std::span<const std::byte* const> line, std::span<const size_t> widths,
              std::vector<uint32_t>& order) {
    if (comparator_.keys && haveKeys(line, widths)) {
      const std::vector<SortKey>& keys = comparator_.keys->keys;
      for (size_t k = keys.size(); k-- > 0;) sortByKey(keys[k], keys_[2 * k].data(), order);
      return {};
    }
    Status status;
    arguments_.resize(2 * line.size());
    mergeSort(order, [&](uint32_t a, uint32_t b) {
      if (!status) return false;
      for (size_t i = 0; i < line.size(); ++i) {
        arguments_[2 * i] = line[i] + a * widths[i];
        arguments_[2 * i + 1] = line[i] + b * widths[i];
      }
      Predicate result;
      void* results[] = {&result};
      status = runner_.run(arguments_, results, 1);
      return bool{result};
    });
    return status;
  }

 private:
  // Computes the keys of both sides. The same function gives them if they agree on all elements.
  bool haveKeys(std::span<const std::byte* const> line, std::span<const size_t> widths) {
    arguments_.resize(2 * line.size());
    for (size_t first = 0; first < length_; first += kKeyLanes) {
      for (size_t i = 0; i < arguments_.size(); ++i)
        arguments_[i] = line[i / 2] + first * widths[i / 2];
      for (size_t i = 0; i < keys_.size(); ++i)
        results_[i] = keys_[i].data() + first * (keys_[i].size() / length_);
      sides_->run(arguments_, results_, std::min(kKeyLanes, length_ - first));
    }
    for (size_t i = 0; i < keys_.size(); i += 2)
      if (keys_[i] != keys_[i + 1]) return false;
    return true;
  }

  const SortComparator& comparator_;
  ScalarRegion::Runner runner_;
  size_t length_;
  std::optional<ScalarProgram::Runner> sides_;
  std::vector<std::vector<std::byte>> keys_;  // An array for each side of each key.
  std::vector<const void*> arguments_;
  std::vector<void*> results_;
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
  LineSorter sorter(comparator, length);
  for (size_t k = 0; k < lines; ++k) {
    for (size_t i = 0; i < data.size(); ++i) line[i] = data[i] + k * length * widths[i];
    std::iota(order.begin(), order.end(), 0u);
    RETURN_IF_ERROR(sorter.sort(line, widths, order));
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

Status runSort(const SortComparator& comparator, int64_t dimension, KernelCall& call) {
  const Shape shape = call.operands[0].tensor.shape();
  const bool last = dimension == std::ssize(shape) - 1;
  std::vector<int64_t> swapped(shape.size());
  std::iota(swapped.begin(), swapped.end(), 0);
  std::swap(swapped[static_cast<size_t>(dimension)], swapped.back());
  std::vector<Tensor> arrays;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (call.operands[i].tensor.shape() != shape)
      return badInput("{} and {} cannot be sorted together", describe(call.operands[0].tensor),
                      describe(call.operands[i].tensor));
    Tensor array = call.take(i).tensor;
    if (!last) {
      ASSIGN_OR_RETURN(array, transposeTensor(array, swapped));
    }
    arrays.push_back(std::move(array));
  }
  RETURN_IF_ERROR(sortLines(comparator, arrays));
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!last) {
      ASSIGN_OR_RETURN(arrays[i], transposeTensor(arrays[i], swapped));
    }
    call.results[i].tensor = std::move(arrays[i]);
  }
  return {};
}

Result<Kernel> makeSort(const KernelRequest& request) {
  const size_t count = request.operandTypes.size();
  if (count == 0 || request.resultTypes.size() != count || request.regions.size() != 1)
    return badInput("stablehlo.sort has {} operands and {} results", count,
                    request.resultTypes.size());
  ASSIGN_OR_RETURN(int64_t dimension, integerOf(request.operation, "dimension", -1));
  const auto rank = std::ssize(request.operandTypes[0].shape);
  if (dimension < 0) dimension += rank;
  if (rank == 0) {
    return [](KernelCall& call) -> Status {
      for (size_t i = 0; i < call.results.size(); ++i) call.results[i] = call.operands[i];
      return {};
    };
  }
  if (dimension < 0 || dimension >= rank)
    return badInput("stablehlo.sort: dimension {} of rank {}", dimension, rank);
  ASSIGN_OR_RETURN(auto comparator, makeComparator(request));
  return [comparator, dimension](KernelCall& call) { return runSort(comparator, dimension, call); };
}

}  // namespace

std::vector<OperationEntry> sortOperations() { return {{"stablehlo.sort", makeSort}}; }

}  // namespace vintage::harness
