// The predicates behind the type constraints of the operations (StablehloBase.td).
#pragma once

#include "mlir/IR/Types.h"

namespace mlir::stablehlo {

// Kinds of tensor elements; masks are made with |.
enum ElementKind : unsigned {
  kBool = 1,
  kSignlessInteger = 2,   // si2 … si64 of the specification; i1 is kBool.
  kUnsignedInteger = 4,   // ui2 … ui64
  kFloat = 8,             // Every float of the specification, f4E2M1FN to f64.
  kComplex = 16,          // Of f32 or f64.
  kPerTensorQuantized = 32,
  kPerAxisQuantized = 64,
  kIndex = 128,
};

// Zero for an element type that StableHLO does not know.
unsigned elementKind(Type element);

// `elements` is a mask. Quantization per axis must fit the shape.
bool isRankedTensorOf(Type type, unsigned elements);
bool isTensorOfRank(Type type, int64_t rank, unsigned elements);
bool isStaticTensorOfRank(Type type, int64_t rank, unsigned elements);
bool isTensorOfInteger32(Type type);
bool isTensorOfUnsigned32(Type type);
bool isTensorOfFloat32Or64(Type type);

// Kinds of values.
enum ValueKind : unsigned {
  kTensorValue = 1,    // Ranked, any element kind but index.
  kTokenValue = 2,
  kTupleValue = 4,     // Of any of these, nested.
  kBufferValue = 8,    // memref
  kFutureValue = 16,
  kUnrankedValue = 32,
};

bool isValueOf(Type type, unsigned kinds);

}  // namespace mlir::stablehlo
