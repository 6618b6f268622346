#include "harness/engine/planner.h"

#include <algorithm>
#include <ranges>

#include "golden/base/failures.h"
#include "harness/engine/sharding_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

// How many operations run at least: no turn of a loop, the shortest branch, the longest of
// programs side by side. The largest number where there are more.
uint64_t leastOperations(const BlockPlan& block) {
  const auto least = [](const Step& step) -> uint64_t {
    switch (step.kind) {
      case Step::Kind::kCall:
        return step.callee->leastOperations;
      case Step::Kind::kWhile:
        return leastOperations(step.blocks[0]);
      case Step::Kind::kIf:
      case Step::Kind::kCase:
        return std::ranges::min(step.blocks | std::views::transform(leastOperations));
      case Step::Kind::kParallel:
        return std::ranges::max(
            step.parallel->programs |
            std::views::transform([](const auto& frame) { return frame->leastOperations; }));
      case Step::Kind::kKernel:
      case Step::Kind::kDeferred:
      case Step::Kind::kSame:
        break;
    }
    return 0;
  };
  uint64_t count = 0;
  for (const Step& step : block.steps)
    if (__builtin_add_overflow(count, least(step) + 1, &count)) return UINT64_MAX - 1;
  return count;
}

}  // namespace

Result<std::shared_ptr<const FramePlan>> ModulePlanner::planFunction(const std::string& name) {
  const auto known = planned_.find(name);
  if (known != planned_.end()) {
    if (known->second != nullptr) return known->second;
    return badInput("@{} calls itself; StableHLO has no recursion", name);
  }
  const Function* function = module_.find(name);
  if (function == nullptr || function->body.blocks.empty())
    return badInput("the module has no {} @{}",
                    function == nullptr ? "function" : "body for the function", name);
  if (deeperThan(function->body, kDeepestNesting) || depth_ >= kDeepestNesting)
    return noResource("@{} nests regions or calls more than {} deep", name, kDeepestNesting);
  if (function->body.blocks[0].arguments.size() != function->argumentTypes.size())
    return badInput("@{} declares {} arguments and its body takes {}", name,
                    function->argumentTypes.size(), function->body.blocks[0].arguments.size());
  planned_.emplace(name, nullptr);
  ++depth_;
  const auto inlined = fuses() ? inliner_.inlined(*function) : std::nullopt;
  if (inlined && !deeperThan(inlined->body, kDeepestNesting)) function = &*inlined;
  auto frame = FramePlanner(*this, *function).plan(function->body, {}, {});
  --depth_;
  if (!frame) return tl::unexpected(frame.error());
  if (frame->block.results.size() != function->resultTypes.size())
    return badInput("@{} declares {} results and returns {}", name, function->resultTypes.size(),
                    frame->block.results.size());
  frame->leastOperations = leastOperations(frame->block);
  auto shared = std::make_shared<const FramePlan>(std::move(*frame));
  planned_[name] = shared;
  return shared;
}

Result<RegionPlan> ModulePlanner::planAsRegion(const std::string& name) {
  RegionPlan plan;
  ASSIGN_OR_RETURN(plan.frame, planFunction(name));
  const Function& function = *module_.find(name);
  plan.program = ScalarProgram::make(function.body, function.valueTypes, {}, {});
  plan.shortcut = shortcutOf(function.body);
  return plan;
}

Result<size_t> staticBytes(const ValueType& type) {
  size_t total = 0;
  for (const ValueType& element : type.elements) {
    ASSIGN_OR_RETURN(auto bytes, staticBytes(element));
    if (__builtin_add_overflow(total, bytes, &total)) total = SIZE_MAX / 2;
  }
  if (type.kind != ValueType::Kind::kTensor) return total;
  size_t bytes = byteWidth(type.element);
  bool dynamic = false, empty = false;
  for (const int64_t dimension : type.shape) {
    if (dimension == kDynamicDimension) {
      dynamic = true;
    } else if (dimension < 0) {
      return badInput("a type has the dimension {}", dimension);
    } else if (dimension == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, static_cast<size_t>(dimension), &bytes) ||
               bytes > static_cast<size_t>(INT64_MAX) / 2) {
      return noResource("{} has more bytes than can be addressed",
                        describe(type.element, type.shape));
    }
  }
  return dynamic || empty ? 0 : bytes;
}

// Plans for several processes: interpreter.run_parallel, and the meshes that
// collectives name.

