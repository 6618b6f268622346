#include "harness/engine/operations/sort_comparator.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness::engine {
namespace {


template <typename T>
auto totalOrderKey(T value) {
  if constexpr (kIsNarrowFloat<T>) {
    const int32_t magnitude = value.bits() & ~T::kSignBit;
    return (value.bits() & T::kSignBit) ? ~magnitude : magnitude;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    const auto bits = std::bit_cast<Bits>(value);
    return bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits;
  }
}

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
void sortTyped(const T* values, std::vector<uint32_t>& order, bool descending, bool totalOrder) {
  const auto sortBy = [&](auto key) {
    if (descending)
      mergeSort(order, [&](uint32_t a, uint32_t b) { return key(b) < key(a); });
    else
      mergeSort(order, [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  };
  if constexpr (kIsFloatStorage<T>) {
    if (totalOrder) return sortBy([&](uint32_t i) { return totalOrderKey(values[i]); });
  }
  if constexpr (kIsNarrowFloat<T>)
    sortBy([&](uint32_t i) { return static_cast<float>(values[i]); });
  else if constexpr (!kIsComplexStorage<T>)
    sortBy([&](uint32_t i) { return values[i]; });
}

}  // namespace

Result<SortComparator> SortComparator::make(const KernelRequest& request) {
  SortComparator comparator;
  comparator.region_ = request.regions[0];
  for (const ValueType& type : request.operandTypes) comparator.types_.push_back(type.element);
  const Region& region = request.operation.regions[0];
  if (region.blocks.size() != 1 ||
      region.blocks[0].arguments.size() != 2 * comparator.types_.size())
    return failure(Error::Kind::kBadInput,
                   "stablehlo.sort: the comparator must take two elements of each operand");
  if (!request.regionPrograms.empty()) comparator.program_ = request.regionPrograms[0];
  if (const auto& program = comparator.program_; program != nullptr) {
    bool fits = program->argumentCount() == 2 * comparator.types_.size() &&
                program->resultCount() == 1 && program->resultType(0) == ElementType::kI1;
    for (size_t i = 0; fits && i < program->argumentCount(); ++i)
      fits = program->argumentType(i) == comparator.types_[i / 2];
    if (!fits) comparator.program_ = nullptr;
  }
  const Block& block = region.blocks[0];
  if (comparator.program_ == nullptr || block.operations.size() != 2 ||
      block.operations[0].name != "stablehlo.compare" ||
      block.operations[0].operands.size() != 2 ||
      block.operations[1].operands != block.operations[0].results)
    return comparator;
  const Operation& compare = block.operations[0];
  CheckedAttributes read(compare);
  const std::string direction = read.text("comparison_direction");
  const bool total = read.text("compare_type", "NOTYPE") == "TOTALORDER";
  if (!read.status() || (direction != "LT" && direction != "GT")) return comparator;
  for (size_t i = 0; i < comparator.types_.size(); ++i) {
    const ValueId a = block.arguments[2 * i], b = block.arguments[2 * i + 1];
    const bool straight = compare.operands[0] == a && compare.operands[1] == b;
    const bool crossed = compare.operands[0] == b && compare.operands[1] == a;
    if (!straight && !crossed) continue;
    if (!isComplex(comparator.types_[i]))
      comparator.comparison_ = Comparison{i, (direction == "GT") == straight, total};
  }
  return comparator;
}

SortComparator::Runner::Runner(const SortComparator& comparator, std::vector<size_t> widths)
    : comparator_(comparator), widths_(std::move(widths)) {
  if (comparator.program_ != nullptr) program_.emplace(comparator.program_, 1);
  arguments_.resize(2 * widths_.size());
}

Result<bool> SortComparator::Runner::precedes(std::span<const std::byte* const> line, uint32_t a,
                                              uint32_t b) {
  for (size_t i = 0; i < line.size(); ++i) {
    arguments_[2 * i] = line[i] + a * widths_[i];
    arguments_[2 * i + 1] = line[i] + b * widths_[i];
  }
  if (program_) {
    Predicate result;
    void* results[] = {&result};
    program_->run(arguments_, results, 1);
    return bool{result};
  }
  std::vector<Value> values(arguments_.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].tensor = Tensor::uninitialized(comparator_.types_[i / 2], {});
    std::memcpy(values[i].tensor.mutableBytes().data(), arguments_[i], widths_[i / 2]);
  }
  ASSIGN_OR_RETURN(auto results, comparator_.region_(values));
  if (results.size() != 1 || results[0].tensor.type() != ElementType::kI1 ||
      results[0].tensor.size() != 1)
    return failure(Error::Kind::kBadInput, "the comparator must give one bool scalar");
  return bool{results[0].tensor.values<Predicate>()[0]};
}

Status SortComparator::Runner::sort(std::span<const std::byte* const> line,
                                    std::vector<uint32_t>& order) {
  if (comparator_.comparison_) {
    const Comparison& comparison = *comparator_.comparison_;
    visitElementType(comparator_.types_[comparison.operand], [&]<typename T>() {
      sortTyped(reinterpret_cast<const T*>(line[comparison.operand]), order,
                comparison.descending, comparison.totalOrder);
    });
    return {};
  }
  Status status;
  mergeSort(order, [&](uint32_t a, uint32_t b) {
    if (!status) return false;
    auto result = precedes(line, a, b);
    if (!result) status = tl::unexpected(std::move(result.error()));
    return result && *result;
  });
  return status;
}

}  // namespace vintage::harness::engine
