#include "harness/plugin/partitioned_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/planner.h"
#include "harness/plugin/custom_partitioner.h"
#include "harness/plugin/module_import.h"
#include "harness/plugin/python_callbacks.h"
#include "harness/plugin/sharding_messages.h"
#include "harness/runtimes/embedded/callable.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr std::string_view kInspection = "InspectSharding";

std::string targetOf(const Operation& operation) {
  const auto* target = attributeField<std::string>(operation.attributes, "call_target_name");
  return operation.name == "stablehlo.custom_call" && target ? *target : std::string();
}

// How the values of a call lie.
struct CallPlacements {
  std::vector<DevicePlacement> operands, results;
};

class SplitCalls {
 public:
  SplitCalls(ModuleTree& module, const CompileRequest& request, ProgramReader& reader)
      : module_(module), request_(request), reader_(reader) {}

  Result<Placements> run() {
    // Deeper nesting is refused when the module is planned.
    constexpr int kDeepestNesting = 200;
    for (const Function& function : module_.functions)
      if (deeperThan(function.body, kDeepestNesting))
        return noResource("@{} nests regions more than {} deep", function.name, kDeepestNesting);
    const Function* main = module_.find("main");
    auto placements = annotatedPlacements(module_, *main, devices(),
                                          {.seeCall = [&](PlacedCall& call) { place(call); }});
    RETURN_IF_ERROR(status_);
    module_.attributes.insert_or_assign("mhlo.num_partitions", Attribute(devices()));
    // Imports add functions.
    for (size_t i = 0, count = module_.functions.size(); i < count; ++i) {
      Region body = std::move(module_.functions[i].body);
      Status status = split(i, body, false);
      module_.functions[i].body = std::move(body);
      RETURN_IF_ERROR(status);
    }
    return placements;
  }

 private:
  int64_t devices() const { return request_.grid.partitions; }

  std::vector<DevicePlacement> orCopies(std::span<const ValueType> types,
                                        std::span<const OpenPlacement> open) const {
    std::vector<DevicePlacement> placements;
    for (size_t i = 0; i < types.size(); ++i) {
      const bool isPlaced = i < open.size() && open[i] && open[i]->rank() == types[i].shape.size();
      placements.push_back(isPlaced ? *open[i] : copiesOn(devices(), types[i].shape.size()));
      placements.back().summed.clear();  // Between operations values are whole.
    }
    return placements;
  }

  static std::vector<ValueType> typesOf(const Function& function,
                                        const std::vector<ValueId>& values) {
    std::vector<ValueType> types;
    for (const ValueId value : values) types.push_back(function.valueTypes[value]);
    return types;
  }
  static std::vector<size_t> ranksOf(std::span<const ValueType> types) {
    std::vector<size_t> ranks;
    for (const ValueType& type : types) ranks.push_back(type.shape.size());
    return ranks;
  }

  static Result<PartitionedCall> describe(const Operation& operation,
                                          std::span<const ValueType> operands,
                                          std::span<const ValueType> results,
                                          const CallPlacements& placements) {
    PartitionedCall call;
    if (const auto* text = attributeField<std::string>(operation.attributes, "backend_config"))
      call.backendConfig = *text;
    for (size_t i = 0; i < operands.size(); ++i) {
      ASSIGN_OR_RETURN(auto shape, shapeMessage(operands[i]));
      call.operands.push_back({std::move(shape), shardingMessage(placements.operands[i])});
    }
    ASSIGN_OR_RETURN(call.result.shape, shapeMessageOf(results));
    call.result.sharding = shardingMessageOf(placements.results);
    return call;
  }

