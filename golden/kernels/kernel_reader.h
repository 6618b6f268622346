// Kernels that custom calls carry as programs of their own, read as plain data.
//
// A kernel's tree is a ModuleTree with the operations of MLIR's arith, scf, vector, … and of the
// kernel language. In it
//   vectors and tensors are ValueType::kTensor, and so are scalars, of rank 0; index is i64;
//   memrefs are kBuffer; anything else is kOther. `text` is MLIR's spelling of each;
//   attributes of the languages' own are their text ("#tpu.memory_space<vmem>").
// This header does not include MLIR.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"

namespace vintage::golden {

// The attribute of a kernel's tree with the version of its payload; none in those of 2023.
inline constexpr std::string_view kMosaicVersion = "stable_mosaic.version";

// The payload of a tpu_custom_call: MLIR bytecode, or MLIR's text. Operations come in the form of
// kNewestMosaicVersion. A later version is kUnsupported. `name` stands in messages.
Result<ModuleTree> readMosaicKernel(std::span<const std::byte> payload, std::string_view name);

// A kernel in Triton's dialect: bytecode as JAX writes it since 0.4.30, or MLIR's generic text.
// Pointers are arrays of i64.
Result<ModuleTree> readTritonKernel(std::span<const std::byte> payload, std::string_view name);

}  // namespace vintage::golden
