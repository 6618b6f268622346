#include "harness/engine/engine.h"

#include <new>

#include <fmt/format.h>

#include "harness/engine/planner.h"

namespace vintage {
namespace {

tl::unexpected<Error> outOfMemory(std::string_view doing) {
  return failure(Error::Kind::kResource,
                 fmt::format("{}: this machine has no memory left for it", doing));
}

Result<Value> checkedInput(const Tensor& input, const ValueType& type, size_t argument) {
  bool matches = input.type() == type.element && input.shape().size() == type.shape.size() &&
                 type.kind == ValueType::Kind::kTensor;
  for (size_t i = 0; matches && i < type.shape.size(); ++i) {
    const int64_t bound = i < type.bounds.size() ? type.bounds[i] : kDynamicDimension;
    matches = type.shape[i] == input.shape()[i] ||
              (type.shape[i] == kDynamicDimension && (bound < 0 || input.shape()[i] <= bound));
  }
  if (!matches)
    return failure(Error::Kind::kBadInput,
                   fmt::format("argument {} is {}; the program takes {}", argument,
                               describe(input), describe(type.element, type.shape)));
  Value value;
  value.tensor = input;
  return value;
}

// The value of one argument from the next inputs; tuples take several.
Result<Value> nextInput(std::span<const Tensor> inputs, size_t& used, const ValueType& type) {
  Value value;
  switch (type.kind) {
    case ValueType::Kind::kToken:
      value.isToken = true;
      return value;
    case ValueType::Kind::kTuple:
      value.isTuple = true;
      for (const ValueType& element : type.elements) {
        auto next = nextInput(inputs, used, element);
        if (!next) return next;
        value.elements.push_back(std::move(*next));
      }
      return value;
    default: {
      if (used >= inputs.size()) {
        ++used;
        return value;
      }
      auto checked = checkedInput(inputs[used], type, used);
      ++used;
      return checked;
    }
  }
}

void appendOutputs(Value value, std::vector<Tensor>& outputs) {
  if (value.isToken) return;
  if (!value.isTuple) {
    outputs.push_back(std::move(value.tensor));
    return;
  }
  for (Value& element : value.elements) appendOutputs(std::move(element), outputs);
}

}  // namespace

Plan::Plan(std::shared_ptr<const Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Result<std::vector<Tensor>> Plan::run(std::span<const Tensor> inputs,
                                      const RunOptions& options) const {
  try {
    std::vector<Value> arguments;
    size_t used = 0;
    for (const ValueType& type : implementation_->argumentTypes) {
      auto value = nextInput(inputs, used, type);
      if (!value) return tl::unexpected(value.error());
      arguments.push_back(std::move(*value));
    }
    if (used != inputs.size())
      return failure(Error::Kind::kBadInput,
                     fmt::format("@{} takes {} inputs and was given {}", implementation_->name,
                                 used, inputs.size()));
    auto results =
        runFrame(*implementation_->entry, {}, std::move(arguments), options);
    if (!results) return tl::unexpected(results.error());
    std::vector<Tensor> outputs;
    for (Value& value : *results) appendOutputs(std::move(value), outputs);
    return outputs;
  } catch (const std::bad_alloc&) {
    return outOfMemory("running the program");
  }
}

Result<Plan> compile(const ModuleTree& module, const PlanOptions& options) {
  try {
    auto implementation = std::make_shared<Plan::Implementation>();
    ModulePlanner planner(module, options.mode);
    auto entry = planner.planFunction(options.entry);
    if (!entry) return tl::unexpected(entry.error());
    const Function* function = module.find(options.entry);
    implementation->entry = std::move(*entry);
    implementation->name = options.entry;
    implementation->argumentTypes = function->argumentTypes;
    implementation->resultTypes = function->resultTypes;
    return Plan(std::move(implementation));
  } catch (const std::bad_alloc&) {
    return outOfMemory("planning the program");
  }
}

}  // namespace vintage
