// Facts about the kernel in a custom call, by its payload, whether or not it is run here.
// This header does not include MLIR.
#pragma once

#include <optional>
#include <string>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"

namespace vintage::golden {

struct KernelFacts {
  std::string language;            // "Mosaic for TPU", "Mosaic for GPU", "Triton"
  std::string form;                // "text", "bytecode of MLIR19.0.0git"
  std::optional<int64_t> version;  // The serialized form's, where it has versions.
  std::string architecture;        // "9.0"; empty where it states none.
  bool isRun = true;               // By the embedded engine.
};

// None where the target is no kernel's; kBadInput where the kernel cannot be read.
std::optional<Result<KernelFacts>> kernelFacts(const Operation& call);
// "Mosaic for GPU, version 9, bytecode of googlex-trunk, for architecture 9.0; it is not executed
// here"
std::string kernelText(const KernelFacts& facts);

}  // namespace vintage::golden
