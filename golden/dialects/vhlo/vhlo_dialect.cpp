#include "golden/dialects/vhlo/vhlo_dialect.h"

#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/module/operation_facts.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "golden/dialects/vhlo/VhloDialect.cpp.inc"
// Only their registration needs the classes of operations: artifacts are converted
// by the names of operations and attributes.
#define GET_OP_CLASSES
#include "golden/dialects/vhlo/VhloOps.h.inc"
#define GET_OP_CLASSES
#include "golden/dialects/vhlo/VhloOps.cpp.inc"

namespace mlir::vhlo {
namespace {

using vintage::kCurrentStablehloVersion;
using vintage::kOldestStablehloVersion;
using vintage::StablehloVersion;
using vintage::golden::OperationFacts;
using vintage::golden::operationFacts;

// None has been withdrawn.
template <typename... T>
StablehloVersion arrival(TypeID id, ClassList<T...>) {
  static const llvm::DenseMap<TypeID, StablehloVersion> arrivals = {
      {TypeID::get<T>(), T::kSince}...};
  return arrivals.lookup_or(id, kOldestStablehloVersion);
}

}  // namespace

void VhloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/vhlo/VhloOps.cpp.inc"
      >();
  registerAttributesAndTypes();
  registerBytecode();
}

VersionRange operationVersions(std::string_view name) {
  const auto [stem, number] = StringRef(name).rsplit("_v");
  const OperationFacts* facts = operationFacts(("stablehlo." + stem).str());
  if (!facts) return {kOldestStablehloVersion, kCurrentStablehloVersion};
  if (!facts->hasSecondForm()) return {facts->since, kCurrentStablehloVersion};
  StablehloVersion last = facts->secondSince;
  --last.minor;
  return number == "1" ? VersionRange{facts->since, last}
                       : VersionRange{facts->secondSince, kCurrentStablehloVersion};
}

std::string currentOperation(std::string_view name) {
  const OperationFacts* facts = operationFacts("stablehlo." + std::string(name));
  return std::string(name) + (facts && facts->hasSecondForm() ? "_v2" : "_v1");
}

StablehloVersion firstVersion(Type type) { return arrival(type.getTypeID(), TypeClasses()); }
StablehloVersion firstVersion(Attribute attribute) {
  return arrival(attribute.getTypeID(), AttributeClasses());
}

}  // namespace mlir::vhlo
