// StableHLO's types, enumerations and structured attributes, in upstream's text, and the predicates
// behind the constraints on types and attributes.
#pragma once

#include <cstdint>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/Types.h"

#include "golden/dialects/stablehlo/StablehloEnums.h.inc"

// !stablehlo.token and !stablehlo.future<…>.
#define GET_TYPEDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloAttrs.h.inc"

namespace mlir::stablehlo {

// Reads array<i64: …> and one-dimensional dense<…> of i64; none for a null
// attribute.
SmallVector<int64_t> dimensionsOf(Attribute attribute);
// Reads array<i1: …> and one-dimensional dense<…> of i1.
SmallVector<bool> booleansOf(Attribute attribute);

// `[0, 1]`
ParseResult parseDimensionList(AsmParser& parser, SmallVectorImpl<int64_t>& dimensions);
void printDimensionList(AsmPrinter& printer, ArrayRef<int64_t> dimensions);

// The predicates behind the attribute constraints (StablehloAttrs.td).
bool isDimensions(Attribute attribute);
bool isBooleans(Attribute attribute);
bool isReplicaGroups(Attribute attribute);
bool isInteger(Attribute attribute, unsigned width, int64_t minimum);
bool isLayout(Attribute attribute);

// The predicates behind the type constraints of the operations (StablehloBase.td).

// Kinds of tensor elements; masks are made with |.
enum ElementKind : unsigned {
  kBool = 1,
  kSignlessInteger = 2,  // si2 … si64 of the specification; i1 is kBool.
  kUnsignedInteger = 4,  // ui2 … ui64
  kFloat = 8,            // Every float of the specification, f4E2M1FN to f64.
  kComplex = 16,         // Of f32 or f64.
  kPerTensorQuantized = 32,
  kPerAxisQuantized = 64,
  kIndex = 128,
  kInteger = kSignlessInteger | kUnsignedInteger,
  kPlain = kBool | kInteger | kFloat | kComplex,
  kAny = kPlain | kPerTensorQuantized,
};

// Zero for an element type that StableHLO does not know.
unsigned elementKind(Type element);

// Whether `type` is a ranked tensor of `elements`, a mask; -1: of any rank. Quantization per axis
// must fit the shape.
bool isTensorOf(Type type, unsigned elements, int64_t rank = -1, bool isStatic = false);

// Kinds of values.
enum ValueKind : unsigned {
  kTensorValue = 1,  // Ranked, any element kind but index.
  kTokenValue = 2,
  kTupleValue = 4,   // Of any of these, nested.
  kBufferValue = 8,  // memref
  kFutureValue = 16,
  kUnrankedValue = 32,
};

bool isValueOf(Type type, unsigned kinds);

}  // namespace mlir::stablehlo
