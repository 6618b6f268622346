#include "harness/engine/planner.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/operation_table.h"
#include "harness/engine/region_queries.h"

namespace vintage {
namespace {

// Deeper nesting is refused: planning and running recurse once for each level.
constexpr int kDeepestNesting = 200;

tl::unexpected<Error> malformed(const Operation& operation, std::string_view what) {
  return failure(Error::Kind::kBadInput, fmt::format("{}: {}", operation.name, what));
}

bool isConstant(const Operation& operation) {
  return operation.name == "stablehlo.constant" || operation.name == "chlo.constant";
}

// What only tells a partitioner where values lie.
bool isShardingAnnotation(std::string_view name) {
  return name == "sdy.sharding_constraint" || name == "sdy.reshard" ||
         name == "sdy.propagation_barrier";
}

Result<Value> constantValue(const Operation& operation, const ValueType& type) {
  const Attribute* found = CheckedAttributes(operation).find("value");
  if (found == nullptr) return malformed(operation, "it has no attribute 'value'");
  Value value;
  if (const auto* tensor = std::get_if<Tensor>(&found->value)) {
    value.tensor = *tensor;
  } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&found->value);
             integers != nullptr && byteWidth(type.element) == 8) {
    const auto bytes = std::as_bytes(std::span(*integers));
    auto made = Tensor::fromBytes(type.element, {static_cast<int64_t>(integers->size())}, bytes);
    if (!made) return tl::unexpected(made.error());
    value.tensor = std::move(*made);
  } else if (const auto* flags = std::get_if<std::vector<bool>>(&found->value);
             flags != nullptr && byteWidth(type.element) == 1) {
    const std::vector<uint8_t> bytes(flags->begin(), flags->end());
    auto made = Tensor::fromBytes(type.element, {static_cast<int64_t>(bytes.size())},
                                  std::as_bytes(std::span(bytes)));
    if (!made) return tl::unexpected(made.error());
    value.tensor = std::move(*made);
  } else {
    return malformed(operation, "'value' is not a dense constant of the result's type");
  }
  if (value.tensor.type() != type.element || value.tensor.shape() != type.shape)
    return malformed(operation, fmt::format("the constant is {} and its type {}",
                                            describe(value.tensor),
                                            describe(type.element, type.shape)));
  return value;
}

class FramePlanner {
 public:
  FramePlanner(ModulePlanner& planner, const Function& function)
      : planner_(planner), function_(function) {}

  // `captured` get the frame's first slots; `constants` are captured too.
  Result<FramePlan> plan(const Region& region, const std::vector<ValueId>& captured,
                         const std::vector<std::pair<ValueId, Value>>& constants) {
    for (const auto& [value, constant] : constants) constants_[value] = addConstant(constant);
    for (const ValueId value : captured) frame_.captures.push_back(newSlot(value));
    auto block = planRegion(region);
    if (!block) return tl::unexpected(block.error());
    frame_.block = std::move(*block);
    return std::move(frame_);
  }

 private:
  struct BlockState {
    std::unordered_map<ValueId, size_t> lastUse;  // Of values that this block defines.
    std::unordered_set<ValueId> defined;
  };

  int32_t newSlot(ValueId value) {
    slots_[value] = frame_.slots;
    return frame_.slots++;
  }

  int32_t addConstant(Value value) {
    frame_.constants.push_back(std::move(value));
    return ~static_cast<int32_t>(frame_.constants.size() - 1);
  }

  Result<ValueType> typeOf(const Operation& operation, ValueId value) const {
    if (value >= function_.valueTypes.size())
      return malformed(operation, fmt::format("value {} has no type", value));
    return function_.valueTypes[value];
  }

  Result<OperandPlace> place(const Operation& operation, ValueId value) const {
    if (const auto found = constants_.find(value); found != constants_.end())
      return OperandPlace{found->second, false};
    if (const auto found = slots_.find(value); found != slots_.end())
      return OperandPlace{found->second, false};
    return malformed(operation, fmt::format("value {} is used before it is defined", value));
  }

