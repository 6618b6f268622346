// stablehlo.sort.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
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

// compare(key(a), key(b)) for elements a and b of one operand, or the other way round: NumPy's
// order, which JAX sorts by, takes -0 for 0 and each NaN for the same one.
struct KeyComparison {
  size_t operand;
  bool descending;
  FloatOrder order;
  std::shared_ptr<const ScalarProgram> sides;  // Both sides of it.
};

// The comparator of a sort: any region over pairs of elements. A comparison of keys is recognized
// and runs as typed code.
struct SortComparator {
  std::vector<ElementType> types;
  std::optional<KeyComparison> comparison;
  ScalarRegion region;
};

constexpr size_t kKeyLanes = 512;

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

// Sorts by unsigned keys, one byte after the other. Stable. `keys[i]` is that of order[i]; both are
// sorted.
template <typename Key>
void radixSort(std::vector<Key>& keys, std::vector<uint32_t>& order) {
  std::array<std::array<uint32_t, 256>, sizeof(Key)> counts{};
  const auto digit = [](Key key, size_t place) { return static_cast<uint8_t>(key >> (8 * place)); };
  for (const Key key : keys)
    for (size_t place = 0; place < counts.size(); ++place) ++counts[place][digit(key, place)];
  std::vector<Key> sortedKeys(keys.size());
  std::vector<uint32_t> sorted(order.size());
  for (size_t place = 0; place < counts.size(); ++place) {
    if (counts[place][digit(keys[0], place)] == keys.size()) continue;  // All have it.
    uint32_t before = 0;
    for (uint32_t& count : counts[place]) before += std::exchange(count, before);
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint32_t to = counts[place][digit(keys[i], place)]++;
      sortedKeys[to] = keys[i];
      sorted[to] = order[i];
    }
    std::swap(keys, sortedKeys);
    std::swap(order, sorted);
  }
}

// By key(i), an integer, of the elements 0 to order.size() - 1, which `order` has in this order.
template <typename KeyOf>
void sortByInteger(KeyOf key, std::vector<uint32_t>& order, bool descending) {
  using Key = decltype(key(0));
  using Unsigned = std::make_unsigned_t<Key>;
  constexpr auto kSign =
      static_cast<Unsigned>(std::is_signed_v<Key> ? Unsigned{1} << (8 * sizeof(Key) - 1) : 0);
  std::vector<Unsigned> keys(order.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto ascending =
        static_cast<Unsigned>(static_cast<Unsigned>(key(static_cast<uint32_t>(i))) ^ kSign);
    keys[i] = descending ? static_cast<Unsigned>(~ascending) : ascending;
  }
  constexpr size_t kFew = 64;  // Less than the digits' counts are worth.
  if (order.size() < kFew)
    mergeSort(order, [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  else
    radixSort(keys, order);
}

template <typename T>
void sortTyped(const T* values, std::vector<uint32_t>& order, bool descending, FloatOrder floats) {
  if constexpr (kIsFloatStorage<T>) {
    if (floats == FloatOrder::kTotal)
      return sortByInteger([&](uint32_t i) { return totalOrderKey(values[i]); }, order, descending);
    if (floats == FloatOrder::kWeak)
      return sortByInteger([&](uint32_t i) { return weakOrderKey(values[i]); }, order, descending);
  }
  const auto sortBy = [&](auto key) {
    if (descending)
      mergeSort(order, [&](uint32_t a, uint32_t b) { return key(b) < key(a); });
    else
      mergeSort(order, [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  };
  if constexpr (std::is_integral_v<T>)
    sortByInteger([&](uint32_t i) { return values[i]; }, order, descending);
  else if constexpr (kIsNarrowFloat<T>)
    sortBy([&](uint32_t i) { return static_cast<float>(values[i]); });
  else if constexpr (!kIsComplexStorage<T>)
    sortBy([&](uint32_t i) { return values[i]; });
}

std::optional<KeyComparison> comparisonOf(const Block& block, const ScalarProgram& program) {
  const std::vector<ValueId>& results = block.operations.back().operands;
  const auto compare = std::ranges::find(block.operations, results, &Operation::results);
  if (compare == block.operations.end() || compare->name != "stablehlo.compare")
    return std::nullopt;
  CheckedAttributes read(*compare);
  const std::string direction = read.text("comparison_direction");
  const FloatOrder order = floatOrder(read.text("compare_type", "NOTYPE"));
  if (!read.status() || (direction != "LT" && direction != "GT")) return std::nullopt;
  auto sides = program.withoutLast();
  if (!sides || isComplex(sides->resultTypes()[0])) return std::nullopt;
  // By result, the only argument that it depends on.
  size_t only[2] = {};
  for (size_t side = 0; side < 2; ++side) {
    size_t found = 0;
    for (size_t i = 0; i < block.arguments.size(); ++i)
      if (sides->dependsOn(side, i)) only[side] = i, ++found;
    if (found != 1) return std::nullopt;
  }
  if (only[0] == only[1] || only[0] / 2 != only[1] / 2) return std::nullopt;
  const bool straight = only[0] < only[1];
  return KeyComparison{only[0] / 2, (direction == "GT") == straight, order, std::move(sides)};
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
    comparator.comparison = comparisonOf(region.blocks[0], *request.regions[0].program);
  return comparator;
}

// One thread's use of a comparator on lines of `length` elements.
class LineSorter {
 public:
  LineSorter(const SortComparator& comparator, size_t length)
      : comparator_(comparator), runner_(comparator.region, 1), length_(length) {
    if (!comparator.comparison) return;
    sides_.emplace(comparator.comparison->sides, kKeyLanes);
    for (std::vector<std::byte>& keys : keys_)
      keys.resize(length * byteWidth(comparator.comparison->sides->resultTypes()[0]));
  }

  // Sorts `order`, which numbers the elements of `line` (one array for each operand, of elements of
  // these widths). Stable, and safe with comparators that order nothing.
  Status sort(std::span<const std::byte* const> line, std::span<const size_t> widths,
              std::vector<uint32_t>& order) {
    if (comparator_.comparison && haveOneKey(line, widths)) {
      const KeyComparison& comparison = *comparator_.comparison;
      visitElementType(comparison.sides->resultTypes()[0], [&]<typename T>() {
        sortTyped(reinterpret_cast<const T*>(keys_[0].data()), order, comparison.descending,
                  comparison.order);
      });
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
  bool haveOneKey(std::span<const std::byte* const> line, std::span<const size_t> widths) {
    const size_t width = keys_[0].size() / length_;
    arguments_.resize(2 * line.size());
    for (size_t first = 0; first < length_; first += kKeyLanes) {
      for (size_t i = 0; i < arguments_.size(); ++i)
        arguments_[i] = line[i / 2] + first * widths[i / 2];
      void* results[] = {keys_[0].data() + first * width, keys_[1].data() + first * width};
      sides_->run(arguments_, results, std::min(kKeyLanes, length_ - first));
    }
    return keys_[0] == keys_[1];
  }

  const SortComparator& comparator_;
  ScalarRegion::Runner runner_;
  size_t length_;
  std::optional<ScalarProgram::Runner> sides_;
  std::vector<std::byte> keys_[2];
  std::vector<const void*> arguments_;
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