  // Propagation came to a call.
  void place(PlacedCall& call) {
    const std::string target = targetOf(call.operation);
    if (!isSplitWhenCompiled(target) || !status_) return;
    const auto partitioner = CustomPartitioner::find(target);
    if (target == kInspection && call.results.size() == call.operands.size())
      call.results = call.operands;
    // Shardy's programs say it by a rule.
    if (partitioner && !request_.usesShardy)
      status_ = within("the partitioner of " + target, askForResults(*partitioner, call));
    calls_.insert_or_assign(
        &call.operation,
        CallPlacements{orCopies(typesOf(call.function, call.operation.operands), call.operands),
                       orCopies(typesOf(call.function, call.operation.results), call.results)});
  }

  Status askForResults(const CustomPartitioner& partitioner, PlacedCall& call) const {
    const auto isPlaced = [](const OpenPlacement& each) { return each.has_value(); };
    const auto operands = typesOf(call.function, call.operation.operands);
    const auto results = typesOf(call.function, call.operation.results);
    ASSIGN_OR_RETURN(const auto described,
                     describe(call.operation, operands, results,
                              {orCopies(operands, call.operands), orCopies(results, call.users)}));
    std::optional<std::string> answer;
    if (std::ranges::any_of(call.operands, isPlaced)) {
      ASSIGN_OR_RETURN(answer, partitioner.infer(described));
    }
    if (!answer && std::ranges::any_of(call.users, isPlaced)) {
      ASSIGN_OR_RETURN(answer, partitioner.takeUserSharding(described));
    }
    if (!answer) return {};
    ASSIGN_OR_RETURN(const auto placed, readShardingMessages(*answer, devices(), ranksOf(results)));
    call.results.assign(placed.begin(), placed.end());
    return {};
  }

  Status split(size_t function, Region& region, bool isManual) {
    for (Block& block : region.blocks) {
      for (Operation& operation : block.operations) {
        const bool inside = isManual || operation.name == "sdy.manual_computation";
        for (Region& nested : operation.regions) RETURN_IF_ERROR(split(function, nested, inside));
        const std::string target = targetOf(operation);
        if (!isSplitWhenCompiled(target)) continue;
        RETURN_IF_ERROR(within("custom_call @" + target, splitCall(function, operation, isManual)));
      }
    }
    return {};
  }

  Status splitCall(size_t function, Operation& operation, bool isManual) {
    const auto operands = typesOf(module_.functions[function], operation.operands);
    const auto results = typesOf(module_.functions[function], operation.results);
    const auto known = calls_.find(&operation);
    const CallPlacements placements =
        known == calls_.end() ? CallPlacements{orCopies(operands, {}), orCopies(results, {})}
                              : known->second;
    const std::string target = targetOf(operation);
    if (target == kInspection) return inspect(operation, placements, isManual);
    if (const auto partitioner = CustomPartitioner::find(target)) {
      ASSIGN_OR_RETURN(const auto call, describe(operation, operands, results, placements));
      ASSIGN_OR_RETURN(const auto partition,
                       within("its partitioner", partitioner->partition(call)));
      return replace(function, operation, partition, ranksOf(operands), ranksOf(results));
    }
    return splitPython(module_.functions[function], operation, placements);
  }

  // Python sees how the value lies. The call itself gives its operand.
  Status inspect(Operation& operation, const CallPlacements& placements, bool isManual) const {
    if (operation.operands.size() != 1 || operation.results.size() > 1)
      return badInput("it has {} operands and {} results; one operand is inspected",
                      operation.operands.size(), operation.results.size());
    RETURN_IF_ERROR(callPythonWith(
        operation, isManual ? manualShardingMessage() : shardingMessage(placements.operands[0])));
    Operation forward;
    forward.name = "stablehlo.optimization_barrier";
    forward.location = operation.location;
    forward.results = operation.results;
    if (!operation.results.empty()) forward.operands = operation.operands;
    operation = std::move(forward);
    return {};
  }

