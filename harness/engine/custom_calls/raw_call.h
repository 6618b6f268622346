// A custom call as XLA's CPU runtime hands it to an implementation: dense
// buffers in the layouts that the operation declares.
//
// The engine's tensors are row-major. Operands are brought into their declared
// layout before the implementation sees them, and results are brought back.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// Every Tensor in a RawKernel has the logical shape of its operand or result;
// only the order of its elements follows the layout.
//
// A result that the implementation leaves empty (a workspace) is zero-filled
// by the declared type. It must have one element for each result, tuples
// flattened.
using RawResults = std::vector<std::optional<Tensor>>;
using RawKernel = std::function<Result<RawResults>(std::span<const Tensor> operands)>;

// Wraps `kernel`: reads operand_layouts and result_layouts (absent: row-major),
// drops the operands named by indices_of_shape_operands and takes the shapes
// of dynamic results from them, and checks every result against its declared
// type. `name` stands in messages.
Result<Kernel> wrapRawKernel(const std::string& name, const KernelRequest& request,
                             RawKernel kernel);

// `layout` lists dimensions from minor to major; it must be a permutation.
Result<Tensor> toLayout(const Tensor& rowMajor, std::span<const int64_t> layout);
Result<Tensor> fromLayout(const Tensor& physical, std::span<const int64_t> layout);

}  // namespace vintage::harness::engine