  Result<BlockPlan> planRegion(const Region& region) {
    if (region.blocks.size() != 1)
      return failure(Error::Kind::kBadInput,
                     fmt::format("function {}: a region has {} blocks; StableHLO's have one",
                                 function_.name, region.blocks.size()));
    return planBlock(region.blocks[0]);
  }

  // Which operation uses each value of the block last; the terminator included.
  static BlockState liveness(const Block& block) {
    BlockState state;
    state.defined.insert(block.arguments.begin(), block.arguments.end());
    for (size_t i = 0; i < block.operations.size(); ++i) {
      const Operation& operation = block.operations[i];
      state.defined.insert(operation.results.begin(), operation.results.end());
      std::vector<ValueId> uses = operation.operands;
      for (const Region& region : operation.regions) collectUses(region, uses);
      for (const ValueId value : uses) state.lastUse[value] = i;
    }
    return state;
  }

  Result<BlockPlan> planBlock(const Block& block) {
    if (block.operations.empty())
      return failure(Error::Kind::kBadInput,
                     fmt::format("function {}: a block has no terminator", function_.name));
    BlockPlan plan;
    const BlockState state = liveness(block);
    for (const ValueId argument : block.arguments) plan.arguments.push_back(newSlot(argument));
    for (size_t i = 0; i + 1 < block.operations.size(); ++i) {
      const Operation& operation = block.operations[i];
      if (isConstant(operation)) {
        if (auto status = planConstant(operation); !status) return tl::unexpected(status.error());
        continue;
      }
      auto step = planOperation(operation);
      if (!step) return tl::unexpected(described(operation, step.error()));
      addLiveness(block, i, state, *step);
      plan.steps.push_back(std::move(*step));
    }
    const Operation& terminator = block.operations.back();
    if (terminator.name != "func.return" && terminator.name != "stablehlo.return" &&
        terminator.name != "sdy.return")
      return malformed(terminator,
                       "a block must end in func.return, stablehlo.return or sdy.return");
    for (size_t i = 0; i < terminator.operands.size(); ++i) {
      const ValueId value = terminator.operands[i];
      auto result = place(terminator, value);
      if (!result) return tl::unexpected(result.error());
      result->last = optimizes() && result->index >= 0 && state.defined.contains(value) &&
                     std::ranges::count(terminator.operands, value) == 1;
      plan.results.push_back(*result);
    }
    return plan;
  }

  bool optimizes() const { return planner_.mode() == ExecutionMode::kGraph; }

  Error described(const Operation& operation, Error error) const {
    if (!operation.location.empty() && error.message.find("\n  at ") == std::string::npos)
      error.message += fmt::format("\n  at {} (function {})", operation.location, function_.name);
    return error;
  }

  // Marks the operands that this step uses last, and what it makes useless.
  void addLiveness(const Block& block, size_t index, const BlockState& state, Step& step) {
    if (!optimizes()) return;
    const Operation& operation = block.operations[index];
    std::vector<ValueId> nested;
    for (const Region& region : operation.regions) collectUses(region, nested);
    std::unordered_set<ValueId> released;
    const auto diesHere = [&](ValueId value) {
      const auto use = state.lastUse.find(value);
      return state.defined.contains(value) && use != state.lastUse.end() && use->second == index;
    };
    for (size_t i = 0; i < operation.operands.size(); ++i) {
      const ValueId value = operation.operands[i];
      if (step.operands[i].index < 0 || !diesHere(value)) continue;
      if (std::ranges::count(operation.operands, value) == 1 &&
          std::ranges::find(nested, value) == nested.end()) {
        step.operands[i].last = true;
      } else if (released.insert(value).second) {
        step.releases.push_back(step.operands[i].index);
      }
    }
    for (const ValueId value : nested) {
      const auto slot = slots_.find(value);
      if (slot != slots_.end() && diesHere(value) && released.insert(value).second)
        step.releases.push_back(slot->second);
    }
    for (const ValueId value : operation.results)
      if (!state.lastUse.contains(value)) step.releases.push_back(slots_.at(value));
  }

  Status planConstant(const Operation& operation) {
    if (operation.results.size() != 1) return malformed(operation, "it must have one result");
    auto type = typeOf(operation, operation.results[0]);
    if (!type) return tl::unexpected(type.error());
    auto value = constantValue(operation, *type);
    if (!value) return tl::unexpected(value.error());
    constants_[operation.results[0]] = addConstant(std::move(*value));
    return {};
  }

