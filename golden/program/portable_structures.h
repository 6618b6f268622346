// Attributes that StableHLO has in one piece and VHLO in parts: dimension numbers,
// algorithms, channels.
#pragma once

#include "golden/program/portable_attributes.h"
#include "golden/program/room.h"
#include "mlir/IR/OperationSupport.h"

namespace vintage::golden::program {

struct PortableStructure {
  llvm::StringRef attribute;  // StableHLO's name.
  StructureKind kind;
  llvm::SmallVector<llvm::StringRef, 10> parts;  // VHLO's names.
};

// Those of an operation, by its name without dialect and version.
llvm::SmallVector<PortableStructure, 2> structuresOf(llvm::StringRef operation);

// The structure from its parts; null where one is missing or is not what it should be.
mlir::Attribute readStructure(const PortableStructure& structure, PortableAttributes& translator,
                              const mlir::NamedAttrList& portable);
// Adds its parts. False: `whole` is not of the class expected.
bool writeStructure(const PortableStructure& structure, mlir::Attribute whole,
                    PortableAttributes& translator, mlir::NamedAttrList& portable);

}  // namespace vintage::golden::program
