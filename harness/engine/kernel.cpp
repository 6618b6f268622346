#include "harness/engine/kernel.h"

#include <unordered_map>
#include <utility>

#include "golden/base/failures.h"
#include "golden/module/operation_facts.h"
#include "golden/tensor/visit.h"
#include "harness/engine/operations/arithmetic.h"

namespace vintage::harness {
using namespace golden;

namespace {

using OperationsByName = std::unordered_map<std::string_view, OperationEntry>;

OperationsByName joinOperations() {
  OperationsByName joined;
  for (auto* family :
       {shapeOperations, controlFlowOperations, collectiveOperations, normalizationOperations,
        reductionOperations, windowOperations, gatherOperations, scatterOperations, sortOperations,
        quantizationOperations, dotOperations, convolutionOperations, linearAlgebraOperations,
        fourierOperations, randomOperations, specialFunctionOperations, customCallOperations})
    for (const OperationEntry& entry : family()) joined.emplace(entry.name, entry);
  // An elementwise operation without a kernel of its own is a loop over elements.
  for (const OperationFacts& facts : allOperationFacts()) {
    if (facts.shape == ShapeRule::kElementwise)
      joined.try_emplace(facts.name, facts.name, makeElementwise);
    if (facts.shape == ShapeRule::kBroadcast)
      joined.try_emplace(facts.name, facts.name, makeBroadcasting);
  }
  return joined;
}

OperationsByName& operationsByName() {
  static OperationsByName joined = joinOperations();
  return joined;
}

}  // namespace

const OperationEntry* findOperation(std::string_view name) {
  const auto found = operationsByName().find(name);
  return found == operationsByName().end() ? nullptr : &found->second;
}

Result<Kernel> OperationEntry::plan(const KernelRequest& request) const {
  const auto fits = [](int expected, size_t found) {
    return expected == kAnyNumber || static_cast<size_t>(expected) == found;
  };
  if (fits(operands, request.operandTypes.size()) && fits(results, request.resultTypes.size()))
    return factory(request);
  const auto wanted = [](int number) {
    return number == kAnyNumber ? std::string("any number") : std::to_string(number);
  };
  return badInput("{} has {} operands and {} results; it takes {} and gives {}",
                  request.operation.name, request.operandTypes.size(), request.resultTypes.size(),
                  wanted(operands), wanted(results));
}

void replaceOperation(const OperationEntry& entry, KernelFactory factory) {
  OperationEntry& replaced = operationsByName().at(entry.name);
  replaced.factory = factory;
  replaced.isReplaced = true;
}

void KernelCall::give(Tensor first, Tensor second) {
  Value* values = results.data();
  if (results.size() == 1) {
    results[0].isTuple = true;
    results[0].elements.resize(2);
    values = results[0].elements.data();
  }
  values[0].tensor = std::move(first);
  values[1].tensor = std::move(second);
}

namespace {

// Those from `first` on; zeros where the type is none of integers.
void readIntegers(const Tensor& tensor, size_t first, std::span<int64_t> elements) {
  visitElementType(tensor.type(), [&]<typename T>() {
    if constexpr (kIsIntegerStorage<T> || kIsPredicateStorage<T>)
      std::ranges::transform(tensor.values<T>().subspan(first, elements.size()), elements.begin(),
                             saturated<T>);
  });
}

}  // namespace

int64_t integerElement(const Tensor& tensor, int64_t index) {
  int64_t element = 0;
  readIntegers(tensor, static_cast<size_t>(index), {&element, 1});
  return element;
}

std::vector<int64_t> integerElements(const Tensor& tensor) {
  std::vector<int64_t> elements(static_cast<size_t>(tensor.size()));
  readIntegers(tensor, 0, elements);
  return elements;
}

Status checkDimensions(std::string_view operation, std::string_view attribute,
                       const std::vector<int64_t>& dimensions, int64_t rank) {
  std::vector<bool> seen(static_cast<size_t>(rank));
  for (const int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= rank)
      return badInput("{}: '{}' names dimension {} of a tensor of rank {}", operation, attribute,
                      dimension, rank);
    if (seen[static_cast<size_t>(dimension)])
      return badInput("{}: '{}' names dimension {} twice", operation, attribute, dimension);
    seen[static_cast<size_t>(dimension)] = true;
  }
  return {};
}

Status checkLength(std::string_view operation, std::string_view attribute, size_t found,
                   size_t expected) {
  if (found == expected) return {};
  return badInput("{}: '{}' has {} entries; {} are needed", operation, attribute, found, expected);
}

Result<std::vector<int64_t>> integerOperand(const KernelCall& call, size_t i) {
  const Tensor& tensor = call.operands[i].tensor;
  if (!isInteger(tensor.type()))
    return badInput("operand {} is {}; it must hold integers", i, describe(tensor));
  return integerElements(tensor);
}

Result<int64_t> scalarOperand(const KernelCall& call, size_t i) {
  ASSIGN_OR_RETURN(const auto values, integerOperand(call, i));
  if (values.size() == 1) return values[0];
  return badInput("operand {} is {}; it must be one integer", i, describe(call.operands[i].tensor));
}

bool isStatic(const ValueType& type) {
  return type.kind == ValueType::Kind::kTensor &&
         std::ranges::none_of(type.shape, [](int64_t dimension) { return dimension < 0; });
}

std::vector<ElementType> elementsOf(std::span<const ValueType> types) {
  std::vector<ElementType> elements;
  for (const ValueType& type : types) elements.push_back(type.element);
  return elements;
}

Status checkStatic(const KernelRequest& request) {
  if (isStatic(request.resultTypes[0])) return {};
  return unsupported("{} gives {}, whose size is unknown; use its dynamic form",
                     request.operation.name, request.resultTypes[0].text);
}

bool givesTwo(const KernelRequest& request) {
  return request.resultTypes.size() == 2 ||
         (request.resultTypes.size() == 1 &&
          request.resultTypes[0].kind == ValueType::Kind::kTuple);
}

}  // namespace vintage::harness
