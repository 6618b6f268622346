// Upgrades and downgrades of single portable (VHLO) operations.
#pragma once

#include <string>

#include "golden/base/stablehlo_version.h"
#include "golden/program/portable_attributes.h"
#include "mlir/IR/OperationSupport.h"

namespace vintage::golden {

// The parts of an operation that a version step may read and change. Operands and regions stay.
struct PortableOperation {
  std::string name;  // "gather_v1"
  mlir::NamedAttrList attributes;
  llvm::SmallVector<mlir::Type> operandTypes, resultTypes;  // Portable ones.
  unsigned regionCount = 0;
};

// Brings an operation of any release to its form in the current one.
void upgradeOperation(PortableOperation& operation, PortableAttributes& translator);

// The lowest version that can hold this operation, and why not a lower one.
struct VersionNeed {
  StablehloVersion version = kOldestStablehloVersion;
  std::string reason;  // "has an algorithm"; empty at the oldest.
};

// Brings an operation of the current version down to `target`, and says what
// it would have needed where that is impossible: then `need.version` is above
// `target` and the operation is left half way.
VersionNeed downgradeOperation(PortableOperation& operation, StablehloVersion target,
                               PortableAttributes& translator);

// The lowest version that can hold an operation of the current version, by the same rules.
VersionNeed versionNeedOf(PortableOperation operation, PortableAttributes& translator);

// Since when operations, types and attributes of other dialects (sdy.mesh, …)
// may stand in an artifact. Upstream's version log says 1.11.0; artifacts of
// 1.10.9 hold them already.
inline constexpr StablehloVersion kMixedDialects{1, 10, 9};

// Over a type and everything inside.
VersionNeed typeNeed(mlir::Type type);

}  // namespace vintage::golden
