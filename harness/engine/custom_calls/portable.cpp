// Targets that any machine computes: annotations, checks of shapes, and a few of accelerators, so
// that an artifact for CUDA or ROCm can be replayed here.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operations/random_bits.h"

namespace vintage::harness {
using namespace golden;

namespace {

tl::unexpected<Error> misfit(const std::string& name, std::string_view wanted) {
  return badInput("custom_call @{}: {}.", name, wanted);
}

// Each pivot says with which row its own row was exchanged, counted from 0;
// applied in order to 0, 1, 2, … they give the permutation. Pivots beyond it are
// passed over.
Result<Kernel> makePivotsToPermutation(const CustomCallTarget& target,
                                       const KernelRequest& request) {
  if (request.operandTypes.empty() || request.resultTypes.size() != 1 ||
      request.resultTypes[0].shape.empty() || request.resultTypes[0].shape.back() < 0)
    return misfit(target.name, "pivots and one result with a known last dimension are needed");
  return tensorKernel([name = target.name, size = request.resultTypes[0].shape.back()](
                          KernelCall& call) -> Result<Tensor> {
    const Tensor& pivots = call.operands[0].tensor;
    if (pivots.type() != ElementType::kI32 || pivots.rank() == 0 || pivots.shape().back() > size)
      return misfit(name, fmt::format("the pivots are {}; i32 and at most {} of them are needed",
                                      describe(pivots), size));
    Shape shape = pivots.shape();
    const int64_t count = shape.back();
    shape.back() = size;
    ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(ElementType::kI32, std::move(shape)));
    const auto from = pivots.values<int32_t>();
    int32_t* to = result.mutableValues<int32_t>().data();
    const int64_t batches = size == 0 ? 0 : result.size() / size;
    for (int64_t batch = 0; batch < batches; ++batch, to += size) {
      std::iota(to, to + size, 0);
      for (int64_t i = 0; i < count; ++i) {
        const int32_t other = from[batch * count + i];
        if (other >= 0 && other < size) std::swap(to[i], to[other]);
      }
    }
    return result;
  });
}

// (key 0, key 1, counter 0, counter 1) of one shape, elementwise.
Result<Kernel> makeThreefry(const CustomCallTarget& target, const KernelRequest& request) {
  if (request.operandTypes.size() < 4 || !givesTwo(request))
    return misfit(target.name, "four operands and two results are needed");
  return Kernel([name = target.name](KernelCall& call) -> Status {
    const Tensor& first = call.operands[0].tensor;
    std::span<const uint32_t> in[4];
    for (size_t i = 0; i < 4; ++i) {
      const Tensor& operand = call.operands[i].tensor;
      if (operand.type() != ElementType::kUi32 || operand.shape() != first.shape())
        return misfit(name, "four ui32 operands of one shape are needed");
      in[i] = operand.values<uint32_t>();
    }
    Tensor low = Tensor::uninitialized(ElementType::kUi32, first.shape()), high = low;
    const auto lowOut = low.mutableValues<uint32_t>(), highOut = high.mutableValues<uint32_t>();
    for (size_t i = 0; i < lowOut.size(); ++i) {
      const auto bits = threefry2x32({in[0][i], in[1][i]}, {in[2][i], in[3][i]});
      lowOut[i] = bits[0];
      highOut[i] = bits[1];
    }
    call.give(std::move(low), std::move(high));
    return {};
  });
}

// Annotations for partitioning and placement.
constexpr std::string_view kIdentities[] = {"LayoutConstraint",
                                            "MoveToDevice",
                                            "MoveToHost",
                                            "PinToDevice",
                                            "PinToDeviceSram",
                                            "Sharding",
                                            "UnpinFromDevice",
                                            "annotate_device_placement",
                                            "xla.sdy.FuncResultSharding",
                                            "xla.sdy.PropagationBarrier"};
// The same on one device, or without a result for each operand.
constexpr std::string_view kIdentitiesHere[] = {"AllocateBuffer",
                                                "SPMDFullToShardShape",
                                                "SPMDShardToFullShape",
                                                "control_dep",
                                                "dce_sink",
                                                "xla.sdy.GlobalToLocalShape",
                                                "xla.sdy.ShardingGroup",
                                                "xla.sdy.LocalToGlobalShape"};

Result<Kernel> makeIdentity(const CustomCallTarget& target, const KernelRequest& request) {
  const bool makesBuffer = request.operandTypes.empty();
  for (size_t i = 0; !makesBuffer && i < request.resultTypes.size(); ++i) {
    const ValueType& result = request.resultTypes[i];
    if (i >= request.operandTypes.size())
      return badInput("custom_call @{} has {} operands and {} results.", target.name,
                      request.operandTypes.size(), request.resultTypes.size());
    const ValueType& operand = request.operandTypes[i];
    if (operand.element != result.element || !agree(operand.shape, result.shape))
      return unsupported(
          "custom_call @{} turns {} into {}: the program is partitioned over "
          "several devices, and the embedded engine has one. Replay it on a "
          "consumer with as many devices.",
          target.name, operand.text, result.text);
  }
  std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return Kernel([types, makesBuffer](KernelCall& call) -> Status {
    for (size_t i = 0; i < call.results.size(); ++i) {
      if (!makesBuffer) {
        call.results[i] = call.operands[i];
        continue;
      }
      ASSIGN_OR_RETURN(call.results[i].tensor, Tensor::make(types[i].element, types[i].shape));
    }
    return {};
  });
}

// shape_assertion(holds, arguments…): JAX's check that actual shapes fit a
// polymorphic specification. Its attribute error_message names the arguments
// as {0}, {1}, …

std::string argumentText(const Tensor& tensor) {
  if (tensor.size() != 1 || !isInteger(tensor.type())) return describe(tensor);
  return std::to_string(integerElement(tensor, 0));
}

// {i} becomes argument i; other braces stay as they are. Python's alignment
// inside the braces ({0:4}) is left out.
std::string filled(const std::string& pattern, std::span<const Value> arguments) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{') {
      size_t end = i + 1, index = 0;
      while (end < pattern.size() && end < i + 4 && pattern[end] >= '0' && pattern[end] <= '9')
        index = index * 10 + static_cast<size_t>(pattern[end++] - '0');
      const size_t close = pattern.find('}', end);
      const bool isField = end > i + 1 && close != std::string::npos &&
                           (close == end || pattern[end] == ':') && index < arguments.size();
      if (isField) {
        text += argumentText(arguments[index].tensor);
        i = close;
        continue;
      }
    }
    text += pattern[i];
  }
  return text;
}