  Result<std::vector<ValueType>> typesOf(const Operation& operation,
                                         const std::vector<ValueId>& values) const {
    std::vector<ValueType> types;
    types.reserve(values.size());
    for (const ValueId value : values) {
      auto type = typeOf(operation, value);
      if (!type) return tl::unexpected(type.error());
      if (auto bytes = staticBytes(*type); !bytes) return tl::unexpected(bytes.error());
      types.push_back(std::move(*type));
    }
    return types;
  }

  Result<Step> planOperation(const Operation& operation) {
    Step step;
    step.name = operation.name;
    step.location = operation.location;
    for (const ValueId value : operation.operands) {
      auto operand = place(operation, value);
      if (!operand) return tl::unexpected(operand.error());
      step.operands.push_back(*operand);
    }
    auto operandTypes = typesOf(operation, operation.operands);
    if (!operandTypes) return tl::unexpected(operandTypes.error());
    auto resultTypes = typesOf(operation, operation.results);
    if (!resultTypes) return tl::unexpected(resultTypes.error());
    step.resultTypes = std::move(*resultTypes);
    for (const ValueType& type : step.resultTypes) {
      // Checked by typesOf one by one; the sum may still overflow.
      if (__builtin_add_overflow(step.staticResultBytes, *staticBytes(type),
                                 &step.staticResultBytes))
        return malformed(operation, "its results need more bytes than can be addressed");
    }
    if (auto status = planBody(operation, *operandTypes, step); !status)
      return tl::unexpected(status.error());
    for (const ValueId value : operation.results) {
      if (slots_.contains(value) || constants_.contains(value))
        return malformed(operation, fmt::format("value {} is defined twice", value));
      step.results.push_back(newSlot(value));
    }
    return step;
  }

  Status planBody(const Operation& operation, std::span<const ValueType> operandTypes,
                  Step& step) {
    const std::string& name = operation.name;
    if (name == "func.call" || name == "call") return planCall(operation, "callee", step);
    if (name == "stablehlo.composite") return planCall(operation, "decomposition", step);
    if (name == "stablehlo.while") return planControlFlow(operation, Step::Kind::kWhile, step);
    if (name == "stablehlo.if") return planControlFlow(operation, Step::Kind::kIf, step);
    if (name == "interpreter.run_parallel") {
      auto parallel = planner_.planParallel(operation, operandTypes);
      if (!parallel) return tl::unexpected(parallel.error());
      step.kind = Step::Kind::kParallel;
      step.parallel = std::move(*parallel);
      return {};
    }
    if (name == "sdy.manual_computation") return planManual(operation, operandTypes, step);
    if (isShardingAnnotation(name)) {
      if (operandTypes.size() != 1 || step.resultTypes.size() != 1 ||
          operandTypes[0].text != step.resultTypes[0].text)
        return malformed(operation, "it must have one operand and one result of its type");
      step.kernel = [](KernelCall& call) -> Status {
        call.results[0] = call.operands[0];
        return {};
      };
      return {};
    }
    if (name == "stablehlo.case") return planControlFlow(operation, Step::Kind::kCase, step);
    Status status = planKernel(operation, operandTypes, step);
    // A branch for another platform may use what this engine does not have: that
    // is an error once it is taken.
    if (!status && status.error().kind == Error::Kind::kUnsupported && planner_.insideBranch()) {
      step.kind = Step::Kind::kKernel;
      step.kernel = [error = status.error()](KernelCall&) -> Status {
        return tl::unexpected(error);
      };
      return {};
    }
    return status;
  }

