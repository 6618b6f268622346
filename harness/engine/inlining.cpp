#include "harness/engine/inlining.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "golden/module/operation_facts.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Larger functions gain little, and copies of them take memory.
constexpr size_t kMostOperations = 32;

bool isElementwise(const Operation& operation) {
  if (operation.name == "stablehlo.constant" || operation.name == "stablehlo.broadcast_in_dim" ||
      operation.name == "stablehlo.reshape")
    return true;
  const OperationFacts* facts = operationFacts(operation.name);
  return facts != nullptr && facts->shape == ShapeRule::kElementwise;
}

bool isCall(const Operation& operation) { return operation.name == "func.call"; }

bool callsAnything(const Region& region) {
  for (const Block& block : region.blocks)
    for (const Operation& operation : block.operations)
      if (isCall(operation) || std::ranges::any_of(operation.regions, callsAnything)) return true;
  return false;
}

// Whether an operation of its own gives each result, so that it can give the call's.
bool givesResultsItself(const Block& block) {
  std::unordered_set<ValueId> given;
  for (const Operation& operation : block.operations)
    given.insert(operation.results.begin(), operation.results.end());
  return std::ranges::all_of(block.operations.back().operands,
                             [&](ValueId value) { return given.erase(value) > 0; });
}

bool haveTypes(const Function& caller, const std::vector<ValueId>& values,
               const std::vector<ValueType>& types) {
  return std::ranges::equal(values, types, [&](ValueId value, const ValueType& type) {
    return value < caller.valueTypes.size() && caller.valueTypes[value] == type;
  });
}

bool isWellFormed(const Function& function) {
  const Block& block = function.body.blocks[0];
  const auto isKnown = [&](ValueId value) { return value < function.valueTypes.size(); };
  return haveTypes(function, block.arguments, function.argumentTypes) &&
         haveTypes(function, block.operations.back().operands, function.resultTypes) &&
         std::ranges::all_of(block.operations, [&](const Operation& operation) {
           return std::ranges::all_of(operation.operands, isKnown) &&
                  std::ranges::all_of(operation.results, isKnown);
         });
}

}  // namespace

std::optional<Function> CallInliner::inlined(const Function& function) {
  if (!callsAnything(function.body)) return std::nullopt;
  Function copy = function;
  bool changed = false;
  for (Block& block : copy.body.blocks) changed |= inlineCalls(copy, block);
  if (!changed) return std::nullopt;
  return copy;
}

const Function* CallInliner::callee(const Function& caller, const Operation& call) {
  if (!isCall(call)) return nullptr;
  const auto* name = attributeField<std::string>(call.attributes, "callee");
  const Function* function = name != nullptr ? smallFunction(*name) : nullptr;
  if (function == nullptr || !haveTypes(caller, call.operands, function->argumentTypes) ||
      !haveTypes(caller, call.results, function->resultTypes))
    return nullptr;
  return function;
}

const Function* CallInliner::smallFunction(const std::string& name) {
  // None while it is looked at: one that calls itself is not small.
  const auto [known, isNew] = small_.try_emplace(name);
  std::optional<Function>& small = known->second;
  if (!isNew) return small ? &*small : nullptr;
  const Function* function = module_.find(name);
  if (function == nullptr || function->body.blocks.size() != 1) return nullptr;
  const std::vector<Operation>& operations = function->body.blocks[0].operations;
  if (operations.empty() || operations.size() > kMostOperations || !isWellFormed(*function) ||
      !givesResultsItself(function->body.blocks[0]) ||
      std::ranges::any_of(operations, [](const Operation& each) { return !each.regions.empty(); }))
    return nullptr;
  Function copy = *function;
  inlineCalls(copy, copy.body.blocks[0]);
  const std::vector<Operation>& all = copy.body.blocks[0].operations;
  if (all.size() > kMostOperations ||
      !std::ranges::all_of(std::span(all).first(all.size() - 1), isElementwise))
    return nullptr;
  small = std::move(copy);
  return &*small;
}

bool CallInliner::inlineCalls(Function& function, Block& block) {
  bool changed = false;
  std::vector<Operation> operations;
  for (Operation& operation : block.operations) {
    for (Region& region : operation.regions)
      for (Block& nested : region.blocks) changed |= inlineCalls(function, nested);
    if (const Function* called = callee(function, operation)) {
      appendBody(function, operation, *called, operations);
      changed = true;
    } else {
      operations.push_back(std::move(operation));
    }
  }
  block.operations = std::move(operations);
  return changed;
}

void CallInliner::appendBody(Function& caller, const Operation& call, const Function& callee,
                             std::vector<Operation>& to) {
  const Block& body = callee.body.blocks[0];
  std::unordered_map<ValueId, ValueId> values;  // The caller's, by the callee's.
  for (size_t i = 0; i < call.operands.size(); ++i) values[body.arguments[i]] = call.operands[i];
  const std::vector<ValueId>& returned = body.operations.back().operands;
  for (size_t i = 0; i < call.results.size(); ++i) values[returned[i]] = call.results[i];
  const auto valueOf = [&](ValueId value) {
    const auto [known, isNew] = values.try_emplace(value, caller.valueTypes.size());
    if (isNew) caller.valueTypes.push_back(callee.valueTypes[value]);
    return known->second;
  };
  for (const Operation& operation :
       std::span(body.operations).first(body.operations.size() - 1)) {
    Operation& copy = to.emplace_back(operation);
    std::ranges::transform(copy.operands, copy.operands.begin(), valueOf);
    std::ranges::transform(copy.results, copy.results.begin(), valueOf);
  }
}

}  // namespace vintage::harness
