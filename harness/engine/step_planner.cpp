// Operations: each becomes a step with a kernel, regions or a callee.
#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/fusion.h"
#include "harness/engine/kernel.h"
#include "harness/engine/planner.h"
#include "harness/engine/sharding_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

// The functions that a custom call's target calls as if they were its regions.
std::vector<std::string> calledFunctions(const Operation& operation) {
  std::vector<std::string> names;
  if (operation.name != "stablehlo.custom_call") return names;
  const auto* target = attributeField<std::string>(operation.attributes, "call_target_name");
  const CustomCallTarget* known = target ? findCustomCallTarget(*target) : nullptr;
  const auto* called = attributeField<AttributeList>(operation.attributes, "called_computations");
  if (known == nullptr || !known->callsFunctions || called == nullptr) return names;
  for (const Attribute& each : *called)
    if (const auto* name = std::get_if<std::string>(&each.value)) names.push_back(*name);
  return names;
}

}  // namespace

Result<Kernel> makeKernel(const Operation& operation, std::span<const ValueType> operandTypes,
                          std::span<const ValueType> resultTypes,
                          std::span<const RegionPlan> regions,
                          std::span<const std::vector<Value>> captured, bool shortcuts) {
  const OperationEntry* entry = findOperation(operation.name);
  if (entry == nullptr) return unsupported("the engine does not have {}", operation.name);
  std::vector<PlannedRegion> planned;
  for (size_t i = 0; i < regions.size(); ++i) {
    const RegionPlan& region = regions[i];
    std::vector<Value> values = i < captured.size() ? captured[i] : std::vector<Value>{};
    PlannedRegion& one = planned.emplace_back();
    if (shortcuts) one.shortcut = region.shortcut;
    one.program =
        region.program == nullptr || values.empty() ? region.program : region.program->bind(values);
    one.call = [frame = region.frame, values = std::move(values)](
                   std::span<const Value> arguments) -> Result<std::vector<Value>> {
      return runFrame(*frame, values, {arguments.begin(), arguments.end()}, RunOptions{});
    };
  }
  const KernelRequest request{operation, operandTypes, resultTypes, planned};
  if (computesOnQuantized(request)) return makeQuantizedKernel(*entry, request);
  return entry->plan(request);
}

Result<Step> FramePlanner::planOperation(const Operation& operation) {
  Step step;
  step.name = operation.name;
  step.location = operation.location;
  for (const ValueId value : operation.operands) {
    ASSIGN_OR_RETURN(step.operands.emplace_back(), place(operation, value));
  }
  ASSIGN_OR_RETURN(auto operandTypes, typesOf(operation, operation.operands));
  ASSIGN_OR_RETURN(step.resultTypes, typesOf(operation, operation.results));
  for (const ValueType& type : step.resultTypes) {
    // Checked by typesOf one by one; the sum may still overflow.
    if (__builtin_add_overflow(step.staticResultBytes, *staticBytes(type), &step.staticResultBytes))
      return malformed(operation, "its results need more bytes than can be addressed");
  }
  RETURN_IF_ERROR(planBody(operation, operandTypes, step));
  step.rounding = roundingOf(operation, operandTypes, step.resultTypes);
  for (const ValueId value : operation.results) {
    if (slots_.contains(value) || constants_.contains(value))
      return malformed(operation, "value {} is defined twice", value);
    step.results.push_back(newSlot(value));
  }
  return step;
}

Status FramePlanner::planBody(const Operation& operation, std::span<const ValueType> operandTypes,
                              Step& step) {
  const std::string& name = operation.name;
  if (name == "func.call" || name == "call") return planCall(operation, "callee", step);
  if (name == "stablehlo.composite") return planCall(operation, "decomposition", step);
  if (name == kFused) return planFused(operation, step);
  if (name == "stablehlo.while") return planControlFlow(operation, Step::Kind::kWhile, step);
  if (name == "stablehlo.if") return planControlFlow(operation, Step::Kind::kIf, step);
  if (name == "interpreter.run_parallel") {
    ASSIGN_OR_RETURN(step.parallel, planner_.planParallel(operation, operandTypes));
    step.kind = Step::Kind::kParallel;
    return {};
  }
  if (name == "sdy.manual_computation" || name == kManualPart)
    return planManual(operation, operandTypes, step);
  // Only a partitioner needs these: they say where values lie.
  if (name == "sdy.sharding_constraint" || name == "sdy.reshard" ||
      name == "sdy.propagation_barrier") {
    if (operandTypes.size() != 1 || step.resultTypes.size() != 1 ||
        operandTypes[0].text != step.resultTypes[0].text)
      return malformed(operation, "it must have one operand and one result of its type");
    const auto* sharding = attributeField<AttributeMap>(operation.attributes, "sharding");
    const auto* parts =
        sharding ? attributeField<AttributeList>(*sharding, "unreduced_axes") : nullptr;
    step.kind = Step::Kind::kSame;
    step.mayAddUp = name != "sdy.propagation_barrier" && (parts == nullptr || parts->empty());
    return {};
  }
  if (name == "sdy.sharding_group") {
    step.kernel = [](KernelCall&) -> Status { return {}; };
    return {};
  }
  if (name == "stablehlo.case") return planControlFlow(operation, Step::Kind::kCase, step);
  Status status = planKernel(operation, operandTypes, step);
  // A branch for another platform may use what this engine does not have: that
  // is an error once it is taken.
  if (!status && status.error().kind == Error::Kind::kUnsupported && planner_.branches > 0) {
    step.kind = Step::Kind::kKernel;
    step.kernel = [error = status.error()](KernelCall&) -> Status { return tl::unexpected(error); };
    return {};
  }
  return status;
}

