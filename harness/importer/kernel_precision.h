// Whether the kernels of an artifact keep the precision that its golden takes, by the embedded
// engine, which runs them from their own bytes.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/records.h"
#include "golden/base/result.h"
#include "golden/compare/golden.h"
#include "golden/module/module_tree.h"

namespace vintage::harness {

// The roundings of a program's kernels (harness/engine/kernels/kernel_roundings.h), with their
// places; of kernels that the engine does not run, none. Runs in this process.
std::vector<std::string> kernelRoundings(const golden::ModuleTree& program);

struct KernelPrecision {
  bool equalsGolden = false;  // The engine's outputs, with all roundings.
  int roundings = 0;          // That the kernels have.
  // Some without which the outputs equal the golden's, and no fewer of them; with their places.
  // Empty where no choice of roundings explains a difference.
  std::vector<std::string> culprits;
};

// Runs the artifact on the golden's inputs, in a child process. kBadInput where it does not run.
// Outputs are first compared as those of a program without kernels: the golden of a TPU's kernel
// allows for products in bf16, whether or not the kernel states them.
Result<KernelPrecision> kernelPrecision(const archive::ArtifactRecord& record,
                                        const std::vector<std::byte>& bytes,
                                        const golden::Golden& golden);

std::string describe(const KernelPrecision& precision);
nlohmann::json toJson(const KernelPrecision& precision);

}  // namespace vintage::harness
