#include "golden/program/diagnostics.h"

#include <fmt/format.h>

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace vintage::golden::program {
namespace {

// The innermost file position that a location leads to.
mlir::FileLineColLoc filePosition(mlir::Location location) {
  mlir::FileLineColLoc found;
  location->walk([&](mlir::Location each) {
    if (auto position = mlir::dyn_cast<mlir::FileLineColLoc>(each)) {
      found = position;
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return found;
}

}  // namespace

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext& context)
    : handler_(&context, [this](mlir::Diagnostic& diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error || !firstError_.empty())
          return mlir::success();
        llvm::raw_string_ostream stream(firstError_);
        if (auto position = filePosition(diagnostic.getLocation())) {
          hasPlace_ = true;
          stream << position.getFilename().getValue() << ":" << position.getLine() << ":"
                 << position.getColumn() << ": ";
        }
        stream << diagnostic.str();
        for (mlir::Diagnostic& note : diagnostic.getNotes()) {
          // The printed operation would repeat whole constants.
          const std::string text = note.str();
          if (text.find("see current operation") == std::string::npos)
            stream << " (" << text << ")";
        }
        return mlir::success();
      }) {}

std::string DiagnosticCollector::message(std::string_view name, std::string_view fallback) const {
  if (firstError_.empty()) return fmt::format("{}: {}", name, fallback);
  return hasPlace_ ? firstError_ : fmt::format("{}: {}", name, firstError_);
}

}  // namespace vintage::golden::program
