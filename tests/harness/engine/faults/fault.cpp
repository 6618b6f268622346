#include "tests/harness/engine/faults/fault.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
namespace {

const SeededFault* active = nullptr;
KernelFactory sound = nullptr;

bool isDamaged(const golden::Operation& operation) {
  const auto* target = attributeField<std::string>(operation.attributes, "call_target_name");
  return active->operation == (target ? operation.name + " @" + *target : operation.name);
}

// A table's factory is a plain function, so it finds the fault here.
Result<Kernel> faultyKernel(const KernelRequest& request) {
  return isDamaged(request.operation) ? active->factory(sound, request) : sound(request);
}

std::vector<SeededFault> joinTables() {
  std::vector<SeededFault> all;
  for (auto* family : {arithmeticFaults, functionFaults, structureFaults, contractionFaults})
    for (SeededFault& fault : family()) all.push_back(std::move(fault));
  std::ranges::sort(all, {}, &SeededFault::name);
  return all;
}

}  // namespace

std::span<const SeededFault> seededFaults() {
  static const std::vector<SeededFault> all = joinTables();
  return all;
}

const SeededFault* findSeededFault(std::string_view name) {
  const auto all = seededFaults();
  const auto found = std::ranges::find(all, name, &SeededFault::name);
  return found == all.end() ? nullptr : &*found;
}

Status seedFault(const SeededFault& fault) {
  if (active != nullptr)
    return usageError("the fault {} is seeded already; one at a time", active->name);
  const std::string name = fault.operation.substr(0, fault.operation.find(" @"));
  const OperationEntry* entry = findOperation(name);
  if (entry == nullptr)
    return notFound("the fault {} names no operation of the engine: {}", fault.name, name);
  active = &fault;
  sound = entry->factory;
  replaceOperation(*entry, faultyKernel);
  return {};
}

}  // namespace vintage::harness
