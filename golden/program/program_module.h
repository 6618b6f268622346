// Opens a Program for the files that compile against MLIR: golden/program and
// golden/dialects only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "golden/base/result.h"
#include "golden/program/program.h"
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
