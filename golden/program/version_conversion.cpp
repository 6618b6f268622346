#include "golden/program/version_conversion.h"

#include <fmt/format.h>

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/portable_defaults.h"
#include "golden/program/version_needs.h"
#include "llvm/ADT/StringMap.h"

namespace vintage::golden::program {
namespace {

namespace vhlo = mlir::vhlo;
using mlir::Attribute;

// What an attribute that a later form of an operation added has to be for the
// earlier form to mean the same; that is also what an upgrade fills in.
enum class Neutral { kFalse, kEmptyArray, kEmptyIntegers, kAccuracy, kNoneType };

struct AddedAttribute {
  const char* name;
  Neutral neutral;
};

// One step between two forms of an operation. "cbrt_v1" to "cbrt_v2" adds
// result_accuracy, and so on.
struct VersionStep {
  llvm::SmallVector<const char*, 12> operations;  // Without _v1 and _v2.
  llvm::SmallVector<AddedAttribute, 8> added;
  const char* feature;  // What the later form alone can say: "an algorithm".
  // A further condition for the way down; null: none.
  bool (*fitsEarlierForm)(const PortableOperation&) = nullptr;
};

bool hasOneOperand(const PortableOperation& operation) {
  return operation.operandTypes.size() == 1 && operation.resultTypes.size() == 1;
}
bool hasNoRegions(const PortableOperation& operation) { return operation.regionCount == 0; }

// From openxla/stablehlo, VhloToVersion.cpp and VhloToVersionPatterns.td.
llvm::ArrayRef<VersionStep> versionSteps() {
  static const VersionStep steps[] = {
      {{"all_gather", "all_reduce", "all_to_all"}, {}, "several operands", &hasOneOperand},
      {{"cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one",
        "logistic", "rsqrt", "sine", "sqrt", "tan", "tanh"},
       {{"result_accuracy", Neutral::kAccuracy}},
       "a result accuracy"},
      {{"collective_broadcast"},
       {{"has_dynamic_root", Neutral::kFalse}},
       "several operands or a dynamic root",
       &hasOneOperand},
      {{"composite"}, {}, "regions", &hasNoRegions},
      {{"custom_call"}, {{"result_tilings", Neutral::kEmptyArray}}, "result tilings"},
      {{"dot_general"},
       {{"lhs_precision_type", Neutral::kNoneType},
        {"rhs_precision_type", Neutral::kNoneType},
        {"accumulation_type", Neutral::kNoneType},
        {"lhs_component_count", Neutral::kNoneType},
        {"rhs_component_count", Neutral::kNoneType},
        {"num_primitive_operations", Neutral::kNoneType},
        {"allow_imprecise_accumulation", Neutral::kNoneType}},
       "an algorithm"},
      {{"dynamic_conv"}, {}, "no padding attribute"},
      {{"dynamic_gather", "gather"},
       {{"operand_batching_dims", Neutral::kEmptyIntegers},
        {"start_indices_batching_dims", Neutral::kEmptyIntegers}},
       "batching dimensions"},
      {{"recv", "send"},
       {{"source_target_pairs", Neutral::kEmptyIntegers}},
       "source-target pairs"},
      {{"scatter"},
       {{"input_batching_dims", Neutral::kEmptyIntegers},
        {"scatter_indices_batching_dims", Neutral::kEmptyIntegers}},
       "batching dimensions"},
  };
  return steps;
}

const VersionStep* stepOf(llvm::StringRef unversioned) {
  static const auto table = [] {
    llvm::StringMap<const VersionStep*> byOperation;
    for (const VersionStep& step : versionSteps())
      for (const char* operation : step.operations) byOperation[operation] = &step;
    return byOperation;
  }();
  auto found = table.find(unversioned);
  return found == table.end() ? nullptr : found->second;
}

Attribute neutralValue(Neutral neutral, PortableAttributes& translator) {
  mlir::MLIRContext* context = translator.context();
  switch (neutral) {
    case Neutral::kFalse:
      return vhlo::BooleanV1Attr::get(context, false);
    case Neutral::kEmptyArray:
      return vhlo::ArrayV1Attr::get(context, {});
    case Neutral::kEmptyIntegers:
      return translator.integers({});
    case Neutral::kAccuracy:
      return defaultAccuracy(context);
    case Neutral::kNoneType:
      return portableNone(context);
  }
  return {};
}

bool isNeutral(Attribute attribute, const AddedAttribute& added, PortableAttributes& translator) {
  if (!attribute || attribute == neutralValue(added.neutral, translator)) return true;
  // An empty list of pairs has two dimensions.
  auto tensor = mlir::dyn_cast<vhlo::TensorV1Attr>(attribute);
  return added.neutral == Neutral::kEmptyIntegers && tensor && tensor.getData().empty();
}

// Convolutions with dynamic padding once had a static padding as well, which
// meant nothing; it was written as zeros.
Attribute meaninglessPadding(const PortableOperation& operation, PortableAttributes& translator) {
  auto spatial = translator.integersOf(operation.attributes.get("input_spatial_dimensions"));
  return translator.splat({spatial ? static_cast<int64_t>(spatial->size()) : 0, 2}, 0);
}

}  // namespace

void upgradeOperation(PortableOperation& operation, PortableAttributes& translator) {
  llvm::StringRef name = operation.name;
  if (!name.consume_back("_v1")) return;
  const VersionStep* step = stepOf(name);
  if (!step) return;
  for (const AddedAttribute& added : step->added)
    if (!operation.attributes.get(added.name))
      operation.attributes.set(added.name, neutralValue(added.neutral, translator));
  if (name == "dynamic_conv") operation.attributes.erase("padding");
  operation.name = (name + "_v2").str();
}

VersionNeed downgradeOperation(PortableOperation& operation, StablehloVersion target,
                               PortableAttributes& translator) {
  const StablehloVersion since = vhlo::operationVersions(operation.name).minimum;
  if (target < since) {
    llvm::StringRef name = operation.name;
    const bool later = name.consume_back("_v2");
    const VersionStep* step = later ? stepOf(name) : nullptr;
    if (!step) return {since, "is an operation"};
    if (step->fitsEarlierForm && !step->fitsEarlierForm(operation))
      return {since, fmt::format("has {}", step->feature)};
    for (const AddedAttribute& added : step->added) {
      if (!isNeutral(operation.attributes.get(added.name), added, translator))
        return {since, fmt::format("has {}", step->feature)};
      operation.attributes.erase(added.name);
    }
    if (name == "dynamic_conv")
      operation.attributes.set("padding", meaninglessPadding(operation, translator));
    operation.name = (name + "_v1").str();
    const StablehloVersion earliest = vhlo::operationVersions(operation.name).minimum;
    if (target < earliest) return {earliest, "is an operation"};
  }
  return contentNeed(operation);
}

VersionNeed versionNeedOf(PortableOperation operation, PortableAttributes& translator) {
  // Whatever the way down to the oldest version stumbles on, from above: each
  // need that it reports is lifted by asking again at that version.
  VersionNeed need;
  while (true) {
    PortableOperation copy = operation;
    VersionNeed found = downgradeOperation(copy, need.version, translator);
    if (found.version <= need.version) return need;
    need = std::move(found);
  }
}

}  // namespace vintage::golden::program
