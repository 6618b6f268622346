#include "harness/engine/faults/fault.h"

#include <algorithm>
#include <mutex>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
namespace {

const SeededFault* active = nullptr;
KernelFactory sound = nullptr;

bool isTarget(const KernelRequest& request) {
  if (active->target.empty()) return true;
  const auto* name = attributeField<std::string>(request.operation.attributes, "call_target_name");
  return name != nullptr && *name == active->target;
}

// A table's factory is a plain function, so it finds the fault here.
Result<Kernel> faultyKernel(const KernelRequest& request) {
  return isTarget(request) ? active->factory(sound, request) : sound(request);
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
  const OperationEntry* entry = findOperation(fault.operation);
  if (entry == nullptr)
    return notFound("the fault {} names no operation of the engine: {}", fault.name,
                    fault.operation);
  active = &fault;
  sound = entry->factory;
  replaceOperation(*entry, faultyKernel);
  return {};
}

}  // namespace vintage::harness
