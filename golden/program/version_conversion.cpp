#include "golden/program/version_conversion.h"

#include <fmt/format.h>

#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/portable_attributes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Support/DebugStringHelper.h"

namespace vintage::golden {
using namespace mlir;

namespace {

using mlir::Attribute;

const OperationFacts* factsWithSecondForm(StringRef unversioned) {
  const OperationFacts* facts = operationFacts(("stablehlo." + unversioned).str());
  return facts && facts->hasSecondForm() ? facts : nullptr;
}

// At its default, an attribute that the second form added says nothing.
bool saysNothing(Attribute attribute, std::string_view value, PortableAttributes& translator) {
  if (!attribute || attribute == portableDefault(value, translator, {})) return true;
  // An empty list of pairs has two dimensions.
  auto tensor = dyn_cast<vhlo::TensorV1Attr>(attribute);
  return value == "array<i64>" && tensor && tensor.getData().empty();
}

// Convolutions with dynamic padding once had a static padding as well, which
// meant nothing; it was written as zeros.
Attribute meaninglessPadding(const PortableOperation& operation, PortableAttributes& translator) {
  auto spatial = translator.integersOf(operation.attributes.get("input_spatial_dimensions"));
  return translator.splat({spatial ? static_cast<int64_t>(spatial->size()) : 0, 2}, 0);
}

// The highest need among everything inside of types and attributes. If several parts have the same
// need, the outermost is named: inner parts of other dialects cannot be read alone
// ("#sdy.dim_mapping" of a sharding rule prints as a letter).
class NeedCollector {
 public:
  NeedCollector() {
    walker_.addWalk([this](Type type) {
      if (vhlo::firstVersion(type) > need_.version)
        need_ = {vhlo::firstVersion(type), fmt::format("has the type {}", debugString(type))};
    });
    walker_.addWalk([this](mlir::Attribute attribute) {
      if (attribute.getDialect().getNamespace() != "vhlo" && kMixedDialects > need_.version)
        need_ = {kMixedDialects,
                 fmt::format("has an attribute of another dialect, {}", debugString(attribute))};
      if (vhlo::firstVersion(attribute) > need_.version)
        need_ = {vhlo::firstVersion(attribute),
                 fmt::format("has the attribute {}", debugString(attribute))};
    });
  }
  template <typename T>
  void add(T value) {
    if (value) walker_.walk<WalkOrder::PreOrder>(value);
  }
  VersionNeed take() { return std::move(need_); }

 private:
  AttrTypeWalker walker_;
  VersionNeed need_;
};

Type elementType(Type type) {
  if (auto tensor = dyn_cast<vhlo::RankedTensorV1Type>(type)) return tensor.getElementType();
  if (auto tensor = dyn_cast<vhlo::UnrankedTensorV1Type>(type)) return tensor.getElementType();
  return {};
}

// Since 0.17.0 reductions may answer in a wider type than they take.
bool widens(const PortableOperation& operation) {
  const OperationFacts* facts =
      operationFacts(("stablehlo." + StringRef(operation.name).rsplit("_v").first).str());
  if (!facts || !facts->mayWiden) return false;
  const size_t count = std::min(operation.operandTypes.size(), operation.resultTypes.size());
  for (size_t i = 0; i < count; ++i)
    if (elementType(operation.operandTypes[i]) != elementType(operation.resultTypes[i]))
      return true;
  return false;
}

// Since 1.3.0 a custom call may carry a dictionary and be of the typed interface.
bool needsTypedInterface(const PortableOperation& operation) {
  return operation.name == "custom_call_v1" &&
         (callsTypedInterface(operation.attributes) ||
          isa_and_nonnull<vhlo::DictionaryV1Attr>(operation.attributes.get("backend_config")));
}

// Since 1.17.0 a custom call may take a future.
bool takesFuture(const PortableOperation& operation) {
  return StringRef(operation.name).starts_with("custom_call_v") &&
         llvm::any_of(operation.operandTypes, llvm::IsaPred<vhlo::FutureV1Type>);
}

// Since 1.20.0 a convolution may take two different 8-bit float formats.
bool convolvesTwoFormats(const PortableOperation& operation) {
  const StringRef name = StringRef(operation.name).rsplit("_v").first;
  if ((name != "convolution" && name != "dynamic_conv") || operation.operandTypes.size() < 2)
    return false;
  const Type lhs = elementType(operation.operandTypes[0]);
  const Type rhs = elementType(operation.operandTypes[1]);
  const auto isByte = [](Type type) {
    const llvm::fltSemantics* format = vhlo::floatFormat(type);
    return format && llvm::APFloat::getSizeInBits(*format) == 8;
  };
  return lhs != rhs && isByte(lhs) && isByte(rhs);
}

// Since 1.21.0 the algorithm of a dot product may compute in f8E4M3FN. Releases before let such
// algorithms pass at 1.6.0 too; those from 1.21.0 on write none for an older target.
bool computesInF8E4M3FN(const PortableOperation& operation) {
  for (const StringRef name : {"lhs_precision_type", "rhs_precision_type"}) {
    auto type = dyn_cast_or_null<vhlo::TypeV1Attr>(operation.attributes.get(name));
    if (type && isa<vhlo::FloatF8E4M3FNV1Type>(type.getValue())) return true;
  }
  return false;
}

// The version that the contents of an operation need, whatever its own version: its types, its
// attributes, and the rules that came without a new name for the operation.
VersionNeed contentNeed(const PortableOperation& operation) {
  NeedCollector collector;
  for (Type type : operation.operandTypes) collector.add(type);
  for (Type type : operation.resultTypes) collector.add(type);
  for (NamedAttribute attribute : operation.attributes) collector.add(attribute.getValue());
  VersionNeed need = collector.take();
  auto raise = [&](bool uses, StablehloVersion version, const char* reason) {
    if (uses && version > need.version) need = {version, reason};
  };
  raise(widens(operation), {0, 17, 0}, "has a result type that differs from its operand's");
  raise(needsTypedInterface(operation), {1, 3, 0},
        "has a backend_config that is a dictionary, or API_VERSION_TYPED_FFI");
  raise(takesFuture(operation), {1, 17, 0}, "takes a future");
  raise(convolvesTwoFormats(operation), {1, 20, 0}, "takes two different 8-bit float formats");
  raise(computesInF8E4M3FN(operation), {1, 21, 0}, "has an algorithm that computes in f8E4M3FN");
  return need;
}

}  // namespace

void upgradeOperation(PortableOperation& operation, PortableAttributes& translator) {
  StringRef name = operation.name;
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
    StringRef name = operation.name;
    const bool later = name.consume_back("_v2");
    const OperationFacts* facts = later ? factsWithSecondForm(name) : nullptr;
    if (!facts) return {since, "is an operation"};
    VersionNeed feature{since, fmt::format("has {}", facts->secondFeature)};
    // A program with it may need a still later version.
    if (VersionNeed content = contentNeed(operation); content.version > since)
      feature = std::move(content);
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
  // Downgrades towards the oldest version. Each need that stops it raises the version, and the next
  // try starts from there; the version that nothing stops is the answer.
  VersionNeed need;
  while (true) {
    PortableOperation copy = operation;
    VersionNeed found = downgradeOperation(copy, need.version, translator);
    if (found.version <= need.version) return need;
    need = std::move(found);
  }
}

VersionNeed typeNeed(Type type) {
  NeedCollector collector;
  collector.add(type);
  return collector.take();
}

}  // namespace vintage::golden
