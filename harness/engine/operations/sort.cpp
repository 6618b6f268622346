// stablehlo.sort.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/scalar_program.h"

namespace vintage::harness {
using namespace golden;

namespace {

// compare(operand, operand) of arguments 2 i and 2 i + 1, or the other way round.
struct PairComparison {
  size_t operand;
  bool descending;
  FloatOrder order;
};

// The comparator of a sort: any region over pairs of elements. A comparison of
// one pair is recognized and runs as typed code.
struct SortComparator {
  std::vector<ElementType> types;
  std::optional<PairComparison> comparison;
  ScalarRegion region;
};

// Stable; a merge sort of our own, because a comparator may contradict itself
// (NaN among numbers), which the library's sorts do not allow.
template <typename Precedes>
void mergeSort(std::vector<uint32_t>& order, Precedes precedes) {
  std::vector<uint32_t> merged(order.size());
  for (size_t run = 1; run < order.size(); run *= 2) {
    for (size_t begin = 0; begin < order.size(); begin += 2 * run) {
      const size_t middle = std::min(begin + run, order.size());
      const size_t end = std::min(begin + 2 * run, order.size());
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        const bool takeRight =
            left == middle || (right < end && precedes(order[right], order[left]));
        merged[out] = order[takeRight ? right++ : left++];
      }
    }
    std::swap(order, merged);
  }
}

template <typename T>
void sortTyped(const T* values, std::vector<uint32_t>& order, bool descending, FloatOrder floats) {
  const auto sortBy = [&](auto key) {
    if (descending)
      mergeSort(order, [&](uint32_t a, uint32_t b) { return key(b) < key(a); });
    else
      mergeSort(order, [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  };
  if constexpr (kIsFloatStorage<T>) {
    if (floats == FloatOrder::kTotal)
      return sortBy([&](uint32_t i) { return totalOrderKey(values[i]); });
    if (floats == FloatOrder::kWeak)
      return sortBy([&](uint32_t i) { return weakOrderKey(values[i]); });
  }
  if constexpr (kIsNarrowFloat<T>)
    sortBy([&](uint32_t i) { return static_cast<float>(values[i]); });
  else if constexpr (!kIsComplexStorage<T>)
    sortBy([&](uint32_t i) { return values[i]; });
}

std::optional<PairComparison> comparisonOf(const Block& block, std::span<const ElementType> types) {
  if (block.operations.size() != 2 || block.operations[0].name != "stablehlo.compare" ||
      block.operations[0].operands.size() != 2 ||
      block.operations[1].operands != block.operations[0].results)
    return std::nullopt;
  const Operation& compare = block.operations[0];
  CheckedAttributes read(compare);
  const std::string direction = read.text("comparison_direction");
  const FloatOrder order = floatOrder(read.text("compare_type", "NOTYPE"));
  if (!read.status() || (direction != "LT" && direction != "GT")) return std::nullopt;
  for (size_t i = 0; i < types.size(); ++i) {
    const ValueId a = block.arguments[2 * i], b = block.arguments[2 * i + 1];
    const bool straight = compare.operands[0] == a && compare.operands[1] == b;
    const bool crossed = compare.operands[0] == b && compare.operands[1] == a;
    if ((straight || crossed) && !isComplex(types[i]))
      return PairComparison{i, (direction == "GT") == straight, order};
  }
  return std::nullopt;
}

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
    comparator.comparison = comparisonOf(region.blocks[0], comparator.types);
  return comparator;
}

// Sorts `order`, which numbers the elements of `line` (one array for each operand, of elements of
// these widths). Stable, and safe with comparators that order nothing.
Status sortLine(const SortComparator& comparator, ScalarRegion::Runner& runner,
                std::span<const std::byte* const> line, std::span<const size_t> widths,
                std::vector<uint32_t>& order) {
  if (comparator.comparison) {
    const PairComparison& comparison = *comparator.comparison;
    visitElementType(comparator.types[comparison.operand], [&]<typename T>() {
      sortTyped(reinterpret_cast<const T*>(line[comparison.operand]), order, comparison.descending,
                comparison.order);
    });
    return {};
  }
  Status status;
  std::vector<const void*> arguments(2 * line.size());
  mergeSort(order, [&](uint32_t a, uint32_t b) {
    if (!status) return false;
    for (size_t i = 0; i < line.size(); ++i) {
      arguments[2 * i] = line[i] + a * widths[i];
      arguments[2 * i + 1] = line[i] + b * widths[i];
    }
    Predicate result;
    void* results[] = {&result};
    status = runner.run(arguments, results, 1);
    return bool{result};
  });
  return status;
}

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
  ScalarRegion::Runner runner(comparator.region, 1);
  for (size_t k = 0; k < lines; ++k) {
    for (size_t i = 0; i < data.size(); ++i) line[i] = data[i] + k * length * widths[i];
    std::iota(order.begin(), order.end(), 0u);
    RETURN_IF_ERROR(sortLine(comparator, runner, line, widths, order));
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
