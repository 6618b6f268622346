#include "golden/program/vhlo_from_stablehlo.h"

#include <fmt/format.h>

#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/portable_attributes.h"
#include "golden/program/version_conversion.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Location.h"

namespace vintage::golden {

namespace vhlo = mlir::vhlo;

bool isOwnDialect(mlir::Operation& operation) {
  const llvm::StringRef dialect = operation.getName().getDialectNamespace();
  return dialect == "stablehlo" || dialect == "func";
}

bool VhloFromStablehlo::isForeign(mlir::Operation& operation) {
  return !isOwnDialect(operation) && target_ >= kMixedDialects;
}

mlir::Location VhloFromStablehlo::translateLocation(mlir::Location location) {
  if (!keepLocations_) return mlir::UnknownLoc::get(location.getContext());
  // Ranges of columns came with 1.8.4; before, a location was one place.
  constexpr StablehloVersion kLocationRanges{1, 8, 4};
  if (target_ >= kLocationRanges) return location;
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](mlir::FileLineColRange range) -> std::optional<mlir::Attribute> {
    return mlir::FileLineColLoc::get(range.getFilename(), range.getStartLine(),
                                     range.getStartColumn());
  });
  return mlir::cast<mlir::Location>(replacer.replace(mlir::LocationAttr(location)));
}

void VhloFromStablehlo::orderUsesAsUpstream(mlir::ModuleOp portable) const {
  llvm::SmallVector<mlir::Operation*> rebuilt;
  portable.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* operation) {
    const llvm::StringRef name = operation->getName().stripDialect();
    if (operation->getName().getDialectNamespace() == "vhlo" &&
        vhlo::operationVersions(name).maximum < kCurrentStablehloVersion)
      rebuilt.push_back(operation);
  });
  for (mlir::Operation* operation : rebuilt)
    for (mlir::OpOperand& operand : operation->getOpOperands()) operand.set(operand.get());
}

bool portableForm(mlir::Operation& operation, PortableTypes& types, PortableAttributes& attributes,
                  PortableOperation& portable, std::string& problem) {
  const std::optional<std::string> name = portableOperationName(operation.getName());
  if (!name) {
    problem = "has no portable form";
    return false;
  }
  portable.name = *name;
  portable.regionCount = operation.getNumRegions();
  auto translate = [&](mlir::TypeRange working, llvm::SmallVectorImpl<mlir::Type>& translated) {
    for (mlir::Type type : working) {
      translated.push_back(types.toPortable(type));
      if (translated.back()) continue;
      llvm::raw_string_ostream(problem)
          << "has the type " << type << ", which has no portable form";
      return false;
    }
    return true;
  };
  if (!translate(operation.getOperandTypes(), portable.operandTypes) ||
      !translate(operation.getResultTypes(), portable.resultTypes))
    return false;
  const mlir::NamedAttrList working(operation.getAttrDictionary());
  if (!attributesToPortable(unversionedName(*name), attributes, working, portable.attributes,
                            problem)) {
    problem = fmt::format("cannot be written: {}", problem);
    return false;
  }
  return true;
}

bool VhloFromStablehlo::translateOperation(mlir::Operation& from, mlir::OperationState& to) {
  if (!isOwnDialect(from)) {
    return fail(
        from, fmt::format("is of another dialect, which needs StableHLO {}; the target is {}",
                          formatStablehloVersion(kMixedDialects), formatStablehloVersion(target_)));
  }
  PortableOperation operation;
  std::string problem;
  if (!portableForm(from, types_, attributes_, operation, problem)) return fail(from, problem);
  const VersionNeed need = downgradeOperation(operation, target_, attributes_);
  if (need.version > target_) {
    return fail(from, fmt::format("{}, which needs StableHLO {}; the target is {}", need.reason,
                                  formatStablehloVersion(need.version),
                                  formatStablehloVersion(target_)));
  }
  to.name = mlir::OperationName("vhlo." + operation.name, from.getContext());
  to.attributes = std::move(operation.attributes);
  return true;
}

}  // namespace vintage::golden
