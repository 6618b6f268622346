// How an array lies in the memory of its device: its dimensions in any order, without gaps and
// tiles. The engine computes with row-major arrays, so that values are transposed on their way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "golden/tensor/tensor.h"
#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

// The dimensions from the minor to the major one, as XLA lists them.
using DimensionOrder = std::vector<int64_t>;

DimensionOrder rowMajorOrder(size_t rank);

// As XLA writes it: "{1,0}".
std::string layoutText(const DimensionOrder& order);
// kUnsupported: tiles. kBadInput: it orders no array of this rank.
Result<DimensionOrder> readLayoutText(std::string_view text, size_t rank);
// As a caller's layout says; row-major without one.
Result<DimensionOrder> orderOf(const MemoryLayout* layout, size_t rank);

// An array as it lies: the tensor has its shape, and the elements follow the order.
struct StoredArray {
  golden::Tensor tensor;
  DimensionOrder order;
};

// The orders of a program's arguments and results, by JAX's annotation of main
// (`mhlo.layout_mode`). Without one they are row-major. Where it leaves the order to the compiler,
// an argument is row-major too, and a result that only moves dimensions lies as its operand does,
// or as jax.experimental.layout.with_layout_constraint asks.
struct ProgramLayouts {
  std::vector<DimensionOrder> arguments, results;
  bool annotated = false;   // One of them at least.
  bool transposed = false;  // Main returns a transposed value: clients take that for column-major.
};
Result<ProgramLayouts> layoutsOf(const golden::Function& main);

}  // namespace vintage::harness
