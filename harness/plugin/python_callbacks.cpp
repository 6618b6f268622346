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

constexpr std::string_view kInPlace = "xla_buffer_python_cpu_callback";
constexpr std::string_view kPartitioned = "xla_ffi_partitioned_python_cpu_callback";
constexpr std::string_view kTargets[] = {"xla_ffi_python_cpu_callback", kPartitioned, kInPlace};

// The attribute by which jax_plugins.vintage says which function is called.
constexpr std::string_view kNumber = "vintage.python_function";

std::atomic<CallPython> callPython = nullptr;

// Refers to an array, or to a token. `data` is written where it is a result's.
HostArray hostArray(const ValueType& type, const Tensor& tensor, const std::byte* data) {
  if (type.kind == ValueType::Kind::kToken) return {nullptr, 0, nullptr, nullptr};
  return {dtypeName(tensor.type()).data(), tensor.rank(), tensor.shape().data(),
          const_cast<std::byte*>(data)};
}

struct Callback {
  int64_t number;
  bool inPlace;
  std::vector<ValueType> operandTypes, resultTypes;
  std::vector<int64_t> aliases;  // By result: the operand that it overwrites, or -1.
};

Status callFunction(PythonCall call) {
  std::array<char, 16384> message{};
  call.message = message.data();
  call.room = message.size();
  if (callPython.load()(&call) == 0) return {};
  return failure(Error::Kind::kIo, fmt::format("the callback to Python failed: {}",
                                               std::string_view(message.data())));
}

Result<int64_t> numberOf(const Operation& operation) {
  if (const auto* number = attributeField<int64_t>(operation.attributes, kNumber);
      number && callPython.load())
    return *number;
  return unsupported(
      "the program calls Python back while it runs ({}): a callback or a debug print. Load the "
      "module jax_plugins.vintage, with JAX 0.6 or newer, or run it with JAX_PLATFORMS=cpu",
      textOf(operation, "call_target_name").value_or(operation.name));
}

Status runCallback(const Callback& callback, KernelCall& call) {
  std::vector<HostArray> arguments, results;
  for (size_t i = 0; i < callback.operandTypes.size(); ++i) {
    const Tensor& tensor = call.operands[i].tensor;
    arguments.push_back(hostArray(callback.operandTypes[i], tensor, tensor.bytes().data()));
  }
  for (size_t i = 0; i < callback.resultTypes.size(); ++i) {
    const ValueType& type = callback.resultTypes[i];
    Value& result = call.results[i];
    const int64_t overwritten = callback.aliases[i];
    result.isToken = type.kind == ValueType::Kind::kToken;
    if (overwritten >= 0) {
      result = call.operands[static_cast<size_t>(overwritten)];
    } else if (!result.isToken) {
      ASSIGN_OR_RETURN(result.tensor, Tensor::make(type.element, type.shape, call.availableBytes));
    }
    // The bytes are the result's own from here on: a copy, where the operand is used elsewhere.
    results.push_back(hostArray(type, result.tensor, result.tensor.mutableBytes().data()));
    if (overwritten >= 0) arguments[static_cast<size_t>(overwritten)] = results.back();
  }
  return callFunction({.number = callback.number,
                       .inPlace = callback.inPlace,
                       .arguments = arguments.data(),
                       .argumentCount = arguments.size(),
                       .results = results.data(),
                       .resultCount = results.size()});
}

Result<Kernel> makePythonCallback(const CustomCallTarget& target, const KernelRequest& request) {
  ASSIGN_OR_RETURN(const int64_t number, numberOf(request.operation));
  for (const ValueType& type : request.resultTypes)
    if (type.kind != ValueType::Kind::kToken && !isStatic(type))
      return unsupported("a callback to Python gives {}; arrays of a known size and tokens can be",
                         type.text);
  ASSIGN_OR_RETURN(auto aliases, aliasesOf(request.operation, request.resultTypes.size(),
                                           request.operandTypes.size()));
  for (size_t i = 0; i < aliases.size(); ++i)
    if (aliases[i] >= 0 &&
        request.operandTypes[static_cast<size_t>(aliases[i])].text != request.resultTypes[i].text)
      return badInput("a callback to Python overwrites operand {}, which is {}, with {}",
                      aliases[i], request.operandTypes[static_cast<size_t>(aliases[i])].text,
                      request.resultTypes[i].text);
  Callback callback{number,
                    target.name == kInPlace,
                    {request.operandTypes.begin(), request.operandTypes.end()},
                    {request.resultTypes.begin(), request.resultTypes.end()},
                    std::move(aliases)};
  return Kernel(
      [callback = std::move(callback)](KernelCall& call) { return runCallback(callback, call); });
}

}  // namespace

void setCallPython(CallPython call) { callPython = call; }

bool isPythonCallback(std::string_view target) {
  return std::ranges::find(kTargets, target) != std::end(kTargets);
}

bool isPartitionedPythonCallback(std::string_view target) { return target == kPartitioned; }

Status callPythonWith(const Operation& operation, std::string_view bytes) {
  ASSIGN_OR_RETURN(const int64_t number, numberOf(operation));
  const auto size = static_cast<int64_t>(bytes.size());
  const HostArray argument{"uint8", 1, &size, const_cast<char*>(bytes.data())};
  return callFunction({.number = number, .inPlace = 0, .arguments = &argument, .argumentCount = 1});
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
