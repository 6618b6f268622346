// The predicates behind the attribute constraints, and the readers of attributes
// that occur in two forms.
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::stablehlo {
namespace {

// A one-dimensional dense<…> of integers of `width` bits, or null.
DenseIntElementsAttr vectorOf(Attribute attribute, unsigned width) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  if (!elements || elements.getType().getRank() != 1 ||
      !elements.getElementType().isSignlessInteger(width))
    return nullptr;
  return elements;
}

template <typename Predicate>
bool isArrayWhere(Attribute attribute, Predicate predicate) {
  auto array = dyn_cast<ArrayAttr>(attribute);
  return array && llvm::all_of(array, predicate);
}

bool isLayout(Attribute attribute) {
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  return elements && elements.getType().getRank() == 1 && elements.getElementType().isIndex();
}

}  // namespace

llvm::SmallVector<int64_t> dimensionsOf(Attribute attribute) {
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return llvm::SmallVector<int64_t>(array.asArrayRef());
  if (auto elements = vectorOf(attribute, 64))
    return llvm::SmallVector<int64_t>(elements.getValues<int64_t>());
  return {};
}

llvm::SmallVector<bool> booleansOf(Attribute attribute) {
  if (auto array = dyn_cast_or_null<DenseBoolArrayAttr>(attribute))
    return llvm::SmallVector<bool>(array.asArrayRef());
  if (auto elements = vectorOf(attribute, 1))
    return llvm::SmallVector<bool>(elements.getValues<bool>());
  return {};
}

bool isDimensions(Attribute attribute) {
  return isa<DenseI64ArrayAttr>(attribute) || vectorOf(attribute, 64);
}

bool isBooleans(Attribute attribute) {
  return isa<DenseBoolArrayAttr>(attribute) || vectorOf(attribute, 1);
}

bool isReplicaGroups(Attribute attribute) {
  if (isa<ReplicaGroupMeshAxesAttr>(attribute)) return true;
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  return elements && elements.getElementType().isSignlessInteger(64);
}

bool isInteger(Attribute attribute, unsigned width, int64_t minimum) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isSignlessInteger(width) && integer.getInt() >= minimum;
}

bool isArrayOfPrecision(Attribute attribute) {
  return isArrayWhere(attribute, [](Attribute element) { return isa<PrecisionAttr>(element); });
}

bool isArrayOfSymbols(Attribute attribute) {
  return isArrayWhere(attribute, [](Attribute element) { return isa<FlatSymbolRefAttr>(element); });
}

bool isArrayOfLayouts(Attribute attribute) { return isArrayWhere(attribute, isLayout); }

bool isArrayOfTilings(Attribute attribute) { return isArrayWhere(attribute, isArrayOfLayouts); }

bool isArrayOfOutputOperandAliases(Attribute attribute) {
  return isArrayWhere(attribute,
                      [](Attribute element) { return isa<OutputOperandAliasAttr>(element); });
}

}  // namespace mlir::stablehlo
