#include "golden/program/version_needs.h"

#include <fmt/format.h>

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace vintage::golden::program {
namespace {

namespace vhlo = mlir::vhlo;

template <typename T>
std::string textOf(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

// The highest need among everything inside of types and attributes. Of parts that need the same
// the outermost is named: inner ones of other dialects cannot be read alone ("#sdy.dim_mapping" of
// a sharding rule prints as a letter).
class NeedCollector {
 public:
  NeedCollector() {
    walker_.addWalk([this](mlir::Type type) {
      if (vhlo::firstVersion(type) > need_.version)
        need_ = {vhlo::firstVersion(type), fmt::format("has the type {}", textOf(type))};
    });
    walker_.addWalk([this](mlir::Attribute attribute) {
      if (attribute.getDialect().getNamespace() != "vhlo" && kMixedDialects > need_.version)
        need_ = {kMixedDialects, fmt::format("has an attribute of another dialect, {}",
                                             textOf(attribute))};
      if (vhlo::firstVersion(attribute) > need_.version)
        need_ = {vhlo::firstVersion(attribute),
                 fmt::format("has the attribute {}", textOf(attribute))};
    });
  }
  template <typename T>
  void add(T value) {
    if (value) walker_.walk<mlir::WalkOrder::PreOrder>(value);
  }
  VersionNeed take() { return std::move(need_); }

 private:
  mlir::AttrTypeWalker walker_;
  VersionNeed need_;
};

mlir::Type elementType(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<vhlo::RankedTensorV1Type>(type)) return tensor.getElementType();
  if (auto tensor = mlir::dyn_cast<vhlo::UnrankedTensorV1Type>(type))
    return tensor.getElementType();
  return {};
}

// Since 0.17.0 reductions may answer in a wider type than they take.
bool widens(const PortableOperation& operation) {
  const OperationFacts* facts = operationFacts(
      ("stablehlo." + llvm::StringRef(operation.name).rsplit("_v").first).str());
  if (!facts || !facts->mayWiden) return false;
  const size_t count = std::min(operation.operandTypes.size(), operation.resultTypes.size());
  for (size_t i = 0; i < count; ++i)
    if (elementType(operation.operandTypes[i]) != elementType(operation.resultTypes[i]))
      return true;
  return false;
}

// Since 1.3.0 a custom call may carry a dictionary and be of the typed interface.
bool callsTypedInterface(const PortableOperation& operation) {
  if (operation.name != "custom_call_v1") return false;
  auto version = mlir::dyn_cast_or_null<vhlo::CustomCallApiVersionV1Attr>(
      operation.attributes.get("api_version"));
  return mlir::isa_and_nonnull<vhlo::DictionaryV1Attr>(
             operation.attributes.get("backend_config")) ||
         (version && version.getValue() == vhlo::CustomCallApiVersionV1::API_VERSION_TYPED_FFI);
}

}  // namespace

VersionNeed typeNeed(mlir::Type type) {
  NeedCollector collector;
  collector.add(type);
  return collector.take();
}

VersionNeed attributeNeed(mlir::Attribute attribute) {
  NeedCollector collector;
  collector.add(attribute);
  return collector.take();
}

VersionNeed contentNeed(const PortableOperation& operation) {
  NeedCollector collector;
  for (mlir::Type type : operation.operandTypes) collector.add(type);
  for (mlir::Type type : operation.resultTypes) collector.add(type);
  for (mlir::NamedAttribute attribute : operation.attributes) collector.add(attribute.getValue());
  VersionNeed need = collector.take();
  auto raise = [&](bool uses, StablehloVersion version, const char* reason) {
    if (uses && version > need.version) need = {version, reason};
  };
  raise(widens(operation), {0, 17, 0}, "has a result type that differs from its operand's");
  raise(callsTypedInterface(operation), {1, 3, 0},
        "has a backend_config that is a dictionary, or API_VERSION_TYPED_FFI");
  return need;
}

}  // namespace vintage::golden::program
