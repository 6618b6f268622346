#include "golden/program/version_conversion.h"

#include <fmt/format.h>

#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/portable_attributes.h"

namespace vintage::golden {
namespace {

namespace vhlo = mlir::vhlo;
using mlir::Attribute;

const OperationFacts* factsWithSecondForm(llvm::StringRef unversioned) {
  const OperationFacts* facts = operationFacts(("stablehlo." + unversioned).str());
  return facts && facts->hasSecondForm() ? facts : nullptr;
}

// At its default, an attribute that the second form added says nothing.
bool saysNothing(Attribute attribute, PortableDefault value, PortableAttributes& translator) {
  if (!attribute || attribute == portableDefault(value, translator, {})) return true;
  // An empty list of pairs has two dimensions.
  auto tensor = mlir::dyn_cast<vhlo::TensorV1Attr>(attribute);
  return value == PortableDefault::kEmptyIntegers && tensor && tensor.getData().empty();
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
  if (!factsWithSecondForm(name)) return;
  for (const PortableAttributeFacts& added : portableAttributes(name))
    if (added.isAdded && !operation.attributes.get(added.attribute))
      operation.attributes.set(added.attribute, portableDefault(added.value, translator, {}));
  if (name == "dynamic_conv") operation.attributes.erase("padding");
  operation.name = (name + "_v2").str();
}

VersionNeed downgradeOperation(PortableOperation& operation, StablehloVersion target,
                               PortableAttributes& translator) {
  const StablehloVersion since = vhlo::operationVersions(operation.name).minimum;
  if (target < since) {
    llvm::StringRef name = operation.name;
    const bool later = name.consume_back("_v2");
    const OperationFacts* facts = later ? factsWithSecondForm(name) : nullptr;
    if (!facts) return {since, "is an operation"};
    const VersionNeed feature{since, fmt::format("has {}", facts->secondFeature)};
    if (facts->oneOperandBefore &&
        (operation.operandTypes.size() != 1 || operation.resultTypes.size() != 1))
      return feature;
    if (facts->noRegionsBefore && operation.regionCount != 0) return feature;
    for (const PortableAttributeFacts& added : portableAttributes(name)) {
      if (!added.isAdded) continue;
      if (!saysNothing(operation.attributes.get(added.attribute), added.value, translator))
        return feature;
      operation.attributes.erase(added.attribute);
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

}  // namespace vintage::golden