  // The region shares no values with what is around it.
  Status planManual(const Operation& operation, std::span<const ValueType> operandTypes,
                    Step& step) {
    if (operation.regions.size() != 1 || operation.regions[0].blocks.size() != 1 ||
        operation.regions[0].blocks[0].operations.empty())
      return malformed(operation, "it must have one region of one block");
    const Block& block = operation.regions[0].blocks[0];
    auto local = typesOf(operation, block.arguments);
    if (!local) return tl::unexpected(local.error());
    auto returned = typesOf(operation, block.operations.back().operands);
    if (!returned) return tl::unexpected(returned.error());
    auto body = FramePlanner(planner_, function_).plan(operation.regions[0], {}, {});
    if (!body) return tl::unexpected(body.error());
    auto parallel = planner_.planManual(operation, std::move(*body), operandTypes,
                                        step.resultTypes, *local, *returned);
    if (!parallel) return tl::unexpected(parallel.error());
    step.kind = Step::Kind::kParallel;
    step.parallel = std::move(*parallel);
    return {};
  }

  Status planCall(const Operation& operation, std::string_view attribute, Step& step) {
    CheckedAttributes read(operation);
    const std::string callee = read.text(attribute);
    if (auto status = read.status(); !status) return status;
    const Function* function = planner_.module().find(callee);
    if (function == nullptr)
      return malformed(operation, fmt::format("the module has no function @{}", callee));
    if (function->argumentTypes.size() != operation.operands.size() ||
        function->resultTypes.size() != operation.results.size())
      return malformed(operation,
                       fmt::format("@{} takes {} arguments and gives {} results; the call has "
                                   "{} and {}",
                                   callee, function->argumentTypes.size(),
                                   function->resultTypes.size(), operation.operands.size(),
                                   operation.results.size()));
    auto plan = planner_.planFunction(callee);
    if (!plan) return tl::unexpected(plan.error());
    step.kind = Step::Kind::kCall;
    step.callee = std::move(*plan);
    return {};
  }

  Status planControlFlow(const Operation& operation, Step::Kind kind, Step& step) {
    step.kind = kind;
    const bool isWhile = kind == Step::Kind::kWhile;
    const size_t regions = operation.regions.size();
    if ((kind != Step::Kind::kCase && regions != 2) || regions == 0)
      return malformed(operation, fmt::format("it has {} regions", regions));
    if (!isWhile && operation.operands.size() != 1)
      return malformed(operation, "it must have one operand");
    if (isWhile && operation.operands.size() != operation.results.size())
      return malformed(operation, "it must have as many results as operands");
    for (const Region& region : operation.regions) {
      if (!isWhile) planner_.enterBranch();
      auto block = planRegion(region);
      if (!isWhile) planner_.leaveBranch();
      if (!block) return tl::unexpected(block.error());
      if (block->arguments.size() != (isWhile ? operation.operands.size() : 0))
        return malformed(operation,
                         fmt::format("a region takes {} arguments", block->arguments.size()));
      const bool isCondition = isWhile && step.blocks.empty();
      if (block->results.size() != (isCondition ? 1 : operation.results.size()))
        return malformed(operation,
                         fmt::format("a region returns {} values", block->results.size()));
      step.blocks.push_back(std::move(*block));
    }
    return {};
  }

  Result<RegionPlan> planNestedRegion(const Operation& operation, const Region& region) {
    std::vector<ValueId> captured;
    std::vector<std::pair<ValueId, Value>> constants;
    RegionPlan plan;
    for (const ValueId value : capturedValues(region)) {
      auto source = place(operation, value);
      if (!source) return tl::unexpected(source.error());
      if (source->index < 0) {
        constants.emplace_back(value, frame_.constants[static_cast<size_t>(~source->index)]);
      } else {
        captured.push_back(value);
        plan.captures.push_back(*source);
      }
    }
    plan.program = ScalarProgram::make(region, function_.valueTypes, captured, constants);
    auto frame = FramePlanner(planner_, function_).plan(region, captured, constants);
    if (!frame) return tl::unexpected(frame.error());
    plan.frame = std::make_shared<const FramePlan>(std::move(*frame));
    plan.shortcut = shortcutOf(region);
    return plan;
  }

