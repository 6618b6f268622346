#include "harness/plugin/python_callbacks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr std::string_view kTargets[] = {"xla_ffi_python_cpu_callback",
                                         "xla_ffi_partitioned_python_cpu_callback"};

// The attribute by which jax_plugins.vintage says which function is called.
constexpr std::string_view kNumber = "vintage.python_function";

std::atomic<CallPython> callPython = nullptr;

// Refers to an array, or to a token. `data` is written where it is a result's.
HostArray hostArray(const ValueType& type, const Tensor& tensor, const std::byte* data) {
  if (type.kind == ValueType::Kind::kToken) return {nullptr, 0, nullptr, nullptr};
  return {dtypeName(tensor.type()).data(), tensor.rank(), tensor.shape().data(),
          const_cast<std::byte*>(data)};
}

Status runCallback(int64_t number, const std::vector<ValueType>& operandTypes,
                   const std::vector<ValueType>& resultTypes, KernelCall& call) {
  std::vector<HostArray> arguments, results;
  for (size_t i = 0; i < operandTypes.size(); ++i) {
    const Tensor& tensor = call.operands[i].tensor;
    arguments.push_back(hostArray(operandTypes[i], tensor, tensor.bytes().data()));
  }
  for (size_t i = 0; i < resultTypes.size(); ++i) {
    Value& result = call.results[i];
    result.isToken = resultTypes[i].kind == ValueType::Kind::kToken;
    if (!result.isToken) {
      ASSIGN_OR_RETURN(result.tensor, Tensor::make(resultTypes[i].element, resultTypes[i].shape,
                                                   call.availableBytes));
    }
    results.push_back(
        hostArray(resultTypes[i], result.tensor, result.tensor.mutableBytes().data()));
  }
  std::array<char, 16384> message{};
  const PythonCall made{number,         arguments.data(), arguments.size(), results.data(),
                        results.size(), message.data(),   message.size()};
  if (callPython.load()(&made) == 0) return {};
  return failure(Error::Kind::kIo, fmt::format("the callback to Python failed: {}",
                                               std::string_view(message.data())));
}

Result<Kernel> makePythonCallback(const CustomCallTarget& target, const KernelRequest& request) {
  const auto* number = attributeField<int64_t>(request.operation.attributes, kNumber);
  if (!callPython.load() || number == nullptr)
    return unsupported(
        "the program calls Python back while it runs ({}): a callback or a debug print. Load the "
        "module jax_plugins.vintage, with JAX 0.6 or newer, or run it with JAX_PLATFORMS=cpu",
        target.name);
  for (const ValueType& type : request.resultTypes)
    if (type.kind != ValueType::Kind::kToken && !isStatic(type))
      return unsupported("a callback to Python gives {}; arrays of a known size and tokens can be",
                         type.text);
  const auto listed = [](std::span<const ValueType> types) {
    return std::vector<ValueType>(types.begin(), types.end());
  };
  return Kernel([number = *number, operands = listed(request.operandTypes),
                 results = listed(request.resultTypes)](KernelCall& call) {
    return runCallback(number, operands, results, call);
  });
}

}  // namespace

void setCallPython(CallPython call) { callPython = call; }

bool isPythonCallback(std::string_view target) {
  return std::ranges::find(kTargets, target) != std::end(kTargets);
}

void addPythonCallbackTargets() {
  for (const std::string_view name : kTargets)
    addCustomCallTarget(
        {.name = std::string(name),
         .platform = "cpu",
         .apiVersions = {CustomCallApi::kTypedFfi},
         .signature = {{"arguments: any number"}, {"results: any number"}, {"index: ui64"}},
         .factory = makePythonCallback});
}

}  // namespace vintage::harness
