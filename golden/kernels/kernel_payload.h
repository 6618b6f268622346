// The payload of a kernel, bytecode or MLIR's text, read by MLIR.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "mlir/IR/Block.h"
#include "mlir/IR/MLIRContext.h"

namespace vintage::golden {

// Reads it into `top`, without verifying the operations: empty, or what is wrong.
std::string readKernelPayload(mlir::MLIRContext& context, std::span<const std::byte> payload,
                              std::string_view name, mlir::Block& top);

}  // namespace vintage::golden
