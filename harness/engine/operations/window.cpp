// stablehlo.reduce_window and select_and_scatter.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/loop_table.h"
#include "harness/engine/operations/region_fold.h"
#include "harness/engine/operations/running_window.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int64_t kFarthestWindow = int64_t{1} << 40;
constexpr size_t kWindowLanes = 2048;

// Checks the lists and adds the padding.
Status complete(const std::string& owner, WindowConfiguration& window,
                std::span<const int64_t> padding, size_t rank) {
  for (const auto& [name, values] :
       {std::pair{"window_dimensions", &window.size}, std::pair{"window_strides", &window.strides},
        std::pair{"base_dilations", &window.baseDilation},
        std::pair{"window_dilations", &window.windowDilation}}) {
    RETURN_IF_ERROR(checkLength(owner, name, values->size(), rank));
    for (const int64_t value : *values)
      if (value < 1 || value > kFarthestWindow)
        return badInput("{}: '{}' has {}; at least 1 and at most 2^40 is possible", owner, name,
                        value);
  }
  RETURN_IF_ERROR(checkLength(owner, "padding", padding.size(), 2 * rank));
  for (const int64_t value : padding)
    if (value > kFarthestWindow || value < -kFarthestWindow)
      return badInput("{}: 'padding' has {}; at most 2^40 is possible", owner, value);
  for (size_t i = 0; i + 1 < padding.size(); i += 2) {
    window.low.push_back(padding[i]);
    window.high.push_back(padding[i + 1]);
  }
  return {};
}

// Absent attributes have their defaults.
Result<WindowConfiguration> readWindow(const KernelRequest& request) {
  const size_t rank = request.operandTypes[0].shape.size();
  const std::vector<int64_t> ones(rank, 1), zeros(2 * rank, 0);
  CheckedAttributes read(request.operation);
  WindowConfiguration window;
  window.size = read.integers("window_dimensions", ones);
  window.strides = read.integers("window_strides", ones);
  window.baseDilation = read.integers("base_dilations", ones);
  window.windowDilation = read.integers("window_dilations", ones);
  const auto padding = read.flattenedIntegers("padding", zeros);
  RETURN_IF_ERROR(read.status());
  RETURN_IF_ERROR(complete(request.operation.name, window, padding, rank));
  return window;
}

// How many windows fit each dimension of `shape`; an error where a number overflows.
Result<Shape> windowCounts(const WindowConfiguration& window, const Shape& shape) {
  Shape counts;
  for (size_t i = 0; i < shape.size(); ++i) {
    const __int128 dilated =
        shape[i] == 0 ? 0 : __int128{shape[i] - 1} * window.baseDilation[i] + 1;
    const __int128 padded = dilated + window.low[i] + window.high[i];
    const __int128 span = __int128{window.size[i] - 1} * window.windowDilation[i] + 1;
    if (padded > kFarthestWindow || padded < 0)
      return badInput("padding {} and {} is not possible for dimension {} of size {}",
                      window.low[i], window.high[i], i, shape[i]);
    counts.push_back(padded < span ? 0
                                   : static_cast<int64_t>((padded - span) / window.strides[i] + 1));
  }
  return counts;
}

struct WindowReduction {
  WindowConfiguration window;
  std::shared_ptr<const RegionFold> fold;
};

