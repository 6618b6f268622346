#include "golden/program/bytecode_reading.h"

#include <memory>

#include "golden/program/portable_artifact.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeReaderConfig.h"
#include "mlir/Parser/Parser.h"

namespace vintage::golden {
using namespace mlir;

bool isAligned(std::span<const std::byte> bytes, uint64_t alignment) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0;
}

namespace {

// The floats that the MLIR of this build writes as text, and later ones by these codes: what jaxlib
// 0.12 writes. They stand where an operation of another dialect (sdy.sharding_constraint, …) takes
// them. Null: MLIR reads the code by itself.
Type floatOfNewerBytecode(MLIRContext* context, uint64_t code) {
  switch (code) {
    case 21:
      return FloatTF32Type::get(context);
    case 22:
      return Float8E5M2Type::get(context);
    case 23:
      return Float8E4M3Type::get(context);
    case 24:
      return Float8E4M3FNType::get(context);
    case 25:
      return Float8E5M2FNUZType::get(context);
    case 26:
      return Float8E4M3FNUZType::get(context);
    case 27:
      return Float8E4M3B11FNUZType::get(context);
    case 28:
      return Float8E3M4Type::get(context);
    case 29:
      return Float4E2M1FNType::get(context);
    case 30:
      return Float6E2M3FNType::get(context);
    case 31:
      return Float6E3M2FNType::get(context);
    case 32:
      return Float8E8M0FNUType::get(context);
    default:
      return {};
  }
}

}  // namespace

std::string readBytecode(MLIRContext& context, std::span<const std::byte> bytes,
                         std::string_view name, ReferredConstants* referred,
                         const DiagnosticCollector& diagnostics, mlir::Block& top) {
  if (const std::string problem = checkArtifactSections(bytes); !problem.empty()) return problem;
  StringRef content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::unique_ptr<llvm::WritableMemoryBuffer> aligned;
  if (!isAligned(bytes, sectionAlignment(bytes))) {
    // Sections ask for the alignment of MLIR's resources at most.
    aligned = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(bytes.size(), "", llvm::Align(64));
    llvm::copy(content, aligned->getBufferStart());
    content = {aligned->getBufferStart(), bytes.size()};
  }
  // VHLO operations are checked as the StableHLO operations that they become.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  // Bounds how many attributes and types are decoded. MLIR's reader comes back to
  // entries that refer to others it has not decoded yet, and never ends where
  // damaged bytes make them refer to each other in a circle. Every entry takes a
  // byte at least, and is decoded few times in files that are whole.
  size_t left = 4096 + 8 * bytes.size();
  // Success without a result: MLIR goes on to decode the entry.
  const auto count = [&left](DialectBytecodeReader& in, StringRef, auto&) -> LogicalResult {
    if (left == 0) return in.emitError("attributes or types refer to each other in a circle");
    --left;
    return mlir::success();
  };
  config.getBytecodeReaderConfig().attachAttributeCallback(count);
  config.getBytecodeReaderConfig().attachTypeCallback(count);
  const auto newerFloat = [&](DialectBytecodeReader& in, StringRef dialect,
                              Type& type) -> LogicalResult {
    uint64_t code = 0;
    if (dialect != "builtin") return mlir::success();
    if (failed(in.readVarInt(code))) return mlir::failure();
    type = floatOfNewerBytecode(&context, code);
    return mlir::success();
  };
  config.getBytecodeReaderConfig().attachTypeCallback(newerFloat);
  // Layouts of memrefs, which the MLIR of this build writes as text and jaxlib 0.12 by a code of
  // their own: of an identity, four times the number of its dimensions.
  const auto newerMap = [&](DialectBytecodeReader& in, StringRef dialect,
                            mlir::Attribute& attribute) -> LogicalResult {
    constexpr uint64_t kAffineMap = 23, kMostDimensions = 64;
    uint64_t code = 0, map = 0;
    if (dialect != "builtin") return mlir::success();
    if (failed(in.readVarInt(code))) return mlir::failure();
    if (code != kAffineMap) return mlir::success();
    if (failed(in.readVarInt(map))) return mlir::failure();
    if (map % 4 != 0 || map / 4 > kMostDimensions)
      return in.emitError("an affine map that is no identity, in the encoding of a later MLIR");
    attribute = AffineMapAttr::get(
        AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(map / 4), &context));
    return mlir::success();
  };
  config.getBytecodeReaderConfig().attachAttributeCallback(newerMap);
  if (referred != nullptr) referred->attach(config.getBytecodeReaderConfig());
  if (failed(readBytecodeFile(llvm::MemoryBufferRef(content, StringRef(name.data(), name.size())),
                              &top, config)))
    return diagnostics.message(name, "the bytes are damaged");
  return {};
}

}  // namespace vintage::golden