namespace {

bool sameType(const ValueType& a, const ValueType& b) {
  return a.kind == b.kind && a.element == b.element && a.shape == b.shape &&
         std::ranges::equal(a.elements, b.elements, sameType);
}

// A function that another operation names; planned.
Result<std::shared_ptr<const FramePlan>> planNamed(ModulePlanner& planner,
                                                   const Operation& operation,
                                                   const Attribute& attribute,
                                                   const Function*& function) {
  const auto* name = std::get_if<std::string>(&attribute.value);
  if (name == nullptr) return malformed(operation, "it names something that is no function");
  function = planner.module().find(*name);
  if (function == nullptr) return malformed(operation, "the module has no function @{}", *name);
  return planner.planFunction(*name);
}

}  // namespace

// programs = [[@f, @g], …]: a row for each replica, in it one for each partition.
Result<std::shared_ptr<const ParallelPlan>> ModulePlanner::planParallel(
    const Operation& operation, std::span<const ValueType> operandTypes) {
  auto parallel = std::make_shared<ParallelPlan>();
  const Function* function = nullptr;
  const auto* rows = attributeField<AttributeList>(operation.attributes, "programs");
  if (rows == nullptr) return malformed(operation, "'programs' is not a list of lists");
  size_t operands = 0, results = 0, partitions = 0;
  for (const Attribute& row : *rows) {
    const auto* programs = std::get_if<AttributeList>(&row.value);
    if (&row == &rows->front() && programs != nullptr) partitions = programs->size();
    if (programs == nullptr || programs->size() != partitions)
      return malformed(operation, "the rows of 'programs' are not equally long lists");
    for (const Attribute& program : *programs) {
      ASSIGN_OR_RETURN(auto frame, planNamed(*this, operation, program, function));
      for (const ValueType& type : function->argumentTypes) {
        if (operands == operandTypes.size() || !sameType(type, operandTypes[operands]))
          return malformed(operation, "input {} does not fit @{}, which takes {}", operands,
                           function->name, type.text);
        ++operands;
      }
      results += function->resultTypes.size();
      parallel->programs.push_back(std::move(frame));
    }
  }
  parallel->grid.replicas = std::ssize(*rows);
  parallel->grid.partitions = static_cast<int64_t>(partitions);
  if (auto status = checkGrid(parallel->grid); !status)
    return malformed(operation, "{}", status.error().message);
  if (operands != operandTypes.size() || results != operation.results.size())
    return malformed(operation,
                     "its programs take {} inputs and give {} results; "
                     "it has {} and {}",
                     operands, results, operandTypes.size(), operation.results.size());
  const auto* infeed = attributeField<AttributeList>(operation.attributes, "infeed");
  if (infeed == nullptr && operation.attributes.contains("infeed"))
    return malformed(operation, "'infeed' is not a list");
  for (const Attribute& each : infeed ? *infeed : AttributeList{}) {
    ASSIGN_OR_RETURN(auto frame, planNamed(*this, operation, each, function));
    if (!function->argumentTypes.empty())
      return malformed(operation, "@{} of 'infeed' takes arguments", function->name);
    parallel->infeed.push_back(std::move(frame));
  }
  return std::shared_ptr<const ParallelPlan>(std::move(parallel));
}

std::optional<Operation> ModulePlanner::resolved(const Operation& operation) const {
  if (options_.dropsCutWindows && operation.name == "stablehlo.scatter") {
    Operation scatter = operation;
    scatter.attributes[std::string(kDropsCutWindows)].value = true;
    return scatter;
  }
  const auto* groups = attributeField<AttributeMap>(operation.attributes, "replica_groups");
  const auto* name = groups ? attributeField<std::string>(*groups, "mesh") : nullptr;
  const AttributeMap* mesh = name ? findMesh(module_, *name) : nullptr;
  if (mesh == nullptr) return std::nullopt;
  Operation resolved = operation;
  AttributeMap named = *groups;
  named.insert_or_assign("mesh", *mesh);
  resolved.attributes["replica_groups"].value = std::move(named);
  return resolved;
}

// Manual parts of a program: their body runs on each logical device, as one
// partition of a process grid, on that device's pieces of the operands.

