// Sorts by keys: comparators that compare a function of one element with that of the other, and
// where these are equal another one, as JAX writes the order of NumPy, of complex numbers and of
// lexsort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "golden/module/module_tree.h"
#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/scalar_program.h"

namespace vintage::harness {

struct SortKey {
  golden::ElementType type;
  bool descending;
  FloatOrder order;
};
// The first key decides, where it is equal the next one. Results 2 k and 2 k + 1 of `sides` are the
// two sides of key k: each is of one element alone, the same operand's. They need not be the same
// function of it.
struct SortKeys {
  std::vector<SortKey> keys;
  std::shared_ptr<const ScalarProgram> sides;
};
// None for any other comparator. `program` is that of the comparator's block.
std::optional<SortKeys> sortKeysOf(const golden::Block& comparator, const ScalarProgram& program);

// Sorts `order`, numbers of elements, by their keys, an array of `key.type`. Stable.
void sortByKey(const SortKey& key, const void* keys, std::vector<uint32_t>& order);

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

}  // namespace vintage::harness
