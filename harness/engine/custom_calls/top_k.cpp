// stablehlo.dynamic_top_k, stablehlo.dynamic_approx_top_k, ApproxTopK.
//
// The approximate forms may miss a few of the best values; taking exactly the
// best ones is one of their legal answers, and the one a CPU gives.

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operations/special_functions.h"

namespace vintage::harness {
using namespace golden;

namespace {

Result<Kernel> makeDynamicTopK(const CustomCallTarget& target, const KernelRequest& request) {
  if (request.operandTypes.size() < 2 || request.resultTypes.size() != 2)
    return badInput("custom_call @{} needs the operands (x, k) and two results.", target.name);
  return Kernel([name = "custom_call @" + target.name](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(const auto count, within(name, scalarOperand(call, 1)));
    return giveTopK(call, name, count, /*largest=*/true);
  });
}

// Whether the start value of the search is the lowest: then it is for the
// largest values. JAX names the comparator accordingly, but nothing else says so.
Result<bool> startsLow(const Tensor& start) {
  Tensor pair(start.type(), {2});
  if (start.size() != 1) return badInput("The start value is not a scalar.");
  std::ranges::copy(start.bytes(), pair.mutableBytes().begin());
  ASSIGN_OR_RETURN(const auto positions, topKPositions(pair, {0, 1, true}));  // Against zero.
  return positions.values<int32_t>()[0] == 1;
}

Result<Kernel> makeApproxTopK(const CustomCallTarget& target, const KernelRequest& request) {
  // Operands: the arrays, as many start values, k (dynamic form only), shapes.
  ASSIGN_OR_RETURN(const auto shapes, integersOf(request.operation, "indices_of_shape_operands",
                                                 std::vector<int64_t>{}));
  CheckedAttributes read = backendConfig(target, request.operation);
  const int64_t dimension = read.integer("reduction_dim");
  const bool aggregates = read.flag("aggregate_to_topk", true);
  int64_t count = read.integer("top_k", -1);
  RETURN_IF_ERROR(read.status());
  const size_t arrays = request.resultTypes.size();
  const bool dynamic = target.name != "ApproxTopK";
  if (arrays == 0 || request.operandTypes.size() != 2 * arrays + (dynamic ? 1 : 0) + shapes.size())
    return badInput(
        "custom_call @{} needs its arrays, as many start values{}; it has {} "
        "operands and {} results.",
        target.name, dynamic ? " and k" : "", request.operandTypes.size(), arrays);
  const Shape& declared = request.resultTypes[0].shape;
  if (!dynamic && !aggregates && dimension >= 0 && dimension < std::ssize(declared)) {
    count = declared[dimension];  // More candidates than k, for a later step.
  }
  if (dynamic && !aggregates)
    return unsupported(
        "custom_call @{} without aggregate_to_topk has a number of results "
        "that only its original runtime knows.",
        target.name);
  return Kernel([=, name = "custom_call @" + target.name](KernelCall& call) -> Status {
    TopK topK{dimension, count, true};
    if (dynamic) {
      ASSIGN_OR_RETURN(topK.count, within(name, scalarOperand(call, 2 * arrays)));
    }
    ASSIGN_OR_RETURN(topK.largest, within(name, startsLow(call.operands[arrays].tensor)));
    ASSIGN_OR_RETURN(auto positions, within(name, topKPositions(call.operands[0].tensor, topK)));
    for (size_t i = 0; i < arrays; ++i) {
      if (call.operands[i].tensor.shape() != call.operands[0].tensor.shape())
        return failure(Error::Kind::kBadInput, name + ": the arrays differ in shape.");
      ASSIGN_OR_RETURN(call.results[i].tensor, within(name, takeAtPositions(call.operands[i].tensor,
                                                                            positions, dimension)));
    }
    return {};
  });
}

}  // namespace

std::vector<CustomCallTarget> topKTargets() {
  const std::vector<std::string> config{"reduction_dim: i64", "aggregate_to_topk: bool",
                                        "recall_target: f32", "reduction_input_size_override: i64"};
  std::vector<std::string> fixed = config;
  fixed.push_back("top_k: i64");
  const std::vector<CustomCallApi> apis{CustomCallApi::kOriginal, CustomCallApi::kStatusReturning,
                                        CustomCallApi::kTypedFfi};
  return {{"stablehlo.dynamic_top_k",
           "any",
           apis,
           {{"x: array", "k: i32[]"}, {"values: array", "indices: i32[*,k]"}, {}},
           makeDynamicTopK},
          {"stablehlo.dynamic_approx_top_k",
           "any",
           apis,
           {{"arrays: any number", "starts: as many scalars", "k: i32[]"},
            {"best: as many arrays"},
            config},
           makeApproxTopK},
          // The TPU's own, and with is_fallback everybody's.
          {"ApproxTopK",
           "any",
           apis,
           {{"arrays: any number", "starts: as many scalars"}, {"best: as many arrays"}, fixed},
           makeApproxTopK}};
}

}  // namespace vintage::harness