namespace {

// For an sdy.manual_computation: over one mesh, by its manual axes.
Result<Placements> readShardySharding(const ModuleTree& module, const Operation& operation) {
  const auto* inFields = attributeField<AttributeMap>(operation.attributes, "in_shardings");
  const auto* outFields = attributeField<AttributeMap>(operation.attributes, "out_shardings");
  const auto* in = inFields ? attributeField<AttributeList>(*inFields, "shardings") : nullptr;
  const auto* out = outFields ? attributeField<AttributeList>(*outFields, "shardings") : nullptr;
  const auto manual = manualAxesOf(operation);
  if (in == nullptr || out == nullptr || !manual)
    return malformed(operation, "it lacks in_shardings, out_shardings and manual_axes");

  std::optional<NamedMesh> mesh;
  const auto read = [&](const AttributeList& list, std::vector<DevicePlacement>& to) -> Status {
    for (const Attribute& each : list) {
      const auto* fields = std::get_if<AttributeMap>(&each.value);
      const auto* name = fields ? attributeField<std::string>(*fields, "mesh") : nullptr;
      if (name == nullptr) return malformed(operation, "a sharding names no mesh");
      if (!mesh) {
        ASSIGN_OR_RETURN(mesh, within(operation.name, readMesh(module, *name)));
      } else if (mesh->name != "mesh @" + *name) {
        return malformed(operation, "its shardings name different meshes");
      }
      ASSIGN_OR_RETURN(to.emplace_back(),
                       within(operation.name, readSharding(*fields, *mesh, &*manual)));
    }
    return {};
  };
  Placements placements;
  RETURN_IF_ERROR(read(*in, placements.inputs));
  RETURN_IF_ERROR(read(*out, placements.outputs));
  if (!mesh) return malformed(operation, "it has neither operands nor results");
  return placements;
}

// For a manual part as written before Shardy: over all partitions of the module.
Result<int64_t> partitionsOf(const ModuleTree& module, const Operation& operation) {
  const auto* partitions = attributeField<int64_t>(module.attributes, "mhlo.num_partitions");
  const int64_t devices = partitions ? *partitions : 1;
  if (devices < 1 || devices > kMostProcesses)
    return unsupported("{}: the module is for {} partitions; the embedded engine has up to {}",
                       operation.name, devices, kMostProcesses);
  return devices;
}

Result<Placements> readManualPartSharding(const Operation& operation, int64_t devices,
                                          std::span<const ValueType> operands,
                                          std::span<const ValueType> results) {
  Placements placements;
  const auto read = [&](std::string_view attribute, std::span<const ValueType> types,
                        std::vector<DevicePlacement>& to) -> Status {
    const auto* list = attributeField<AttributeList>(operation.attributes, attribute);
    for (size_t i = 0; list != nullptr && i < list->size() && i < types.size(); ++i) {
      const auto* text = std::get_if<std::string>(&(*list)[i].value);
      const size_t rank = types[i].shape.size();
      if (text == nullptr || text->empty()) {
        to.push_back(copiesOn(devices, rank));
        continue;
      }
      ASSIGN_OR_RETURN(auto parsed, within(operation.name, parseHloSharding(*text)));
      ASSIGN_OR_RETURN(to.emplace_back(),
                       within(operation.name, placementOf(parsed, devices, rank)));
    }
    return {};
  };
  RETURN_IF_ERROR(read("in_shardings", operands, placements.inputs));
  RETURN_IF_ERROR(read("out_shardings", results, placements.outputs));
  return placements;
}

// `pieces` must be what the placements make of whole values.
Status checkPieces(const Operation& operation, std::span<const DevicePlacement> placements,
                   std::span<const ValueType> whole, std::span<const ValueType> pieces) {
  if (placements.size() != whole.size() || pieces.size() != whole.size())
    return malformed(operation, "its shardings, values and region do not agree in number");
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].kind != ValueType::Kind::kTensor || pieces[i].kind != whole[i].kind)
      return unsupported("{}: value {} is {}; the embedded engine splits tensors", operation.name,
                         i, whole[i].text);
    auto shape = placements[i].localShape(whole[i].shape);
    if (!shape) return malformed(operation, "value {}: {}", i, shape.error().message);
    if (*shape != pieces[i].shape || whole[i].element != pieces[i].element)
      return malformed(operation, "value {} of {} is {} in the region", i, whole[i].text,
                       pieces[i].text);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const ParallelPlan>> ModulePlanner::planManual(
    const Operation& operation, FramePlan body, std::span<const ValueType> operandTypes,
    std::span<const ValueType> resultTypes, std::span<const ValueType> local,
    std::span<const ValueType> returned) {
  Placements placements;
  int64_t devices = 0;
  if (operation.name == kManualPart) {
    ASSIGN_OR_RETURN(devices, partitionsOf(module_, operation));
    ASSIGN_OR_RETURN(placements,
                     readManualPartSharding(operation, devices, operandTypes, resultTypes));
  } else {
    ASSIGN_OR_RETURN(placements, readShardySharding(module_, operation));
    devices = std::ssize(
        (placements.inputs.empty() ? placements.outputs : placements.inputs).front().mesh.devices);
  }
  RETURN_IF_ERROR(checkPieces(operation, placements.inputs, operandTypes, local));
  RETURN_IF_ERROR(checkPieces(operation, placements.outputs, resultTypes, returned));

  auto parallel = std::make_shared<ParallelPlan>();
  parallel->grid.partitions = devices;
  parallel->programs.assign(static_cast<size_t>(devices),
                            std::make_shared<const FramePlan>(std::move(body)));
  parallel->placements = std::move(placements);
  return std::shared_ptr<const ParallelPlan>(std::move(parallel));
}

}  // namespace vintage::harness