Status FramePlanner::planManual(const Operation& operation, std::span<const ValueType> operandTypes,
                                Step& step) {
  if (operation.regions.size() != 1 || operation.regions[0].blocks.size() != 1 ||
      operation.regions[0].blocks[0].operations.empty())
    return malformed(operation, "it must have one region of one block");
  const Block& block = operation.regions[0].blocks[0];
  ASSIGN_OR_RETURN(auto local, typesOf(operation, block.arguments));
  ASSIGN_OR_RETURN(auto returned, typesOf(operation, block.operations.back().operands));
  ASSIGN_OR_RETURN(auto body, FramePlanner(planner_, function_).plan(operation.regions[0], {}, {}));
  ASSIGN_OR_RETURN(step.parallel, planner_.planManual(operation, std::move(body), operandTypes,
                                                      step.resultTypes, local, returned));
  step.kind = Step::Kind::kParallel;
  return {};
}

Status FramePlanner::planFused(const Operation& operation, Step& step) {
  const std::vector<Operation>& members = operation.regions[0].blocks[0].operations;
  step.name = members[members.size() - 2].name;  // As its location.
  if (!step.resultTypes.empty()) {
    ASSIGN_OR_RETURN(step.kernel, fusedKernelOf(operation, step));
  }
  if (step.kernel) return {};
  // One operation after the other: one may be malformed.
  const Region& region = operation.regions[0];
  ASSIGN_OR_RETURN(auto frame, FramePlanner(planner_, function_, false).plan(region, {}, {}));
  step.callee = std::make_shared<const FramePlan>(std::move(frame));
  step.kind = Step::Kind::kCall;
  return {};
}

Result<Kernel> FramePlanner::fusedKernelOf(const Operation& operation, const Step& step) {
  Region lanewise = operation.regions[0];
  std::vector<Operation>& operations = lanewise.blocks[0].operations;
  const Operation last = operations[operations.size() - 2];
  FusedProgram fused;
  fused.resultTypes = step.resultTypes;
  if (last.name == "stablehlo.reduce") {
    operations.erase(operations.end() - 2);
    operations.back().operands.back() = last.operands[0];
    ASSIGN_OR_RETURN(const ValueType operand, typeOf(last, last.operands[0]));
    ASSIGN_OR_RETURN(const ValueType initial, typeOf(last, last.operands[1]));
    ASSIGN_OR_RETURN(const RegionPlan fold, planNestedRegion(last, last.regions[0]));
    const auto rows = overRows(last, operand);
    if (!rows) return Kernel();
    const ValueType types[] = {tensorOf(operand.element, rows->shape), initial};
    ASSIGN_OR_RETURN(auto kernel, makeKernel(rows->operation, types, {&step.resultTypes.back(), 1},
                                             {&fold, 1}, {}, true));
    const auto place = std::ranges::find(operation.operands, last.operands[1]);
    fused.reduce = FusedReduce{rows->shape, static_cast<size_t>(place - operation.operands.begin()),
                               std::move(kernel)};
  }
  const auto first =
      std::ranges::find_if(operations, [](const Operation& each) { return each.name != kNumber; });
  ASSIGN_OR_RETURN(const ValueType type, typeOf(operation, first->results[0]));
  fused.lanes = elementCount(type.shape);
  fused.program = ScalarProgram::makeOverLanes(lanewise, function_.valueTypes, fused.lanes);
  if (!fused.program) return Kernel();
  return fusedKernel(std::move(fused));
}

