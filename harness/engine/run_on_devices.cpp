// A whole program over logical devices, from pieces to pieces.
#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/engine.h"
#include "harness/engine/process.h"

namespace vintage::harness {
using namespace golden;

namespace {

// The manual computation that takes the entry's arguments and gives its results,
// where there is nothing else.
const ParallelPlan* wholeManual(const FramePlan& entry) {
  const BlockPlan& block = entry.block;
  if (block.steps.size() != 1) return nullptr;
  const Step& step = block.steps[0];
  if (step.kind != Step::Kind::kParallel || !step.parallel->sharding) return nullptr;
  if (step.operands.size() != block.arguments.size() || step.results.size() != block.results.size())
    return nullptr;
  for (size_t i = 0; i < step.operands.size(); ++i)
    if (step.operands[i].index != block.arguments[i]) return nullptr;
  for (size_t i = 0; i < step.results.size(); ++i)
    if (block.results[i].index != step.results[i]) return nullptr;
  return step.parallel.get();
}

bool placedSo(std::span<const DevicePlacement> wanted, std::span<const DevicePlacement> placed) {
  return std::ranges::equal(wanted, placed, samePlacement);
}

// What each device holds, checked against the type of the whole value.
Status checkPieces(std::span<const ValueType> types, const Placements& placements,
                   std::span<const std::vector<Tensor>> pieces) {
  for (size_t device = 0; device < pieces.size(); ++device) {
    if (pieces[device].size() != types.size() || placements.inputs.size() != types.size())
      return usageError("device {} holds pieces of {} values; the program takes {}", device,
                        pieces[device].size(), types.size());
    for (size_t i = 0; i < types.size(); ++i) {
      const DevicePlacement& placement = placements.inputs[i];
      if (placement.devices() != pieces.size())
        return usageError("argument {} is placed on {} devices of {}", i, placement.devices(),
                          pieces.size());
      const Tensor& piece = pieces[device][i];
      const Shape counts = placement.pieces();
      bool fits = piece.type() == types[i].element && piece.shape().size() == counts.size() &&
                  counts.size() == types[i].shape.size();
      for (size_t d = 0; fits && d < counts.size(); ++d)
        fits = types[i].shape[d] == kDynamicDimension ||
               types[i].shape[d] == piece.shape()[d] * counts[d];
      if (!fits)
        return badInput(
            "device {} holds {} of argument {}; the program takes {}, "
            "placed as {}",
            device, describe(piece), i, describe(types[i].element, types[i].shape),
            describe(placement));
    }
  }
  return {};
}

using Rows = std::vector<std::vector<Tensor>>;

Result<Rows> runWhole(const ParallelPlan& plan, std::span<const std::vector<Tensor>> pieces,
                      const RunOptions& options) {
  std::vector<const FramePlan*> frames;
  std::vector<std::vector<Value>> arguments;
  for (size_t device = 0; device < pieces.size(); ++device) {
    frames.push_back(plan.programs[device].get());
    auto& mine = arguments.emplace_back();
    for (const Tensor& piece : pieces[device]) mine.emplace_back().tensor = piece;
  }
  ASSIGN_OR_RETURN(auto results, runProcesses(plan.grid, frames, std::move(arguments), options));
  Rows outputs;
  for (std::vector<Value>& values : results) outputs.push_back(outputsOf(std::move(values)));
  return outputs;
}

}  // namespace

Result<Rows> Plan::runOnDevices(const Placements& placements,
                                std::span<const std::vector<Tensor>> pieces,
                                const RunOptions& options) const {
  std::vector<ValueType> types;
  for (const ValueType& type : implementation_->argumentTypes)
    if (type.kind != ValueType::Kind::kToken) types.push_back(type);
  if (pieces.empty()) return usageError("there is no device to run on");
  RETURN_IF_ERROR(checkPieces(types, placements, pieces));
  try {
    const ParallelPlan* manual = wholeManual(*implementation_->entry);
    if (manual && manual->programs.size() == pieces.size() &&
        placedSo(manual->sharding->operands, placements.inputs) &&
        placedSo(manual->sharding->results, placements.outputs))
      return runWhole(*manual, pieces, options);

    std::vector<Tensor> inputs;
    for (size_t i = 0; i < types.size(); ++i) {
      std::vector<Tensor> held;
      for (const std::vector<Tensor>& device : pieces) held.push_back(device[i]);
      auto whole = joinPieces(placements.inputs[i], held, Copies::kMustAgree);
      if (!whole) return within(fmt::format("argument {}", i), whole.error());
      inputs.push_back(std::move(*whole));
    }
    ASSIGN_OR_RETURN(auto outputs, run(inputs, options));
    if (outputs.size() != placements.outputs.size())
      return usageError("{} results are placed, and there are {}", placements.outputs.size(),
                        outputs.size());
    Rows rows(pieces.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto split = splitOver(placements.outputs[i], outputs[i]);
      if (!split) return within(fmt::format("result {}", i), split.error());
      for (size_t device = 0; device < rows.size(); ++device)
        rows[device].push_back(std::move((*split)[device]));
    }
    return rows;
  } catch (const std::bad_alloc&) {
    return noResource("running the program: this machine has no memory left for it");
  }
}

}  // namespace vintage::harness
