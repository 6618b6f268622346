#include "harness/engine/inlining.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>
#include <utility>

#include "golden/module/operation_facts.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/planner.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Each call of a function that is called more than once is a copy of so many operations at most.
constexpr size_t kMostOperations = 32;
// Calls within calls.
constexpr int kDeepest = 64;

const std::string* calledBy(const Operation& operation) {
  if (operation.name != "func.call") return nullptr;
  return attributeField<std::string>(operation.attributes, "callee");
}

void forEachOperation(const Region& region, const std::function<void(const Operation&)>& visit) {
  for (const Block& block : region.blocks)
    for (const Operation& operation : block.operations) {
      visit(operation);
      for (const Region& nested : operation.regions) forEachOperation(nested, visit);
    }
}

// Elementwise, or a move of elements.
bool isSimple(const Operation& operation) {
  constexpr std::array<std::string_view, 9> kMoves = {
      "stablehlo.constant",    "stablehlo.iota",      "stablehlo.broadcast_in_dim",
      "stablehlo.reshape",     "stablehlo.slice",     "stablehlo.dynamic_slice",
      "stablehlo.concatenate", "stablehlo.transpose", "stablehlo.dynamic_update_slice"};
  if (!operation.regions.empty()) return false;
  const OperationFacts* facts = operationFacts(operation.name);
  return (facts != nullptr && facts->shape == ShapeRule::kElementwise) ||
         std::ranges::count(kMoves, operation.name) > 0;
}

bool haveTypes(const Function& function, const std::vector<ValueId>& values,
               const std::vector<ValueType>& types) {
  return std::ranges::equal(values, types, [&](ValueId value, const ValueType& type) {
    return value < function.valueTypes.size() && function.valueTypes[value] == type;
  });
}

// Whether it has what a copy relies on; planning the function itself reports anything else. A
// manual part begins and ends where its function does.
bool mayBeCopied(const Function& function) {
  if (function.body.blocks.size() != 1 || deeperThan(function.body, kDeepestNesting)) return false;
  const Block& block = function.body.blocks[0];
  if (block.operations.empty() || block.operations.back().name != "func.return" ||
      !haveTypes(function, block.arguments, function.argumentTypes) ||
      !haveTypes(function, block.operations.back().operands, function.resultTypes))
    return false;
  bool may = true;
  const auto isKnown = [&](ValueId value) { return value < function.valueTypes.size(); };
  forEachOperation(function.body, [&](const Operation& operation) {
    may = may && !isManualBoundary(operation) && std::ranges::all_of(operation.operands, isKnown) &&
          std::ranges::all_of(operation.results, isKnown);
    for (const Region& region : operation.regions)
      for (const Block& nested : region.blocks)
        may = may && std::ranges::all_of(nested.arguments, isKnown);
  });
  return may;
}

}  // namespace

// The values of a function whose operations are copied.
struct CallInliner::Scope {
  Function& to;  // Gets a value for each that has none yet.
  const Function& from;
  bool isSame;  // Its values keep their numbers.
  int depth = 0;
  std::unordered_map<ValueId, ValueId> values{};

  ValueId operator()(ValueId value) {
    if (const auto known = values.find(value); known != values.end()) return known->second;
    if (isSame) return value;
    to.valueTypes.push_back(from.valueTypes[value]);
    return values[value] = static_cast<ValueId>(to.valueTypes.size() - 1);
  }
};

CallInliner::CallInliner(const ModuleTree& module) : module_(module) {
  for (const Function& function : module.functions) {
    if (deeperThan(function.body, kDeepestNesting)) continue;
    forEachOperation(function.body, [&](const Operation& operation) {
      if (const std::string* name = calledBy(operation)) ++calls_[*name];
    });
  }
}

std::optional<Function> CallInliner::inlined(const Function& function) {
  bool calls = false;
  forEachOperation(function.body, [&](const Operation& operation) {
    calls = calls || callee(function, operation) != nullptr;
  });
  if (!calls || !mayBeCopied(function)) return std::nullopt;
  Function copy{function.name,
                function.isPublic,
                function.argumentTypes,
                function.resultTypes,
                function.argumentAttributes,
                function.resultAttributes,
                {{{function.body.blocks[0].arguments, {}}}},
                function.valueTypes};
  Scope scope{copy, function, true};
  append(function.body.blocks[0], scope, copy.body.blocks[0].operations);
  return copy;
}

const Function* CallInliner::inlinable(const std::string& name) {
  const auto [known, isNew] = inlinable_.try_emplace(name, nullptr);
  if (!isNew || (calls_[name] > 1 && !simpleOperations(name))) return known->second;
  const Function* function = module_.find(name);
  if (function != nullptr && mayBeCopied(*function)) known->second = function;
  return known->second;
}

const Function* CallInliner::callee(const Function& caller, const Operation& call) {
  const std::string* name = calledBy(call);
  const Function* function = name != nullptr ? inlinable(*name) : nullptr;
  if (function == nullptr || !haveTypes(caller, call.operands, function->argumentTypes) ||
      !haveTypes(caller, call.results, function->resultTypes))
    return nullptr;
  return function;
}

std::optional<size_t> CallInliner::simpleOperations(const std::string& name) {
  // None while it is looked at: a function that calls itself is not simple.
  const auto [known, isNew] = simple_.try_emplace(name);
  const Function* function = module_.find(name);
  if (!isNew || function == nullptr || !mayBeCopied(*function)) return known->second;
  size_t count = 0;
  const std::vector<Operation>& operations = function->body.blocks[0].operations;
  for (const Operation& operation : std::span(operations).first(operations.size() - 1)) {
    const std::string* called = calledBy(operation);
    const auto more = called != nullptr     ? simpleOperations(*called)
                      : isSimple(operation) ? std::optional<size_t>(1)
                                            : std::nullopt;
    if (!more || count + *more > kMostOperations) return std::nullopt;
    count += *more;
  }
  return known->second = count;
}

void CallInliner::append(const Block& from, Scope& scope, std::vector<Operation>& to) {
  for (const Operation& operation : from.operations) {
    const Function* called = scope.depth < kDeepest ? callee(scope.from, operation) : nullptr;
    if (called != nullptr) {
      appendCallee(*called, operation, scope, to);
      continue;
    }
    Operation copy{
        operation.name,    operation.attributes, operation.operands, operation.results, {},
        operation.location};
    for (ValueId& value : copy.operands) value = scope(value);
    for (ValueId& value : copy.results) value = scope(value);
    for (const Region& region : operation.regions) {
      Region& nested = copy.regions.emplace_back();
      for (const Block& block : region.blocks) {
        Block& copied = nested.blocks.emplace_back();
        for (const ValueId value : block.arguments) copied.arguments.push_back(scope(value));
        append(block, scope, copied.operations);
      }
    }
    to.push_back(std::move(copy));
  }
}

void CallInliner::appendCallee(const Function& callee, const Operation& call, Scope& scope,
                               std::vector<Operation>& to) {
  const Block& body = callee.body.blocks[0];
  Scope inner{scope.to, callee, false, scope.depth + 1};
  for (size_t i = 0; i < call.operands.size(); ++i)
    inner.values[body.arguments[i]] = scope(call.operands[i]);
  append(body, inner, to);
  const std::vector<ValueId> returned = std::move(to.back().operands);
  to.pop_back();  // The return.
  for (size_t i = 0; i < call.results.size(); ++i) scope.values[call.results[i]] = returned[i];
}

}  // namespace vintage::harness
