// MLIR bytecode from outside, checked before and while MLIR reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "golden/program/program_module.h"
#include "golden/program/referred_constants.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/MLIRContext.h"

namespace vintage::golden {

// Reads `bytes`, which start as bytecode does, into `top`, without verifying the operations: empty,
// or what is wrong. `referred` makes constants that refer to `bytes`; null: they are copied.
std::string readBytecode(mlir::MLIRContext& context, std::span<const std::byte> bytes,
                         std::string_view name, ReferredConstants* referred,
                         const DiagnosticCollector& diagnostics, mlir::Block& top);

bool isAligned(std::span<const std::byte> bytes, uint64_t alignment);

}  // namespace vintage::golden
