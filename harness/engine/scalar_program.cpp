#include "harness/engine/scalar_program.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

bool isScalar(const ValueType& type) {
  return type.kind == ValueType::Kind::kTensor && type.shape.empty() && !type.quantization;
}

// Operations that give a scalar operand back as it is.
bool isIdentity(const Operation& operation) {
  return operation.operands.size() == 1 &&
         (operation.name == "stablehlo.reshape" || operation.name == "stablehlo.broadcast_in_dim" ||
          operation.name == "stablehlo.optimization_barrier");
}

}  // namespace

std::shared_ptr<const ScalarProgram> ScalarProgram::make(
    const Region& region, std::span<const ValueType> valueTypes, std::span<const ValueId> captured,
    std::span<const std::pair<ValueId, Value>> constants) {
  if (region.blocks.size() != 1 || region.blocks[0].operations.empty()) return nullptr;
  const Block& block = region.blocks[0];
  auto program = std::make_shared<ScalarProgram>();
  std::unordered_map<ValueId, uint32_t> registers;
  const auto scalarType = [&](ValueId value) -> std::optional<ElementType> {
    if (value >= valueTypes.size() || !isScalar(valueTypes[value])) return std::nullopt;
    return valueTypes[value].element;
  };
  const auto newRegister = [&](ValueId value, ElementType type) {
    registers[value] = static_cast<uint32_t>(program->registerTypes_.size());
    program->registerTypes_.push_back(type);
    return registers[value];
  };
  for (const ValueId argument : block.arguments) {
    const auto type = scalarType(argument);
    if (!type) return nullptr;
    newRegister(argument, *type);
    program->argumentTypes_.push_back(*type);
  }
  for (const ValueId value : captured) {
    const auto type = scalarType(value);
    if (!type) return nullptr;
    newRegister(value, *type);
    ++program->capturedCount_;
  }
  for (const auto& [value, constant] : constants) {
    const auto type = scalarType(value);
    if (!type || constant.tensor.type() != *type) return nullptr;
    program->constants_.push_back({newRegister(value, *type), constant.tensor});
  }
  const auto find = [&](ValueId value) -> std::optional<uint32_t> {
    const auto found = registers.find(value);
    return found == registers.end() ? std::nullopt : std::optional(found->second);
  };
  for (size_t i = 0; i + 1 < block.operations.size(); ++i) {
    const Operation& operation = block.operations[i];
    if (operation.results.size() != 1 || !operation.regions.empty()) return nullptr;
    const auto type = scalarType(operation.results[0]);
    if (!type) return nullptr;
    if (operation.name == "stablehlo.constant") {
      const auto* tensor = attributeField<Tensor>(operation.attributes, "value");
      if (tensor == nullptr || tensor->type() != *type || tensor->size() != 1) return nullptr;
      program->constants_.push_back({newRegister(operation.results[0], *type), *tensor});
      continue;
    }
    std::vector<uint32_t> operands;
    std::vector<ElementType> types;
    for (const ValueId operand : operation.operands) {
      const auto source = find(operand);
      if (!source) return nullptr;
      operands.push_back(*source);
      types.push_back(program->registerTypes_[*source]);
    }
    if (isIdentity(operation)) {
      if (types[0] != *type) return nullptr;
      registers[operation.results[0]] = operands[0];
      continue;
    }
    auto loop = makeElementLoop({operation, types, *type});
    if (!loop || !*loop) return nullptr;
    const uint32_t result = newRegister(operation.results[0], *type);
    program->instructions_.push_back({std::move(**loop), std::move(operands), result});
  }
  for (const ValueId result : block.operations.back().operands) {
    const auto source = find(result);
    if (!source) return nullptr;
    program->results_.push_back(*source);
    program->resultTypes_.push_back(program->registerTypes_[*source]);
  }
  return program;
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

ScalarProgram::Runner::Runner(std::shared_ptr<const ScalarProgram> program, size_t lanes)
    : program_(std::move(program)) {
  const ScalarProgram& code = *program_;
  // Arguments come from the caller; the others get an array of `lanes` each.
  std::vector<size_t> offsets(code.registerTypes_.size());
  size_t total = 0;
  for (size_t i = code.argumentTypes_.size(); i < offsets.size(); ++i) {
    offsets[i] = total;
    total += (lanes * byteWidth(code.registerTypes_[i]) + 63) / 64 * 64;
  }
  memory_.resize(total + 64);
  std::byte* base = memory_.data() + (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64) % 64;
  registers_.resize(offsets.size());
  for (size_t i = code.argumentTypes_.size(); i < offsets.size(); ++i)
    registers_[i] = base + offsets[i];
  for (const Constant& constant : code.constants_) {
    const size_t width = byteWidth(constant.value.type());
    for (size_t lane = 0; lane < lanes; ++lane)
      std::memcpy(registers_[constant.result] + lane * width, constant.value.bytes().data(), width);
  }
  for (const Instruction& instruction : code.instructions_)
    pointers_.resize(std::max(pointers_.size(), instruction.operands.size()));
}

void ScalarProgram::Runner::run(std::span<const void* const> arguments,
                                std::span<void* const> results, size_t count) {
  const ScalarProgram& code = *program_;
  for (size_t i = 0; i < code.argumentTypes_.size(); ++i)
    registers_[i] = static_cast<std::byte*>(const_cast<void*>(arguments[i]));
  for (const Instruction& instruction : code.instructions_) {
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      pointers_[i] = registers_[instruction.operands[i]];
    instruction.loop(std::span(pointers_.data(), instruction.operands.size()),
                     registers_[instruction.result], count);
  }
  // Results may be arguments' arrays: an argument that is returned in another
  // place must be read before it is overwritten.
  const auto copyResult = [&](size_t i) {
    const void* source = registers_[code.results_[i]];
    if (source != results[i])
      std::memmove(results[i], source, count * byteWidth(code.resultTypes_[i]));
  };
  if (code.results_.size() == 1) return copyResult(0);
  for (size_t i = 0; i < code.results_.size(); ++i)
    if (code.results_[i] < code.argumentTypes_.size()) saveArgument(i, count);
  for (size_t i = 0; i < code.results_.size(); ++i) {
    if (code.results_[i] < code.argumentTypes_.size())
      std::memcpy(results[i], saved_[i].data(), count * byteWidth(code.resultTypes_[i]));
    else
      copyResult(i);
  }
}

void ScalarProgram::Runner::saveArgument(size_t result, size_t count) {
  saved_.resize(program_->results_.size());
  const size_t bytes = count * byteWidth(program_->resultTypes_[result]);
  if (saved_[result].size() < bytes) saved_[result].resize(bytes);
  std::memcpy(saved_[result].data(), registers_[program_->results_[result]], bytes);
}

Result<ScalarRegion> ScalarRegion::make(const KernelRequest& request, size_t index,
                                        std::vector<ElementType> arguments,
                                        std::vector<ElementType> results) {
  if (index >= request.regions.size())
    return badInput("{} has {} regions", request.operation.name, request.regions.size());
  ScalarRegion region;
  region.region_ = request.regions[index].call;
  // A program of other types is not used: calling the region reports the error.
  const auto& program = request.regions[index].program;
  if (program && program->argumentTypes() == arguments && program->resultTypes() == results)
    region.program_ = program;
  region.arguments_ = std::move(arguments);
  region.results_ = std::move(results);
  return region;
}

ScalarRegion::Runner::Runner(const ScalarRegion& region, size_t lanes)
    : region_(region),
      lanes_(lanes),
      sources_(region.arguments_.size()),
      targets_(region.results_.size()) {
  if (region.program_ != nullptr) program_.emplace(region.program_, lanes);
}

Status ScalarRegion::Runner::run(std::span<const void* const> arguments,
                                 std::span<void* const> results, size_t count) {
  if (!program_) {
    for (size_t lane = 0; lane < count; ++lane)
      RETURN_IF_ERROR(callRegion(lane, arguments, results));
    return {};
  }
  if (count <= lanes_) {
    program_->run(arguments, results, count);
    return {};
  }
  for (size_t done = 0; done < count; done += lanes_) {
    for (size_t i = 0; i < sources_.size(); ++i)
      sources_[i] =
          static_cast<const std::byte*>(arguments[i]) + done * byteWidth(region_.arguments_[i]);
    for (size_t i = 0; i < targets_.size(); ++i)
      targets_[i] = static_cast<std::byte*>(results[i]) + done * byteWidth(region_.results_[i]);
    program_->run(sources_, targets_, std::min(lanes_, count - done));
  }
  return {};
}

Status ScalarRegion::Runner::callRegion(size_t lane, std::span<const void* const> arguments,
                                        std::span<void* const> results) {
  std::vector<Value> values(region_.arguments_.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t width = byteWidth(region_.arguments_[i]);
    values[i].tensor = Tensor::uninitialized(region_.arguments_[i], {});
    std::memcpy(values[i].tensor.mutableBytes().data(),
                static_cast<const std::byte*>(arguments[i]) + lane * width, width);
  }
  ASSIGN_OR_RETURN(const auto given, region_.region_(values));
  if (given.size() != region_.results_.size())
    return badInput("the region gives {} values; {} are needed", given.size(),
                    region_.results_.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const Tensor& result = given[i].tensor;
    if (result.type() != region_.results_[i] || result.size() != 1)
      return badInput("the region gives {} where {} is needed", describe(result),
                      describe(region_.results_[i], {}));
    const size_t width = byteWidth(region_.results_[i]);
    std::memcpy(static_cast<std::byte*>(results[i]) + lane * width, result.bytes().data(), width);
  }
  return {};
}

}  // namespace vintage::harness
