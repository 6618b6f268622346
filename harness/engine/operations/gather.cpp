// stablehlo.gather, dynamic_gather and torch_index_select.
#include <algorithm>
#include <cstring>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/indexed_windows.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr WindowNumberNames kGatherNames = {"dimension_numbers",           "offset_dims",
                                            "collapsed_slice_dims",        "operand_batching_dims",
                                            "start_indices_batching_dims", "start_index_map"};

// Whether elements of these sizes and strides lie one behind the other.
bool isDense(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t dense = 1;
  for (size_t i = sizes.size(); i-- > 0; dense *= sizes[i])
    if (sizes[i] != 1 && strides[i] != dense) return false;
  return true;
}

// Copies `run` bytes from each offset, in elements of `width`, to the next place, `stride` bytes
// from the one before.
void copyRuns(const std::byte* source, std::span<const int64_t> offsets, size_t width, size_t run,
              std::byte* target, size_t stride) {
  const auto copy = [&](auto bytes) {
    for (const int64_t offset : offsets) {
      std::memcpy(target, source + static_cast<size_t>(offset) * width, bytes());
      target += stride;
    }
  };
  // A size that the compiler knows is one move.
  if (run == 4) return copy([] { return size_t{4}; });
  if (run == 8) return copy([] { return size_t{8}; });
  copy([run] { return run; });
}

Result<Tensor> gather(const WindowNumbers& numbers, const std::vector<int64_t>& sizes,
                      const Tensor& operand, const Tensor& indices, int64_t resultRank,
                      size_t limitBytes) {
  const Shape& shape = operand.shape();
  RETURN_IF_ERROR(checkLength("gather", "slice_sizes", sizes.size(), shape.size()));
  ASSIGN_OR_RETURN(auto windows, IndexedWindows::make(numbers, shape, indices, resultRank));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool kept =
        std::ranges::binary_search(windows.operandDimensions(), static_cast<int64_t>(i));
    if (sizes[i] < 0 || sizes[i] > shape[i] || (!kept && sizes[i] > 1))
      return badInput("a slice of {} elements of dimension {} of {}", sizes[i], i,
                      describe(operand));
  }
  Shape resultShape(static_cast<size_t>(resultRank));
  const std::vector<int64_t> window = chosen(sizes, windows.operandDimensions());
  for (size_t i = 0; i < window.size(); ++i)
    resultShape[static_cast<size_t>(windows.outerDimensions()[i])] = window[i];
  for (size_t i = 0; i < windows.batchShape().size(); ++i)
    resultShape[static_cast<size_t>(windows.batchDimensions()[i])] = windows.batchShape()[i];
  auto result = Tensor::makeUninitialized(operand.type(), resultShape, limitBytes);
  if (!result || result->size() == 0) return result;
  // A collapsed dimension of size 0 leaves nothing to take.
  if (std::ranges::find(sizes, 0) != sizes.end()) {
    std::ranges::fill(result->mutableBytes(), std::byte{0});
    return result;
  }
  const std::vector<int64_t> own = rowMajorStrides(shape);
  const std::vector<int64_t> outer = rowMajorStrides(resultShape);
  const std::vector<int64_t> sourceStrides = chosen(own, windows.operandDimensions());
  const std::vector<int64_t> targetStrides = chosen(outer, windows.outerDimensions());
  const size_t width = byteWidth(operand.type());
  const bool isRun = isDense(window, sourceStrides) && isDense(window, targetStrides);
  const size_t run = static_cast<size_t>(elementCount(window)) * width;
  std::vector<int64_t> last(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) last[i] = shape[i] - sizes[i];
  windows.forEachRow(
      chosen(outer, windows.batchDimensions()), own, last, IndexedWindows::Beyond::kIsClamped,
      [&](std::span<const int64_t> offsets, int64_t first, int64_t step) {
        const std::byte* source = operand.bytes().data();
        std::byte* target = result->mutableBytes().data() + static_cast<size_t>(first) * width;
        const size_t stride = static_cast<size_t>(step) * width;
        if (isRun) return copyRuns(source, offsets, width, run, target, stride);
        for (const int64_t offset : offsets) {
          stridedCopy(window, width, {source + static_cast<size_t>(offset) * width, sourceStrides},
                      {target, targetStrides});
          target += stride;
        }
      });
  return result;
}

// The sizes are an attribute, or the third operand.
Result<Kernel> makeGather(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto numbers, readWindowNumbers(request.operation, kGatherNames));
  std::vector<int64_t> fixed;
  if (request.operandTypes.size() == 2) {
    ASSIGN_OR_RETURN(fixed, integersOf(request.operation, "slice_sizes"));
  }
  return tensorKernel([numbers, fixed, rank = std::ssize(request.resultTypes[0].shape)](
                          KernelCall& call) -> Result<Tensor> {
    std::vector<int64_t> sizes = fixed;
    if (call.operands.size() == 3) {
      ASSIGN_OR_RETURN(sizes, integerOperand(call, 2));
    }
    return gather(numbers, sizes, call.operands[0].tensor, call.operands[1].tensor, rank,
                  call.availableBytes);
  });
}

// Rows of the operand along `dim`, for each batch by its own numbers: a gather.
Result<Kernel> makeTorchIndexSelect(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const int64_t dim = read.integer("dim");
  const int64_t batchDims = read.integer("batch_dims");
  RETURN_IF_ERROR(read.status());
  const auto rank = std::ssize(request.operandTypes[0].shape);
  const auto indexRank = std::ssize(request.operandTypes[1].shape);
  if (dim < 0 || dim >= rank || batchDims < 0 || batchDims > dim || batchDims > indexRank)
    return badInput(
        "stablehlo.torch_index_select: dim {} with {} batch dimensions of an operand of rank {}",
        dim, batchDims, rank);
  WindowNumbers numbers;
  numbers.indexVector = indexRank;
  numbers.indexMap = {dim};
  numbers.removed = {dim};
  for (int64_t i = 0; i < batchDims; ++i) {
    numbers.operandBatching.push_back(i);
    numbers.indicesBatching.push_back(i);
  }
  // Result: batch, operand between batch and dim, rest of the index, rest of the operand.
  const int64_t inserted = indexRank - batchDims;
  for (int64_t i = batchDims; i < rank; ++i)
    if (i != dim) numbers.window.push_back(i < dim ? i : i - 1 + inserted);
  return tensorKernel(
      [numbers, dim, batchDims, resultRank = rank - 1 + inserted](KernelCall& call) {
        std::vector<int64_t> sizes = call.operands[0].tensor.shape();
        for (size_t i = 0; i < sizes.size(); ++i)
          if (static_cast<int64_t>(i) < batchDims || static_cast<int64_t>(i) == dim) sizes[i] = 1;
        return gather(numbers, sizes, call.operands[0].tensor, call.operands[1].tensor, resultRank,
                      call.availableBytes);
      });
}

}  // namespace

std::vector<OperationEntry> gatherOperations() {
  return {
      {"stablehlo.dynamic_gather", makeGather, 3, 1},
      {"stablehlo.gather", makeGather, 2, 1},
      {"stablehlo.torch_index_select", makeTorchIndexSelect, 2, 1},
  };
}

}  // namespace vintage::harness
