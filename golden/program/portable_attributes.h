// Types, attributes and operations between their portable (VHLO) and their working form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "golden/module/operation_facts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Types.h"

namespace vintage::golden {

// Nesting of types, attributes or regions beyond this is taken for hostile.
inline constexpr int kDeepestNesting = 256;

// Appends what `translate` gives for each of `from`; false where that is null.
template <typename Range, typename T, typename Translate>
bool translateEach(const Range& from, llvm::SmallVectorImpl<T>& to, const Translate& translate) {
  return llvm::all_of(from, [&](T each) {
    to.push_back(translate(each));
    return static_cast<bool>(to.back());
  });
}

// Both directions answer null for what has no counterpart or is malformed
// (a negative dimension, a complex of tensors), and report why as a diagnostic
// where MLIR's own checks find it. Types of other dialects stay as they are.
// Remembers what it translated; one context, one thread.
class PortableTypes {
 public:
  explicit PortableTypes(mlir::MLIRContext* context) : context_(context) {}

  // !vhlo.tensor_v1<2x!vhlo.f32_v1> to tensor<2xf32>.
  mlir::Type fromPortable(mlir::Type type);
  // tensor<2xf32> to !vhlo.tensor_v1<2x!vhlo.f32_v1>.
  mlir::Type toPortable(mlir::Type type);

 private:
  mlir::Type buildFromPortable(mlir::Type type);
  mlir::Type buildToPortable(mlir::Type type);

  mlir::MLIRContext* context_;
  llvm::DenseMap<mlir::Type, mlir::Type> fromPortable_, toPortable_;
  int depth_ = 0;
};

// Null for what has no counterpart or is malformed. Attributes of other
// dialects stay as they are both ways; version_conversion.h knows since when
// artifacts may hold them. One context, one thread.
class PortableAttributes {
 public:
  PortableAttributes(mlir::MLIRContext* context, PortableTypes& types)
      : context_(context), types_(types) {}

  mlir::MLIRContext* context() const { return context_; }

  mlir::Attribute fromPortable(mlir::Attribute attribute, AttributeForm form);
  // array<i64: …>, array<i1: …>, symbols and flags need no form in this direction.
  mlir::Attribute toPortable(mlir::Attribute attribute);

  // The portable form of the attribute with this text, remembered; null for no attribute.
  mlir::Attribute ofText(llvm::StringRef text);

  // The api_version of a custom call, which StableHLO keeps as an i32.
  mlir::Attribute apiVersion(mlir::Attribute attribute);

  // Portable numbers and lists of them, for attributes that are made of parts.
  mlir::Attribute integer(int64_t value);
  mlir::Attribute integers(llvm::ArrayRef<int64_t> values);
  // A tensor of i64 with this shape and one value everywhere.
  mlir::Attribute splat(llvm::ArrayRef<int64_t> shape, int64_t value);
  // Reads what the two above build; nothing for anything else.
  static std::optional<int64_t> integerOf(mlir::Attribute attribute);
  std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::Attribute attribute);

 private:
  mlir::Attribute genericFromPortable(mlir::Attribute attribute);
  mlir::Attribute genericToPortable(mlir::Attribute attribute);
  mlir::Attribute tensorFromPortable(mlir::Attribute attribute);
  mlir::Attribute tensorToPortable(mlir::DenseElementsAttr elements);

  mlir::MLIRContext* context_;
  PortableTypes& types_;
  llvm::StringMap<mlir::Attribute> ofTexts_;
  int depth_ = 0;
};

// Whether a custom call with these attributes is one of XLA's typed interface.
bool callsTypedInterface(const mlir::NamedAttrList& portable);

// An attribute that StableHLO may leave out and VHLO may not, in its portable form, given the
// portable attributes of the operation so far: the defaults of convolutions and windows depend on
// their rank. `value` is that of its PortableAttributeFacts.
mlir::Attribute portableDefault(std::string_view value, PortableAttributes& translator,
                                const mlir::NamedAttrList& portable);

// Whether an attribute means the same as its default. Beyond equality: integers of any width, and a
// precision list of any length.
bool saysDefault(mlir::Attribute attribute, mlir::Attribute value);

// Where StableHLO's operations and their portable (VHLO) forms differ: names, structured attributes
// that VHLO keeps in parts, and attributes that StableHLO omits at their default and VHLO never.

// "func.func" to "func_v1", "stablehlo.gather" to "gather_v2", in the current
// version; nothing where VHLO has no such operation.
std::optional<std::string> portableOperationName(mlir::OperationName name);

// "vhlo.gather_v2" to "gather"; nothing where the name has no version.
llvm::StringRef unversionedName(llvm::StringRef portableName);

// "gather" to "stablehlo.gather", "func" to "func.func".
std::string workingOperationName(llvm::StringRef unversioned, bool returnsFromFunction);

// Attributes of one operation in the current version, between both forms.
// `unversioned` is "gather" or "func". False: `problem` says which attribute
// could not be translated.
bool attributesFromPortable(llvm::StringRef unversioned, PortableAttributes& translator,
                            const mlir::NamedAttrList& portable, mlir::NamedAttrList& working,
                            std::string& problem);
bool attributesToPortable(llvm::StringRef unversioned, PortableAttributes& translator,
                          const mlir::NamedAttrList& working, mlir::NamedAttrList& portable,
                          std::string& problem);

}  // namespace vintage::golden
