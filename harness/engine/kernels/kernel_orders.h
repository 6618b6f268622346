// A kernel that runs in several orders of its grid, or of its devices, gives the same in each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {

// An element of a result, and where a run changed it last.
struct WatchedElement {
  size_t result = 0;
  int64_t element = 0;
  std::string change = {};
  std::vector<std::byte> last = {};

  // Looks at the element after each step of `run`. `bytes` are those of the element (none: it is
  // not there now), `program` is the part of the grid that runs.
  void watch(KernelRun& run, std::function<std::span<const std::byte>()> bytes,
             std::function<std::string()> program);
};

// One run, in the order of this number; 0 is the usual one. `watched` may be null.
using RunInOrder =
    std::function<Result<std::vector<golden::Tensor>>(int order, WatchedElement* watched)>;
struct OrderCheck {
  int orders = 1;
  bool addsFloats = false;  // So that the order changes roundings.
  std::string what;         // "the order in which the programs of the grid run"
  bool namesPlaces = true;  // Runs again to find who wrote what differs.
};
// The results of the usual order; kBadInput names the first element that another order changes.
Result<std::vector<golden::Tensor>> runInOrders(const OrderCheck& check, const RunInOrder& run);

}  // namespace vintage::harness
