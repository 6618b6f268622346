#include "golden/program/stablehlo_from_vhlo.h"

#include <fmt/format.h>

#include "golden/program/portable_operation_rules.h"
#include "golden/program/version_conversion.h"

namespace vintage::golden::program {

bool StablehloFromVhlo::isForeign(mlir::Operation& operation) {
  return operation.getName().getDialectNamespace() != "vhlo";
}

bool StablehloFromVhlo::translateOperation(mlir::Operation& from, mlir::OperationState& to) {
  if (!from.isRegistered())
    return fail(from, "is not an operation of any StableHLO version that this build knows");
  PortableOperation operation;
  operation.name = from.getName().stripDialect().str();
  operation.attributes = from.getAttrDictionary().getValue();
  upgradeOperation(operation, attributes_);

  const llvm::StringRef unversioned = unversionedName(operation.name);
  mlir::Operation* parent = from.getParentOp();
  const bool returnsFromFunction =
      parent && llvm::is_contained({"vhlo.func_v1", "func.func"}, parent->getName().getStringRef());
  const std::string name = workingOperationName(unversioned, returnsFromFunction);
  if (!mlir::RegisteredOperationName::lookup(name, from.getContext()))
    return fail(from, fmt::format("has no counterpart {} in this build", name));

  mlir::NamedAttrList working;
  std::string problem;
  if (!attributesFromPortable(unversioned, attributes_, operation.attributes, working, problem))
    return fail(from, fmt::format("cannot be read: {}", problem));
  to.name = mlir::OperationName(name, from.getContext());
  to.attributes = std::move(working);
  return true;
}

}  // namespace vintage::golden::program