Result<Kernel> makeShapeAssertion(const CustomCallTarget& target, const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string message,
                   textOf(request.operation, "error_message", "A shape assertion does not hold."));
  if (request.operandTypes.empty() || request.operandTypes[0].element != ElementType::kI1)
    return badInput("custom_call @shape_assertion needs a tensor<i1> as its first operand.");
  return Kernel([message](KernelCall& call) -> Status {
    const Tensor& holds = call.operands[0].tensor;
    if (holds.size() == 1 && holds.values<uint8_t>()[0] != 0) return {};
    return failure(Error::Kind::kBadInput, filled(message, call.operands.subspan(1)));
  });
}

}  // namespace

std::vector<CustomCallTarget> portableTargets() {
  using Api = CustomCallApi;
  const CustomCallSignature threefry{
      {"key0: ui32[*]", "key1: ui32[*]", "counter0: ui32[*]", "counter1: ui32[*]"},
      {"bits0: ui32[*]", "bits1: ui32[*]"},
      {}};
  const CustomCallSignature permutation{{"pivots: i32[*,k]"}, {"permutation: i32[*,n]"}, {}};
  std::vector<CustomCallTarget> targets{
      {"shape_assertion",
       "any",
       {Api::kStatusReturning},
       {{"holds: i1[]", "arguments: i32[] or i64[], any number"}, {}, {"error_message: string"}},
       makeShapeAssertion}};
  for (const auto& [vendor, platform] : {std::pair("cu", "cuda"), {"hip", "rocm"}}) {
    const auto add = [&](const char* name, Api api, const CustomCallSignature& signature,
                         CustomCallFactory factory) {
      targets.push_back({fmt::format("{}_{}", vendor, name), platform, {api}, signature, factory});
    };
    add("lu_pivots_to_permutation", Api::kTypedFfi, permutation, makePivotsToPermutation);
    add("threefry2x32", Api::kStatusReturning, threefry, makeThreefry);
    add("threefry2x32_ffi", Api::kTypedFfi, threefry, makeThreefry);
  }
  std::vector<std::string> identities(std::begin(kIdentities), std::end(kIdentities));
  identities.insert(identities.end(), std::begin(kIdentitiesHere), std::end(kIdentitiesHere));
  for (const std::string& name : identities)
    targets.push_back({name,
                       "any",
                       {Api::kOriginal, Api::kTypedFfi},
                       name == "AllocateBuffer" ? CustomCallSignature{{}, {"buffer: array"}, {}}
                       : name == "control_dep"
                           ? CustomCallSignature{{"before: array", "after: array"}, {}, {}}
                       : name == "dce_sink" ? CustomCallSignature{{"x: array"}, {}, {}}
                                            : CustomCallSignature{{"x: array"}, {"x: array"}, {}},
                       makeIdentity});
  return targets;
}

bool isIdentityTarget(std::string_view name) {
  return std::ranges::find(kIdentities, name) != std::end(kIdentities);
}

}  // namespace vintage::harness
