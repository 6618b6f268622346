// The predicates behind the constraints on types and attributes, and the readers of attributes
// that occur in two forms.
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::stablehlo {
namespace {

constexpr unsigned kTensorElements = kAny | kPerAxisQuantized;

unsigned integerKind(IntegerType type) {
  if (type.getWidth() == 1) return type.isSignless() ? kBool : 0;
  if (!llvm::is_contained({2u, 4u, 8u, 16u, 32u, 64u}, type.getWidth())) return 0;
  return type.isSignless() ? kSignlessInteger : type.isUnsigned() ? kUnsignedInteger : 0;
}

bool isKnownFloat(Type type) {
  return isa<Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType, Float8E3M4Type, Float8E4M3Type,
             Float8E4M3B11FNUZType, Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType, Float8E8M0FNUType, Float16Type, BFloat16Type, Float32Type,
             Float64Type>(type);
}

// The storage type of quantized elements is one of the plain integers.
bool hasKnownStorage(quant::QuantizedType type) {
  auto storage = dyn_cast<IntegerType>(type.getStorageType());
  return storage && integerKind(IntegerType::get(storage.getContext(), storage.getWidth())) ==
                        kSignlessInteger;
}

// Elements that are quantized per axis name a dimension of their tensor and have
// a scale for each of its indices.
bool fitsItsAxis(RankedTensorType tensor) {
  auto quantized = dyn_cast<quant::UniformQuantizedPerAxisType>(tensor.getElementType());
  if (!quantized) return true;
  const int64_t axis = quantized.getQuantizedDimension();
  if (axis < 0 || axis >= tensor.getRank()) return false;
  const int64_t size = tensor.getDimSize(axis);
  return ShapedType::isDynamic(size) || size == static_cast<int64_t>(quantized.getScales().size());
}

// A one-dimensional dense<…> of integers of `width` bits, or null.
DenseIntElementsAttr vectorOf(Attribute attribute, unsigned width) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  if (!elements || elements.getType().getRank() != 1 ||
      !elements.getElementType().isSignlessInteger(width))
    return nullptr;
  return elements;
}

}  // namespace

unsigned elementKind(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element)) return integerKind(integer);
  if (isKnownFloat(element)) return kFloat;
  if (auto complex = dyn_cast<ComplexType>(element))
    return isa<Float32Type, Float64Type>(complex.getElementType()) ? kComplex : 0;
  if (isa<IndexType>(element)) return kIndex;
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    if (!hasKnownStorage(quantized)) return 0;
    if (isa<quant::UniformQuantizedType>(quantized)) return kPerTensorQuantized;
    if (isa<quant::UniformQuantizedPerAxisType>(quantized)) return kPerAxisQuantized;
  }
  return 0;
}

bool isTensorOf(Type type, unsigned elements, int64_t rank, bool isStatic) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (elementKind(tensor.getElementType()) & elements) != 0 && fitsItsAxis(tensor) &&
         (rank == -1 || tensor.getRank() == rank) && (!isStatic || tensor.hasStaticShape());
}

bool isValueOf(Type type, unsigned kinds) {
  if (isTensorOf(type, kTensorElements)) return kinds & kTensorValue;
  if (auto tensor = dyn_cast<UnrankedTensorType>(type))
    return (kinds & kUnrankedValue) && (elementKind(tensor.getElementType()) & kTensorElements);
  if (isa<TokenType>(type)) return kinds & kTokenValue;
  if (auto buffer = dyn_cast<MemRefType>(type))
    return (kinds & kBufferValue) && (elementKind(buffer.getElementType()) & kTensorElements);
  if (isa<FutureType>(type)) return kinds & kFutureValue;
  if (auto tuple = dyn_cast<TupleType>(type))
    return (kinds & kTupleValue) && llvm::all_of(tuple.getTypes(), [](Type element) {
             return isValueOf(
                 element, kTensorValue | kTokenValue | kTupleValue | kBufferValue | kUnrankedValue);
           });
  return false;
}

SmallVector<int64_t> dimensionsOf(Attribute attribute) {
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return SmallVector<int64_t>(array.asArrayRef());
  if (auto elements = vectorOf(attribute, 64))
    return SmallVector<int64_t>(elements.getValues<int64_t>());
  return {};
}

SmallVector<bool> booleansOf(Attribute attribute) {
  if (auto array = dyn_cast_or_null<DenseBoolArrayAttr>(attribute))
    return SmallVector<bool>(array.asArrayRef());
  if (auto elements = vectorOf(attribute, 1)) return SmallVector<bool>(elements.getValues<bool>());
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

bool isLayout(Attribute attribute) {
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  return elements && elements.getType().getRank() == 1 && elements.getElementType().isIndex();
}

}  // namespace mlir::stablehlo
