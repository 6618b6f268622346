// Custom calls that carry a kernel as a program of another language.
//
// Reading one takes MLIR, which the engine does not link. A program that embeds the engine and
// reads StableHLO has MLIR anyway, and says how kernels are read.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {

using KernelReader = Result<golden::ModuleTree> (*)(std::span<const std::byte> payload,
                                                    std::string_view name);
struct KernelReaders {
  KernelReader mosaic = nullptr, triton = nullptr;
};
// Before a program is planned that calls kernels.
void readKernelsWith(const KernelReaders& readers);
// kUnsupported where nobody has said how kernels of the language are read.
enum class KernelLanguage { kMosaic, kTriton };
Result<golden::ModuleTree> readKernel(KernelLanguage language, std::span<const std::byte> payload,
                                      std::string_view name);

std::vector<CustomCallTarget> mosaicTargets();
std::vector<CustomCallTarget> tritonTargets();

}  // namespace vintage::harness
