#include "golden/program/program.h"

#include <set>

#include <fmt/format.h>

#include "golden/dialects/check/check_dialect.h"
#include "golden/dialects/chlo/chlo_dialect.h"
#include "golden/dialects/sdy/sdy_dialect.h"
#include "golden/dialects/stablehlo/stablehlo_dialect.h"
#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "golden/program/bytecode_cursor.h"
#include "golden/program/portable_artifact.h"
#include "golden/program/program_module.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"

namespace vintage::golden {
using namespace mlir;

ProgramContext::Implementation::Implementation() : context(MLIRContext::Threading::DISABLED) {
  // Witness types of the shape dialect occur in old portable artifacts.
  context.loadDialect<func::FuncDialect, quant::QuantDialect, shape::ShapeDialect,
                      stablehlo::StablehloDialect, chlo::ChloDialect, vhlo::VhloDialect,
                      sdy::SdyDialect, check::CheckDialect, interpreter::InterpreterDialect>();
}

ProgramContext::ProgramContext() : implementation_(std::make_unique<Implementation>()) {}
ProgramContext::~ProgramContext() = default;
ProgramContext::ProgramContext(ProgramContext&&) noexcept = default;
ProgramContext& ProgramContext::operator=(ProgramContext&&) noexcept = default;

Result<Program> ProgramContext::parseText(std::string_view text, std::string_view name) {
  MLIRContext& context = implementation_->context;
  DiagnosticCollector diagnostics(context);
  // MLIR's lexer reads up to a zero byte, which a view does not promise.
  const std::string terminated(text);
  auto module = parseSourceString<ModuleOp>(terminated, ParserConfig(&context),
                                            StringRef(name.data(), name.size()));
  if (!module)
    return failure(Error::Kind::kBadInput,
                   diagnostics.message(name, "is not a StableHLO module in text form"));
  return programOf(std::move(module), name);
}

Result<std::vector<Program>> ProgramContext::parseSplitText(std::string_view text,
                                                            std::string_view name) {
  std::vector<Program> programs;
  std::string part;
  const auto finish = [&]() -> Status {
    if (part.find_first_not_of(" \t\r\n") == std::string::npos) return {};
    ASSIGN_OR_RETURN(auto program, parseText(part, name));
    programs.push_back(std::move(program));
    return {};
  };
  for (size_t lines = 1; !text.empty(); ++lines) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    if (!line.starts_with("// -----")) {
      part += line;
      continue;
    }
    RETURN_IF_ERROR(finish());
    // Empty lines in front keep the line numbers of messages right.
    part.assign(lines, '\n');
  }
  RETURN_IF_ERROR(finish());
  return programs;
}

Result<Program> ProgramContext::read(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // Text has no zero bytes. The reader of artifacts, which recognizes foreign files, takes other
  // bytes. A SavedModel can be free of zero
  // bytes too; its own message is the better one.
  if (text.empty() || text.starts_with(kBytecodeMagic) ||
      text.find('\0') != std::string_view::npos || foreignFormat(bytes) == kTensorflowFormat)
    return readPortableArtifact(bytes, name);
  return parseText(text, name);
}

Program programOf(OwningOpRef<ModuleOp> module, std::string_view name,
                  std::optional<StablehloVersion> version) {
  auto implementation = std::make_unique<Program::Implementation>();
  implementation->module = std::move(module);
  implementation->artifactVersion = version;
  implementation->name = name;
  return Program(std::move(implementation));
}

Program::Program(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

std::string Program::print(const PrintOptions& options) const {
  OpPrintingFlags flags;
  flags.enableDebugInfo(options.locations);
  if (options.generic) flags.printGenericOpForm();
  if (options.largestConstant) flags.elideLargeElementsAttrs(*options.largestConstant);
  // Else resources are written out behind the module, in memory first: constants that stay in the
  // artifact.
  if (implementation_->taken) flags.useLocalScope();
  std::string text;
  llvm::raw_string_ostream stream(text);
  implementation_->module->print(stream, flags);
  return text;
}

std::optional<StablehloVersion> Program::artifactVersion() const {
  return implementation_->artifactVersion;
}

std::vector<std::string> Program::customCallTargets() const {
  std::set<std::string> targets;
  implementation_->module->walk([&](mlir::Operation* operation) {
    if (operation->getName().getStringRef() != "stablehlo.custom_call") return;
    if (auto target = operation->getAttrOfType<StringAttr>("call_target_name"))
      targets.insert(target.getValue().str());
  });
  return {targets.begin(), targets.end()};
}

DiagnosticCollector::DiagnosticCollector(MLIRContext& context)
    : handler_(&context, [this](Diagnostic& diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error || !firstError_.empty())
          return mlir::success();
        llvm::raw_string_ostream stream(firstError_);
        // The innermost that the location leads to.
        if (auto position = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
          hasPlace_ = true;
          stream << position.getFilename().getValue() << ":" << position.getLine() << ":"
                 << position.getColumn() << ": ";
        }
        stream << diagnostic.str();
        for (Diagnostic& note : diagnostic.getNotes()) {
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

}  // namespace vintage::golden
