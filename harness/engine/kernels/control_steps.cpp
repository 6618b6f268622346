// scf, cf and func: loops, choices, branches and calls.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Effect = StepEntry::Effect;

KernelValues valuesOf(KernelFrame& frame, std::span<const ValueId> ids) {
  KernelValues values;
  for (ValueId id : ids) values.push_back(frame[id]);
  return values;
}

Status give(KernelFrame& frame, const std::vector<ValueId>& results, KernelValues values) {
  if (values.size() != results.size())
    return badInput("its region returns {} values for {} results", values.size(), results.size());
  for (size_t i = 0; i < results.size(); ++i) frame[results[i]] = std::move(values[i]);
  return {};
}

// scf.yield, tpu.yield, func.return, …
Result<KernelStep> makeReturn(const StepRequest& request) {
  return KernelStep([ids = request.operation.operands](KernelFrame& frame) -> Status {
    frame.leave(valuesOf(frame, ids));
    return {};
  });
}

Result<KernelStep> makeIf(const StepRequest& request) {
  if (request.operands() != 1 || request.operation.regions.empty())
    return badInput("it needs a condition and a region");
  ASSIGN_OR_RETURN(auto yes, request.planner.region(request.operation.regions[0]));
  std::shared_ptr<const KernelRegion> no;
  if (request.operation.regions.size() > 1 && !request.operation.regions[1].blocks.empty()) {
    ASSIGN_OR_RETURN(no, request.planner.region(request.operation.regions[1]));
  }
  return KernelStep([yes, no, condition = request.operand(0),
                     results = request.operation.results](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const int64_t chosen, frame.integer(condition));
    const KernelRegion* region = chosen != 0 ? yes.get() : no.get();
    if (!region) return {};
    ASSIGN_OR_RETURN(auto values, frame.runRegion(*region, {}));
    return give(frame, results, std::move(values));
  });
}

Tensor integerTensor(ElementType type, int64_t value) {
  Tensor tensor(type, {});
  std::memcpy(tensor.mutableBytes().data(), &value, byteWidth(type));
  return tensor;
}

// Lower and upper bound, step, and the values that go from turn to turn.
Result<KernelStep> makeFor(const StepRequest& request) {
  if (request.operands() < 3 || request.operation.regions.size() != 1)
    return badInput("it needs two bounds, a step and a region");
  ASSIGN_OR_RETURN(auto body, request.planner.region(request.operation.regions[0]));
  return KernelStep([body, type = request.operandType(0).element,
                     operands = request.operation.operands,
                     results = request.operation.results](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const int64_t from, frame.integer(operands[0]));
    ASSIGN_OR_RETURN(const int64_t to, frame.integer(operands[1]));
    ASSIGN_OR_RETURN(const int64_t step, frame.integer(operands[2]));
    if (step <= 0) return badInput("a step of {}", step);
    KernelValues carried = valuesOf(frame, std::span(operands).subspan(3));
    for (int64_t i = from; i < to;) {
      carried.insert(carried.begin(), integerTensor(type, i));
      ASSIGN_OR_RETURN(carried, frame.runRegion(*body, std::move(carried)));
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    return give(frame, results, std::move(carried));
  });
}

Result<KernelStep> makeWhile(const StepRequest& request) {
  if (request.operation.regions.size() != 2) return badInput("it needs two regions");
  ASSIGN_OR_RETURN(auto before, request.planner.region(request.operation.regions[0]));
  ASSIGN_OR_RETURN(auto after, request.planner.region(request.operation.regions[1]));
  return KernelStep([before, after, operands = request.operation.operands,
                     results = request.operation.results](KernelFrame& frame) -> Status {
    KernelValues carried = valuesOf(frame, operands);
    while (true) {
      // scf.condition returns whether to go on in front of the values.
      ASSIGN_OR_RETURN(carried, frame.runRegion(*before, std::move(carried)));
      if (carried.empty() || !carried[0].tensor || !carried[0].tensor->has(ElementType::kI1, {}))
        return badInput("its first region returns no condition");
      const bool goesOn = integerElement(*carried[0].tensor, 0) != 0;
      carried.erase(carried.begin());
      if (!goesOn) break;
      ASSIGN_OR_RETURN(carried, frame.runRegion(*after, std::move(carried)));
    }
    return give(frame, results, std::move(carried));
  });
}

// scf.execute_region, tpu.region and tpu.trace.
Result<KernelStep> makeRegion(const StepRequest& request) {
  if (request.operation.regions.size() != 1) return badInput("it needs a region");
  ASSIGN_OR_RETURN(auto body, request.planner.region(request.operation.regions[0]));
  return KernelStep([body, results = request.operation.results](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(auto values, frame.runRegion(*body, {}));
    return give(frame, results, std::move(values));
  });
}

