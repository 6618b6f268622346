// Program::writePortableArtifact and Program::minimumVersion.
#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/module_translation.h"
#include "golden/program/portable_artifact.h"
#include "golden/program/portable_attributes.h"
#include "golden/program/program_module.h"
#include "golden/program/version_conversion.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Location.h"

namespace vintage::golden {
using namespace mlir;

namespace {

// Whether an operation belongs to StableHLO's own dialects.
bool isOwnDialect(mlir::Operation& operation) {
  const StringRef dialect = operation.getName().getDialectNamespace();
  return dialect == "stablehlo" || dialect == "func";
}

// An operation of StableHLO or func in its current portable form. False:
// `problem` says why it has none.
bool portableForm(mlir::Operation& operation, PortableTypes& types, PortableAttributes& attributes,
                  PortableOperation& portable, std::string& problem) {
  const std::optional<std::string> name = portableOperationName(operation.getName());
  if (!name) {
    problem = "has no portable form";
    return false;
  }
  portable.name = *name;
  portable.regionCount = operation.getNumRegions();
  for (auto [working, translated] :
       {std::pair(TypeRange(operation.getOperandTypes()), &portable.operandTypes),
        std::pair(TypeRange(operation.getResultTypes()), &portable.resultTypes)})
    for (Type type : working) {
      translated->push_back(types.toPortable(type));
      if (translated->back()) continue;
      llvm::raw_string_ostream(problem)
          << "has the type " << type << ", which has no portable form";
      return false;
    }
  const NamedAttrList working(operation.getAttrDictionary());
  if (!attributesToPortable(unversionedName(*name), attributes, working, portable.attributes,
                            problem)) {
    problem = fmt::format("cannot be written: {}", problem);
    return false;
  }
  return true;
}

// StableHLO to a portable (VHLO) module of a chosen release. Operations of other dialects
// (sdy.mesh, …) are copied where the target may hold them.
class VhloFromStablehlo : public ModuleTranslation {
 public:
  VhloFromStablehlo(MLIRContext* context, StablehloVersion target, bool keepLocations)
      : types_(context),
        attributes_(context, types_),
        target_(target),
        keepLocations_(keepLocations) {}

  // Puts the uses of values into the order that upstream's passes leave behind.
  // Bytecode from version 3 on records that order, so equal bytes depend on it:
  // there, an operation that is downgraded is built anew after all others.
  void orderUsesAsUpstream(ModuleOp portable) const {
    SmallVector<mlir::Operation*> rebuilt;
    portable.walk<WalkOrder::PreOrder>([&](mlir::Operation* operation) {
      const StringRef name = operation->getName().stripDialect();
      if (operation->getName().getDialectNamespace() == "vhlo" &&
          vhlo::operationVersions(name).maximum < kCurrentStablehloVersion)
        rebuilt.push_back(operation);
    });
    for (mlir::Operation* operation : rebuilt)
      for (OpOperand& operand : operation->getOpOperands()) operand.set(operand.get());
  }

 protected:
  Type translateType(Type type) override { return types_.toPortable(type); }
  bool isForeign(mlir::Operation& operation) override {
    return !isOwnDialect(operation) && target_ >= kMixedDialects;
  }
  bool keepsForeignTypes() const override { return true; }

  Location translateLocation(Location location) override {
    if (!keepLocations_) return UnknownLoc::get(location.getContext());
    // Ranges of columns came with 1.8.4; before, a location was one place.
    constexpr StablehloVersion kLocationRanges{1, 8, 4};
    if (target_ >= kLocationRanges) return location;
    AttrTypeReplacer replacer;
    replacer.addReplacement([](FileLineColRange range) -> std::optional<mlir::Attribute> {
      return FileLineColLoc::get(range.getFilename(), range.getStartLine(), range.getStartColumn());
    });
    return cast<Location>(replacer.replace(LocationAttr(location)));
  }