  // Each device calls the function of the partitioner's module.
  Status replace(size_t function, Operation& operation, const Partition& partition,
                 std::span<const size_t> operandRanks, std::span<const size_t> resultRanks) {
    CallPlacements placements;
    for (size_t i = 0; i < operandRanks.size(); ++i) {
      ASSIGN_OR_RETURN(
          placements.operands.emplace_back(),
          within(fmt::format("operand {}", i),
                 readShardingMessage(partition.operandShardings[i], devices(), operandRanks[i])));
    }
    ASSIGN_OR_RETURN(placements.results,
                     readShardingMessages(partition.resultSharding, devices(), resultRanks));
    ASSIGN_OR_RETURN(auto read, within("the module of its partitioner",
                                       reader_.read(std::as_bytes(std::span(partition.module)))));
    const Function* main = read.tree.find("main");
    if (main == nullptr || main->argumentTypes.size() != operandRanks.size() ||
        main->resultTypes.size() != resultRanks.size())
      return badInput(
          "the module of its partitioner has no function 'main' of {} arguments and {} results",
          operandRanks.size(), resultRanks.size());
    Operation call;
    call.name = "func.call";
    call.location = operation.location;
    const std::vector<ValueType> local = main->argumentTypes, given = main->resultTypes;
    call.attributes["callee"].value = importModule(std::move(read.tree), module_);
    makePart(module_.functions[function], operation, std::move(call), local, given, placements);
    return {};
  }

  // Each device calls Python with its part.
  Status splitPython(Function& function, Operation& operation, const CallPlacements& placements) {
    std::vector<ValueType> local;
    for (size_t i = 0; i < operation.operands.size(); ++i) {
      const ValueType& whole = function.valueTypes[operation.operands[i]];
      ASSIGN_OR_RETURN(auto shape, within(fmt::format("operand {}", i),
                                          placements.operands[i].localShape(whole.shape)));
      local.push_back(tensorOf(whole.element, std::move(shape)));
    }
    if (!operation.results.empty())
      return unsupported("each device would give results; JAX has no such call");
    makePart(function, operation, Operation(operation), local, {}, placements);
    return {};
  }

  // A manual part with one operation, in the place of the call.
  static void makePart(Function& function, Operation& operation, Operation inner,
                       std::span<const ValueType> local, std::span<const ValueType> given,
                       const CallPlacements& placements) {
    const auto newValues = [&](std::span<const ValueType> types) {
      std::vector<ValueId> values;
      for (const ValueType& type : types) {
        values.push_back(static_cast<ValueId>(function.valueTypes.size()));
        function.valueTypes.push_back(type);
      }
      return values;
    };
    const auto shardings = [](std::span<const DevicePlacement> each) {
      AttributeList texts;
      for (const DevicePlacement& placement : each) texts.emplace_back(hloShardingText(placement));
      return texts;
    };
    inner.operands = newValues(local);
    inner.results = newValues(given);
    Operation part;
    part.name = kManualPart;
    part.location = operation.location;
    part.operands = operation.operands;
    part.results = operation.results;
    part.attributes["in_shardings"].value = shardings(placements.operands);
    part.attributes["out_shardings"].value = shardings(placements.results);
    Operation terminator;
    terminator.name = "sdy.return";
    terminator.operands = inner.results;
    Block body;
    body.arguments = inner.operands;
    body.operations = {std::move(inner), std::move(terminator)};
    part.regions.push_back(Region{{std::move(body)}});
    operation = std::move(part);
  }

  ModuleTree& module_;
  const CompileRequest& request_;
  ProgramReader& reader_;
  std::map<const Operation*, CallPlacements> calls_;
  Status status_;
};

}  // namespace

bool isSplitWhenCompiled(std::string_view target) {
  return target == kInspection || isPartitionedPythonCallback(target) ||
         CustomPartitioner::find(target).has_value();
}

Result<Placements> splitCalls(ModuleTree& module, const CompileRequest& request,
                              ProgramReader& reader) {
  return SplitCalls(module, request, reader).run();
}

}  // namespace vintage::harness
