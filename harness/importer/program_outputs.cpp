#include "harness/importer/inspect.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "golden/compare/factors.h"
#include "golden/tensor/visit.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/importer/attribute_fields.h"
#include "harness/importer/open_outputs.h"

namespace vintage::harness {
using namespace golden;

namespace {

using nlohmann::json;

// Operations that give the elements of their first operand, in another order or shape.
constexpr std::string_view kMovements[] = {"stablehlo.reshape",
                                           "stablehlo.transpose",
                                           "stablehlo.dynamic_reshape",
                                           "stablehlo.reverse",
                                           "stablehlo.broadcast_in_dim",
                                           "stablehlo.dynamic_broadcast_in_dim",
                                           "stablehlo.get_tuple_element",
                                           "stablehlo.convert",
                                           "stablehlo.complex"};
// Operations that give some of the elements.
constexpr std::string_view kPartsOfTensors[] = {"stablehlo.slice", "stablehlo.dynamic_slice",
                                                "stablehlo.real_dynamic_slice", "stablehlo.pad"};

// Custom calls that sort by their first array, keep what comes first, and leave equal elements in
// any order.
constexpr std::string_view kTopK[] = {"ApproxTopK", "stablehlo.dynamic_approx_top_k"};

// Operations that solve, beside the custom calls that do.
constexpr std::string_view kSolvers[] = {"stablehlo.cholesky", "stablehlo.triangular_solve"};

bool isOne(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The values of one function, in its regions too.
class Definitions {
 public:
  struct Place {
    const Operation* operation;
    size_t result;
  };

  explicit Definitions(const Function& function) : function_(function) {
    add(function.body);
    if (function.body.blocks.empty()) return;
    const std::vector<ValueId>& arguments = function.body.blocks[0].arguments;
    for (size_t i = 0; i < arguments.size(); ++i) arguments_[arguments[i]] = i;
  }

  const Place* find(ValueId value) const {
    const auto found = places_.find(value);
    return found == places_.end() ? nullptr : &found->second;
  }
  std::optional<size_t> argument(ValueId value) const {
    const auto found = arguments_.find(value);
    return found == arguments_.end() ? std::nullopt : std::optional(found->second);
  }
  const Operation* terminator() const {
    if (function_.body.blocks.empty() || function_.body.blocks[0].operations.empty())
      return nullptr;
    return &function_.body.blocks[0].operations.back();
  }

 private:
  void add(const Region& region) {
    for (const Block& block : region.blocks)
      for (const Operation& operation : block.operations) {
        for (size_t i = 0; i < operation.results.size(); ++i)
          places_[operation.results[i]] = {&operation, i};
        for (const Region& nested : operation.regions) add(nested);
      }
  }

  const Function& function_;
  std::unordered_map<ValueId, Place> places_;
  std::unordered_map<ValueId, size_t> arguments_;
};

// Follows values back. A step is bounded, so that a program that calls itself ends.
class Tracer {
 public:
  explicit Tracer(const ModuleTree& module) : module_(module) {}

  std::vector<RecordedOutput> outputs() {
    const Function* main = module_.find("main");
    if (main == nullptr) return {};
    stack_ = {{&of(*main), nullptr}};
    const Operation* terminator = stack_[0].definitions->terminator();
    std::vector<RecordedOutput> found;
    for (size_t i = 0; terminator && i < terminator->operands.size(); ++i) {
      if (i < main->resultTypes.size() && main->resultTypes[i].kind == ValueType::Kind::kToken)
        continue;
      stack_.resize(1);
      found.push_back(follow(terminator->operands[i]));
    }
    return found;
  }

 private:
  // A function that is being read, and the call in the one before it.
  struct Frame {
    const Definitions* definitions;
    const Operation* call;
  };

  const Definitions& of(const Function& function) {
    auto& known = functions_[&function];
    if (!known) known = std::make_unique<Definitions>(function);
    return *known;
  }

  RecordedOutput follow(ValueId value) {
    RecordedOutput output;
    for (int steps = 0; steps < 1000; ++steps) {
      const Frame frame = stack_.back();
      const Definitions::Place* place = frame.definitions->find(value);
      if (place == nullptr) {  // An argument: what the caller gives for it.
        const auto number = frame.definitions->argument(value);
        if (!number || frame.call == nullptr || *number >= frame.call->operands.size())
          return output;
        value = frame.call->operands[*number];
        stack_.pop_back();
        continue;
      }
      const auto next = back(*place, output);
      if (!next) return output;
      value = *next;
    }
    return output;
  }

  // The value that the result is; none where it is made here, or is no such value.
  std::optional<ValueId> back(const Definitions::Place& place, RecordedOutput& output) {
    const Operation& operation = *place.operation;
    const std::string& name = operation.name;
    if (name == "stablehlo.custom_call") {
      const std::string target = textField(operation, "call_target_name");
      if (isIdentityTarget(target) && place.result < operation.operands.size())
        return operation.operands[place.result];
      made(operation, target, output);
      if (isOne(kTopK, target)) describeTopK(operation, place.result, output);
      return std::nullopt;
    }
    if (name == "stablehlo.cholesky") {
      made(operation, name, output);
      const auto* lower = field<bool>(operation, "lower");
      output.upper = lower == nullptr || !*lower;
      return std::nullopt;
    }
    if (name == "stablehlo.sort") {
      made(operation, name, output);
      describeSort(operation, place.result, output);
      return std::nullopt;
    }
    if (name == "func.call" || name == "call" || name == "stablehlo.composite")
      return into(operation, name == "stablehlo.composite" ? "decomposition" : "callee",
                  place.result);
    if (name == "stablehlo.optimization_barrier" && place.result < operation.operands.size())
      return operation.operands[place.result];
    if (name == "stablehlo.select" && operation.operands.size() == 3)
      return chosen(operation, output);
    if (operation.operands.empty()) return std::nullopt;
    if (isOne(kPartsOfTensors, name)) output.masked = true;
    output.moved = true;
    if (isOne(kPartsOfTensors, name) || isOne(kMovements, name)) return operation.operands[0];
    return std::nullopt;
  }

  void made(const Operation& operation, const std::string& maker, RecordedOutput& output) {
    output.maker = maker;
    output.call = calls_.try_emplace(&operation, static_cast<int>(calls_.size())).first->second;
  }

  std::optional<ValueId> into(const Operation& call, std::string_view attribute, size_t result) {
    const Function* callee = module_.find(textField(call, attribute));
    constexpr size_t kDeepest = 100;
    if (callee == nullptr || stack_.size() > kDeepest) return std::nullopt;
    const Definitions& definitions = of(*callee);
    const Operation* terminator = definitions.terminator();
    if (terminator == nullptr || result >= terminator->operands.size()) return std::nullopt;
    stack_.push_back({&definitions, &call});
    return terminator->operands[result];
  }

  // The value that a select chooses against a constant: JAX puts NaN in the place of
  // what a solver did not find, and zeros beside a triangle.
  std::optional<ValueId> chosen(const Operation& select, RecordedOutput& output) {
    for (const size_t constant : {size_t{2}, size_t{1}}) {
      const Operation* maker = constantOf(select.operands[constant]);
      if (maker == nullptr) continue;
      output.masked |= !isNan(*maker);
      return select.operands[3 - constant];
    }
    return std::nullopt;
  }

  const Operation* constantOf(ValueId value) const {
    for (int steps = 0; steps < 10; ++steps) {
      const Definitions::Place* place = stack_.back().definitions->find(value);
      if (place == nullptr) return nullptr;
      if (place->operation->name == "stablehlo.constant") return place->operation;
      if (!isOne(kMovements, place->operation->name) || place->operation->operands.empty())
        return nullptr;
      value = place->operation->operands[0];
    }
    return nullptr;
  }

  static bool isNan(const Operation& constant) {
    const auto* value = field<Tensor>(constant, "value");
    if (value == nullptr || value->size() == 0) return false;
    return visitElementType(value->type(), [&]<typename T>() {
      if constexpr (std::is_floating_point_v<T> || kIsComplexStorage<T>)
        return value->values<T>()[0] != value->values<T>()[0];
      return false;
    });
  }

  static void describeSort(const Operation& sort, size_t result, RecordedOutput& output) {
    const auto* dimension = field<int64_t>(sort, "dimension");
    const auto* stable = field<bool>(sort, "is_stable");
    output.sortDimension = dimension ? *dimension : -1;
    output.stable = stable != nullptr && *stable;
    if (sort.regions.size() != 1 || sort.regions[0].blocks.size() != 1) return;
    const Block& order = sort.regions[0].blocks[0];
    const auto usesArgument = [&](size_t number) {
      if (number >= order.arguments.size()) return false;
      return std::ranges::any_of(order.operations, [&](const Operation& operation) {
        return std::ranges::find(operation.operands, order.arguments[number]) !=
               operation.operands.end();
      });
    };
    output.sortKey = usesArgument(2 * result) || usesArgument(2 * result + 1);
  }

  static void describeTopK(const Operation& call, size_t result, RecordedOutput& output) {
    output.sortKey = result == 0;
    output.stable = false;
    output.first = true;
    output.sortDimension = -1;
    for (const char* name : {"backend_config", "mhlo.backend_config"}) {
      const auto* config = field<AttributeMap>(call, name);
      if (config == nullptr) continue;
      const auto found = config->find("reduction_dim");
      if (found == config->end()) continue;
      if (const auto* dimension = std::get_if<int64_t>(&found->second.value))
        output.sortDimension = *dimension;
    }
  }

  const ModuleTree& module_;
  std::map<const Function*, std::unique_ptr<Definitions>> functions_;
  std::map<const Operation*, int> calls_;
  std::vector<Frame> stack_;
};

bool holds(const Region& region, std::string_view name) {
  return std::ranges::any_of(region.blocks, [&](const Block& block) {
    return std::ranges::any_of(block.operations, [&](const Operation& operation) {
      return operation.name == name ||
             std::ranges::any_of(operation.regions,
                                 [&](const Region& nested) { return holds(nested, name); });
    });
  });
}

bool isNarrow(const ValueType& type) {
  return type.kind == ValueType::Kind::kTensor && isFloat(type.element) && !type.quantization &&
         byteWidth(type.element) < byteWidth(ElementType::kF32);
}

// Values of a narrow float type that a function computes, and those that are only
// moved copies of them.
void findRoundings(const Function& function, const Region& region, std::set<ValueId>& rounded,
                   std::set<ElementType>& found) {
  for (const Block& block : region.blocks)
    for (const Operation& operation : block.operations) {
      for (const Region& nested : operation.regions)
        findRoundings(function, nested, rounded, found);
      const bool moves =
          (isOne(kMovements, operation.name) && operation.name != "stablehlo.convert") ||
          isOne(kPartsOfTensors, operation.name);
      const bool uses =
          std::ranges::any_of(operation.operands, [&](ValueId v) { return rounded.contains(v); });
      const bool returns = operation.name.ends_with("return");
      for (const ValueId operand : operation.operands)
        if (!moves && !returns && rounded.contains(operand))
          found.insert(function.valueTypes[operand].element);
      const bool makes = operation.name != "stablehlo.constant" && !operation.operands.empty();
      for (const ValueId result : operation.results)
        if (result < function.valueTypes.size() && isNarrow(function.valueTypes[result]) &&
            (moves ? uses : makes))
          rounded.insert(result);
    }
}

template <typename Output, typename Visit>
void eachField(Output& output, const Visit& visit) {
  visit("maker", output.maker);
  visit("call", output.call);
  visit("moved", output.moved);
  visit("masked", output.masked);
  visit("upper", output.upper);
  visit("sort_key", output.sortKey);
  visit("stable", output.stable);
  visit("first", output.first);
  visit("sort_dimension", output.sortDimension);
}

}  // namespace

RecordedProgram recordedProgramOf(const ModuleTree& module, std::vector<std::string> targets) {
  RecordedProgram program;
  program.solvers = std::move(targets);
  for (const std::string_view name : kSolvers)
    if (std::ranges::any_of(module.functions,
                            [&](const Function& function) { return holds(function.body, name); }))
      program.solvers.emplace_back(name);
  program.outputs = Tracer(module).outputs();
  // JAX marks arguments that it adds in front of the inputs; unused inputs it leaves out.
  const auto isAdded = [](const AttributeMap& argument) {
    return argument.contains("jax.global_constant") || argument.contains("jax.platform_index");
  };
  const Function* main = module.find("main");
  if (main != nullptr && std::ranges::none_of(main->argumentAttributes, isAdded))
    program.arguments = main->argumentTypes.size();
  auto open = openOutputsOf(module);
  for (size_t i = 0; i < std::min(open.size(), program.outputs.size()); ++i)
    program.outputs[i].open = std::move(open[i]);
  std::set<ElementType> types;
  for (const Function& function : module.functions) {
    std::set<ValueId> rounded;
    findRoundings(function, function.body, rounded, types);
  }
  const auto epsilon = [](ElementType type) {
    const Tensor one(type, {});
    return epsilonOf({&one, 1});
  };
  for (const ElementType type : types)
    if (!program.roundsTo || epsilon(type) > epsilon(*program.roundsTo)) program.roundsTo = type;
  return program;
}

json toJson(const RecordedProgram& program) {
  json outputs = json::array();
  for (const RecordedOutput& output : program.outputs) {
    json& fields = outputs.emplace_back();
    eachField(output, [&](const char* name, const auto& value) { fields[name] = value; });
    for (const RecordedOutput::Open& open : output.open) {
      json& one = fields["open"].emplace_back(openValuesJson(std::span(&open.values, 1))[0]);
      if (open.lowInput) one["low_input"] = *open.lowInput;
      if (open.highInput) one["high_input"] = *open.highInput;
    }
  }
  json result{{"solvers", program.solvers}, {"outputs", std::move(outputs)}};
  if (program.arguments) result["arguments"] = *program.arguments;
  if (program.roundsTo) result["rounds_to"] = dtypeName(*program.roundsTo);
  return result;
}

RecordedProgram recordedProgramFromJson(const json& from) {
  RecordedProgram program;
  program.solvers = from.value("solvers", std::vector<std::string>{});
  if (from.contains("arguments")) program.arguments = from["arguments"].get<size_t>();
  for (const json& each : from.value("outputs", json::array())) {
    RecordedOutput& output = program.outputs.emplace_back();
    eachField(output, [&](const char* name, auto& value) { value = each.value(name, value); });
    for (const json& one : each.value("open", json::array())) {
      auto values = openValuesOfJson(json::array({one}));
      if (!values) continue;
      RecordedOutput::Open& open = output.open.emplace_back(std::move(values->front()));
      if (one.contains("low_input")) open.lowInput = one["low_input"].get<size_t>();
      if (one.contains("high_input")) open.highInput = one["high_input"].get<size_t>();
    }
  }
  program.roundsTo = parseDtypeName(from.value("rounds_to", ""));
  return program;
}

}  // namespace vintage::harness
