#include "harness/importer/open_outputs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "golden/tensor/visit.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/importer/attribute_fields.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Open = RecordedOutput::Open;

bool isOne(std::initializer_list<std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Gives elements of its first operand, each as it is.
bool moves(std::string_view name) {
  return isOne(
      {"stablehlo.reshape", "stablehlo.transpose", "stablehlo.dynamic_reshape", "stablehlo.reverse",
       "stablehlo.broadcast_in_dim", "stablehlo.dynamic_broadcast_in_dim", "stablehlo.slice",
       "stablehlo.dynamic_slice", "stablehlo.real_dynamic_slice"},
      name);
}

// Gives each operand as the result of its number.
bool passes(const Operation& operation) {
  return operation.name == "stablehlo.optimization_barrier" ||
         (operation.name == "stablehlo.custom_call" &&
          isIdentityTarget(textField(operation, "call_target_name")));
}

// The facts about a value.
struct Value {
  // The open operations that reach it, by their number; whether it is what that one gave.
  std::map<size_t, bool> open;
  std::optional<size_t> input;  // The input of @main that it is.
  const Tensor* constant = nullptr;
  bool whole = true;  // For an open scatter: its result was not moved or cut.

  auto operator<=>(const Value&) const = default;
};
using Values = std::vector<Value>;

Value computedFrom(std::initializer_list<const Value*> values) {
  Value result;
  for (const Value* value : values)
    for (const auto& [number, direct] : value->open) result.open[number] = false;
  return result;
}

// One or the other.
Value either(const Value& one, const Value& other) {
  return one == other ? one : computedFrom({&one, &other});
}

class OpenTracer {
 public:
  explicit OpenTracer(const ModuleTree& module) : module_(module) {}

  std::vector<std::vector<Open>> outputs() {
    const Function* main = module_.find("main");
    if (main == nullptr) return {};
    for (const Function& function : module_.functions) find(function.body, function);
    if (found_.empty()) return {};
    Values arguments(main->argumentTypes.size());
    for (size_t i = 0; i < arguments.size(); ++i) arguments[i].input = i;
    const Values results = call(*main, arguments);
    std::vector<std::vector<Open>> outputs;
    for (size_t i = 0; i < results.size(); ++i) {
      if (i < main->resultTypes.size() && main->resultTypes[i].kind == ValueType::Kind::kToken)
        continue;
      auto& open = outputs.emplace_back();
      for (const auto& [number, direct] : results[i].open) add(number, direct, results[i], open);
    }
    return outputs;
  }

 private:
  using Scope = std::unordered_map<ValueId, Value>;

  // Numbers the open operations.
  void find(const Region& region, const Function& function) {
    for (const Block& block : region.blocks)
      for (const Operation& operation : block.operations) {
        if (auto open = openOperationOf(operation, function, module_)) {
          numbers_[&operation] = found_.size();
          found_.push_back(*std::move(open));
        }
        for (const Region& nested : operation.regions) find(nested, function);
      }
  }

  // The freedom that an operation gives an output that it reaches.
  void add(size_t number, bool direct, const Value& value, std::vector<Open>& to) const {
    Open open = found_[number];
    open.values.direct = direct;
    // Nothing bounds the differences of values computed from such values.
    const bool boundless = isOne({"stablehlo.bitcast_convert", "stablehlo.scatter", "ApproxTopK"},
                                 open.values.operation);
    if (!direct && boundless) return;
    if (open.values.operation == "stablehlo.scatter" && !value.whole) return;
    if (!direct) {
      open.values.low = open.values.high = std::nullopt;
      open.lowInput = open.highInput = std::nullopt;
    }
    // One of a kind permits as much as many.
    for (Open& known : to)
      if (known.values.operation == open.values.operation && !direct && !known.values.direct) {
        if (open.values.epsilon)
          known.values.epsilon = std::max(*known.values.epsilon, *open.values.epsilon);
        return;
      }
    to.push_back(std::move(open));
  }

  Values call(const Function& function, const Values& arguments) {
    const auto key = std::pair(&function, arguments);
    if (const auto known = calls_.find(key); known != calls_.end()) return known->second;
    constexpr int kDeepest = 100;
    if (function.body.blocks.size() != 1 || depth_ == kDeepest) {
      Value all;
      for (const Value& argument : arguments) all = computedFrom({&all, &argument});
      if (depth_ == kDeepest)
        for (size_t i = 0; i < found_.size(); ++i) all.open[i] = false;
      return Values(function.resultTypes.size(), all);
    }
    ++depth_;
    Scope scope;
    Values results = run(function.body, arguments, scope);
    --depth_;
    calls_.emplace(key, results);
    return results;
  }

  // The operands of the terminator.
  Values run(const Region& region, const Values& arguments, Scope& scope) {
    if (region.blocks.empty()) return {};
    const Block& block = region.blocks[0];
    for (size_t i = 0; i < block.arguments.size(); ++i)
      scope[block.arguments[i]] = i < arguments.size() ? arguments[i] : Value{};
    if (block.operations.empty()) return {};
    for (size_t i = 0; i + 1 < block.operations.size(); ++i) execute(block.operations[i], scope);
    return operandsOf(block.operations.back(), scope);
  }

  static Values operandsOf(const Operation& operation, const Scope& scope) {
    Values operands;
    for (const ValueId id : operation.operands) {
      const auto found = scope.find(id);
      operands.push_back(found == scope.end() ? Value{} : found->second);
    }
    return operands;
  }

  void execute(const Operation& operation, Scope& scope) {
    Values operands = operandsOf(operation, scope);
    Values results = resultsOf(operation, operands, scope);
    results.resize(operation.results.size());
    for (size_t i = 0; i < results.size(); ++i) scope[operation.results[i]] = std::move(results[i]);
  }

  Values resultsOf(const Operation& operation, const Values& operands, Scope& scope) {
    const std::string& name = operation.name;
    const size_t count = operation.results.size();
    if (name == "stablehlo.constant") {
      Value value;
      value.constant = field<Tensor>(operation, "value");
      return {value};
    }
    // Their result says nothing of the elements.
    if (name == "stablehlo.get_dimension_size") return {};
    if (passes(operation) && operands.size() == count) return operands;
    const bool composite = name == "stablehlo.composite";
    if (composite || name == "func.call" || name == "call") {
      const Function* callee =
          module_.find(textField(operation, composite ? "decomposition" : "callee"));
      if (callee != nullptr) return call(*callee, operands);
    }
    if (name == "stablehlo.while" && operation.regions.size() == 2)
      return loop(operation, operands, scope);
    if ((name == "stablehlo.if" || name == "stablehlo.case") && operands.size() == 1)
      return branches(operation, operands[0], scope);
    if (moves(name) && !operands.empty() && count == 1) {
      Value result = operands[0];
      result.input = std::nullopt;
      result.constant = nullptr;
      result.whole = false;
      for (size_t i = 1; i < operands.size(); ++i)
        for (const auto& [number, direct] : operands[i].open)
          result.open.try_emplace(number, false);
      return {result};
    }
    Value all;
    for (const Value& operand : operands) all = computedFrom({&all, &operand});
    for (const Region& region : operation.regions) {
      const size_t arguments = region.blocks.empty() ? 0 : region.blocks[0].arguments.size();
      for (const Value& value : run(region, Values(arguments, all), scope))
        all = computedFrom({&all, &value});
    }
    if (const auto open = numbers_.find(&operation); open != numbers_.end())
      giveOpen(open->second, operands, all);
    return Values(count, all);
  }

  void giveOpen(size_t number, const Values& operands, Value& result) {
    Open& open = found_[number];
    OpenValues& values = open.values;
    // A function that is called twice makes numbers of two intervals: no bound holds for both.
    const bool again = !given_.insert(number).second;
    if (values.operation == "stablehlo.rng" && operands.size() == 3) {
      const auto bound = [&](const Value& value, std::optional<double>& to,
                             std::optional<size_t>& input) {
        const std::optional<double> constant = numberOf(value);
        if (again && (to != constant || input != value.input)) {
          to = std::nullopt;
          input = std::nullopt;
        } else {
          to = constant;
          input = value.input;
        }
      };
      bound(operands[0], values.low, open.lowInput);
      bound(operands[1], values.high, open.highInput);
    } else if (values.operation == "ApproxTopK" && !operands.empty()) {
      values.operand =
          again && values.operand != operands[0].input ? std::nullopt : operands[0].input;
    } else if (values.windows && operands.size() == 3) {
      const bool known = operands[0].input && operands[1].input && operands[2].input;
      ScatterWindows& windows = *values.windows;
      if (!known || again) return;
      windows.operand = *operands[0].input;
      windows.indices = *operands[1].input;
      windows.updates = *operands[2].input;
    }
    result.open[number] = true;
  }

  static std::optional<double> numberOf(const Value& value) {
    if (value.constant == nullptr || value.constant->size() != 1) return std::nullopt;
    return visitElementType(value.constant->type(), [&]<typename T>() -> std::optional<double> {
      if constexpr (kIsComplexStorage<T>)
        return std::nullopt;
      else
        return static_cast<double>(static_cast<Computation<T>>(value.constant->values<T>()[0]));
    });
  }

  Values loop(const Operation& operation, Values carried, Scope& scope) {
    // Each turn marks more values as open, or changes some from direct to computed.
    for (;;) {
      const Values condition = run(operation.regions[0], carried, scope);
      Values after = run(operation.regions[1], carried, scope);
      after.resize(carried.size());
      Values next;
      for (size_t i = 0; i < carried.size(); ++i) {
        next.push_back(either(carried[i], after[i]));
        for (const Value& value : condition)
          if (!value.open.empty()) next[i] = computedFrom({&next[i], &value});
      }
      if (next == carried) return carried;
      carried = std::move(next);
    }
  }

  Values branches(const Operation& operation, const Value& predicate, Scope& scope) {
    std::optional<Values> joined;
    for (const Region& region : operation.regions) {
      Values results = run(region, {}, scope);
      results.resize(operation.results.size());
      if (!joined) {
        joined = std::move(results);
        continue;
      }
      for (size_t i = 0; i < results.size(); ++i) (*joined)[i] = either((*joined)[i], results[i]);
    }
    if (!joined) return {};
    if (!predicate.open.empty())
      for (Value& value : *joined) value = computedFrom({&value, &predicate});
    return *joined;
  }

  const ModuleTree& module_;
  std::map<const Operation*, size_t> numbers_;
  std::vector<Open> found_;
  std::set<size_t> given_;
  std::map<std::pair<const Function*, Values>, Values> calls_;
  int depth_ = 0;
};

}  // namespace

std::vector<std::vector<Open>> openOutputsOf(const ModuleTree& module) {
  return OpenTracer(module).outputs();
}

}  // namespace vintage::harness
