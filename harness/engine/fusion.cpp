#include "harness/engine/fusion.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "golden/base/failures.h"
#include "golden/module/operation_facts.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/planner.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Below, the operand of a reduce stays in the cache by itself.
constexpr int64_t kFewestInReduce = 4096;
// More would hold too many values at once.
constexpr size_t kMostMembers = 128;

class Fusing {
 public:
  Fusing(std::span<const Operation> operations, std::span<const ValueType> valueTypes)
      : operations_(operations), valueTypes_(valueTypes) {}

  std::optional<FusedOperations> run() {
    for (size_t i = 0; i < operations_.size(); ++i) lanes_.push_back(lanesOf(operations_[i]));
    if (std::ranges::count_if(lanes_, [](int64_t lanes) { return lanes > 0; }) < 2)
      return std::nullopt;
    for (size_t i = 0; i < operations_.size(); ++i) {
      for (const ValueId use : usesOf(operations_[i])) users_[use].push_back(i);
      if (auto number = numberOf(operations_[i]))
        numbers_.emplace(operations_[i].results[0], std::move(*number));
    }
    for (size_t i = 0; i < operations_.size(); ++i) add(i);
    if (result_.fused.empty()) return std::nullopt;
    return std::move(result_);
  }

 private:
  using Members = std::vector<size_t>;

  const ValueType* typeOf(ValueId value) const {
    if (value >= valueTypes_.size()) return nullptr;
    const ValueType& type = valueTypes_[value];
    return isStatic(type) && !type.quantization ? &type : nullptr;
  }

