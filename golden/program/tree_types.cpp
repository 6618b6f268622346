#include "golden/program/tree_types.h"

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace vintage::golden {
using namespace mlir;

namespace {

std::optional<ElementType> integerType(IntegerType type) {
  return parseStablehloName(fmt::format("{}{}", type.isUnsigned() ? "ui" : "i", type.getWidth()));
}

std::string textOf(Type type) {
  std::string text;
  // Nearly all; MLIR's printer makes itself ready for whatever a type may hold.
  if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.getEncoding()) {
    const Type element = tensor.getElementType();
    const auto known = elementTypeOf(element);
    if (known && !element.isSignedInteger()) {
      for (int64_t size : tensor.getShape())
        text += ShapedType::isDynamic(size) ? "?x" : fmt::format("{}x", size);
      return fmt::format("tensor<{}{}>", text, stablehloName(*known));
    }
  }
  llvm::raw_string_ostream(text) << type;
  return text;
}

Quantization quantizationOf(quant::QuantizedType type) {
  Quantization result;
  const unsigned width = type.getStorageTypeIntegralWidth();
  IntegerType storage = IntegerType::get(
      type.getContext(), width, type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
  result.storage = integerType(storage).value_or(ElementType::kI8);
  result.expressed = elementTypeOf(type.getExpressedType()).value_or(ElementType::kF32);
  result.storageMin = type.getStorageTypeMin();
  result.storageMax = type.getStorageTypeMax();
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(type)) {
    result.scales = {perTensor.getScale()};
    result.zeroPoints = {perTensor.getZeroPoint()};
  } else if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    result.dimension = perAxis.getQuantizedDimension();
    result.scales.assign(perAxis.getScales().begin(), perAxis.getScales().end());
    result.zeroPoints.assign(perAxis.getZeroPoints().begin(), perAxis.getZeroPoints().end());
  }
  return result;
}

void setElement(ValueType& result, Type element) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    result.quantization = quantizationOf(quantized);
    result.element = result.quantization->storage;
  } else if (auto type = elementTypeOf(element)) {
    result.element = *type;
  } else {
    result.kind = ValueType::Kind::kOther;
  }
}

Shape shapeOf(ArrayRef<int64_t> dimensions) {
  Shape shape(dimensions.begin(), dimensions.end());
  for (int64_t& size : shape)
    if (ShapedType::isDynamic(size)) size = kDynamicDimension;
  return shape;
}

}  // namespace

std::optional<ElementType> elementTypeOf(Type type) {
  return TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](IntegerType integer) { return integerType(integer); })
      // MLIR's name of the class is "builtin.f8E4M3FN".
      .Case([](FloatType number) {
        return parseStablehloName(number.getAbstractType().getName().rsplit('.').second);
      })
      .Case([](ComplexType complex) -> std::optional<ElementType> {
        if (complex.getElementType().isF32()) return ElementType::kC64;
        if (complex.getElementType().isF64()) return ElementType::kC128;
        return std::nullopt;
      })
      .Default([](Type) { return std::nullopt; });
}

ValueType valueTypeOf(Type type) {
  using Kind = ValueType::Kind;
  ValueType result;
  result.text = textOf(type);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    result.shape = shapeOf(tensor.getShape());
    if (auto bounds = dyn_cast_or_null<stablehlo::TypeExtensionsAttr>(tensor.getEncoding()))
      result.bounds = shapeOf(bounds.getBounds());
    setElement(result, tensor.getElementType());
  } else if (auto unranked = dyn_cast<UnrankedTensorType>(type)) {
    result.kind = Kind::kUnrankedTensor;
    setElement(result, unranked.getElementType());
  } else if (auto buffer = dyn_cast<MemRefType>(type)) {
    result.kind = Kind::kBuffer;
    result.shape = shapeOf(buffer.getShape());
    setElement(result, buffer.getElementType());
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    result.kind = Kind::kTuple;
    for (Type element : tuple.getTypes()) result.elements.push_back(valueTypeOf(element));
  } else if (isa<stablehlo::TokenType>(type)) {
    result.kind = Kind::kToken;
  } else if (auto future = dyn_cast<stablehlo::FutureType>(type)) {
    result.kind = Kind::kFuture;
    for (Type element : future.getTypes()) result.elements.push_back(valueTypeOf(element));
  } else {
    result.kind = Kind::kOther;
  }
  return result;
}

Result<Tensor> tensorOf(ElementsAttr elements) {
  const ShapedType type = elements.getShapedType();
  const bool isIndex = type.getElementType().isIndex();
  const std::optional<ElementType> element =
      isIndex ? ElementType::kI64 : elementTypeOf(type.getElementType());
  if (!element || !type.hasStaticShape())
    return unsupported("a constant of type {} cannot be kept as an array", textOf(type));
  ASSIGN_OR_RETURN(auto tensor, Tensor::make(*element, shapeOf(type.getShape())));
  const std::span<std::byte> target = tensor.mutableBytes();
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    const size_t width = byteWidth(*element);
    if (bitWidth(*element) < 8 && !isFloat(*element)) {
      // MLIR packs predicates and keeps narrow integers in its own way.
      size_t index = 0;
      for (const APInt& value : dense.getValues<APInt>())
        target[index++] = static_cast<std::byte>(isSignedInteger(*element) ? value.getSExtValue()
                                                                           : value.getZExtValue());
      return tensor;
    }
    const ArrayRef<char> raw = dense.getRawData();
    if (dense.isSplat()) {
      for (size_t offset = 0; offset < target.size(); offset += width)
        std::memcpy(target.data() + offset, raw.data(), width);
      return tensor;
    }
    if (raw.size() == target.size()) {
      std::memcpy(target.data(), raw.data(), raw.size());
      return tensor;
    }
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    if (blob && blob->getData().size() == target.size()) {
      std::memcpy(target.data(), blob->getData().data(), target.size());
      return tensor;
    }
  }
  return unsupported(
      "the elements of a constant of type {} are kept in a form that is not read; write it as "
      "dense<…>",
      textOf(type));
}

}  // namespace vintage::golden
