// Runs of scalar programs, and of regions that are none.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "golden/base/failures.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/scalar_program.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Gives lanes [first, first + count) of a repeated argument with elements of `width` bytes. `index`
// is working memory.
void fillRepeated(const Repeat& repeat, const void* source, size_t width, size_t first,
                  size_t count, std::byte* to, Shape& index) {
  const auto* from = static_cast<const std::byte*>(source);
  if (repeat.sizes.empty()) return fill({to, count * width}, {from, width});
  const size_t rank = repeat.sizes.size(), last = rank - 1;
  index.resize(rank);
  auto rest = static_cast<int64_t>(first);
  for (size_t d = rank; d-- > 0; rest /= repeat.sizes[d]) index[d] = rest % repeat.sizes[d];
  for (;;) {
    const std::byte* begin = from + static_cast<size_t>(offsetOf(index, repeat.strides)) * width;
    const size_t n = std::min(count, static_cast<size_t>(repeat.sizes[last] - index[last]));
    if (repeat.strides[last] == 0)
      fill({to, n * width}, {begin, width});
    else
      std::memcpy(to, begin, n * width);
    to += n * width;
    count -= n;
    if (count == 0) return;
    index[last] = repeat.sizes[last] - 1;
    nextIndex(repeat.sizes, index);
  }
}

}  // namespace

// Where each register's array of `lanes` begins, and the size of all. Arguments come from the
// caller. Arrays that are not needed any more are used again, so that all stay in the cache.
std::vector<size_t> ScalarProgram::Runner::placeRegisters(size_t lanes) {
  const ScalarProgram& code = *program_;
  constexpr size_t kAlways = SIZE_MAX;
  std::vector<size_t> lastUse(code.registerTypes_.size());
  for (size_t i = 0; i < code.instructions_.size(); ++i)
    for (const uint32_t operand : code.instructions_[i].operands) lastUse[operand] = i;
  for (const Constant& constant : code.constants_) lastUse[constant.result] = kAlways;
  for (const Repeated& each : code.repeated_) lastUse[each.result] = kAlways;
  for (const uint32_t result : code.results_) lastUse[result] = kAlways;
  std::vector<size_t> offsets(code.registerTypes_.size());
  size_t total = 0;
  // By the width of elements: a loop may write into an operand's array of that width.
  std::map<size_t, std::vector<size_t>> unused;
  const auto place = [&](size_t i) {
    const size_t width = byteWidth(code.registerTypes_[i]);
    std::vector<size_t>& free = unused[width];
    if (free.empty()) {
      offsets[i] = std::exchange(total, total + (lanes * width + 63) / 64 * 64);
    } else {
      offsets[i] = free.back();
      free.pop_back();
    }
  };
  const auto isPlaced = [&](size_t i) { return i >= code.argumentTypes_.size(); };
  std::vector<bool> isResult(code.registerTypes_.size());
  for (const Instruction& instruction : code.instructions_) isResult[instruction.result] = true;
  for (size_t i = 0; i < offsets.size(); ++i)
    if (isPlaced(i) && !isResult[i]) place(i);
  for (size_t i = 0; i < code.instructions_.size(); ++i) {
    const Instruction& instruction = code.instructions_[i];
    for (const uint32_t operand : instruction.operands) {
      if (!isPlaced(operand) || lastUse[operand] != i) continue;
      unused[byteWidth(code.registerTypes_[operand])].push_back(offsets[operand]);
      lastUse[operand] = kAlways;  // Freed once where it is used twice.
    }
    place(instruction.result);
  }
  offsets.push_back(total);
  return offsets;
}

ScalarProgram::Runner::Runner(std::shared_ptr<const ScalarProgram> program, size_t lanes)
    : program_(std::move(program)) {
  const ScalarProgram& code = *program_;
  const std::vector<size_t> offsets = placeRegisters(lanes);
  memory_.resize(offsets.back() + 64);
  std::byte* base = memory_.data() + (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64) % 64;
  registers_.resize(code.registerTypes_.size());
  for (size_t i = code.argumentTypes_.size(); i < registers_.size(); ++i)
    registers_[i] = base + offsets[i];
  for (const Constant& constant : code.constants_) {
    const size_t width = byteWidth(constant.value.type());
    fill({registers_[constant.result], lanes * width}, constant.value.bytes().first(width));
  }
  for (const Instruction& instruction : code.instructions_) {
    pointers_.resize(std::max(pointers_.size(), instruction.operands.size()));
    const auto result = std::ranges::find(code.results_, instruction.result);
    if (result != code.results_.end())
      computedResults_.emplace_back(result - code.results_.begin(), registers_[instruction.result]);
  }
}

void ScalarProgram::Runner::run(std::span<const void* const> arguments,
                                std::span<void* const> results, size_t count, size_t first) {
  const ScalarProgram& code = *program_;
  for (size_t i = 0; i < code.argumentTypes_.size(); ++i)
    registers_[i] = static_cast<std::byte*>(const_cast<void*>(arguments[i]));
  // A computed result goes where it is wanted, unless that is an argument, which may be read again.
  for (const auto& [i, own] : computedResults_) {
    const bool isArgument = std::ranges::find(arguments, results[i]) != arguments.end();
    registers_[code.results_[i]] = isArgument ? own : static_cast<std::byte*>(results[i]);
  }
  for (const Repeated& each : code.repeated_)
    if (first == 0 || !each.repeat.sizes.empty())
      fillRepeated(each.repeat, arguments[each.argument],
                   byteWidth(code.registerTypes_[each.argument]), first, count,
                   registers_[each.result], index_);
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
