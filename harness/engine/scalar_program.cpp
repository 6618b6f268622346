#include "harness/engine/scalar_program.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/fusion.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Operations that give an operand back, each element in its place.
bool isIdentity(const Operation& operation) {
  return operation.operands.size() == 1 &&
         (operation.name == "stablehlo.reshape" || operation.name == "stablehlo.broadcast_in_dim" ||
          operation.name == "stablehlo.optimization_barrier");
}

}  // namespace

std::optional<Repeat> repeatOf(const Operation& operation, const ValueType& operand,
                               const ValueType& result) {
  const auto dimensions = integersOf(operation, "broadcast_dimensions");
  if (!dimensions || !std::ranges::is_sorted(*dimensions)) return std::nullopt;
  const auto strides = broadcastStrides(operand.element, operand.shape, *dimensions, result.shape);
  if (!strides) return std::nullopt;
  Repeat repeat;
  for (size_t d = 0; d < strides->size(); ++d) {
    const int64_t size = result.shape[d], stride = (*strides)[d];
    if (size == 1) continue;
    if (!repeat.sizes.empty() && repeat.strides.back() == size * stride) {
      repeat.sizes.back() *= size;  // One dimension with the one before.
      repeat.strides.back() = stride;
    } else {
      repeat.sizes.push_back(size);
      repeat.strides.push_back(stride);
    }
  }
  if (repeat.strides == Shape{0}) return Repeat();
  return repeat;
}

class ScalarProgram::Builder {
 public:
  // Values of the program have `lanes` elements. 0: they are scalars without dimensions.
  Builder(std::span<const ValueType> valueTypes, int64_t lanes)
      : valueTypes_(valueTypes), lanes_(lanes) {}

  // Each gives whether the program can have it.
  bool addArgument(ValueId value) {
    const ValueType* type = typeOf(value);
    if (type == nullptr) return false;
    program_->argumentTypes_.push_back(type->element);
    const uint32_t argument = newRegister(type->element);
    if (lanes_ == 0 || elementCount(type->shape) == lanes_) {
      registers_[value] = argument;
    } else {
      few_[value] = argument;
    }
    return true;
  }
  // After the arguments, which have the first registers: each scalar fills all lanes.
  void repeatScalars() {
    for (const auto& [value, argument] : few_)
      if (valueTypes_[value].shape.empty()) addRepeated(value, argument, {});
  }
  bool addCaptured(ValueId value) {
    const ValueType* type = typeOf(value);
    if (type == nullptr) return false;
    registers_[value] = newRegister(type->element);
    ++program_->capturedCount_;
    return true;
  }
  bool addConstant(ValueId value, const Tensor& tensor) {
    const ValueType* type = typeOf(value);
    if (type == nullptr || tensor.type() != type->element || tensor.size() != 1) return false;
    registers_[value] = newRegister(type->element);
    program_->constants_.push_back({registers_[value], tensor});
    uniform_.insert(registers_[value]);
    return true;
  }
  bool addOperation(const Operation& operation) {
    if (operation.results.size() != 1 || !operation.regions.empty()) return false;
    const ValueId value = operation.results[0];
    if (operation.name == "stablehlo.constant" || operation.name == kNumber) {
      const auto* tensor = attributeField<Tensor>(operation.attributes, "value");
      return tensor != nullptr && addConstant(value, *tensor);
    }
    const ValueType* type = typeOf(value);
    if (type == nullptr) return false;
    if (addRepeat(operation, *type)) return true;
    std::vector<uint32_t> operands;
    std::vector<ElementType> types;
    ScalarOperands scalars = 0;
    for (const ValueId operand : operation.operands) {
      const auto source = registers_.find(operand);
      if (source == registers_.end()) return false;
      if (uniform_.contains(source->second)) scalars |= 1U << operands.size();
      operands.push_back(source->second);
      types.push_back(program_->registerTypes_[source->second]);
    }
    if (isIdentity(operation)) {
      if (operation.name == "stablehlo.broadcast_in_dim" && lanes_ > 0 &&
          !repeatOf(operation, valueTypes_[operation.operands[0]], *type))
        return false;  // It moves elements.
      registers_[value] = operands[0];
      return types[0] == type->element;
    }
    auto loop = makeElementLoop({operation, types, type->element, scalars});
    if (!loop || !*loop) return false;
    registers_[value] = newRegister(type->element);
    program_->instructions_.push_back({std::move(**loop), std::move(operands), registers_[value]});
    return true;
  }
  bool addResult(ValueId value) {
    const auto source = registers_.find(value);
    if (source == registers_.end()) return false;
    program_->results_.push_back(source->second);
    program_->resultTypes_.push_back(program_->registerTypes_[source->second]);
    return true;
  }

  std::shared_ptr<const ScalarProgram> take() { return std::move(program_); }

