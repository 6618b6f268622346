#include "golden/program/version_conversion.h"

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/program.h"
#include "golden/program/program_module.h"
#include "golden/program/vhlo_from_stablehlo.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Support/DebugStringHelper.h"

namespace vintage::golden {
namespace {

namespace vhlo = mlir::vhlo;

// The highest need among everything inside of types and attributes. Of parts that need the same
// the outermost is named: inner ones of other dialects cannot be read alone ("#sdy.dim_mapping" of
// a sharding rule prints as a letter).
class NeedCollector {
 public:
  NeedCollector() {
    walker_.addWalk([this](mlir::Type type) {
      if (vhlo::firstVersion(type) > need_.version)
        need_ = {vhlo::firstVersion(type), fmt::format("has the type {}", mlir::debugString(type))};
    });
    walker_.addWalk([this](mlir::Attribute attribute) {
      if (attribute.getDialect().getNamespace() != "vhlo" && kMixedDialects > need_.version)
        need_ = {kMixedDialects, fmt::format("has an attribute of another dialect, {}",
                                             mlir::debugString(attribute))};
      if (vhlo::firstVersion(attribute) > need_.version)
        need_ = {vhlo::firstVersion(attribute),
                 fmt::format("has the attribute {}", mlir::debugString(attribute))};
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

Result<Program::MinimumVersion> Program::minimumVersion() const {
  mlir::ModuleOp module = *implementation_->module;
  PortableTypes types(module.getContext());
  PortableAttributes attributes(module.getContext(), types);
  MinimumVersion minimum{kOldestStablehloVersion, ""};
  std::string problem;
  auto raise = [&](mlir::Operation& operation, const VersionNeed& need) {
    if (need.version > minimum.version)
      minimum = {need.version, fmt::format("{} {}", placeOf(operation), need.reason)};
  };

  module.walk([&](mlir::Operation* operation) {
    if (operation == module.getOperation()) return mlir::WalkResult::advance();
    if (!isOwnDialect(*operation)) {
      raise(*operation, {kMixedDialects, "is of another dialect"});
      return mlir::WalkResult::advance();
    }
    PortableOperation portable;
    if (!portableForm(*operation, types, attributes, portable, problem)) {
      problem = fmt::format("{} {}", placeOf(*operation), problem);
      return mlir::WalkResult::interrupt();
    }
    raise(*operation, versionNeedOf(std::move(portable), attributes));
    for (mlir::Region& region : operation->getRegions())
      for (mlir::Block& block : region)
        for (mlir::Type type : block.getArgumentTypes())
          raise(*operation, typeNeed(types.toPortable(type)));
    return mlir::WalkResult::advance();
  });
  if (!problem.empty()) return unsupported("{}: {}", implementation_->name, problem);
  return minimum;
}

}  // namespace vintage::golden
