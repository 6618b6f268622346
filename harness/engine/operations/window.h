// Windows that slide over an array: the attributes that reduce_window and
// select_and_scatter share, checked.
#pragma once

#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

struct WindowConfiguration {
  std::vector<int64_t> size, strides, baseDilation, windowDilation, low, high;
};

// Absent attributes have their defaults.
Result<WindowConfiguration> readWindow(const golden::Operation& operation, int64_t rank);

// reduce_window whose window is given when it runs: the operation's last five
// operands are window_dimensions, window_strides, base_dilations, window_dilations
// and padding, and its one region folds.
Result<Kernel> makeDynamicReduceWindow(const KernelRequest& request);

// How many windows fit each dimension of `shape`; an error where a number
// overflows.
Result<golden::Shape> windowCounts(const WindowConfiguration& window, const golden::Shape& shape);

// stablehlo.select_and_scatter.

Result<Kernel> makeSelectAndScatter(const KernelRequest& request);

}  // namespace vintage::harness
