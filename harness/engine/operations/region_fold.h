// The body of a reduce, reduce_window, scatter or select_and_scatter, applied
// to many elements: accumulators = body(accumulators, elements).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/engine/kernel.h"
#include "harness/engine/scalar_program.h"

namespace vintage::harness {

// Made by a factory, and shared by the threads that run the kernel.
class RegionFold {
 public:
  // Region `index` of the request must take `types` twice (accumulators, then
  // elements) and give them once.
  static Result<std::shared_ptr<const RegionFold>> make(const KernelRequest& request, size_t index,
                                                        std::vector<golden::ElementType> types);

  // Where region `index` is the product of two complex<float>, a fold of the same
  // over complex<double>, for a caller that rounds once, at the end; else null.
  // A product of complex numbers cancels in either part, so that rounding each
  // step loses several ulps within a few factors. The region's own rounding is
  // not observable: the order of a reduction is the implementation's choice.
  static std::shared_ptr<const RegionFold> makeWideProduct(const KernelRequest& request,
                                                           size_t index, golden::ElementType type);

  // One thread's use of it, for at most `lanes` elements at once.
  class Runner {
   public:
    Runner(std::shared_ptr<const RegionFold> fold, size_t lanes);
    // For each lane by itself: the arrays hold `count` elements.
    Status foldLanes(std::span<void* const> accumulators, std::span<const void* const> elements,
                     size_t count);
    // One accumulator each, and `count` elements in order.
    Status foldRow(std::span<void* const> accumulators, std::span<const void* const> elements,
                   size_t count);

   private:
    std::shared_ptr<const RegionFold> fold_;
    ScalarRegion::Runner region_;
    std::vector<const void*> arguments_;
  };

  // A row is folded by one typed loop, without a step for each element.
  bool hasFastRow() const { return row_ != nullptr; }
  const std::vector<golden::ElementType>& types() const { return types_; }

 private:
  using RowLoop = void (*)(void* accumulator, const void* elements, size_t count);
  using LaneLoop = void (*)(void* accumulators, const void* elements, size_t count);

  std::vector<golden::ElementType> types_;
  RowLoop row_ = nullptr;
  LaneLoop lane_ = nullptr;  // Instead of the region.
  ScalarRegion region_;
};

}  // namespace vintage::harness
