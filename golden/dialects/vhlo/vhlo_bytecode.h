// The portable encoding of VHLO's attributes and types: a code, then fields in
// a fixed order. Codes and layouts are upstream's (VhloBytecode.cpp) and never
// change meaning; new ones are added at the end.
//
// The bytes are not trusted: every combination that a constructor could trip
// over is refused, with a diagnostic, by a null attribute or type.
#pragma once

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::vhlo {

Attribute readAttributeBytecode(DialectBytecodeReader& reader, MLIRContext* context);
Type readTypeBytecode(DialectBytecodeReader& reader, MLIRContext* context);
// Fails for what is not VHLO's.
LogicalResult writeAttributeBytecode(Attribute attribute, DialectBytecodeWriter& writer);
LogicalResult writeTypeBytecode(Type type, DialectBytecodeWriter& writer);

}  // namespace mlir::vhlo