  // A constant of equal elements as a kNumber.
  std::optional<Operation> numberOf(const Operation& operation) const {
    if (operation.name != "stablehlo.constant" || operation.results.size() != 1)
      return std::nullopt;
    const ValueType* type = typeOf(operation.results[0]);
    const auto* value = attributeField<Tensor>(operation.attributes, "value");
    if (type == nullptr || value == nullptr || !value->has(type->element, type->shape) ||
        value->size() == 0)
      return std::nullopt;
    const size_t width = byteWidth(value->type());
    const std::span<const std::byte> bytes = value->bytes();
    if (std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) != 0)
      return std::nullopt;
    auto first = Tensor::fromBytes(value->type(), {}, bytes.first(width));
    if (!first) return std::nullopt;
    Operation number;
    number.name = kNumber;
    number.attributes.emplace("value", std::move(*first));
    number.results = operation.results;
    return number;
  }

  // How many elements an operation that may be a member computes; 0 for any other.
  int64_t lanesOf(const Operation& operation) const {
    if (operation.results.size() != 1 || !operation.regions.empty()) return 0;
    const ValueType* result = typeOf(operation.results[0]);
    if (result == nullptr) return 0;
    const int64_t lanes = elementCount(result->shape);
    const OperationEntry* entry = findOperation(operation.name);
    if (entry == nullptr || entry->isReplaced) return 0;
    for (const ValueId operand : operation.operands)
      if (typeOf(operand) == nullptr) return 0;
    return mayJoin(operation, *result, lanes) ? lanes : 0;
  }

  bool mayJoin(const Operation& operation, const ValueType& result, int64_t lanes) const {
    const std::vector<ValueId>& operands = operation.operands;
    const auto shape = [&](size_t i) -> const Shape& { return typeOf(operands[i])->shape; };
    if (operation.name == "stablehlo.reshape")
      return operands.size() == 1 && elementCount(shape(0)) == lanes;
    if (operation.name == "stablehlo.broadcast_in_dim")
      return operands.size() == 1 && repeatOf(operation, *typeOf(operands[0]), result);
    if (!isLoop(operation)) return false;
    // A select's predicate and a clamp's bounds may be scalars.
    const bool takesScalars =
        operation.name == "stablehlo.select" || operation.name == "stablehlo.clamp";
    for (size_t i = 0; i < operands.size(); ++i)
      if (shape(i) != result.shape && !(takesScalars && i != 1 && shape(i).empty())) return false;
    return true;
  }

  static bool isLoop(const Operation& operation) {
    const OperationFacts* facts = operationFacts(operation.name);
    return facts != nullptr && facts->shape == ShapeRule::kElementwise;
  }

  // Whether it repeats a value of fewer elements.
  bool isRepeat(size_t i) const {
    const Operation& operation = operations_[i];
    return lanes_[i] > 0 && operation.name == "stablehlo.broadcast_in_dim" &&
           elementCount(typeOf(operation.operands[0])->shape) < lanes_[i];
  }

  void add(size_t i) {
    const Operation& operation = operations_[i];
    const int64_t lanes = lanes_[i];
    if (isRepeat(i)) {  // Waits for its users.
      repeats_[operation.results[0]] = i;
      return;
    }
    if (addReduce(i)) return;
    if (lanes == 0) {
      for (const ValueId use : usesOf(operation)) settle(use);
      result_.operations.push_back(&operation);
      return;
    }
    Members& members = open_[lanes];
    for (const ValueId use : operation.operands) {
      if (const auto run = openBy_.find(use); run != openBy_.end() && run->second != lanes)
        close(run->second);  // A scalar beside others.
      const auto repeat = repeats_.find(use);
      if (repeat == repeats_.end() || std::ranges::count(members, repeat->second)) continue;
      settle(operations_[repeat->second].operands[0]);
      members.push_back(repeat->second);
    }
    members.push_back(i);
    openBy_[operation.results[0]] = lanes;
    if (members.size() >= kMostMembers) close(lanes);
  }

  // Whether the operation reduces what an open run computes for it alone, and ends the run.
  bool addReduce(size_t i) {
    const Operation& operation = operations_[i];
    if (operation.name != "stablehlo.reduce" || operation.operands.empty()) return false;
    const ValueId operand = operation.operands[0];
    const auto run = openBy_.find(operand);
    if (run == openBy_.end() || users_[operand].size() != 1) return false;
    const OperationEntry* entry = findOperation(operation.name);
    const auto rows = overRows(operation, *typeOf(operand));
    if (entry == nullptr || entry->isReplaced || !rows ||
        !capturedValues(operation.regions[0]).empty())
      return false;
    const ValueType* result = typeOf(operation.results[0]);
    if (result == nullptr || elementCount(result->shape) != rows->shape[0] * rows->resultsOfRow)
      return false;
    const int64_t lanes = run->second;
    if (lanes < kFewestInReduce) return false;
    settle(operation.operands[1]);
    open_[lanes].push_back(i);
    close(lanes);
    return true;
  }

  // Gives what defines the value its place, if that waits for it.
  void settle(ValueId value) {
    if (const auto run = openBy_.find(value); run != openBy_.end()) close(run->second);
    const auto repeat = repeats_.find(value);
    if (repeat == repeats_.end() || !given_.insert(repeat->second).second) return;
    settle(operations_[repeat->second].operands[0]);
    result_.operations.push_back(&operations_[repeat->second]);
  }

  // Gives the operation its place, once.
  void give(size_t i) {
    if (isRepeat(i) && !given_.insert(i).second) return;
    result_.operations.push_back(&operations_[i]);
  }

  // Gives the run of so many elements its place. Two operations are one if a value less is kept.
  void close(int64_t lanes) {
    const Members members = std::exchange(open_[lanes], {});
    for (const size_t i : members) openBy_.erase(operations_[i].results[0]);
    if (members.size() < 2 ||
        std::ranges::none_of(members, [&](size_t i) { return isLoop(operations_[i]); })) {
      for (const size_t i : members) give(i);
      return;
    }
    result_.operations.push_back(&result_.fused.emplace_back(makeOperation(members)));
  }

  Operation makeOperation(const Members& members) const {
    Operation fused;
    fused.name = kFused;
    Block& body = fused.regions.emplace_back().blocks.emplace_back();
    std::unordered_set<ValueId> known;
    const Operation& last = operations_[members.back()];
    const bool reduces = last.name == "stablehlo.reduce";
    fused.location = last.location;
    for (const size_t i : members) {
      const Operation& member = operations_[i];
      for (const ValueId operand : member.operands) {
        if (!known.insert(operand).second) continue;
        const auto number = numbers_.find(operand);
        if (number == numbers_.end() || (reduces && operand == last.operands[1]))
          body.arguments.push_back(operand);
        else
          body.operations.push_back(number->second);
      }
      known.insert(member.results[0]);
      body.operations.push_back(member);
      if (isRepeat(i)) continue;  // Others repeat it themselves.
      const auto users = users_.find(member.results[0]);
      if (users != users_.end() && std::ranges::any_of(users->second, [&](size_t user) {
            return !std::ranges::count(members, user);
          }))
        fused.results.push_back(member.results[0]);
    }
    fused.operands = body.arguments;
    Operation& terminator = body.operations.emplace_back();
    terminator.name = "stablehlo.return";
    terminator.operands = fused.results;
    return fused;
  }

  std::span<const Operation> operations_;
  std::span<const ValueType> valueTypes_;
  std::vector<int64_t> lanes_;                              // By operation.
  std::unordered_map<ValueId, std::vector<size_t>> users_;  // Operations.
  std::map<int64_t, Members> open_;                         // By elements.
  std::unordered_map<ValueId, int64_t> openBy_;             // The open run that defines it.
  std::unordered_map<ValueId, size_t> repeats_;             // Operations.
  std::unordered_map<ValueId, Operation> numbers_;          // By their result.
  std::unordered_set<size_t> given_;                        // Repeats with a place.
  FusedOperations result_;
};

}  // namespace

std::optional<FusedOperations> fuseElementwise(std::span<const Operation> operations,
                                               std::span<const ValueType> valueTypes) {
  return Fusing(operations, valueTypes).run();
}

std::optional<ReduceOverRows> overRows(const Operation& reduce, const ValueType& operand) {
  auto dimensions = integersOf(reduce, "dimensions");
  if (reduce.operands.size() != 2 || reduce.results.size() != 1 || reduce.regions.size() != 1 ||
      !dimensions || dimensions->empty())
    return std::nullopt;
  const int64_t first = std::ranges::min(*dimensions);
  if (first < 1 || std::ranges::max(*dimensions) >= std::ssize(operand.shape)) return std::nullopt;
  ReduceOverRows rows{reduce, Shape(operand.shape.begin() + first - 1, operand.shape.end())};
  rows.shape[0] = elementCount(std::span(operand.shape).first(static_cast<size_t>(first)));
  for (int64_t& dimension : *dimensions) dimension -= first - 1;
  for (int64_t d = 1; d < std::ssize(rows.shape); ++d)
    if (!std::ranges::count(*dimensions, d))
      rows.resultsOfRow *= rows.shape[static_cast<size_t>(d)];
  rows.operation.attributes["dimensions"].value = std::move(*dimensions);
  return rows;
}

}  // namespace vintage::harness
