// stablehlo.gather, dynamic_gather, scatter and torch_index_select.
#include <algorithm>
#include <cstring>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/indexed_windows.h"
#include "harness/engine/operations/region_fold.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr WindowNumberNames kGatherNames = {"dimension_numbers",           "offset_dims",
                                            "collapsed_slice_dims",        "operand_batching_dims",
                                            "start_indices_batching_dims", "start_index_map"};
constexpr WindowNumberNames kScatterNames = {
    "scatter_dimension_numbers",     "update_window_dims",
    "inserted_window_dims",          "input_batching_dims",
    "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};

// Whether elements of these sizes and strides lie one behind the other.
bool isDense(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t dense = 1;
  for (size_t i = sizes.size(); i-- > 0; dense *= sizes[i])
    if (sizes[i] != 1 && strides[i] != dense) return false;
  return true;
}

constexpr size_t kMostOffsets = 1024;

// Calls visit(offsets of the windows in the operand, offset of the first in the outer array, step
// from one to the next there) for the windows of each row, up to kMostOffsets at a time.
template <typename Visit>
void forEachRow(const IndexedWindows& windows, std::span<const int64_t> batchStrides,
                std::span<const int64_t> strides, std::span<const int64_t> last,
                IndexedWindows::Beyond beyond, Visit visit) {
  const size_t length = windows.rowLength();
  std::vector<int64_t> memory(std::min(length, kMostOffsets)), batch(windows.batchShape().size());
  Shape rows = windows.batchShape();
  if (!rows.empty()) rows.back() = 1;
  do {
    for (size_t first = 0; first < length; first += kMostOffsets) {
      const std::span offsets(memory.data(), std::min(length - first, kMostOffsets));
      if (!batch.empty()) batch.back() = static_cast<int64_t>(first);
      windows.rowOffsets(batch, strides, last, beyond, offsets);
      visit(offsets, offsetOf(batch, batchStrides), batchStrides.empty() ? 0 : batchStrides.back());
    }
    if (!batch.empty()) batch.back() = 0;
  } while (nextIndex(rows, batch));
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
  forEachRow(
      windows, chosen(outer, windows.batchDimensions()), own, last,
      IndexedWindows::Beyond::kIsClamped,
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

// The elements of one window row by row: whole rows where they lie within the
// operand, element by element where a part is outside and is left out.
class WindowScatter {
 public:
  // `whole`: a window that lies partly outside is left out.
  WindowScatter(std::shared_ptr<const RegionFold> fold, const IndexedWindows& windows,
                const Shape& operand, const Shape& updates, bool whole)
      : runner_(fold, 64),
        whole_(whole),
        types_(fold->elementTypes()),
        window_(chosen(updates, windows.outerDimensions())),
        dimensions_(windows.operandDimensions()),
        operand_(operand),
        own_(rowMajorStrides(operand)),
        targetStrides_(chosen(own_, dimensions_)),
        sourceStrides_(chosen(rowMajorStrides(updates), windows.outerDimensions())),
        targets_(types_.size()),
        sources_(types_.size()),
        index_(window_.size()) {
    rowLength_ = window_.empty() ? 1 : window_.back();
    contiguous_ = window_.empty() || rowLength_ == 1 ||
                  (targetStrides_.back() == 1 && sourceStrides_.back() == 1);
  }

  bool isEmpty() const { return std::ranges::find(window_, 0) != window_.end(); }
  bool isElement() const { return elementCount(window_) == 1; }

  Status apply(std::span<const int64_t> start, int64_t sourceOffset,
               std::span<std::byte* const> targets, std::span<const std::byte* const> sources) {
    bool inside = true;
    for (size_t i = 0; i < start.size(); ++i) inside &= start[i] >= 0 && start[i] < operand_[i];
    for (size_t i = 0; i < window_.size(); ++i) {
      const auto d = static_cast<size_t>(dimensions_[i]);
      inside &= start[d] >= 0 && start[d] <= operand_[d] - window_[i];
    }
    if (!inside && (whole_ || !reaches(start))) return {};
    const int64_t targetOffset = inside ? offsetOf(start, own_) : 0;
    const bool rows = inside && contiguous_;
    std::vector<int64_t> shape = window_;
    if (rows && !shape.empty()) shape.back() = 1;
    std::ranges::fill(index_, 0);
    do {
      int64_t target = targetOffset + offsetOf(index_, targetStrides_);
      if (!inside && !elementInside(start, target)) continue;
      const int64_t source = sourceOffset + offsetOf(index_, sourceStrides_);
      for (size_t i = 0; i < types_.size(); ++i) {
        const auto width = static_cast<int64_t>(byteWidth(types_[i]));
        targets_[i] = targets[i] + target * width;
        sources_[i] = sources[i] + source * width;
      }
      const auto count = static_cast<size_t>(rows ? rowLength_ : 1);
      RETURN_IF_ERROR(runner_.foldLanes(targets_, sources_, count));
    } while (nextIndex(shape, index_));
    return {};
  }

 private:
  // Whether any element may lie within; keeps a huge index from overflowing.
  bool reaches(std::span<const int64_t> start) const {
    for (size_t i = 0; i < start.size(); ++i)
      if (start[i] >= operand_[i]) return false;
    std::vector<int64_t> span(start.size(), 1);
    for (size_t i = 0; i < window_.size(); ++i)
      span[static_cast<size_t>(dimensions_[i])] = window_[i];
    for (size_t i = 0; i < start.size(); ++i)
      if (start[i] <= -span[i]) return false;
    return true;
  }

  bool elementInside(std::span<const int64_t> start, int64_t& target) {
    std::vector<int64_t> place(start.begin(), start.end());
    for (size_t i = 0; i < window_.size(); ++i)
      place[static_cast<size_t>(dimensions_[i])] += index_[i];
    for (size_t i = 0; i < place.size(); ++i)
      if (place[i] < 0 || place[i] >= operand_[i]) return false;
    target = offsetOf(place, own_);
    return true;
  }

  RegionFold::Runner runner_;
  const bool whole_;
  const std::vector<ElementType>& types_;
  std::vector<int64_t> window_, dimensions_;
  Shape operand_;
  std::vector<int64_t> own_, targetStrides_, sourceStrides_;
  std::vector<void*> targets_;
  std::vector<const void*> sources_;
  std::vector<int64_t> index_;
  int64_t rowLength_ = 1;
  bool contiguous_ = false;
};

Status runScatter(const WindowNumbers& numbers, const std::shared_ptr<const RegionFold>& fold,
                  bool whole, KernelCall& call) {
  const size_t count = call.results.size();
  const Tensor& indices = call.operands[count].tensor;
  const Shape shape = call.operands[0].tensor.shape();
  const Tensor& updates = call.operands[count + 1].tensor;
  ASSIGN_OR_RETURN(auto windows, IndexedWindows::make(numbers, shape, indices, updates.rank()));
  const Shape& updateShape = updates.shape();
  if (chosen(updateShape, windows.batchDimensions()) != windows.batchShape())
    return badInput("updates {} do not fit indices {}", describe(updates), describe(indices));
  std::vector<std::byte*> targets;
  std::vector<const std::byte*> sources;
  for (size_t i = 0; i < count; ++i) {
    const Tensor& operand = call.operands[i].tensor;
    const Tensor& update = call.operands[count + 1 + i].tensor;
    const ElementType type = fold->elementTypes()[i];
    if (operand.shape() != shape || update.shape() != updateShape || operand.type() != type ||
        update.type() != type)
      return badInput("operand {} and update {} of the scatter do not fit the others",
                      describe(operand), describe(update));
    call.results[i] = call.take(i);
    targets.push_back(call.results[i].tensor.mutableBytes().data());
    sources.push_back(update.bytes().data());
  }
  const std::vector<int64_t> batchStrides =
      chosen(rowMajorStrides(updateShape), windows.batchDimensions());
  WindowScatter window(fold, windows, shape, updateShape, whole);
  if (window.isEmpty() || elementCount(windows.batchShape()) == 0) return {};
  if (count == 1 && fold->hasFastRow() && window.isElement()) {
    const std::vector<int64_t> strides = rowMajorStrides(shape);
    std::vector<int64_t> last = shape;
    for (int64_t& each : last) --each;
    const size_t width = byteWidth(fold->elementTypes()[0]);
    RegionFold::Runner runner(fold, 1);
    Status status;
    forEachRow(windows, batchStrides, strides, last, IndexedWindows::Beyond::kIsOutside,
               [&](std::span<const int64_t> offsets, int64_t first, int64_t step) {
                 const std::byte* source = sources[0] + static_cast<size_t>(first) * width;
                 for (const int64_t offset : offsets) {
                   void* element = targets[0] + static_cast<size_t>(offset) * width;
                   const void* update = source;
                   source += static_cast<size_t>(step) * width;
                   if (offset != IndexedWindows::kOutside && status)
                     status = runner.foldRow({&element, 1}, {&update, 1}, 1);
                 }
               });
    return status;
  }
  std::vector<int64_t> batch(windows.batchShape().size()), start(shape.size());
  do {
    windows.start(batch, start);
    RETURN_IF_ERROR(window.apply(start, offsetOf(batch, batchStrides), targets, sources));
  } while (nextIndex(windows.batchShape(), batch));
  return {};
}

Result<Kernel> makeScatter(const KernelRequest& request) {
  const size_t count = request.resultTypes.size();
  if (count == 0 || request.operandTypes.size() != 2 * count + 1)
    return badInput("stablehlo.scatter has {} operands for {} results", request.operandTypes.size(),
                    count);
  ASSIGN_OR_RETURN(auto numbers, readWindowNumbers(request.operation, kScatterNames));
  ASSIGN_OR_RETURN(auto fold, RegionFold::make(request, 0, elementsOf(request.resultTypes)));
  ASSIGN_OR_RETURN(const bool whole, flagOf(request.operation, kDropsCutWindows, false));
  return [=](KernelCall& call) { return runScatter(numbers, fold, whole, call); };
}

}  // namespace

std::vector<OperationEntry> gatherScatterOperations() {
  return {
      {"stablehlo.dynamic_gather", makeGather, 3, 1},
      {"stablehlo.gather", makeGather, 2, 1},
      {"stablehlo.scatter", makeScatter},
      {"stablehlo.torch_index_select", makeTorchIndexSelect, 2, 1},
  };
}

}  // namespace vintage::harness
