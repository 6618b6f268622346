// Targets of accelerators whose result any machine can compute: so that an
// artifact for CUDA or ROCm that uses only these still replays here.
#include <fmt/format.h>

#include <numeric>

#include "golden/base/failures.h"
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
      request.resultTypes[0].shape.empty() || request.resultTypes[0].shape.back() < 0) {
    return misfit(target.name, "pivots and one result with a known last dimension are needed");
  }
  return Kernel([name = target.name,
                 size = request.resultTypes[0].shape.back()](KernelCall& call) -> Status {
    const Tensor& pivots = call.operands[0].tensor;
    if (pivots.type() != ElementType::kI32 || pivots.rank() == 0 || pivots.shape().back() > size) {
      return misfit(name, fmt::format("the pivots are {}; i32 and at most {} of them are needed",
                                      describe(pivots), size));
    }
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
    call.results[0].tensor = std::move(result);
    return {};
  });
}

// (key 0, key 1, counter 0, counter 1) of one shape, elementwise.
Result<Kernel> makeThreefry(const CustomCallTarget& target, const KernelRequest& request) {
  const bool tuple =
      request.resultTypes.size() == 1 && request.resultTypes[0].kind == ValueType::Kind::kTuple;
  if (request.operandTypes.size() < 4 || (!tuple && request.resultTypes.size() != 2)) {
    return misfit(target.name, "four operands and two results are needed");
  }
  return Kernel([name = target.name, tuple](KernelCall& call) -> Status {
    const Tensor& first = call.operands[0].tensor;
    std::span<const uint32_t> in[4];
    for (size_t i = 0; i < 4; ++i) {
      const Tensor& operand = call.operands[i].tensor;
      if (operand.type() != ElementType::kUi32 || operand.shape() != first.shape()) {
        return misfit(name, "four ui32 operands of one shape are needed");
      }
      in[i] = operand.values<uint32_t>();
    }
    Tensor low = Tensor::uninitialized(ElementType::kUi32, first.shape()), high = low;
    const auto lowOut = low.mutableValues<uint32_t>(), highOut = high.mutableValues<uint32_t>();
    for (size_t i = 0; i < lowOut.size(); ++i) {
      const auto bits = threefry2x32({in[0][i], in[1][i]}, {in[2][i], in[3][i]});
      lowOut[i] = bits[0];
      highOut[i] = bits[1];
    }
    if (tuple) {
      call.results[0].isTuple = true;
      call.results[0].elements.resize(2);
    }
    (tuple ? call.results[0].elements[0] : call.results[0]).tensor = std::move(low);
    (tuple ? call.results[0].elements[1] : call.results[1]).tensor = std::move(high);
    return {};
  });
}

struct Row {
  std::string_view name, platform;
  CustomCallApi api;
  CustomCallFactory factory;
};
constexpr Row kRows[] = {
    {"cu_lu_pivots_to_permutation", "cuda", CustomCallApi::kTypedFfi, makePivotsToPermutation},
    {"cu_threefry2x32", "cuda", CustomCallApi::kStatusReturning, makeThreefry},
    {"cu_threefry2x32_ffi", "cuda", CustomCallApi::kTypedFfi, makeThreefry},
    {"hip_lu_pivots_to_permutation", "rocm", CustomCallApi::kTypedFfi, makePivotsToPermutation},
    {"hip_threefry2x32", "rocm", CustomCallApi::kStatusReturning, makeThreefry},
    {"hip_threefry2x32_ffi", "rocm", CustomCallApi::kTypedFfi, makeThreefry},
};

}  // namespace

std::vector<CustomCallTarget> portableTargets() {
  std::vector<CustomCallTarget> targets;
  for (const Row& row : kRows) {
    CustomCallTarget target;
    target.name = row.name;
    target.platform = row.platform;
    target.apiVersions = {row.api};
    if (row.factory == makeThreefry) {
      target.signature = {
          {"key0: ui32[*]", "key1: ui32[*]", "counter0: ui32[*]", "counter1: ui32[*]"},
          {"bits0: ui32[*]", "bits1: ui32[*]"},
          {}};
    } else {
      target.signature = {{"pivots: i32[*,k]"}, {"permutation: i32[*,n]"}, {}};
    }
    target.factory = row.factory;
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace vintage::harness
