#include "harness/engine/operations/running_window.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "golden/base/failures.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr size_t kRunningLanes = 2048;

// Whether body(initial, initial) is the initial value. `initials` are accumulators.
Result<bool> keepsInitial(const std::shared_ptr<const RegionFold>& fold, const KernelCall& call,
                          std::span<const Tensor> initials) {
  std::vector<Tensor> folded(initials.begin(), initials.end());
  std::vector<void*> accumulators;
  std::vector<const void*> elements;
  for (size_t i = 0; i < folded.size(); ++i) {
    accumulators.push_back(folded[i].mutableBytes().data());
    elements.push_back(call.operands[folded.size() + i].tensor.bytes().data());
  }
  RegionFold::Runner runner(fold, 1);
  RETURN_IF_ERROR(runner.foldLanes(accumulators, elements, 1));
  return std::ranges::equal(folded, initials, [](const Tensor& a, const Tensor& b) {
    return std::ranges::equal(a.bytes(), b.bytes());
  });
}

}  // namespace

std::optional<RunningWindow> runningWindow(const WindowConfiguration& window, const Shape& shape) {
  std::optional<RunningWindow> found;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (window.strides[d] != 1 || window.baseDilation[d] != 1) return std::nullopt;
    if (window.size[d] == 1 && window.low[d] == 0 && window.high[d] == 0) continue;
    const int64_t others = window.size[d] - 1;
    const bool fromStart = window.low[d] == others && window.high[d] == 0;
    const bool fromEnd = window.low[d] == 0 && window.high[d] == others;
    if (found || window.size[d] != shape[d] || window.windowDilation[d] != 1 ||
        fromStart == fromEnd)
      return std::nullopt;
    found = {d, fromEnd};
  }
  return found;
}

Result<bool> foldRunning(const RunningWindow& window, const std::shared_ptr<const RegionFold>& fold,
                         KernelCall& call) {
  const size_t count = call.results.size();
  const Shape& shape = call.operands[0].tensor.shape();
  std::vector<Tensor> initials;
  for (size_t i = 0; i < count; ++i) {
    const Tensor& operand = call.operands[i].tensor;
    const Tensor& initial = call.operands[count + i].tensor;
    if (operand.shape() != shape || operand.type() != fold->elementTypes()[i] ||
        initial.size() != 1 || initial.type() != operand.type())
      return false;
    ASSIGN_OR_RETURN(initials.emplace_back(),
                     convertTensor(initial, fold->accumulatorTypes()[i], call.availableBytes));
  }
  if (call.operands[0].tensor.size() == 0) return false;
  ASSIGN_OR_RETURN(const bool isKept, keepsInitial(fold, call, initials));
  if (!isKept) return false;

  // The dimension comes first, so that a step takes what lies together.
  std::vector<int64_t> first(shape.size()), back(shape.size());
  std::iota(first.begin(), first.end(), 0);
  std::iota(back.begin(), back.end(), 0);
  const auto dimension = static_cast<ptrdiff_t>(window.dimension);
  std::rotate(first.begin(), first.begin() + dimension, first.begin() + dimension + 1);
  std::rotate(back.begin(), back.begin() + 1, back.begin() + dimension + 1);
  std::vector<Tensor> operands, results;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(operands.emplace_back(), transposeTensor(call.operands[i].tensor, first));
    ASSIGN_OR_RETURN(results.emplace_back(),
                     Tensor::makeUninitialized(fold->accumulatorTypes()[i], operands.back().shape(),
                                               call.availableBytes));
  }
  const auto steps = static_cast<size_t>(shape[window.dimension]);
  const size_t lanes = static_cast<size_t>(operands[0].size()) / steps;
  // Sums in wider accumulators take their terms in any order; other bodies in that of the window.
  const bool isWide = fold->accumulatorTypes() != fold->elementTypes();
  const bool isOne = lanes == 1 && fold->hasFastRow() && !isWide;  // A typed loop needs no program.
  RegionFold::Runner runner(fold, std::min(lanes, kRunningLanes));
  std::vector<void*> accumulators(count);
  std::vector<const void*> elements(count);
  for (size_t step = 0; step < steps; ++step) {
    const size_t place = window.fromEnd ? steps - 1 - step : step;
    for (size_t i = 0; i < count; ++i) {
      const size_t bytes = lanes * byteWidth(results[i].type());
      std::byte* to = results[i].mutableBytes().data() + place * bytes;
      const std::byte* before = window.fromEnd ? to + bytes : to - bytes;
      accumulators[i] = to;
      elements[i] = operands[i].bytes().data() + place * lanes * byteWidth(operands[i].type());
      if (step == 0) {
        fill({to, bytes}, initials[i].bytes());
      } else if (window.fromEnd && !isWide) {
        std::memcpy(to, elements[i], bytes);
        elements[i] = before;
      } else {
        std::memcpy(to, before, bytes);
      }
    }
    RETURN_IF_ERROR(isOne ? runner.foldRow(accumulators, elements, 1)
                          : runner.foldLanes(accumulators, elements, lanes));
  }
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(auto rounded,
                     convertTensor(results[i], fold->elementTypes()[i], call.availableBytes));
    ASSIGN_OR_RETURN(call.results[i].tensor, transposeTensor(rounded, back));
  }
  return true;
}

}  // namespace vintage::harness
