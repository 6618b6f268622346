// Opens a Program for the files that compile against MLIR: golden/program and
// golden/dialects only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "golden/base/result.h"
#include "golden/program/program.h"
#include "llvm/ADT/Hashing.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace vintage::golden {

class TakenConstants;  // golden/program/referred_constants.h
struct UpgradeMemory;  // golden/program/portable_artifact.cpp
struct TreeMemory;     // golden/program/tree.cpp
std::shared_ptr<TreeMemory> makeTreeMemory();

struct ProgramContext::Implementation {
  Implementation();
  // One thread: MLIR's own pool would compete with the workers.
  mlir::MLIRContext context;
  std::shared_ptr<UpgradeMemory> upgrades;
  std::shared_ptr<TreeMemory> trees;
};

struct Program::Implementation {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<StablehloVersion> artifactVersion;
  std::string name;                   // For messages.
  std::shared_ptr<TreeMemory> trees;  // Null: a tree of it remembers nothing.
  // Null: it was not read in place, so no constant refers to the bytes that it was read from.
  std::shared_ptr<TakenConstants> taken;
};

// The translations of operations, by their names and attributes. One context reads many programs,
// and most operations come again. Lives as long as the context's attributes.
template <typename T>
class OperationMemory {
 public:
  // Null: no such operation was added. `isOther` separates operations with the same name and
  // attributes but different translations.
  T* find(mlir::Operation& operation, bool isOther = false) {
    const mlir::DictionaryAttr others = operation.getDiscardableAttrDictionary();
    const auto [first, last] = known_.equal_range(hashOf(operation, others, isOther));
    for (auto known = first; known != last; ++known) {
      mlir::Operation& model = **known->second.model;
      if (model.getName() == operation.getName() &&
          model.getDiscardableAttrDictionary() == others && known->second.isOther == isOther &&
          model.getName().compareOpProperties(model.getPropertiesStorage(),
                                              operation.getPropertiesStorage()))
        return &known->second.value;
    }
    return nullptr;
  }

  T& add(mlir::Operation& operation, T value, bool isOther = false) {
    const mlir::DictionaryAttr others = operation.getDiscardableAttrDictionary();
    mlir::OwningOpRef<mlir::Operation*> model(mlir::Operation::create(
        mlir::UnknownLoc::get(operation.getContext()), operation.getName(), mlir::TypeRange(),
        mlir::ValueRange(), others, operation.getPropertiesStorage(), mlir::BlockRange(), 0));
    const auto added = known_.emplace(hashOf(operation, others, isOther),
                                      Known{std::move(model), isOther, std::move(value)});
    return added->second.value;
  }

 private:
  struct Known {
    // Without operands, results and regions. Attributes lie in it as fields, which are compared
    // and copied; a dictionary would be made and looked up for each operation of a program.
    mlir::OwningOpRef<mlir::Operation*> model;
    bool isOther;
    T value;
  };

  static size_t hashOf(mlir::Operation& operation, mlir::DictionaryAttr others, bool isOther) {
    return llvm::hash_combine(operation.getName().getAsOpaquePointer(), others.getAsOpaquePointer(),
                              isOther, operation.hashProperties());
  }

  std::unordered_multimap<size_t, Known> known_;
};

// A program that was not read from bytes, or not as its own version of them.
Program programOf(mlir::OwningOpRef<mlir::ModuleOp> module, std::string_view name,
                  std::optional<StablehloVersion> version = std::nullopt);

// Turns what MLIR reports into the message of an Error: while it lives, diagnostics of the context
// are kept here instead of being printed. One thread.
class DiagnosticCollector {
 public:
  explicit DiagnosticCollector(mlir::MLIRContext& context);

  // The first error as "file:line:column: text", with its notes, or
  // `fallback` where nothing was reported. `name` replaces a place that is
  // unknown.
  std::string message(std::string_view name, std::string_view fallback) const;

 private:
  std::string firstError_;
  bool hasPlace_ = false;
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace vintage::golden
