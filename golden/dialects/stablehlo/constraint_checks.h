// What the verifiers of the operations share. A verifier names the constraint of
// the StableHLO specification that is broken by its label, operation_cN, and
// tells the values that break it.
//
// Unknown dimensions agree with everything, and quantized elements with their
// expressed type, so that only what is certainly wrong is rejected.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

namespace mlir::stablehlo {

// Starts "'stablehlo.reshape' op [reshape_c2] "; `number` is 2.
InFlightDiagnostic violation(Operation* operation, unsigned number);

using Shape = llvm::SmallVector<int64_t>;

// "2x?x3", or "scalar" where there are no dimensions.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
// "[0, 2]"
std::string listText(llvm::ArrayRef<int64_t> values);

inline bool isKnown(int64_t size) { return !ShapedType::isDynamic(size); }
inline bool sizesAgree(int64_t a, int64_t b) { return a == b || !isKnown(a) || !isKnown(b); }
bool shapesAgree(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

// For ranked tensors and memrefs, which the constraints on operands guarantee.
llvm::ArrayRef<int64_t> shapeOf(Type type);
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
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

Shape joined(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
// The sizes but for those of `dimensions`.
Shape without(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> dimensions);

// Checks of one constraint. `name` is the specification's word for what is checked.
LogicalResult checkSameElements(Operation* operation, unsigned number, llvm::StringRef name, Type a,
                                llvm::StringRef otherName, Type b);
LogicalResult checkSameType(Operation* operation, unsigned number, llvm::StringRef name, Type a,
                            llvm::StringRef otherName, Type b);
LogicalResult checkSameRank(Operation* operation, unsigned number, llvm::StringRef name, Type a,
                            llvm::StringRef otherName, Type b);
// All have the shape of the first; `name` is a plural.
LogicalResult checkSameShapes(Operation* operation, unsigned number, llvm::StringRef name,
                              TypeRange types);
LogicalResult checkScalarOrSameShape(Operation* operation, unsigned number, llvm::StringRef name,
                                     Type a, llvm::StringRef otherName, Type b);
LogicalResult checkRank(Operation* operation, unsigned number, llvm::StringRef name,
                        int64_t expected, Type found);
LogicalResult checkShape(Operation* operation, unsigned number, llvm::StringRef name,
                         llvm::ArrayRef<int64_t> expected, llvm::ArrayRef<int64_t> found);
// The same of all results, where it is known what they must have.
LogicalResult checkResultShapes(Operation* operation, unsigned number, FailureOr<Shape> expected);
LogicalResult checkSize(Operation* operation, unsigned number, llvm::StringRef name,
                        int64_t expected, int64_t found);
LogicalResult checkWithin(Operation* operation, unsigned number, llvm::StringRef name,
                          llvm::ArrayRef<int64_t> values, int64_t limit);
LogicalResult checkUnique(Operation* operation, unsigned number, llvm::StringRef name,
                          llvm::ArrayRef<int64_t> values);
LogicalResult checkSorted(Operation* operation, unsigned number, llvm::StringRef name,
                          llvm::ArrayRef<int64_t> values);
LogicalResult checkPositive(Operation* operation, unsigned number, llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);
LogicalResult checkNotNegative(Operation* operation, unsigned number, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> values);

// Constraints 1 to 5 that broadcast_in_dim and dynamic_broadcast_in_dim share.
LogicalResult checkBroadcastInDim(Operation* operation, Type operand,
                                  llvm::ArrayRef<int64_t> dimensions, Type result);

// What a region's terminator gives; nullopt where the region has no terminator,
// which MLIR reports by itself.
std::optional<TypeRange> yieldedTypes(Region& region);

LogicalResult checkArgumentCount(Operation* operation, unsigned number, llvm::StringRef name,
                                 Region& region, size_t count);
LogicalResult checkGivesPredicate(Operation* operation, unsigned number, llvm::StringRef name,
                                  Region& region);
// A body that combines scalars: takes one argument for each of `arguments`, of
// rank 0 and with elements that these can be promoted to, and gives scalars of
// the elements that its first arguments have, `results` of them.
LogicalResult checkReducer(Operation* operation, unsigned number, llvm::StringRef name,
                           Region& region, llvm::ArrayRef<Type> arguments, size_t results);

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
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;  // low, high
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
// Fails, with constraint `number`, where a size overflows.
FailureOr<Shape> windowedShape(Operation* operation, unsigned number,
                               llvm::ArrayRef<int64_t> shape, const Window& window);

}  // namespace mlir::stablehlo
