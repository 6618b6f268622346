// Operations that programs write as custom calls: those that StableHLO did not have at first, and
// those of CHLO that XLA's exporter writes as
// "mhlo.erf" with their attributes in mhlo.attributes.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/random_bits.h"
#include "harness/engine/operations/special_functions.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr std::string_view kMhlo[] = {
    "mhlo.acos",    "mhlo.acosh",      "mhlo.asin",   "mhlo.asinh",      "mhlo.atan",
    "mhlo.atanh",   "mhlo.bessel_i1e", "mhlo.cosh",   "mhlo.digamma",    "mhlo.erf",
    "mhlo.erf_inv", "mhlo.erfc",       "mhlo.lgamma", "mhlo.next_after", "mhlo.ragged_dot",
    "mhlo.sinh",    "mhlo.square",     "mhlo.tan",    "mhlo.topk",       "mhlo.zeta"};

std::string_view chloName(std::string_view name) {
  return name == "mhlo.topk" ? "top_k" : name.substr(std::string_view("mhlo.").size());
}

Result<Kernel> makeMhlo(const CustomCallTarget& target, const KernelRequest& request) {
  const std::string name = "chlo." + std::string(chloName(target.name));
  const OperationEntry* found = findOperation(name);
  if (found == nullptr)
    return unsupported("custom_call @{} stands for {}, which the embedded engine does not have.",
                       target.name, name);
  Operation operation = request.operation;
  operation.name = name;
  const auto* given = attributeField<AttributeMap>(request.operation.attributes, "mhlo.attributes");
  operation.attributes = given ? *given : AttributeMap{};
  return found->plan(request.with(operation));
}

// (state, shape[, shape operands]) -> (state, values)
Result<Kernel> makeDynamicRng(const CustomCallTarget& target, const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string algorithm,
                   textOf(request.operation, "rng_algorithm", std::string("DEFAULT")));
  if (request.operandTypes.size() < 2 || request.resultTypes.size() != 2)
    return badInput("custom_call @{} needs (state, shape) and two results.", target.name);
  // As of stablehlo.rng_bit_generator: the default here is Philox.
  const auto generator = algorithm == "THREE_FRY" ? BitGenerator::kThreefry : BitGenerator::kPhilox;
  return Kernel(
      [=, type = request.resultTypes[1].element, name = target.name](KernelCall& call) -> Status {
        ASSIGN_OR_RETURN(const Shape shape, within(name, integerOperand(call, 1)));
        ASSIGN_OR_RETURN(auto bits, within(name, generateBits(generator, call.operands[0].tensor,
                                                              type, shape, call.availableBytes)));
        call.give(std::move(bits.state), std::move(bits.values));
        return {};
      });
}

// (arrays, initial values, window, strides, dilations of base and window, padding)
Result<Kernel> makeDynamicWindow(const CustomCallTarget& target, const KernelRequest& request) {
  Operation operation = request.operation;
  operation.name = target.name;
  return makeDynamicReduceWindow(request.with(operation));
}

// dynamic_top_k, dynamic_approx_top_k and ApproxTopK. The approximate forms may miss a few of the
// best values; taking exactly the best ones is one of their legal answers, and the one a CPU gives.

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

std::vector<CustomCallTarget> operationTargets() {
  std::vector<CustomCallTarget> targets;
  const auto add = [&](std::string_view name, CustomCallFactory factory,
                       CustomCallSignature signature) -> CustomCallTarget& {
    return targets.emplace_back(
        CustomCallTarget{.name = std::string(name),
                         .platform = "any",
                         .apiVersions = {CustomCallApi::kOriginal, CustomCallApi::kStatusReturning},
                         .signature = std::move(signature),
                         .factory = factory});
  };
  for (std::string_view name : kMhlo)
    add(name, makeMhlo, {{fmt::format("as chlo.{}", chloName(name))}, {}, {"mhlo.attributes"}});
  add("stablehlo.dynamic_reduce_window", makeDynamicWindow,
      {{"inputs: array[*]", "initial_values: array[]", "window_dimensions: i32[rank]",
        "window_strides: i32[rank]", "base_dilations: i32[rank]", "window_dilations: i32[rank]",
        "padding: i32[rank,2]"},
       {"outputs: array[*]"},
       {"called_computations: [the fold]"}})
      .callsFunctions = true;
  add("stablehlo.dynamic_rng_bit_generator", makeDynamicRng,
      {{"state: ui64[*]", "shape: i64[*]"},
       {"state: ui64[*]", "values: array"},
       {"rng_algorithm: rng_algorithm"}});
  const size_t others = targets.size();
  const std::vector<std::string> config{"reduction_dim: i64", "aggregate_to_topk: bool",
                                        "recall_target: f32", "reduction_input_size_override: i64"};
  std::vector<std::string> fixed = config;
  fixed.push_back("top_k: i64");
  add("stablehlo.dynamic_top_k", makeDynamicTopK,
      {{"x: array", "k: i32[]"}, {"values: array", "indices: i32[*,k]"}, {}});
  add("stablehlo.dynamic_approx_top_k", makeApproxTopK,
      {{"arrays: any number", "starts: as many scalars", "k: i32[]"},
       {"best: as many arrays"},
       config});
  // The TPU's own, and with is_fallback everybody's.
  add("ApproxTopK", makeApproxTopK,
      {{"arrays: any number", "starts: as many scalars"}, {"best: as many arrays"}, fixed});
  for (CustomCallTarget& target : std::span(targets).subspan(others))
    target.apiVersions.push_back(CustomCallApi::kTypedFfi);
  return targets;
}

}  // namespace vintage::harness