// For each place within the window the elements of all windows are gathered
// and folded at once, so that any body runs over many lanes.
Status foldWindows(const WindowReduction& reduction, KernelCall& call) {
  const WindowConfiguration& window = reduction.window;
  const size_t count = call.results.size();
  const Shape& shape = call.operands[0].tensor.shape();
  ASSIGN_OR_RETURN(auto counts, windowCounts(window, shape));
  std::vector<int64_t> interior = window.baseDilation;
  for (int64_t& dilation : interior) --dilation;
  std::vector<Tensor> padded, gathered;
  std::vector<void*> accumulators;
  std::vector<const void*> elements;
  for (size_t i = 0; i < count; ++i) {
    const Tensor& operand = call.operands[i].tensor;
    const Tensor& initial = call.operands[count + i].tensor;
    const ElementType type = reduction.fold->elementTypes()[i];
    const ElementType wide = reduction.fold->accumulatorTypes()[i];
    if (operand.shape() != shape || initial.size() != 1 || initial.type() != type)
      return badInput("operand {} is {} with the initial value {}", i, describe(operand),
                      describe(initial));
    ASSIGN_OR_RETURN(auto converted, convertTensor(operand, type, call.availableBytes));
    ASSIGN_OR_RETURN(auto start, convertTensor(initial, wide, call.availableBytes));
    ASSIGN_OR_RETURN(padded.emplace_back(), padTensor(converted, initial, window.low, window.high,
                                                      interior, call.availableBytes));
    Tensor& result = call.results[i].tensor;
    ASSIGN_OR_RETURN(result, Tensor::makeUninitialized(wide, counts, call.availableBytes));
    fill(result.mutableBytes(), start.bytes());
    accumulators.push_back(result.mutableBytes().data());
    ASSIGN_OR_RETURN(gathered.emplace_back(),
                     Tensor::makeUninitialized(type, counts, call.availableBytes));
    elements.push_back(gathered.back().mutableBytes().data());
  }
  const auto lanes = static_cast<size_t>(gathered[0].size());
  if (lanes == 0) return reduction.fold->round(call);
  RegionFold::Runner runner(reduction.fold, std::min(lanes, kWindowLanes));
  const std::vector<int64_t> dense = rowMajorStrides(counts);
  const std::vector<int64_t> own = rowMajorStrides(padded[0].shape());
  std::vector<int64_t> steps(own.size()), place(own.size());
  for (size_t i = 0; i < own.size(); ++i) steps[i] = counts[i] > 1 ? own[i] * window.strides[i] : 0;
  do {
    int64_t offset = 0;
    for (size_t i = 0; i < own.size(); ++i) offset += place[i] * window.windowDilation[i] * own[i];
    for (size_t i = 0; i < count; ++i) {
      const size_t width = byteWidth(padded[i].type());
      stridedCopy(counts, width,
                  {padded[i].bytes().data() + static_cast<size_t>(offset) * width, steps},
                  {gathered[i].mutableBytes().data(), dense});
    }
    RETURN_IF_ERROR(runner.foldLanes(accumulators, elements, lanes));
  } while (nextIndex(window.size, place));
  return reduction.fold->round(call);
}

Status runReduceWindow(const WindowReduction& reduction, KernelCall& call) {
  const auto running = runningWindow(reduction.window, call.operands[0].tensor.shape());
  if (running) {
    ASSIGN_OR_RETURN(const bool isDone, foldRunning(*running, reduction.fold, call));
    if (isDone) return {};
  }
  return foldWindows(reduction, call);
}

// All but the window. `further` operands follow the arrays and initial values.
Result<WindowReduction> makeReduction(const KernelRequest& request, size_t further) {
  const size_t count = request.resultTypes.size();
  if (count == 0 || request.operandTypes.size() != 2 * count + further)
    return badInput("{} has {} operands for {} results", request.operation.name,
                    request.operandTypes.size(), count);
  ASSIGN_OR_RETURN(auto fold, RegionFold::makeWide(request, 0, elementsOf(request.resultTypes)));
  return WindowReduction{{}, std::move(fold)};
}

Result<Kernel> makeReduceWindow(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto reduction, makeReduction(request, 0));
  ASSIGN_OR_RETURN(reduction.window, readWindow(request));
  return Kernel([reduction](KernelCall& call) { return runReduceWindow(reduction, call); });
}

Result<WindowConfiguration> windowOfOperands(const std::string& owner, const KernelCall& call) {
  const size_t first = 2 * call.results.size();
  std::vector<int64_t> lists[5];
  for (size_t i = 0; i < 5; ++i) {
    ASSIGN_OR_RETURN(lists[i], within(owner, integerOperand(call, first + i)));
  }
  WindowConfiguration window{lists[0], lists[1], lists[2], lists[3], {}, {}};
  RETURN_IF_ERROR(complete(owner, window, lists[4], call.operands[0].tensor.shape().size()));
  return window;
}

struct Selection {
  WindowConfiguration window;
  ScalarRegion select;  // Whether the first of two elements is kept.
  std::shared_ptr<const RegionFold> scatter;
};

