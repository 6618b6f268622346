// StableHLO's enumerations and structured attributes, in upstream's text.
#pragma once

#include <cstdint>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "golden/dialects/stablehlo/StablehloEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloAttrs.h.inc"

namespace mlir::stablehlo {

// Reads array<i64: …> and one-dimensional dense<…> of i64; none for a null
// attribute.
llvm::SmallVector<int64_t> dimensionsOf(Attribute attribute);
// Reads array<i1: …> and one-dimensional dense<…> of i1.
llvm::SmallVector<bool> booleansOf(Attribute attribute);

// `[0, 1]`, also for the declarative formats in StablehloAttrs.td.
FailureOr<llvm::SmallVector<int64_t>> parseDimensionList(AsmParser& parser);
void printDimensionList(AsmPrinter& printer, llvm::ArrayRef<int64_t> dimensions);

// `[b, 0, f]x[0, i, o]->[b, 0, f]`, without the angle brackets.
FailureOr<ConvDimensionNumbersAttr> parseConvolutionDimensions(AsmParser& parser);
void printConvolutionDimensions(AsmPrinter& printer, ConvDimensionNumbersAttr numbers);

// The predicates behind the attribute constraints (StablehloAttrs.td).
bool isDimensions(Attribute attribute);
bool isBooleans(Attribute attribute);
bool isReplicaGroups(Attribute attribute);
bool isInteger(Attribute attribute, unsigned width, int64_t minimum);
bool isArrayOfPrecision(Attribute attribute);
bool isArrayOfSymbols(Attribute attribute);
bool isArrayOfLayouts(Attribute attribute);
bool isArrayOfTilings(Attribute attribute);
bool isArrayOfOutputOperandAliases(Attribute attribute);

}  // namespace mlir::stablehlo
