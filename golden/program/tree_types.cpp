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
namespace {

std::optional<ElementType> integerType(mlir::IntegerType type) {
  return parseStablehloName(fmt::format("{}{}", type.isUnsigned() ? "ui" : "i", type.getWidth()));
}

std::string textOf(mlir::Type type) {
  std::string text;
  // Nearly all; MLIR's printer makes itself ready for whatever a type may hold.
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type); tensor && !tensor.getEncoding()) {
    const mlir::Type element = tensor.getElementType();
    const auto known = elementTypeOf(element);
    if (known && !element.isSignedInteger()) {
      for (int64_t size : tensor.getShape())
        text += mlir::ShapedType::isDynamic(size) ? "?x" : fmt::format("{}x", size);
      return fmt::format("tensor<{}{}>", text, stablehloName(*known));
    }
  }
  llvm::raw_string_ostream(text) << type;
  return text;
}

Quantization quantizationOf(mlir::quant::QuantizedType type) {
  Quantization result;
  const unsigned width = type.getStorageTypeIntegralWidth();
  mlir::IntegerType storage = mlir::IntegerType::get(
      type.getContext(), width,
      type.isSigned() ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned);
  result.storage = integerType(storage).value_or(ElementType::kI8);
  result.expressed = elementTypeOf(type.getExpressedType()).value_or(ElementType::kF32);
  result.storageMin = type.getStorageTypeMin();
  result.storageMax = type.getStorageTypeMax();
  if (auto perTensor = mlir::dyn_cast<mlir::quant::UniformQuantizedType>(type)) {
    result.scales = {perTensor.getScale()};
    result.zeroPoints = {perTensor.getZeroPoint()};
  } else if (auto perAxis = mlir::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(type)) {
    result.dimension = perAxis.getQuantizedDimension();
    result.scales.assign(perAxis.getScales().begin(), perAxis.getScales().end());
    result.zeroPoints.assign(perAxis.getZeroPoints().begin(), perAxis.getZeroPoints().end());
  }
  return result;
}

void setElement(ValueType& result, mlir::Type element) {
  if (auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(element)) {
    result.quantization = quantizationOf(quantized);
    result.element = result.quantization->storage;
  } else if (auto type = elementTypeOf(element)) {
    result.element = *type;
  } else {
    result.kind = ValueType::Kind::kOther;
  }
}

Shape shapeOf(llvm::ArrayRef<int64_t> dimensions) {
  Shape shape(dimensions.begin(), dimensions.end());
  for (int64_t& size : shape)
    if (mlir::ShapedType::isDynamic(size)) size = kDynamicDimension;
  return shape;
}

}  // namespace

std::optional<ElementType> elementTypeOf(mlir::Type type) {
  using E = ElementType;
  return llvm::TypeSwitch<mlir::Type, std::optional<ElementType>>(type)
      .Case([](mlir::IntegerType integer) { return integerType(integer); })
      .Case([](mlir::Float4E2M1FNType) { return E::kF4E2M1FN; })
      .Case([](mlir::Float6E2M3FNType) { return E::kF6E2M3FN; })
      .Case([](mlir::Float6E3M2FNType) { return E::kF6E3M2FN; })
      .Case([](mlir::Float8E3M4Type) { return E::kF8E3M4; })
      .Case([](mlir::Float8E4M3Type) { return E::kF8E4M3; })
      .Case([](mlir::Float8E4M3B11FNUZType) { return E::kF8E4M3B11FNUZ; })
      .Case([](mlir::Float8E4M3FNType) { return E::kF8E4M3FN; })
      .Case([](mlir::Float8E4M3FNUZType) { return E::kF8E4M3FNUZ; })
      .Case([](mlir::Float8E5M2Type) { return E::kF8E5M2; })
      .Case([](mlir::Float8E5M2FNUZType) { return E::kF8E5M2FNUZ; })
      .Case([](mlir::Float8E8M0FNUType) { return E::kF8E8M0FNU; })
      .Case([](mlir::BFloat16Type) { return E::kBF16; })
      .Case([](mlir::Float16Type) { return E::kF16; })
      .Case([](mlir::Float32Type) { return E::kF32; })
      .Case([](mlir::Float64Type) { return E::kF64; })
      .Case([](mlir::ComplexType complex) -> std::optional<ElementType> {
        if (complex.getElementType().isF32()) return E::kC64;
        if (complex.getElementType().isF64()) return E::kC128;
        return std::nullopt;
      })
      .Default([](mlir::Type) { return std::nullopt; });
}

ValueType valueTypeOf(mlir::Type type) {
  using Kind = ValueType::Kind;
  ValueType result;
  result.text = textOf(type);
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    result.shape = shapeOf(tensor.getShape());
    if (auto bounds =
            mlir::dyn_cast_or_null<mlir::stablehlo::TypeExtensionsAttr>(tensor.getEncoding()))
      result.bounds = shapeOf(bounds.getBounds());
    setElement(result, tensor.getElementType());
  } else if (auto unranked = mlir::dyn_cast<mlir::UnrankedTensorType>(type)) {
    result.kind = Kind::kUnrankedTensor;
    setElement(result, unranked.getElementType());
  } else if (auto buffer = mlir::dyn_cast<mlir::MemRefType>(type)) {
    result.kind = Kind::kBuffer;
    result.shape = shapeOf(buffer.getShape());
    setElement(result, buffer.getElementType());
  } else if (auto tuple = mlir::dyn_cast<mlir::TupleType>(type)) {
    result.kind = Kind::kTuple;
    for (mlir::Type element : tuple.getTypes()) result.elements.push_back(valueTypeOf(element));
  } else if (mlir::isa<mlir::stablehlo::TokenType>(type)) {
    result.kind = Kind::kToken;
  } else if (auto future = mlir::dyn_cast<mlir::stablehlo::FutureType>(type)) {
    result.kind = Kind::kFuture;
    for (mlir::Type element : future.getTypes()) result.elements.push_back(valueTypeOf(element));
  } else {
    result.kind = Kind::kOther;
  }
  return result;
}

Result<Tensor> tensorOf(mlir::ElementsAttr elements) {
  const mlir::ShapedType type = elements.getShapedType();
  const bool isIndex = type.getElementType().isIndex();
  const std::optional<ElementType> element =
      isIndex ? ElementType::kI64 : elementTypeOf(type.getElementType());
  if (!element || !type.hasStaticShape())
    return unsupported("a constant of type {} cannot be kept as an array", textOf(type));
  ASSIGN_OR_RETURN(auto tensor, Tensor::make(*element, shapeOf(type.getShape())));
  const std::span<std::byte> target = tensor.mutableBytes();
  if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(elements)) {
    const size_t width = byteWidth(*element);
    if (bitWidth(*element) < 8 && !isFloat(*element)) {
      // MLIR packs predicates and keeps narrow integers in its own way.
      size_t index = 0;
      for (const llvm::APInt& value : dense.getValues<llvm::APInt>())
        target[index++] = static_cast<std::byte>(isSignedInteger(*element) ? value.getSExtValue()
                                                                           : value.getZExtValue());
      return tensor;
    }
    const llvm::ArrayRef<char> raw = dense.getRawData();
    if (dense.isSplat()) {
      for (size_t offset = 0; offset < target.size(); offset += width)
        std::memcpy(target.data() + offset, raw.data(), width);
      return tensor;
    }
    if (raw.size() == target.size()) {
      std::memcpy(target.data(), raw.data(), raw.size());
      return tensor;
    }
  } else if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
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
