// Windows that hold all elements of a dimension up to their place, as those of a cumulative sum:
// each is the one before it and one element more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/engine/kernel.h"
#include "harness/engine/operations/region_fold.h"

namespace vintage::harness {

// Windows that slide over an array; each list has a number for each dimension.
struct WindowConfiguration {
  std::vector<int64_t> size, strides, baseDilation, windowDilation, low, high;
};

struct RunningWindow {
  size_t dimension;
  bool fromEnd;  // The elements from the place on, instead of those up to it.
};
// None for other windows.
std::optional<RunningWindow> runningWindow(const WindowConfiguration& window,
                                           const golden::Shape& shape);

// A reduce_window over such windows, with a step for each element instead of one for each element
// of each window. False, and nothing is done, where the body changes the initial value by itself:
// windows hold different numbers of it, as padding. kBadInput: the operands do not fit.
Result<bool> foldRunning(const RunningWindow& window, const std::shared_ptr<const RegionFold>& fold,
                         KernelCall& call);

}  // namespace vintage::harness
