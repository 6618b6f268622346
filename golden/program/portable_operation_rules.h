// What StableHLO's operations and their portable (VHLO) forms do differently:
// names, structured attributes that VHLO keeps in parts, and attributes that
// StableHLO leaves out at their default while VHLO always has them.
#pragma once

#include <optional>
#include <string>

#include "golden/program/portable_attributes.h"
#include "golden/program/room.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

namespace vintage::golden::program {

// "func.func" to "func_v1", "stablehlo.gather" to "gather_v2", in the current
// version; nothing where VHLO has no such operation.
std::optional<std::string> portableOperationName(mlir::OperationName name);

// "vhlo.gather_v2" to "gather"; nothing where the name has no version.
llvm::StringRef unversionedName(llvm::StringRef portableName);

// "gather" to "stablehlo.gather", "func" to "func.func".
std::string workingOperationName(llvm::StringRef unversioned, bool returnsFromFunction);

// Attributes of one operation in the current version, between both forms.
// `unversioned` is "gather" or "func". False: `problem` says which attribute
// could not be translated.
bool attributesFromPortable(llvm::StringRef unversioned, PortableAttributes& translator,
                            const mlir::NamedAttrList& portable, mlir::NamedAttrList& working,
                            std::string& problem);
bool attributesToPortable(llvm::StringRef unversioned, PortableAttributes& translator,
                          const mlir::NamedAttrList& working, mlir::NamedAttrList& portable,
                          std::string& problem);

}  // namespace vintage::golden::program