Status runSelectAndScatter(const Selection& selection, KernelCall& call) {
  const Tensor& operand = call.operands[0].tensor;
  const Tensor& source = call.operands[1].tensor;
  const Tensor& initial = call.operands[2].tensor;
  const WindowConfiguration& window = selection.window;
  ASSIGN_OR_RETURN(auto counts, windowCounts(window, operand.shape()));
  if (counts != source.shape() || initial.size() != 1 || initial.type() != source.type() ||
      source.type() != operand.type())
    return badInput("operand {}, source {} and initial value {} do not fit the {} windows",
                    describe(operand), describe(source), describe(initial),
                    describe(source.type(), counts));
  Tensor& result = call.results[0].tensor;
  result = Tensor::uninitialized(operand.type(), operand.shape());
  fill(result.mutableBytes(), initial.bytes());
  if (source.size() == 0) return {};
  const size_t width = byteWidth(operand.type());
  const std::byte* elements = operand.bytes().data();
  std::byte* target = result.mutableBytes().data();
  const std::byte* next = source.bytes().data();
  const std::vector<int64_t> strides = rowMajorStrides(operand.shape());
  ScalarRegion::Runner selector(selection.select, 1);
  RegionFold::Runner fold(selection.scatter, 1);
  const size_t rank = strides.size();
  std::vector<int64_t> windowIndex(rank), place(rank), first(rank), inside(rank);
  do {
    const std::byte* selected = nullptr;
    // The part of the window that lies within the operand: padding is never
    // selected.
    bool empty = false;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t start = windowIndex[i] * window.strides[i] - window.low[i];
      first[i] = std::max<int64_t>(0, start);
      inside[i] = std::min(operand.shape()[i], start + window.size[i]) - first[i];
      empty |= inside[i] <= 0;
    }
    std::ranges::fill(place, 0);
    for (bool more = !empty; more; more = nextIndex(inside, place)) {
      int64_t offset = 0;
      for (size_t i = 0; i < rank; ++i) offset += (first[i] + place[i]) * strides[i];
      const std::byte* candidate = elements + static_cast<size_t>(offset) * width;
      if (selected == nullptr) {
        selected = candidate;
        continue;
      }
      Predicate keeps;
      const void* arguments[] = {selected, candidate};
      void* results[] = {&keeps};
      RETURN_IF_ERROR(selector.run(arguments, results, 1));
      if (!keeps) selected = candidate;
    }
    if (selected != nullptr) {
      void* accumulator[] = {target + (selected - elements)};
      const void* element[] = {next};
      RETURN_IF_ERROR(fold.foldLanes(accumulator, element, 1));
    }
    next += width;
  } while (nextIndex(counts, windowIndex));
  return {};
}

Result<Kernel> makeSelectAndScatter(const KernelRequest& request) {
  if (request.regions.size() != 2)
    return badInput("stablehlo.select_and_scatter must have two regions");
  ASSIGN_OR_RETURN(auto window, readWindow(request));
  ASSIGN_OR_RETURN(auto scatter, RegionFold::make(request, 1, {request.resultTypes[0].element}));
  const ElementType type = request.operandTypes[0].element;
  ASSIGN_OR_RETURN(auto select, ScalarRegion::make(request, 0, {type, type}, {ElementType::kI1}));
  Selection selection{std::move(window), std::move(select), std::move(scatter)};
  return [selection](KernelCall& call) { return runSelectAndScatter(selection, call); };
}

}  // namespace

Result<Kernel> makeDynamicReduceWindow(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto reduction, makeReduction(request, 5));
  return Kernel([reduction, name = request.operation.name](KernelCall& call) -> Status {
    WindowReduction now = reduction;
    ASSIGN_OR_RETURN(now.window, windowOfOperands(name, call));
    return runReduceWindow(now, call);
  });
}

std::vector<OperationEntry> windowOperations() {
  return {
      {"stablehlo.reduce_window", makeReduceWindow},
      {"stablehlo.select_and_scatter", makeSelectAndScatter, 3, 1},
  };
}

}  // namespace vintage::harness
