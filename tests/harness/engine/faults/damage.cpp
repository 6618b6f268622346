#include "tests/harness/engine/faults/damage.h"

#include <utility>

#include "harness/engine/kernel.h"

namespace vintage::harness::damage {
using namespace golden;

FaultyFactory results(std::function<void(OperandValues, ResultValues&)> change) {
  return [change](KernelFactory sound, const KernelRequest& request) -> Result<Kernel> {
    ASSIGN_OR_RETURN(auto kernel, sound(request));
    return Kernel([change, kernel = std::move(kernel)](KernelCall& call) -> Status {
      // Without `owned`, so that the operands are still there afterwards.
      KernelCall inner{call.operands, call.results, {}, call.availableBytes};
      RETURN_IF_ERROR(kernel(inner));
      change(call.operands, call.results);
      return {};
    });
  };
}

FaultyFactory operands(std::function<void(std::vector<Value>&)> change) {
  return [change](KernelFactory sound, const KernelRequest& request) -> Result<Kernel> {
    ASSIGN_OR_RETURN(auto kernel, sound(request));
    return Kernel([change, kernel = std::move(kernel)](KernelCall& call) -> Status {
      std::vector<Value> changed(call.operands.begin(), call.operands.end());
      change(changed);
      KernelCall inner{changed, call.results, {}, call.availableBytes};
      return kernel(inner);
    });
  };
}

FaultyFactory attributes(std::function<void(AttributeMap&)> change) {
  return [change](KernelFactory sound, const KernelRequest& request) -> Result<Kernel> {
    Operation operation = request.operation;
    change(operation.attributes);
    return sound(request.with(operation));
  };
}

FaultyFactory replacedBy(std::string name) {
  return [name](KernelFactory, const KernelRequest& request) -> Result<Kernel> {
    const OperationEntry* other = findOperation(name);
    if (other == nullptr)
      return failure(Error::Kind::kNotFound, "the seeded fault names no operation: " + name);
    Operation operation = request.operation;
    operation.name = name;
    return other->factory(request.with(operation));
  };
}

FaultyFactory regionsReturnSecond() {
  return [](KernelFactory sound, const KernelRequest& request) -> Result<Kernel> {
    const std::vector<PlannedRegion> regions(
        request.regions.size(),
        {[](std::span<const Value> arguments) -> Result<std::vector<Value>> {
           return std::vector<Value>{arguments[1]};
         },
         "argument 1", nullptr});
    KernelRequest changed = request;
    changed.regions = regions;
    return sound(changed);
  };
}

FaultyFactory swapped(size_t first, size_t second) {
  return operands(
      [=](std::vector<Value>& values) { std::swap(values.at(first), values.at(second)); });
}

FaultyFactory where(std::function<bool(const KernelRequest&)> applies, FaultyFactory fault) {
  return [applies, fault](KernelFactory sound, const KernelRequest& request) {
    return applies(request) ? fault(sound, request) : sound(request);
  };
}

FaultyFactory where(bool (*is)(ElementType), FaultyFactory fault) {
  return where(
      [is](const KernelRequest& request) {
        return !request.operandTypes.empty() && is(request.operandTypes[0].element);
      },
      std::move(fault));
}

std::function<bool(const KernelRequest&)> foldsBy(const char* operation) {
  return [operation](const KernelRequest& request) {
    return !request.regions.empty() && request.regions[0].shortcut == operation;
  };
}

bool hasText(const KernelRequest& request, const char* attribute, std::string_view text) {
  const auto* value = attributeField<std::string>(request.operation.attributes, attribute);
  return value != nullptr && *value == text;
}

std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> all(static_cast<size_t>(tensor.size()));
  visitElementType(tensor.type(), [&]<typename T>() {
    if constexpr (kIsFloatStorage<T> || std::is_integral_v<T>) {
      const auto values = tensor.values<T>();
      for (size_t i = 0; i < values.size(); ++i) all[i] = static_cast<double>(values[i]);
    }
  });
  return all;
}

}  // namespace vintage::harness::damage
