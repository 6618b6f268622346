// Attributes that StableHLO has in one piece and VHLO in parts: dimension numbers,
// algorithms, channels.
#pragma once

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/program/portable_attributes.h"
#include "golden/program/room.h"
#include "llvm/ADT/StringSet.h"

namespace vintage::golden::program {

// Reads the parts of one structured attribute out of an operation; `ok` turns
// false when one is missing or is not what it should be.
class PortablePartReader {
 public:
  PortablePartReader(PortableAttributes& translator, const mlir::NamedAttrList& portable,
                     llvm::StringSet<>& consumed)
      : translator_(translator), portable_(portable), consumed_(consumed) {}

  bool ok = true;

  int64_t integer(llvm::StringRef name) {
    auto value = PortableAttributes::integerOf(take(name));
    ok = ok && value;
    return value.value_or(0);
  }
  llvm::SmallVector<int64_t> integers(llvm::StringRef name) {
    auto values = translator_.integersOf(take(name));
    ok = ok && values;
    return values.value_or(llvm::SmallVector<int64_t>());
  }
  mlir::Type type(llvm::StringRef name) {
    auto value = mlir::dyn_cast_or_null<mlir::TypeAttr>(
        translator_.fromPortable(take(name), AttributeForm::kGeneric));
    ok = ok && value;
    return value ? value.getValue() : mlir::Type();
  }
  bool boolean(llvm::StringRef name) {
    auto value = mlir::dyn_cast_or_null<mlir::vhlo::BooleanV1Attr>(take(name));
    ok = ok && value;
    return value && value.getValue();
  }

 private:
  mlir::Attribute take(llvm::StringRef name) {
    consumed_.insert(name);
    return portable_.get(name);
  }

  PortableAttributes& translator_;
  const mlir::NamedAttrList& portable_;
  llvm::StringSet<>& consumed_;
};

class PortablePartWriter {
 public:
  PortablePartWriter(PortableAttributes& translator, mlir::NamedAttrList& portable)
      : translator_(translator), portable_(portable) {}
  void integer(llvm::StringRef name, int64_t value) {
    portable_.set(name, translator_.integer(value));
  }
  void integers(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    portable_.set(name, translator_.integers(values));
  }
  void type(llvm::StringRef name, mlir::Type type) {
    portable_.set(name, translator_.toPortable(mlir::TypeAttr::get(type)));
  }
  void boolean(llvm::StringRef name, bool value) {
    portable_.set(name, mlir::vhlo::BooleanV1Attr::get(translator_.context(), value));
  }

 private:
  PortableAttributes& translator_;
  mlir::NamedAttrList& portable_;
};

// A structured attribute of StableHLO that VHLO keeps in parts.
struct PortableStructure {
  const char* attribute;  // StableHLO's name.
  mlir::Attribute (*read)(mlir::MLIRContext*, PortablePartReader&);
  bool (*write)(mlir::Attribute, PortablePartWriter&);  // False: not of the class expected.
  // Of an optional one: whether the parts that are at their defaults, and therefore
  // consumed, say that there is none. Null: it is always there.
  bool (*isAbsent)(const llvm::StringSet<>& consumed);
};

// Those of a VHLO operation, by its name without dialect and version.
llvm::ArrayRef<const PortableStructure*> structuresOf(llvm::StringRef operation);

}  // namespace vintage::golden::program