// The first region is for all other values, the others are for those of `cases`.
Result<KernelStep> makeIndexSwitch(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto cases, integersOf(request.operation, "cases"));
  if (request.operands() != 1 || request.operation.regions.size() != cases.size() + 1)
    return badInput("it needs a number, and a region for each case and for all others");
  std::vector<std::shared_ptr<const KernelRegion>> regions;
  for (const Region& region : request.operation.regions) {
    ASSIGN_OR_RETURN(regions.emplace_back(), request.planner.region(region));
  }
  return KernelStep([cases, regions, operand = request.operand(0),
                     results = request.operation.results](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const int64_t value, frame.integer(operand));
    const auto found = std::ranges::find(cases, value);
    const size_t index = found == cases.end() ? 0 : static_cast<size_t>(found - cases.begin()) + 1;
    ASSIGN_OR_RETURN(auto values, frame.runRegion(*regions[index], {}));
    return give(frame, results, std::move(values));
  });
}

Result<KernelStep> makeCall(const StepRequest& request) {
  ASSIGN_OR_RETURN(const std::string name, textOf(request.operation, "callee"));
  ASSIGN_OR_RETURN(const KernelFunction* function, request.planner.function(name));
  return KernelStep([function, operands = request.operation.operands,
                     results = request.operation.results](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(auto values, function->call(valuesOf(frame, operands), frame.run()));
    return give(frame, results, std::move(values));
  });
}

Result<KernelStep> makeBranch(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto blocks, integersOf(request.operation, "successors"));
  if (blocks.size() != 1) return badInput("it leads to {} blocks", blocks.size());
  return KernelStep(
      [block = blocks[0], ids = request.operation.operands](KernelFrame& frame) -> Status {
        frame.leave(valuesOf(frame, ids), block);
        return {};
      });
}

// The condition, then the values for either block.
Result<KernelStep> makeConditionalBranch(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto blocks, integersOf(request.operation, "successors"));
  ASSIGN_OR_RETURN(const auto sizes, integersOf(request.operation, "operandSegmentSizes"));
  if (blocks.size() != 2 || sizes.size() != 3 || sizes[0] != 1 || sizes[1] < 0 || sizes[2] < 0 ||
      static_cast<size_t>(1 + sizes[1] + sizes[2]) != request.operands())
    return badInput("it needs a condition and the values for two blocks");
  return KernelStep([blocks, yes = static_cast<size_t>(sizes[1]),
                     ids = request.operation.operands](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const int64_t condition, frame.integer(ids[0]));
    const auto all = std::span(ids).subspan(1);
    frame.leave(valuesOf(frame, condition ? all.first(yes) : all.subspan(yes)),
                condition ? blocks[0] : blocks[1]);
    return {};
  });
}

Result<KernelStep> makeAssert(const StepRequest& request) {
  ASSIGN_OR_RETURN(const std::string message, textOf(request.operation, "msg", std::string()));
  return KernelStep([message, condition = request.operand(0)](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const int64_t holds, frame.integer(condition));
    if (holds == 0) return badInput("the kernel's own check failed: {}", message);
    return {};
  });
}

constexpr StepEntry kControl[] = {
    {"func.return", makeReturn, kAnyNumber, 0, Effect::kTerminates},
    {"func.call", makeCall, kAnyNumber, kAnyNumber, Effect::kSome},
    {"scf.yield", makeReturn, kAnyNumber, 0, Effect::kTerminates},
    {"scf.condition", makeReturn, kAnyNumber, 0, Effect::kTerminates},
    {"scf.if", makeIf, 1, kAnyNumber, Effect::kSome},
    {"scf.for", makeFor, kAnyNumber, kAnyNumber, Effect::kSome},
    {"scf.while", makeWhile, kAnyNumber, kAnyNumber, Effect::kSome},
    {"scf.execute_region", makeRegion, 0, kAnyNumber, Effect::kSome},
    {"scf.index_switch", makeIndexSwitch, 1, kAnyNumber, Effect::kSome},
    {"cf.br", makeBranch, kAnyNumber, 0, Effect::kTerminates},
    {"cf.cond_br", makeConditionalBranch, kAnyNumber, 0, Effect::kTerminates},
    {"cf.assert", makeAssert, 1, 0, Effect::kSome},
    {"tpu.yield", makeReturn, kAnyNumber, 0, Effect::kTerminates},
    {"tpu.region", makeRegion, 0, kAnyNumber, Effect::kSome},
    {"tpu.trace", makeRegion, 0, kAnyNumber, Effect::kSome},
};

}  // namespace

StepTable controlSteps() { return kControl; }

}  // namespace vintage::harness
