#include "harness/importer/described_module.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "harness/importer/inspect.h"

namespace vintage::harness {
using namespace golden;

namespace {

using nlohmann::json;

void addType(const ValueType& type, ModuleFacts& facts) {
  if (type.kind == ValueType::Kind::kToken) facts.tokens = true;
  for (const ValueType& element : type.elements) addType(element, facts);
  if (type.kind != ValueType::Kind::kTensor && type.kind != ValueType::Kind::kUnrankedTensor)
    return;
  facts.dtypes.emplace(stablehloName(type.element));
  facts.dynamic |=
      type.kind == ValueType::Kind::kUnrankedTensor ||
      std::find(type.shape.begin(), type.shape.end(), kDynamicDimension) != type.shape.end();
}

json describeValues(const std::vector<AbstractValue>& values) {
  json list = json::array();
  for (const AbstractValue& value : values)
    list.push_back(value.isToken ? json("token")
                                 : json({{"dtype", value.dtype}, {"shape", value.shape}}));
  return list;
}

struct TargetPart {
  std::string_view part;       // Stands in the target's name.
  std::string_view primitive;  // JAX's name of what lowers to it.
};

// In order: the first row that fits any of an artifact's targets decides, so
// that a decomposition comes before the solves that it is made of. Source: the
// lowering rules of jax/_src/lax/linalg.py and their siblings.
constexpr TargetPart kParts[] = {
    {"tpu_custom_call", "pallas_call"},
    {"mosaic_gpu", "pallas_call"},
    {"dynamic_approx_top_k", "approx_top_k"},
    {"ApproxTopK", "approx_top_k"},
    {"dynamic_top_k", "top_k"},
    {"dynamic_reduce_window", "reduce_window"},
    {"ducc_fft", "fft"},
    {"threefry2x32", "threefry2x32"},
    {"geev", "eig"},
    {"syev", "eigh"},
    {"heev", "eigh"},
    {"Eigh", "eigh"},
    {"gesdd", "svd"},
    {"gesvd", "svd"},
    {"gees", "schur"},
    {"gehrd", "hessenberg"},
    {"sytrd", "tridiagonal"},
    {"hetrd", "tridiagonal"},
    {"gtsv", "tridiagonal_solve"},
    {"tridiagonal_solve", "tridiagonal_solve"},
    {"potrf", "cholesky"},
    {"getrf", "lu"},
    {"lu_pivots_to_permutation", "lu_pivots_to_permutation"},
    {"geqp3", "geqp3"},
    {"ormqr", "ormqr"},
    {"unmqr", "ormqr"},
    {"geqrf", "qr"},
    {"Qr", "qr"},
    {"orgqr", "householder_product"},
    {"ungqr", "householder_product"},
    {"trsm", "triangular_solve"},
    {"annotate_device_placement", "device_put"},
    {"xla.sdy.", "sharding_constraint"},
    {"Sharding", "sharding_constraint"},
    {"tf.call_tf_function", "call_tf"},
};

}  // namespace

std::string primitiveOfTargets(std::span<const std::string> targets) {
  for (const TargetPart& row : kParts)
    for (const std::string& target : targets)
      if (target.find(row.part) != std::string::npos) return std::string(row.primitive);
  return "";
}

ModuleFacts factsOf(const ModuleTree& tree) {
  ModuleFacts facts;
  for (const char* name : {"mhlo.num_partitions", "mhlo.num_replicas"}) {
    const auto found = tree.attributes.find(name);
    if (found == tree.attributes.end()) continue;
    if (const auto* count = std::get_if<int64_t>(&found->second.value); count && *count > 0)
      facts.devices = std::max(facts.devices, *count);
  }
  if (const Function* entry = tree.find("main")) {
    for (const ValueType& type : entry->argumentTypes) addType(type, facts);
    for (const ValueType& type : entry->resultTypes) addType(type, facts);
  }
  return facts;
}

std::string variantOf(const ModuleFacts& facts) {
  if (facts.devices > 1) return "sharded";
  if (facts.tokens) return "effects";
  if (facts.platforms > 1) return "multi_platform";
  if (facts.dynamic) return "poly";
  return "static";
}

void describeExported(const Exported& exported, json& details) {
  details["function_name"] = exported.functionName;
  details["serialization_version"] = exported.serializationVersion;
  details["calling_convention_version"] = exported.callingConventionVersion;
  details["platforms"] = exported.platforms;
  details["inputs"] = describeValues(exported.inputs);
  details["outputs"] = describeValues(exported.outputs);
  details["kept_inputs"] = exported.keptInputs;
  details["ordered_effects"] = exported.orderedEffects;
  details["unordered_effects"] = exported.unorderedEffects;
  details["uses_global_constants"] = exported.usesGlobalConstants;
  json disabled = json::array();
  for (const DisabledSafetyCheck& check : exported.disabledChecks)
    disabled.push_back(check.kind == DisabledSafetyCheck::Kind::kCustomCall
                           ? "custom_call:" + check.customCallTarget
                       : check.kind == DisabledSafetyCheck::Kind::kPlatform ? "platform"
                                                                            : "shape_assertions");
  details["disabled_checks"] = disabled;
  int derivatives = 0;
  for (const Exported* next = exported.vjp.get(); next; next = next->vjp.get()) ++derivatives;
  details["derivatives"] = derivatives;
  if (!exported.jaxVersion.empty()) details["jax_version"] = exported.jaxVersion;
}

void describeMain(const ModuleTree& tree, json& details) {
  const Function* entry = tree.find("main");
  if (entry == nullptr) return;
  int unknown = 0;
  const auto describeTypes = [&](const std::vector<ValueType>& types) {
    json list = json::array();
    for (const ValueType& type : types) {
      json shape = json::array();
      for (const int64_t size : type.shape)
        shape.push_back(size == kDynamicDimension ? "d" + std::to_string(unknown++)
                                                  : std::to_string(size));
      list.push_back(type.kind == ValueType::Kind::kTensor
                         ? json({{"dtype", dtypeName(type.element)}, {"shape", shape}})
                         : json("token"));
    }
    return list;
  };
  details["inputs"] = describeTypes(entry->argumentTypes);
  details["outputs"] = describeTypes(entry->resultTypes);
}

std::vector<std::string> mergedTargets(const std::vector<std::string>& one,
                                       const std::vector<std::string>& other) {
  std::vector<std::string> merged;
  std::ranges::set_union(one, other, std::back_inserter(merged));
  return merged;
}

Result<std::vector<std::string>> derivativeTargets(ProgramContext& context,
                                                   const Exported& exported,
                                                   const std::string& name) {
  std::vector<std::string> targets;
  for (const Exported* next = exported.vjp.get(); next; next = next->vjp.get()) {
    const std::string place = name + ", its derivative";
    // Only tree() would change the bytes.
    const std::span module(const_cast<std::byte*>(next->module.data()), next->module.size());
    ASSIGN_OR_RETURN(auto program, isBytecode(module) ? context.readInPlace(module, place)
                                                      : readProgram(context, module, place));
    targets = mergedTargets(targets, program.customCallTargets());
  }
  return targets;
}

}  // namespace vintage::harness
