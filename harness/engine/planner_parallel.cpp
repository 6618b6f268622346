// Plans for several processes: interpreter.run_parallel, and the meshes that
// collectives name.
#include <algorithm>

#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/planner.h"

namespace vintage::harness {
using namespace golden;

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
  if (function == nullptr)
    return malformed(operation, fmt::format("the module has no function @{}", *name));
  return planner.planFunction(*name);
}

}  // namespace

// programs = [[@f, @g], …]: a row for each replica, in it one for each partition.
Result<std::shared_ptr<const ParallelPlan>> ModulePlanner::planParallel(
    const Operation& operation, std::span<const ValueType> operandTypes) {
  auto parallel = std::make_shared<ParallelPlan>();
  const CheckedAttributes read(operation);
  const Function* function = nullptr;
  const auto listOf = [](const Attribute* attribute) {
    return attribute == nullptr ? nullptr : std::get_if<AttributeList>(&attribute->value);
  };
  const AttributeList* rows = listOf(read.find("programs"));
  if (rows == nullptr) return malformed(operation, "'programs' is not a list of lists");
  size_t operands = 0, results = 0;
  for (const Attribute& row : *rows) {
    const AttributeList* programs = listOf(&row);
    if (programs == nullptr || programs->size() != listOf(&rows->front())->size())
      return malformed(operation, "the rows of 'programs' are not equally long lists");
    for (const Attribute& program : *programs) {
      ASSIGN_OR_RETURN(auto frame, planNamed(*this, operation, program, function));
      for (const ValueType& type : function->argumentTypes) {
        if (operands == operandTypes.size() || !sameType(type, operandTypes[operands]))
          return malformed(operation, fmt::format("input {} does not fit @{}, which takes {}",
                                                  operands, function->name, type.text));
        ++operands;
      }
      results += function->resultTypes.size();
      parallel->programs.push_back(std::move(frame));
    }
  }
  parallel->grid.replicas = static_cast<int64_t>(rows->size());
  parallel->grid.partitions =
      rows->empty() ? 0 : static_cast<int64_t>(listOf(&rows->front())->size());
  if (auto status = checkGrid(parallel->grid); !status)
    return malformed(operation, status.error().message);
  if (operands != operandTypes.size() || results != operation.results.size())
    return malformed(operation, fmt::format("its programs take {} inputs and give {} results; "
                                            "it has {} and {}",
                                            operands, results, operandTypes.size(),
                                            operation.results.size()));
  if (const Attribute* infeed = read.find("infeed")) {
    if (listOf(infeed) == nullptr) return malformed(operation, "'infeed' is not a list");
    for (const Attribute& each : *listOf(infeed)) {
      ASSIGN_OR_RETURN(auto frame, planNamed(*this, operation, each, function));
      if (!function->argumentTypes.empty())
        return malformed(operation, fmt::format("@{} of 'infeed' takes arguments",
                                                function->name));
      parallel->infeed.push_back(std::move(frame));
    }
  }
  return std::shared_ptr<const ParallelPlan>(std::move(parallel));
}

std::optional<Operation> ModulePlanner::withMesh(const Operation& operation) const {
  const auto groups = operation.attributes.find("replica_groups");
  if (groups == operation.attributes.end()) return std::nullopt;
  const auto* fields = std::get_if<AttributeMap>(&groups->second.value);
  if (fields == nullptr || !fields->contains("mesh")) return std::nullopt;
  const auto* name = std::get_if<std::string>(&fields->find("mesh")->second.value);
  if (name == nullptr) return std::nullopt;
  for (const Operation& other : module_.others) {
    const auto symbol = other.attributes.find("sym_name");
    const auto mesh = other.attributes.find("mesh");
    if (other.name != "sdy.mesh" || symbol == other.attributes.end() ||
        mesh == other.attributes.end())
      continue;
    const auto* found = std::get_if<std::string>(&symbol->second.value);
    if (found == nullptr || *found != *name) continue;
    Operation resolved = operation;
    std::get<AttributeMap>(resolved.attributes.find("replica_groups")->second.value)
        .insert_or_assign("mesh", mesh->second);
    return resolved;
  }
  return std::nullopt;
}

}  // namespace vintage::harness
