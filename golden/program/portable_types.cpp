#include "golden/program/portable_attributes.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace vintage::golden {
using namespace mlir;

Type PortableTypes::fromPortable(Type type) {
  if (!type || depth_ > kDeepestNesting) return {};
  if (type.getDialect().getNamespace() != "vhlo") return type;
  if (auto found = fromPortable_.find(type); found != fromPortable_.end()) return found->second;
  ++depth_;
  Type translated = buildFromPortable(type);
  --depth_;
  return fromPortable_[type] = translated;
}

Type PortableTypes::buildFromPortable(Type type) {
  if (Type twin = vhlo::workingTwin(type)) return twin;
  const auto from = [this](Type part) { return fromPortable(part); };
  const auto report = [&] { return emitError(UnknownLoc::get(context_)); };
  return TypeSwitch<Type, Type>(type)
      .Case([&](vhlo::ComplexV1Type complex) -> Type {
        Type element = fromPortable(complex.getElementType());
        return element ? ComplexType::getChecked(report, element) : Type();
      })
      .Case([&](vhlo::RankedTensorV1Type tensor) -> Type {
        Type element = fromPortable(tensor.getElementType());
        mlir::Attribute encoding = tensor.getEncoding();
        if (auto extensions = dyn_cast_or_null<vhlo::TypeExtensionsV1Attr>(encoding))
          encoding = stablehlo::TypeExtensionsAttr::get(context_, extensions.getBounds());
        if (!element) return {};
        return RankedTensorType::getChecked(report, tensor.getShape(), element, encoding);
      })
      .Case([&](vhlo::UnrankedTensorV1Type tensor) -> Type {
        Type element = fromPortable(tensor.getElementType());
        return element ? UnrankedTensorType::getChecked(report, element) : Type();
      })
      .Case([&](vhlo::RankedBufferV1Type buffer) -> Type {
        Type element = fromPortable(buffer.getElementType());
        if (!element) return {};
        return MemRefType::getChecked(report, buffer.getShape(), element,
                                      MemRefLayoutAttrInterface(), mlir::Attribute());
      })
      .Case([&](vhlo::TupleV1Type tuple) -> Type {
        SmallVector<Type> types;
        if (!translateEach(tuple.getTypes(), types, from)) return {};
        return TupleType::get(context_, types);
      })
      .Case([&](vhlo::FutureV1Type future) -> Type {
        SmallVector<Type> types;
        if (!translateEach(future.getTypes(), types, from)) return {};
        return stablehlo::FutureType::get(context_, types);
      })
      .Case([&](vhlo::FunctionV1Type function) -> Type {
        SmallVector<Type> inputs, outputs;
        if (!translateEach(function.getInputs(), inputs, from) ||
            !translateEach(function.getOutputs(), outputs, from))
          return {};
        return FunctionType::get(context_, inputs, outputs);
      })
      .Case([&](vhlo::UniformQuantizedV1Type quantized) -> Type {
        Type storage = fromPortable(quantized.getStorageType());
        Type expressed = fromPortable(quantized.getExpressedType());
        if (!storage || !expressed) return {};
        return quant::UniformQuantizedType::getChecked(
            report, quantized.getFlags(), storage, expressed,
            quantized.getScale().convertToDouble(), quantized.getZeroPoint(),
            quantized.getStorageTypeMin(), quantized.getStorageTypeMax());
      })
      .Case([&](vhlo::UniformQuantizedPerAxisV1Type quantized) -> Type {
        Type storage = fromPortable(quantized.getStorageType());
        Type expressed = fromPortable(quantized.getExpressedType());
        if (!storage || !expressed) return {};
        SmallVector<double> scales;
        for (const APFloat& scale : quantized.getScales())
          scales.push_back(scale.convertToDouble());
        return quant::UniformQuantizedPerAxisType::getChecked(
            report, quantized.getFlags(), storage, expressed, scales, quantized.getZeroPoints(),
            quantized.getQuantizedDimension(), quantized.getStorageTypeMin(),
            quantized.getStorageTypeMax());
      })
      .Default([](Type) { return Type(); });
}

