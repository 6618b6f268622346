// The comparator of a sort: any region over pairs of elements. A comparison of
// one pair is recognized and runs as typed code.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"
#include "harness/engine/scalar_program.h"

namespace vintage::harness::engine {

class SortComparator {
 public:
  static Result<SortComparator> make(const KernelRequest& request);

  class Runner {
   public:
    Runner(const SortComparator& comparator, std::vector<size_t> widths);
    // Sorts `order`, which numbers the elements of `line` (one array for each
    // operand). Stable, and safe with comparators that order nothing.
    Status sort(std::span<const std::byte* const> line, std::vector<uint32_t>& order);

   private:
    Result<bool> precedes(std::span<const std::byte* const> line, uint32_t a, uint32_t b);

    const SortComparator& comparator_;
    std::vector<size_t> widths_;
    std::optional<ScalarProgram::Runner> program_;
    std::vector<const void*> arguments_;
  };

 private:
  // compare(operand, operand) of arguments 2 i and 2 i + 1, or the other way round.
  struct Comparison {
    size_t operand;
    bool descending, totalOrder;
  };
  std::vector<ElementType> types_;
  std::optional<Comparison> comparison_;
  std::shared_ptr<const ScalarProgram> program_;
  RegionFunction region_;
};

}  // namespace vintage::harness::engine
