#include "golden/program/portable_attributes.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace vintage::golden {

namespace vhlo = mlir::vhlo;

bool PortableTypes::translate(llvm::ArrayRef<mlir::Type> types,
                              llvm::SmallVectorImpl<mlir::Type>& translated,
                              mlir::Type (PortableTypes::*direction)(mlir::Type)) {
  for (mlir::Type type : types) {
    translated.push_back((this->*direction)(type));
    if (!translated.back()) return false;
  }
  return true;
}

mlir::Type PortableTypes::fromPortable(mlir::Type type) {
  if (!type || depth_ > kDeepestNesting) return {};
  if (type.getDialect().getNamespace() != "vhlo") return type;
  if (auto found = fromPortable_.find(type); found != fromPortable_.end()) return found->second;
  ++depth_;
  mlir::Type translated = buildFromPortable(type);
  --depth_;
  return fromPortable_[type] = translated;
}

mlir::Type PortableTypes::buildFromPortable(mlir::Type type) {
  if (mlir::Type twin = vhlo::workingTwin(type)) return twin;
  auto report = [&] { return mlir::emitError(mlir::UnknownLoc::get(context_)); };
  return llvm::TypeSwitch<mlir::Type, mlir::Type>(type)
      .Case([&](vhlo::ComplexV1Type complex) -> mlir::Type {
        mlir::Type element = fromPortable(complex.getElementType());
        return element ? mlir::ComplexType::getChecked(report, element) : mlir::Type();
      })
      .Case([&](vhlo::RankedTensorV1Type tensor) -> mlir::Type {
        mlir::Type element = fromPortable(tensor.getElementType());
        mlir::Attribute encoding = tensor.getEncoding();
        if (auto extensions = mlir::dyn_cast_or_null<vhlo::TypeExtensionsV1Attr>(encoding))
          encoding = mlir::stablehlo::TypeExtensionsAttr::get(context_, extensions.getBounds());
        if (!element) return {};
        return mlir::RankedTensorType::getChecked(report, tensor.getShape(), element, encoding);
      })
      .Case([&](vhlo::UnrankedTensorV1Type tensor) -> mlir::Type {
        mlir::Type element = fromPortable(tensor.getElementType());
        return element ? mlir::UnrankedTensorType::getChecked(report, element) : mlir::Type();
      })
      .Case([&](vhlo::RankedBufferV1Type buffer) -> mlir::Type {
        mlir::Type element = fromPortable(buffer.getElementType());
        if (!element) return {};
        return mlir::MemRefType::getChecked(report, buffer.getShape(), element,
                                            mlir::MemRefLayoutAttrInterface(), mlir::Attribute());
      })
      .Case([&](vhlo::TupleV1Type tuple) -> mlir::Type {
        llvm::SmallVector<mlir::Type> types;
        if (!translate(tuple.getTypes(), types, &PortableTypes::fromPortable)) return {};
        return mlir::TupleType::get(context_, types);
      })
      .Case([&](vhlo::FutureV1Type future) -> mlir::Type {
        llvm::SmallVector<mlir::Type> types;
        if (!translate(future.getTypes(), types, &PortableTypes::fromPortable)) return {};
        return mlir::stablehlo::FutureType::get(context_, types);
      })
      .Case([&](vhlo::FunctionV1Type function) -> mlir::Type {
        llvm::SmallVector<mlir::Type> inputs, outputs;
        if (!translate(function.getInputs(), inputs, &PortableTypes::fromPortable) ||
            !translate(function.getOutputs(), outputs, &PortableTypes::fromPortable))
          return {};
        return mlir::FunctionType::get(context_, inputs, outputs);
      })
      .Case([&](vhlo::UniformQuantizedV1Type quantized) -> mlir::Type {
        mlir::Type storage = fromPortable(quantized.getStorageType());
        mlir::Type expressed = fromPortable(quantized.getExpressedType());
        if (!storage || !expressed) return {};
        return mlir::quant::UniformQuantizedType::getChecked(
            report, quantized.getFlags(), storage, expressed,
            quantized.getScale().convertToDouble(), quantized.getZeroPoint(),
            quantized.getStorageTypeMin(), quantized.getStorageTypeMax());
      })
      .Case([&](vhlo::UniformQuantizedPerAxisV1Type quantized) -> mlir::Type {
        mlir::Type storage = fromPortable(quantized.getStorageType());
        mlir::Type expressed = fromPortable(quantized.getExpressedType());
        if (!storage || !expressed) return {};
        llvm::SmallVector<double> scales;
        for (const llvm::APFloat& scale : quantized.getScales())
          scales.push_back(scale.convertToDouble());
        return mlir::quant::UniformQuantizedPerAxisType::getChecked(
            report, quantized.getFlags(), storage, expressed, scales, quantized.getZeroPoints(),
            quantized.getQuantizedDimension(), quantized.getStorageTypeMin(),
            quantized.getStorageTypeMax());
      })
      .Default([](mlir::Type) { return mlir::Type(); });
}

