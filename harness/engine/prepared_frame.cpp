#include "harness/engine/prepared_frame.h"

#include <algorithm>
#include <utility>

#include "harness/engine/process.h"

namespace vintage::harness {
using namespace golden;

namespace {

bool isOfType(const Tensor& tensor, const ValueType& type) {
  return tensor.has(type.element, type.shape);
}

}  // namespace

std::unique_ptr<PreparedFrame> PreparedFrame::make(std::shared_ptr<const FramePlan> frame,
                                                   std::span<const ValueType> argumentTypes) {
  if (!std::ranges::all_of(argumentTypes, isStatic)) return nullptr;
  std::unique_ptr<PreparedFrame> prepared(new PreparedFrame);
  prepared->argumentTypes_.assign(argumentTypes.begin(), argumentTypes.end());
  prepared->arguments_.resize(argumentTypes.size());
  std::vector<Place> arguments;
  for (size_t i = 0; i < argumentTypes.size(); ++i) {
    arguments.push_back({&prepared->arguments_, i, &prepared->argumentTypes_[i]});
    // The sizes were checked when the plan was made.
    prepared->bytes_ += staticBytes(argumentTypes[i]).value_or(SIZE_MAX / 4);
    if (prepared->bytes_ > kMostBytes) return nullptr;
  }
  auto results = prepared->add(*frame, arguments);
  if (!results) return nullptr;
  prepared->results_ = std::move(*results);
  prepared->outputs_.resize(prepared->results_.size());
  prepared->frame_ = std::move(frame);
  return prepared;
}

PreparedFrame::MaybePlaces PreparedFrame::add(const FramePlan& frame,
                                              std::span<const Place> arguments) {
  const BlockPlan& block = frame.block;
  if (!frame.captures.empty() || arguments.size() != block.arguments.size()) return std::nullopt;
  std::vector<Place> slots(static_cast<size_t>(frame.slots));
  const auto placeOf = [&](const OperandPlace& operand) -> Place {
    if (operand.index < 0) return {&frame.constants, static_cast<size_t>(~operand.index), nullptr};
    return slots[static_cast<size_t>(operand.index)];
  };
  const auto placesOf = [&](const std::vector<OperandPlace>& operands) {
    std::vector<Place> places;
    for (const OperandPlace& operand : operands) places.push_back(placeOf(operand));
    return places;
  };
  for (size_t i = 0; i < arguments.size(); ++i)
    slots[static_cast<size_t>(block.arguments[i])] = arguments[i];
  for (const Step& step : block.steps) {
    auto results = addStep(step, placesOf(step.operands));
    if (!results || results->size() != step.results.size()) return std::nullopt;
    for (size_t i = 0; i < step.results.size(); ++i)
      slots[static_cast<size_t>(step.results[i])] = (*results)[i];
  }
  return placesOf(block.results);
}

PreparedFrame::MaybePlaces PreparedFrame::addStep(const Step& step, std::vector<Place> operands) {
  if (step.kind != Step::Kind::kKernel && step.kind != Step::Kind::kCall) return std::nullopt;
  if (!std::ranges::all_of(step.resultTypes, isStatic)) return std::nullopt;
  bytes_ += step.staticResultBytes;
  if (bytes_ > kMostBytes) return std::nullopt;
  if (step.kind == Step::Kind::kCall) return addCall(step, operands);
  PreparedStep& prepared = steps_.emplace_back();
  prepared.step = &step;
  prepared.callers = callers_;
  prepared.operands.resize(operands.size());
  prepared.results.resize(step.results.size());
  prepared.places = std::move(operands);
  std::vector<Place> results;
  for (size_t i = 0; i < prepared.results.size(); ++i)
    results.push_back({&prepared.results, i, &step.resultTypes[i]});
  return results;
}

// The callee's steps become steps of the caller.
PreparedFrame::MaybePlaces PreparedFrame::addCall(const Step& step,
                                                  std::span<const Place> operands) {
  callers_.push_back(&step);
  auto results = add(*step.callee, operands);
  callers_.pop_back();
  if (!results || results->size() != step.resultTypes.size()) return std::nullopt;
  for (size_t i = 0; i < results->size(); ++i) {
    // Each step checks what it gives, so that types that agree here need no check later.
    const Place& place = (*results)[i];
    const ValueType& type = step.resultTypes[i];
    if (place.type == nullptr
            ? !isOfType(place.tensor(), type)
            : place.type->element != type.element || place.type->shape != type.shape)
      return std::nullopt;
  }
  return results;
}

bool PreparedFrame::accepts(std::span<const Tensor> inputs, const RunOptions& options) const {
  if (inputs.size() != argumentTypes_.size() || bytes_ > options.memoryLimitBytes) return false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!isOfType(inputs[i], argumentTypes_[i])) return false;
  return true;
}

Result<std::span<const Tensor>> PreparedFrame::run(std::span<const Tensor> inputs,
                                                   const RunOptions& options) {
  for (size_t i = 0; i < inputs.size(); ++i) borrow(inputs[i], arguments_[i].tensor);
  ProcessRun run(ProcessGrid{}, options.host);
  const GridProcess process(run, 0);
  RETURN_IF_ERROR(endAlone(run, runSteps(options)));
  for (size_t i = 0; i < results_.size(); ++i) {
    // An argument that is returned is the caller's, and may go before the output does.
    if (results_[i].values == &arguments_)
      outputs_[i] = results_[i].tensor();
    else
      borrow(results_[i].tensor(), outputs_[i]);
  }
  hasRun_ = true;
  return outputs_;
}

Status PreparedFrame::runSteps(const RunOptions& options) {
  const TimeCheck time(options);
  RETURN_IF_ERROR(time.check());
  for (PreparedStep& prepared : steps_) {
    Status status = time.check();
    if (status) status = runStep(prepared, options);
    if (status) continue;
    Error error = at(*prepared.step, std::move(status.error()));
    for (size_t i = prepared.callers.size(); i-- > 0;)
      error = at(*prepared.callers[i], std::move(error));
    return tl::unexpected(std::move(error));
  }
  return {};
}

Status PreparedFrame::runStep(PreparedStep& prepared, const RunOptions& options) {
  const Step& step = *prepared.step;
  for (size_t i = 0; i < prepared.places.size(); ++i)
    borrow(prepared.places[i].tensor(), prepared.operands[i].tensor);
  // Without `owned`: what a kernel takes would be missing in the next run.
  const size_t available = options.memoryLimitBytes - (bytes_ - step.staticResultBytes);
  KernelCall call{prepared.operands, prepared.results, {}, available};
  RETURN_IF_ERROR(step.kernel(call));
  return checkResults(step, prepared.results);
}

}  // namespace vintage::harness
