// stablehlo.scatter.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/indexed_windows.h"
#include "harness/engine/operations/region_fold.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr WindowNumberNames kScatterNames = {
    "scatter_dimension_numbers",     "update_window_dims",
    "inserted_window_dims",          "input_batching_dims",
    "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};

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
  if (const auto loop = fold->scatterLoop(); loop != nullptr && window.isElement()) {
    const std::vector<int64_t> strides = rowMajorStrides(shape);
    std::vector<int64_t> last = shape;
    for (int64_t& each : last) --each;
    const size_t width = byteWidth(fold->elementTypes()[0]);
    windows.forEachRow(batchStrides, strides, last, IndexedWindows::Beyond::kIsOutside,
                       [&](std::span<const int64_t> offsets, int64_t first, int64_t step) {
                         loop(targets[0], offsets, sources[0] + static_cast<size_t>(first) * width,
                              step);
                       });
    return {};
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

std::vector<OperationEntry> scatterOperations() { return {{"stablehlo.scatter", makeScatter}}; }

}  // namespace vintage::harness
