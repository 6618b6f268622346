// Operations in the clothes of custom calls: those that were spelled so while
// StableHLO did not have them, and those of CHLO that XLA's exporter writes as
// "mhlo.erf" with their attributes in mhlo.attributes.
#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/random_bits.h"

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
  return Kernel([=, type = request.resultTypes[1].element](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(const Shape shape, within("stablehlo.dynamic_rng_bit_generator",
                                               integerOperand(call, 1)));
    ASSIGN_OR_RETURN(auto bits, within("stablehlo.dynamic_rng_bit_generator",
                                       generateBits(generator, call.operands[0].tensor, type, shape,
                                                    call.availableBytes)));
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

}  // namespace

std::vector<CustomCallTarget> operationTargets() {
  std::vector<CustomCallTarget> targets;
  const auto add = [&](std::string_view name, CustomCallFactory factory,
                       CustomCallSignature signature) {
    targets.push_back({std::string(name),
                       "any",
                       {CustomCallApi::kOriginal, CustomCallApi::kStatusReturning},
                       std::move(signature),
                       factory});
  };
  for (std::string_view name : kMhlo)
    add(name, makeMhlo, {{fmt::format("as chlo.{}", chloName(name))}, {}, {"mhlo.attributes"}});
  add("stablehlo.dynamic_reduce_window", makeDynamicWindow,
      {{"inputs: array[*]", "initial_values: array[]", "window_dimensions: i32[rank]",
        "window_strides: i32[rank]", "base_dilations: i32[rank]", "window_dilations: i32[rank]",
        "padding: i32[rank,2]"},
       {"outputs: array[*]"},
       {"called_computations: [the fold]"}});
  targets.back().callsFunctions = true;
  add("stablehlo.dynamic_rng_bit_generator", makeDynamicRng,
      {{"state: ui64[*]", "shape: i64[*]"},
       {"state: ui64[*]", "values: array"},
       {"rng_algorithm: rng_algorithm"}});
  return targets;
}

}  // namespace vintage::harness
