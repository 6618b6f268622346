#include "harness/engine/operations/sort_keys.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct Comparison {
  ValueId left, right;
  std::string direction;
  FloatOrder order;
};

// Reads what a comparator's result is made of.
class Reading {
 public:
  explicit Reading(const Block& block) : block_(block) {}

  // The comparisons that decide, the first one first; none where the value is something else.
  std::optional<std::vector<Comparison>> comparisons(ValueId value) const {
    std::vector<Comparison> found;
    for (;;) {
      if (auto last = comparison(value)) {
        if (last->direction != "LT" && last->direction != "GT") return std::nullopt;
        found.push_back(std::move(*last));
        return found;
      }
      // a < b or (a = b and what decides then)
      auto either = sides(value, "stablehlo.or");
      auto decided = either ? comparison(either->first) : std::nullopt;
      if (either && !decided) {
        std::swap(either->first, either->second);
        decided = comparison(either->first);
      }
      auto equal = decided ? sides(either->second, "stablehlo.and") : std::nullopt;
      if (!equal) return std::nullopt;
      if (!areEqual(*decided, equal->first)) std::swap(equal->first, equal->second);
      if (!areEqual(*decided, equal->first)) return std::nullopt;
      if (decided->direction != "LT" && decided->direction != "GT") return std::nullopt;
      found.push_back(std::move(*decided));
      value = equal->second;
    }
  }

 private:
  const Operation* definition(ValueId value) const {
    const auto found =
        std::ranges::find(block_.operations, std::vector<ValueId>{value}, &Operation::results);
    return found == block_.operations.end() ? nullptr : &*found;
  }

  std::optional<Comparison> comparison(ValueId value) const {
    const Operation* operation = definition(value);
    if (operation == nullptr || operation->name != "stablehlo.compare" ||
        operation->operands.size() != 2)
      return std::nullopt;
    CheckedAttributes read(*operation);
    Comparison comparison{operation->operands[0], operation->operands[1],
                          read.text("comparison_direction"),
                          floatOrder(read.text("compare_type", "NOTYPE"))};
    if (!read.status()) return std::nullopt;
    return comparison;
  }

  std::optional<std::pair<ValueId, ValueId>> sides(ValueId value, std::string_view name) const {
    const Operation* operation = definition(value);
    if (operation == nullptr || operation->name != name || operation->operands.size() != 2)
      return std::nullopt;
    return std::pair(operation->operands[0], operation->operands[1]);
  }

  // Whether the value says that both sides of the comparison are equal in its order.
  bool areEqual(const Comparison& of, ValueId value) const {
    const auto equal = comparison(value);
    return equal && equal->direction == "EQ" && equal->order == of.order &&
           std::minmax(equal->left, equal->right) == std::minmax(of.left, of.right);
  }

  const Block& block_;
};

// The only argument that a result depends on.
std::optional<size_t> onlyArgument(const ScalarProgram& program, size_t result) {
  std::optional<size_t> only;
  for (size_t i = 0; i < program.argumentTypes().size(); ++i) {
    if (!program.dependsOn(result, i)) continue;
    if (only) return std::nullopt;
    only = i;
  }
  return only;
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

// By key(i), an integer, of element i.
template <typename KeyOf>
void sortByInteger(KeyOf key, std::vector<uint32_t>& order, bool descending) {
  using Key = decltype(key(0));
  using Unsigned = std::make_unsigned_t<Key>;
  constexpr auto kSign =
      static_cast<Unsigned>(std::is_signed_v<Key> ? Unsigned{1} << (8 * sizeof(Key) - 1) : 0);
  const auto ascendingKey = [&](uint32_t i) {
    const auto ascending = static_cast<Unsigned>(static_cast<Unsigned>(key(i)) ^ kSign);
    return descending ? static_cast<Unsigned>(~ascending) : ascending;
  };
  constexpr size_t kFew = 64;  // Less than the digits' counts are worth.
  if (order.size() < kFew)
    return mergeSort(order,
                     [&](uint32_t a, uint32_t b) { return ascendingKey(a) < ascendingKey(b); });
  std::vector<Unsigned> keys(order.size());
  std::ranges::transform(order, keys.begin(), ascendingKey);
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

}  // namespace

std::optional<SortKeys> sortKeysOf(const Block& comparator, const ScalarProgram& program) {
  const std::vector<ValueId>& results = comparator.operations.back().operands;
  if (results.size() != 1) return std::nullopt;
  const auto comparisons = Reading(comparator).comparisons(results[0]);
  if (!comparisons) return std::nullopt;
  std::vector<ValueId> sides;
  for (const Comparison& each : *comparisons) sides.insert(sides.end(), {each.left, each.right});
  SortKeys found{{}, program.giving(sides)};
  if (found.sides == nullptr) return std::nullopt;
  for (size_t k = 0; k < comparisons->size(); ++k) {
    const Comparison& comparison = (*comparisons)[k];
    const ElementType type = found.sides->resultTypes()[2 * k];
    // A float that equals nothing, NaN, is in no order with keys that follow.
    const bool isOrdered = !isFloat(type) || comparison.order != FloatOrder::kPartial;
    if (isComplex(type) || (comparisons->size() > 1 && !isOrdered)) return std::nullopt;
    const auto left = onlyArgument(*found.sides, 2 * k);
    const auto right = onlyArgument(*found.sides, 2 * k + 1);
    if (!left || !right || *left == *right || *left / 2 != *right / 2) return std::nullopt;
    const bool straight = *left < *right;
    found.keys.push_back({type, (comparison.direction == "GT") == straight, comparison.order});
  }
  return found;
}

void sortByKey(const SortKey& key, const void* keys, std::vector<uint32_t>& order) {
  visitElementType(key.type, [&]<typename T>() {
    sortTyped(static_cast<const T*>(keys), order, key.descending, key.order);
  });
}

}  // namespace vintage::harness