  Status planKernel(const Operation& original, std::span<const ValueType> operandTypes,
                    Step& step) {
    const auto resolved = planner_.withMesh(original);
    const Operation& operation = resolved ? *resolved : original;
    auto deferred = std::make_shared<DeferredKernel>();
    bool captures = false;
    for (const Region& region : operation.regions) {
      auto plan = planNestedRegion(operation, region);
      if (!plan) return tl::unexpected(plan.error());
      captures |= !plan->captures.empty();
      deferred->regions.push_back(std::move(*plan));
    }
    if (!captures && optimizes()) {
      auto kernel = makeKernel(operation, operandTypes, step.resultTypes, deferred->regions, {},
                               /*shortcuts=*/true);
      if (!kernel) return tl::unexpected(kernel.error());
      step.kernel = std::move(*kernel);
      return {};
    }
    deferred->operation = operation;
    deferred->operandTypes.assign(operandTypes.begin(), operandTypes.end());
    deferred->resultTypes = step.resultTypes;
    if (!captures) {
      // Unknown operations and wrong attributes are told before anything runs.
      auto kernel = makeKernel(operation, operandTypes, step.resultTypes, deferred->regions, {},
                               /*shortcuts=*/false);
      if (!kernel) return tl::unexpected(kernel.error());
    } else if (findOperation(operation.name) == nullptr) {
      return failure(Error::Kind::kUnsupported,
                     fmt::format("the engine does not have {}", operation.name));
    }
    step.kind = Step::Kind::kDeferred;
    step.shortcuts = optimizes();
    step.deferred = std::move(deferred);
    return {};
  }

  ModulePlanner& planner_;
  const Function& function_;
  FramePlan frame_;
  std::unordered_map<ValueId, int32_t> slots_;
  std::unordered_map<ValueId, int32_t> constants_;
};

}  // namespace

Result<size_t> staticBytes(const ValueType& type) {
  size_t total = 0;
  for (const ValueType& element : type.elements) {
    auto bytes = staticBytes(element);
    if (!bytes) return bytes;
    if (__builtin_add_overflow(total, *bytes, &total)) total = SIZE_MAX / 2;
  }
  if (type.kind != ValueType::Kind::kTensor) return total;
  size_t bytes = byteWidth(type.element);
  bool dynamic = false, empty = false;
  for (const int64_t dimension : type.shape) {
    if (dimension == kDynamicDimension) {
      dynamic = true;
    } else if (dimension < 0) {
      return failure(Error::Kind::kBadInput,
                     fmt::format("a type has the dimension {}", dimension));
    } else if (dimension == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, static_cast<size_t>(dimension), &bytes) ||
               bytes > static_cast<size_t>(INT64_MAX) / 2) {
      return failure(Error::Kind::kResource,
                     fmt::format("{} has more bytes than can be addressed",
                                 describe(type.element, type.shape)));
    }
  }
  return dynamic || empty ? 0 : bytes;
}

Result<std::shared_ptr<const FramePlan>> ModulePlanner::planFunction(const std::string& name) {
  const auto known = planned_.find(name);
  if (known != planned_.end()) {
    if (known->second != nullptr) return known->second;
    return failure(Error::Kind::kBadInput,
                   fmt::format("@{} calls itself; StableHLO has no recursion", name));
  }
  const Function* function = module_.find(name);
  if (function == nullptr || function->body.blocks.empty())
    return failure(Error::Kind::kBadInput,
                   fmt::format("the module has no {} @{}",
                               function == nullptr ? "function" : "body for the function", name));
  if (deeperThan(function->body, kDeepestNesting) || depth_ >= kDeepestNesting)
    return failure(Error::Kind::kResource,
                   fmt::format("@{} nests regions or calls more than {} deep", name,
                               kDeepestNesting));
  if (function->body.blocks[0].arguments.size() != function->argumentTypes.size())
    return failure(Error::Kind::kBadInput,
                   fmt::format("@{} declares {} arguments and its body takes {}", name,
                               function->argumentTypes.size(),
                               function->body.blocks[0].arguments.size()));
  planned_.emplace(name, nullptr);
  ++depth_;
  auto frame = FramePlanner(*this, *function).plan(function->body, {}, {});
  --depth_;
  if (!frame) return tl::unexpected(frame.error());
  if (frame->block.results.size() != function->resultTypes.size())
    return failure(Error::Kind::kBadInput,
                   fmt::format("@{} declares {} results and returns {}", name,
                               function->resultTypes.size(), frame->block.results.size()));
  auto shared = std::make_shared<const FramePlan>(std::move(*frame));
  planned_[name] = shared;
  return shared;
}

}  // namespace vintage