 private:
  const ValueType* typeOf(ValueId value) const {
    if (value >= valueTypes_.size()) return nullptr;
    const ValueType& type = valueTypes_[value];
    const bool fits = isStatic(type) && !type.quantization && (lanes_ > 0 || type.shape.empty());
    return fits ? &type : nullptr;
  }
  uint32_t newRegister(ElementType type) {
    program_->registerTypes_.push_back(type);
    return static_cast<uint32_t>(program_->registerTypes_.size() - 1);
  }
  void addRepeated(ValueId value, uint32_t argument, Repeat repeat) {
    registers_[value] = newRegister(program_->registerTypes_[argument]);
    if (repeat.sizes.empty()) uniform_.insert(registers_[value]);
    program_->repeated_.push_back({argument, registers_[value], std::move(repeat)});
  }
  // Whether the operation broadcasts an argument of few elements that is no scalar.
  bool addRepeat(const Operation& operation, const ValueType& type) {
    if (operation.name != "stablehlo.broadcast_in_dim" || operation.operands.size() != 1)
      return false;
    const auto few = few_.find(operation.operands[0]);
    if (few == few_.end() || registers_.contains(operation.operands[0])) return false;
    const auto repeat = repeatOf(operation, valueTypes_[operation.operands[0]], type);
    if (repeat) addRepeated(operation.results[0], few->second, *repeat);
    return repeat.has_value();
  }

  std::span<const ValueType> valueTypes_;
  int64_t lanes_;
  std::shared_ptr<ScalarProgram> program_ = std::make_shared<ScalarProgram>();
  std::unordered_map<ValueId, uint32_t>& registers_ = program_->registers_;
  std::unordered_map<ValueId, uint32_t> few_;  // Arguments of fewer elements.
  std::unordered_set<uint32_t> uniform_;       // Registers whose lanes are all the same.
};

std::shared_ptr<const ScalarProgram> ScalarProgram::make(
    const Region& region, std::span<const ValueType> valueTypes, std::span<const ValueId> captured,
    std::span<const std::pair<ValueId, Value>> constants) {
  Builder builder(valueTypes, 0);
  return build(builder, region, captured, constants);
}

std::shared_ptr<const ScalarProgram> ScalarProgram::makeOverLanes(
    const Region& region, std::span<const ValueType> valueTypes, int64_t lanes) {
  Builder builder(valueTypes, lanes);
  return build(builder, region, {}, {});
}

std::shared_ptr<const ScalarProgram> ScalarProgram::build(
    Builder& builder, const Region& region, std::span<const ValueId> captured,
    std::span<const std::pair<ValueId, Value>> constants) {
  if (region.blocks.size() != 1 || region.blocks[0].operations.empty()) return nullptr;
  const Block& block = region.blocks[0];
  for (const ValueId argument : block.arguments)
    if (!builder.addArgument(argument)) return nullptr;
  builder.repeatScalars();
  for (const ValueId value : captured)
    if (!builder.addCaptured(value)) return nullptr;
  for (const auto& [value, constant] : constants)
    if (!builder.addConstant(value, constant.tensor)) return nullptr;
  for (const Operation& operation : std::span(block.operations).first(block.operations.size() - 1))
    if (!builder.addOperation(operation)) return nullptr;
  for (const ValueId result : block.operations.back().operands)
    if (!builder.addResult(result)) return nullptr;
  return builder.take();
}

std::shared_ptr<const ScalarProgram> ScalarProgram::giving(std::span<const ValueId> values) const {
  auto program = std::make_shared<ScalarProgram>(*this);
  program->results_.clear();
  program->resultTypes_.clear();
  std::vector<bool> isNeeded(registerTypes_.size());
  for (const ValueId value : values) {
    const auto known = registers_.find(value);
    if (known == registers_.end()) return nullptr;
    program->results_.push_back(known->second);
    program->resultTypes_.push_back(registerTypes_[known->second]);
    isNeeded[known->second] = true;
  }
  for (size_t i = instructions_.size(); i-- > 0;) {
    const Instruction& instruction = instructions_[i];
    if (isNeeded[instruction.result])
      for (const uint32_t operand : instruction.operands) isNeeded[operand] = true;
    else
      program->instructions_.erase(program->instructions_.begin() + static_cast<ptrdiff_t>(i));
  }
  return program;
}

bool ScalarProgram::dependsOn(size_t result, size_t argument) const {
  std::vector<bool> depends(registerTypes_.size());
  depends[argument] = true;
  for (const Repeated& each : repeated_) depends[each.result] = each.argument == argument;
  for (const Instruction& instruction : instructions_)
    depends[instruction.result] = std::ranges::any_of(
        instruction.operands, [&](uint32_t operand) { return depends[operand]; });
  return depends[results_[result]];
}

std::shared_ptr<const ScalarProgram> ScalarProgram::bind(std::span<const Value> captured) const {
  if (captured.size() != capturedCount_) return nullptr;
  auto bound = std::make_shared<ScalarProgram>(*this);
  for (size_t i = 0; i < captured.size(); ++i) {
    const auto place = static_cast<uint32_t>(argumentTypes_.size() + i);
    const Tensor& tensor = captured[i].tensor;
    if (tensor.size() != 1 || tensor.type() != registerTypes_[place]) return nullptr;
    bound->constants_.push_back({place, tensor});
  }
  bound->capturedCount_ = 0;
  return bound;
}

}  // namespace vintage::harness
