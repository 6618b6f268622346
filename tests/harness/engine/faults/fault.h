// Seeded faults: deliberate errors of the engine, to prove that a nightly run
// catches each of them and names the right primitive.
//
// A fault stands between an operation and its kernel: it changes operands,
// attributes or results, or answers with another operation's kernel. So the
// kernels themselves hold no code for it, and only the worker that is made for
// tests (vintage-worker-faults) links this folder.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

// Makes the faulty kernel; `sound` is the engine's own factory.
using FaultyFactory = std::function<Result<Kernel>(KernelFactory sound, const KernelRequest&)>;

struct SeededFault {
  std::string name;         // "pad_one_too_far"
  std::string description;  // The fault, in a sentence.
  // The damaged one: "stablehlo.pad", or "stablehlo.custom_call @lapack_dpotrf_ffi".
  std::string operation;
  std::string primitive;  // The primitive that a nightly run must name.
  FaultyFactory factory;
};

// Sorted by name, without doubles.
std::span<const SeededFault> seededFaults();
// Null where there is none of that name.
const SeededFault* findSeededFault(std::string_view name);

// Damages the engine of this process. At most once, before anything is planned.
Status seedFault(const SeededFault& fault);

// One table for each family; seededFaults() joins them.
std::vector<SeededFault> arithmeticFaults();
std::vector<SeededFault> functionFaults();
std::vector<SeededFault> structureFaults();
std::vector<SeededFault> contractionFaults();

}  // namespace vintage::harness