Status FramePlanner::planCall(const Operation& operation, std::string_view attribute, Step& step) {
  ASSIGN_OR_RETURN(const std::string callee, textOf(operation, attribute));
  const Function* function = planner_.module().find(callee);
  if (function == nullptr) return malformed(operation, "the module has no function @{}", callee);
  if (function->argumentTypes.size() != operation.operands.size() ||
      function->resultTypes.size() != operation.results.size())
    return malformed(operation,
                     "@{} takes {} arguments and gives {} results; the call has "
                     "{} and {}",
                     callee, function->argumentTypes.size(), function->resultTypes.size(),
                     operation.operands.size(), operation.results.size());
  ASSIGN_OR_RETURN(step.callee, planner_.planFunction(callee));
  step.kind = Step::Kind::kCall;
  return {};
}

Status FramePlanner::planControlFlow(const Operation& operation, Step::Kind kind, Step& step) {
  step.kind = kind;
  const bool isWhile = kind == Step::Kind::kWhile;
  const size_t regions = operation.regions.size();
  if ((kind != Step::Kind::kCase && regions != 2) || regions == 0)
    return malformed(operation, "it has {} regions", regions);
  if (!isWhile && operation.operands.size() != 1)
    return malformed(operation, "it must have one operand");
  if (isWhile && operation.operands.size() != operation.results.size())
    return malformed(operation, "it must have as many results as operands");
  for (const Region& region : operation.regions) {
    const bool isCondition = isWhile && step.blocks.empty();
    // The state of a loop lies in the same slots for both blocks.
    BlockArguments arguments{.areKept = isCondition};
    if (isWhile && !isCondition) arguments.slots = step.blocks[0].arguments;
    planner_.branches += isWhile ? 0 : 1;
    auto block = planRegion(region, arguments);
    planner_.branches -= isWhile ? 0 : 1;
    if (!block) return tl::unexpected(block.error());
    if (block->arguments.size() != (isWhile ? operation.operands.size() : 0))
      return malformed(operation, "a region takes {} arguments", block->arguments.size());
    if (block->results.size() != (isCondition ? 1 : operation.results.size()))
      return malformed(operation, "a region returns {} values", block->results.size());
    step.blocks.push_back(std::move(*block));
  }
  return {};
}

Result<RegionPlan> FramePlanner::planNestedRegion(const Operation& operation,
                                                  const Region& region) {
  std::vector<ValueId> captured;
  std::vector<std::pair<ValueId, Value>> constants;
  RegionPlan plan;
  for (const ValueId value : capturedValues(region)) {
    ASSIGN_OR_RETURN(auto source, place(operation, value));
    if (source.index < 0) {
      constants.emplace_back(value, frame_.constants[static_cast<size_t>(~source.index)]);
    } else {
      captured.push_back(value);
      plan.captures.push_back(source);
    }
  }
  plan.program = ScalarProgram::make(region, function_.valueTypes, captured, constants);
  ASSIGN_OR_RETURN(auto frame, FramePlanner(planner_, function_).plan(region, captured, constants));
  plan.frame = std::make_shared<const FramePlan>(std::move(frame));
  plan.shortcut = shortcutOf(region);
  return plan;
}

Status FramePlanner::planKernel(const Operation& original, std::span<const ValueType> operandTypes,
                                Step& step) {
  auto resolved = planner_.resolved(original);
  auto deferred = std::make_shared<DeferredKernel>();
  bool captures = false;
  for (const Region& region : original.regions) {
    ASSIGN_OR_RETURN(auto plan, planNestedRegion(original, region));
    captures |= !plan.captures.empty();
    deferred->regions.push_back(std::move(plan));
  }
  for (const std::string& name : calledFunctions(original)) {
    ASSIGN_OR_RETURN(deferred->regions.emplace_back(), planner_.planAsRegion(name));
    if (!resolved) resolved = original;
    resolved->regions.push_back(planner_.module().find(name)->body);
  }
  const Operation& operation = resolved ? *resolved : original;
  if (!captures) {
    // Unknown operations and wrong attributes are reported before anything runs.
    ASSIGN_OR_RETURN(auto kernel, makeKernel(operation, operandTypes, step.resultTypes,
                                             deferred->regions, {}, optimizes()));
    if (optimizes()) {
      step.kernel = std::move(kernel);
      return {};
    }
  } else if (findOperation(operation.name) == nullptr) {
    return unsupported("the engine does not have {}", operation.name);
  }
  deferred->operation = operation;
  deferred->operandTypes.assign(operandTypes.begin(), operandTypes.end());
  step.kind = Step::Kind::kDeferred;
  step.shortcuts = optimizes();
  step.deferred = std::move(deferred);
  return {};
}

}  // namespace vintage::harness
