#include "golden/kernels/kernel_payload.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/program/bytecode_cursor.h"
#include "golden/program/bytecode_reading.h"
#include "golden/program/program_module.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vintage::golden {
using namespace mlir;

namespace {

// MLIR's parser calls itself for each of them.
constexpr int kDeepestBrackets = 2048;

bool nestsTooDeep(StringRef text) {
  int depth = 0, deepest = 0;
  char before = 0;
  for (const char c : text) {
    const bool isArrow = c == '>' && before == '-';
    before = c;
    if (!isArrow) depth += StringRef("([{<").contains(c) - StringRef(")]}>").contains(c);
    deepest = std::max(deepest, depth);
  }
  return deepest > kDeepestBrackets;
}

}  // namespace

std::string readKernelPayload(MLIRContext& context, std::span<const std::byte> payload,
                              std::string_view name, mlir::Block& top) {
  DiagnosticCollector diagnostics(context);
  const StringRef text(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (text.starts_with(kBytecodeMagic))
    return readBytecode(context, payload, name, nullptr, diagnostics, top);
  if (nestsTooDeep(text))
    return fmt::format("its brackets are more than {} deep", kDeepestBrackets);
  if (succeeded(
          parseSourceString(text.str(), &top, ParserConfig(&context, /*verifyAfterParse=*/false))))
    return {};
  return diagnostics.message(name, "it is neither bytecode nor MLIR's text");
}

}  // namespace vintage::golden
