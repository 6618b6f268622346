// Turns what MLIR reports into the message of an Error.
#pragma once

#include <string>

#include "golden/base/result.h"
#include "golden/program/room.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace vintage::golden::program {

// While it lives, diagnostics of the context are kept here instead of being
// printed. One thread.
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

}  // namespace vintage::golden::program