Type PortableTypes::toPortable(Type type) {
  if (!type || depth_ > kDeepestNesting) return {};
  if (type.getDialect().getNamespace() == "vhlo") return type;
  if (auto found = toPortable_.find(type); found != toPortable_.end()) return found->second;
  ++depth_;
  Type translated = buildToPortable(type);
  --depth_;
  return toPortable_[type] = translated;
}

Type PortableTypes::buildToPortable(Type type) {
  if (Type twin = vhlo::portableTwin(type)) return twin;
  const auto to = [this](Type part) { return toPortable(part); };
  return TypeSwitch<Type, Type>(type)
      .Case([&](ComplexType complex) -> Type {
        Type element = toPortable(complex.getElementType());
        return element ? vhlo::ComplexV1Type::get(context_, element) : Type();
      })
      .Case([&](RankedTensorType tensor) -> Type {
        Type element = toPortable(tensor.getElementType());
        mlir::Attribute encoding = tensor.getEncoding();
        if (auto extensions = dyn_cast_or_null<stablehlo::TypeExtensionsAttr>(encoding))
          encoding = vhlo::TypeExtensionsV1Attr::get(context_, extensions.getBounds());
        else if (encoding && encoding.getDialect().getNamespace() != "vhlo")
          return {};
        if (!element) return {};
        return vhlo::RankedTensorV1Type::get(context_, tensor.getShape(), element, encoding);
      })
      .Case([&](UnrankedTensorType tensor) -> Type {
        Type element = toPortable(tensor.getElementType());
        return element ? vhlo::UnrankedTensorV1Type::get(context_, element) : Type();
      })
      .Case([&](MemRefType buffer) -> Type {
        Type element = toPortable(buffer.getElementType());
        // Layouts and memory spaces have no portable form.
        if (!element || !buffer.getLayout().isIdentity() || buffer.getMemorySpace()) return {};
        return vhlo::RankedBufferV1Type::get(context_, buffer.getShape(), element);
      })
      .Case([&](TupleType tuple) -> Type {
        SmallVector<Type> types;
        if (!translateEach(tuple.getTypes(), types, to)) return {};
        return vhlo::TupleV1Type::get(context_, types);
      })
      .Case([&](stablehlo::FutureType future) -> Type {
        SmallVector<Type> types;
        if (!translateEach(future.getTypes(), types, to)) return {};
        return vhlo::FutureV1Type::get(context_, types);
      })
      .Case([&](FunctionType function) -> Type {
        SmallVector<Type> inputs, outputs;
        if (!translateEach(function.getInputs(), inputs, to) ||
            !translateEach(function.getResults(), outputs, to))
          return {};
        return vhlo::FunctionV1Type::get(context_, inputs, outputs);
      })
      .Case([&](quant::UniformQuantizedType quantized) -> Type {
        Type storage = toPortable(quantized.getStorageType());
        Type expressed = toPortable(quantized.getExpressedType());
        if (!storage || !expressed) return {};
        return vhlo::UniformQuantizedV1Type::get(
            context_, quantized.getFlags(), storage, expressed, APFloat(quantized.getScale()),
            quantized.getZeroPoint(), quantized.getStorageTypeMin(), quantized.getStorageTypeMax());
      })
      .Case([&](quant::UniformQuantizedPerAxisType quantized) -> Type {
        Type storage = toPortable(quantized.getStorageType());
        Type expressed = toPortable(quantized.getExpressedType());
        if (!storage || !expressed) return {};
        SmallVector<APFloat> scales;
        for (double scale : quantized.getScales()) scales.push_back(APFloat(scale));
        return vhlo::UniformQuantizedPerAxisV1Type::get(
            context_, quantized.getFlags(), storage, expressed, quantized.getQuantizedDimension(),
            quantized.getStorageTypeMin(), quantized.getStorageTypeMax(), scales,
            quantized.getZeroPoints());
      })
      .Default([](Type) { return Type(); });
}

}  // namespace vintage::golden
