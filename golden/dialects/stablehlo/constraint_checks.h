// Checks that the verifiers of the operations share. A message names the broken constraint of the
// StableHLO specification by its label, operation_cN, and the values that break it.
//
// Unknown dimensions agree with everything, and quantized elements with their expressed type: a
// verifier rejects only a certain error.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

namespace mlir::stablehlo {

// A constraint of the specification: reshape_c2 has the number 2.
struct Constraint {
  Operation* operation;
  unsigned number;
};

// Starts "'stablehlo.reshape' op [reshape_c2] ".
InFlightDiagnostic violation(Constraint constraint);

using Shape = SmallVector<int64_t>;

// "2x?x3", or "scalar" where there are no dimensions.
std::string shapeText(ArrayRef<int64_t> shape);
// "[0, 2]"
std::string listText(ArrayRef<int64_t> values);

inline bool isKnown(int64_t size) { return !ShapedType::isDynamic(size); }
inline bool sizesAgree(int64_t a, int64_t b) { return a == b || !isKnown(a) || !isKnown(b); }
bool shapesAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b);

// For ranked tensors and memrefs, which the constraints on operands guarantee.
ArrayRef<int64_t> shapeOf(Type type);
int64_t rankOf(Type type);
Type elementOf(Type type);
// The element type, or the float that a quantized one stands for.
Type expressedElementOf(Type type);
// The bits of one element; 0 where they are not fixed.
unsigned bitsOf(Type element);
bool elementsAgree(Type a, Type b);
// Types agree: elements and shapes do, or they are the same other type.
bool typesAgree(Type a, Type b);
// Whether a body may compute in `to` on elements `from`: the same kind, not narrower.
bool isPromotable(Type from, Type to);

// For a static shape; nullopt where it overflows.
std::optional<int64_t> elementCount(ArrayRef<int64_t> shape);

Shape joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b);
// The sizes but for those of `dimensions`.
Shape without(ArrayRef<int64_t> sizes, ArrayRef<int64_t> dimensions);

// Checks of one constraint. `name` is the specification's word for what is checked.
LogicalResult checkSameElements(Constraint constraint, StringRef name, Type a, StringRef otherName,
                                Type b);
LogicalResult checkSameType(Constraint constraint, StringRef name, Type a, StringRef otherName,
                            Type b);
LogicalResult checkSameRank(Constraint constraint, StringRef name, Type a, StringRef otherName,
                            Type b);
// All have the shape of the first; `name` is a plural.
LogicalResult checkSameShapes(Constraint constraint, StringRef name, TypeRange types);
LogicalResult checkScalarOrSameShape(Constraint constraint, StringRef name, Type a,
                                     StringRef otherName, Type b);
LogicalResult checkRank(Constraint constraint, StringRef name, int64_t expected, Type found);
LogicalResult checkShape(Constraint constraint, StringRef name, ArrayRef<int64_t> expected,
                         ArrayRef<int64_t> found);
// The same of all results, where it is known what they must have.
LogicalResult checkResultShapes(Constraint constraint, FailureOr<Shape> expected);
LogicalResult checkSize(Constraint constraint, StringRef name, int64_t expected, int64_t found);
LogicalResult checkWithin(Constraint constraint, StringRef name, ArrayRef<int64_t> values,
                          int64_t limit);
LogicalResult checkUnique(Constraint constraint, StringRef name, ArrayRef<int64_t> values);
LogicalResult checkSorted(Constraint constraint, StringRef name, ArrayRef<int64_t> values);
LogicalResult checkPositive(Constraint constraint, StringRef name, ArrayRef<int64_t> values);
LogicalResult checkNotNegative(Constraint constraint, StringRef name, ArrayRef<int64_t> values);

// Constraints 1 to 5 that broadcast_in_dim and dynamic_broadcast_in_dim share.
LogicalResult checkBroadcastInDim(Operation* operation, Type operand, ArrayRef<int64_t> dimensions,
                                  Type result);

// The types of the values that a region returns; nullopt where it has no terminator, which MLIR
// reports by itself.
std::optional<TypeRange> yieldedTypes(Region& region);

LogicalResult checkArgumentCount(Constraint constraint, StringRef name, Region& region,
                                 size_t count);
LogicalResult checkGivesPredicate(Constraint constraint, StringRef name, Region& region);
// A body that combines scalars. It takes one argument for each of `arguments`, of rank 0 and with
// elements that these can be promoted to. It gives `results` scalars with the elements of its first
// arguments.
LogicalResult checkReducer(Constraint constraint, StringRef name, Region& region,
                           ArrayRef<Type> arguments, size_t results);

// All operands and the one result have the same shape and elements (operation_c1).
LogicalResult verifySameTypes(Operation* operation);
// verifySameTypes of most, and the constraints of convert, real, imag,
// uniform_quantize and uniform_dequantize, whose elements differ.
LogicalResult verifyUnary(Operation* operation);

// Windows that slide over a tensor: convolution, reduce_window and
// select_and_scatter.

// One entry for each windowed dimension. An absent attribute means no striding,
// dilation or padding.
struct Window {
  Shape sizes, strides, baseDilations, windowDilations;
  SmallVector<std::pair<int64_t, int64_t>> padding;  // low, high
};

// Numbers of the constraints on each part, which differ between operations.
struct WindowConstraints {
  unsigned stridesSize, stridesPositive;
  unsigned baseDilationsSize, baseDilationsPositive;
  unsigned windowDilationsSize, windowDilationsPositive;
  unsigned padding;
};

// `rank` is the number of windowed dimensions; `window.sizes` is set by the caller.
LogicalResult readWindow(Operation* operation, const WindowConstraints& numbers, int64_t rank,
                         Attribute strides, Attribute baseDilations, Attribute windowDilations,
                         DenseIntElementsAttr padding, Window& window);

// How many places the window takes in each dimension of `shape`; unknown where a size is.
// Fails where a size overflows.
FailureOr<Shape> windowedShape(Constraint constraint, ArrayRef<int64_t> shape,
                               const Window& window);

}  // namespace mlir::stablehlo