  bool translateOperation(mlir::Operation& from, OperationState& to) override {
    if (!isOwnDialect(from))
      return fail(
          from,
          fmt::format("is of another dialect, which needs StableHLO {}; the target is {}",
                      formatStablehloVersion(kMixedDialects), formatStablehloVersion(target_)));
    PortableOperation operation;
    std::string problem;
    if (!portableForm(from, types_, attributes_, operation, problem)) return fail(from, problem);
    const VersionNeed need = downgradeOperation(operation, target_, attributes_);
    if (need.version > target_)
      return fail(
          from, fmt::format("{}, which needs StableHLO {}; the target is {}", need.reason,
                            formatStablehloVersion(need.version), formatStablehloVersion(target_)));
    to.name = OperationName("vhlo." + operation.name, from.getContext());
    to.attributes = std::move(operation.attributes);
    return true;
  }

 private:
  PortableTypes types_;
  PortableAttributes attributes_;
  StablehloVersion target_;
  bool keepLocations_;
};

}  // namespace

Result<std::vector<std::byte>> Program::writePortableArtifact(StablehloVersion target,
                                                              const WriteOptions& options) const {
  const std::string& name = implementation_->name;
  if (target < kOldestStablehloVersion || target > kCurrentStablehloVersion)
    return usageError(
        "{}: cannot write a portable artifact of StableHLO {}; this build writes {} to {}.", name,
        formatStablehloVersion(target), formatStablehloVersion(kOldestStablehloVersion),
        formatStablehloVersion(kCurrentStablehloVersion));
  ModuleOp module = *implementation_->module;
  DiagnosticCollector diagnostics(*module.getContext());
  VhloFromStablehlo downgrade(module.getContext(), target, options.locations);
  OwningOpRef<ModuleOp> portable = downgrade.translate(module);
  if (!portable)
    return unsupported("{}: cannot be written as a portable artifact of StableHLO {}: {}.", name,
                       formatStablehloVersion(target), downgrade.problem());

  downgrade.orderUsesAsUpstream(*portable);
  const std::string producer = artifactProducer(target);
  BytecodeWriterConfig config(producer);
  config.setDesiredBytecodeVersion(mlirBytecodeVersion(target));
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(writeBytecodeToFile(*portable, stream, config)))
    return failure(Error::Kind::kUnsupported,
                   diagnostics.message(name, "the module could not be encoded"));
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return std::vector<std::byte>(data, data + text.size());
}

Result<Program::MinimumVersion> Program::minimumVersion() const {
  ModuleOp module = *implementation_->module;
  PortableTypes types(module.getContext());
  PortableAttributes attributes(module.getContext(), types);
  MinimumVersion minimum{kOldestStablehloVersion, ""};
  std::string problem;
  auto raise = [&](mlir::Operation& operation, const VersionNeed& need) {
    if (need.version > minimum.version)
      minimum = {need.version, fmt::format("{} {}", placeOf(operation), need.reason)};
  };

  module.walk([&](mlir::Operation* operation) {
    if (operation == module.getOperation()) return WalkResult::advance();
    if (!isOwnDialect(*operation)) {
      raise(*operation, {kMixedDialects, "is of another dialect"});
      return WalkResult::advance();
    }
    PortableOperation portable;
    if (!portableForm(*operation, types, attributes, portable, problem)) {
      problem = fmt::format("{} {}", placeOf(*operation), problem);
      return WalkResult::interrupt();
    }
    raise(*operation, versionNeedOf(std::move(portable), attributes));
    for (mlir::Region& region : operation->getRegions())
      for (mlir::Block& block : region)
        for (Type type : block.getArgumentTypes())
          raise(*operation, typeNeed(types.toPortable(type)));
    return WalkResult::advance();
  });
  if (!problem.empty()) return unsupported("{}: {}", implementation_->name, problem);
  return minimum;
}

}  // namespace vintage::golden
