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

  // The same, with one accumulator of float64 or complex<double> that the caller rounds
  // once, at the end, where region `index` is a sum of float16, bfloat16, float32 or
  // complex<float>, or a product of complex<float>. A float32 sum in order is 0.4 % off
  // after 250,000 equal elements, one of bfloat16 stops after 256; a complex product cancels
  // in either part. The rounding of each step is not observable: the order of a reduction is
  // the implementation's choice.
  static Result<std::shared_ptr<const RegionFold>> makeWide(const KernelRequest& request,
                                                            size_t index,
                                                            std::vector<golden::ElementType> types);

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

  // The results, which are accumulators, as elements.
  Status round(KernelCall& call) const;

  // A row is folded by one typed loop, without a step for each element.
  bool hasFastRow() const { return row_ != nullptr; }
  // Folds element k, of every `step`th one, into the accumulator at offsets[k], unless that is
  // negative. One typed loop; null where the region has none.
  using ScatterLoop = void (*)(void* accumulators, std::span<const int64_t> offsets,
                               const void* elements, int64_t step);
  ScatterLoop scatterLoop() const { return scatter_; }
  const std::vector<golden::ElementType>& elementTypes() const { return elementTypes_; }
  const std::vector<golden::ElementType>& accumulatorTypes() const { return accumulatorTypes_; }

 private:
  using RowLoop = void (*)(void* accumulator, const void* elements, size_t count);
  using LaneLoop = void (*)(void* accumulators, const void* elements, size_t count);

  std::vector<golden::ElementType> elementTypes_, accumulatorTypes_;
  RowLoop row_ = nullptr;
  LaneLoop lane_ = nullptr;  // Instead of the region.
  ScatterLoop scatter_ = nullptr;
  ScalarRegion region_;
};

}  // namespace vintage::harness