mlir::Type PortableTypes::toPortable(mlir::Type type) {
  if (!type || depth_ > kDeepestNesting) return {};
  if (type.getDialect().getNamespace() == "vhlo") return type;
  if (auto found = toPortable_.find(type); found != toPortable_.end()) return found->second;
  ++depth_;
  mlir::Type translated = buildToPortable(type);
  --depth_;
  return toPortable_[type] = translated;
}

mlir::Type PortableTypes::buildToPortable(mlir::Type type) {
  if (mlir::Type twin = vhlo::portableTwin(type)) return twin;
  return llvm::TypeSwitch<mlir::Type, mlir::Type>(type)
      .Case([&](mlir::ComplexType complex) -> mlir::Type {
        mlir::Type element = toPortable(complex.getElementType());
        return element ? vhlo::ComplexV1Type::get(context_, element) : mlir::Type();
      })
      .Case([&](mlir::RankedTensorType tensor) -> mlir::Type {
        mlir::Type element = toPortable(tensor.getElementType());
        mlir::Attribute encoding = tensor.getEncoding();
        if (auto extensions = mlir::dyn_cast_or_null<mlir::stablehlo::TypeExtensionsAttr>(encoding))
          encoding = vhlo::TypeExtensionsV1Attr::get(context_, extensions.getBounds());
        else if (encoding && encoding.getDialect().getNamespace() != "vhlo")
          return {};
        if (!element) return {};
        return vhlo::RankedTensorV1Type::get(context_, tensor.getShape(), element, encoding);
      })
      .Case([&](mlir::UnrankedTensorType tensor) -> mlir::Type {
        mlir::Type element = toPortable(tensor.getElementType());
        return element ? vhlo::UnrankedTensorV1Type::get(context_, element) : mlir::Type();
      })
      .Case([&](mlir::MemRefType buffer) -> mlir::Type {
        mlir::Type element = toPortable(buffer.getElementType());
        // Layouts and memory spaces have no portable form.
        if (!element || !buffer.getLayout().isIdentity() || buffer.getMemorySpace()) return {};
        return vhlo::RankedBufferV1Type::get(context_, buffer.getShape(), element);
      })
      .Case([&](mlir::TupleType tuple) -> mlir::Type {
        llvm::SmallVector<mlir::Type> types;
        if (!translate(tuple.getTypes(), types, &PortableTypes::toPortable)) return {};
        return vhlo::TupleV1Type::get(context_, types);
      })
      .Case([&](mlir::stablehlo::FutureType future) -> mlir::Type {
        llvm::SmallVector<mlir::Type> types;
        if (!translate(future.getTypes(), types, &PortableTypes::toPortable)) return {};
        return vhlo::FutureV1Type::get(context_, types);
      })
      .Case([&](mlir::FunctionType function) -> mlir::Type {
        llvm::SmallVector<mlir::Type> inputs, outputs;
        if (!translate(function.getInputs(), inputs, &PortableTypes::toPortable) ||
            !translate(function.getResults(), outputs, &PortableTypes::toPortable))
          return {};
        return vhlo::FunctionV1Type::get(context_, inputs, outputs);
      })
      .Case([&](mlir::quant::UniformQuantizedType quantized) -> mlir::Type {
        mlir::Type storage = toPortable(quantized.getStorageType());
        mlir::Type expressed = toPortable(quantized.getExpressedType());
        if (!storage || !expressed) return {};
        return vhlo::UniformQuantizedV1Type::get(
            context_, quantized.getFlags(), storage, expressed,
            llvm::APFloat(quantized.getScale()), quantized.getZeroPoint(),
            quantized.getStorageTypeMin(), quantized.getStorageTypeMax());
      })
      .Case([&](mlir::quant::UniformQuantizedPerAxisType quantized) -> mlir::Type {
        mlir::Type storage = toPortable(quantized.getStorageType());
        mlir::Type expressed = toPortable(quantized.getExpressedType());
        if (!storage || !expressed) return {};
        llvm::SmallVector<llvm::APFloat> scales;
        for (double scale : quantized.getScales()) scales.push_back(llvm::APFloat(scale));
        return vhlo::UniformQuantizedPerAxisV1Type::get(
            context_, quantized.getFlags(), storage, expressed,
            quantized.getQuantizedDimension(), quantized.getStorageTypeMin(),
            quantized.getStorageTypeMax(), scales, quantized.getZeroPoints());
      })
      .Default([](mlir::Type) { return mlir::Type(); });
}

}  // namespace vintage::golden
