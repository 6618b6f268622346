// The custom-call targets that the embedded engine registers.
//
// A target is data: what a build reports about itself (`vintage build
// targets`), what the gate compares between two builds, and the factory that
// the engine plans with. To add one, add a row to a family's table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// The values of `api_version` of a stablehlo.custom_call.
enum class CustomCallApi : int { kOriginal = 1, kStatusReturning = 2, kUnified = 3, kTypedFfi = 4 };

// One line for each operand, result and attribute, as "a: f32[*,m,n]", where *
// stands for any batch dimensions.
struct CustomCallSignature {
  std::vector<std::string> operands;
  std::vector<std::string> results;
  std::vector<std::string> attributes;
};

struct CustomCallTarget;
using CustomCallFactory = Result<Kernel> (*)(const CustomCallTarget& target,
                                             const KernelRequest& request);

struct CustomCallTarget {
  std::string name;
  // Where XLA registers it: "cpu", "cuda", "rocm", "tpu"; "any" for all.
  std::string platform;
  std::vector<CustomCallApi> apiVersions;
  CustomCallSignature signature;
  // Between these days JAX guaranteed the target to be stable (StabilityGuarantee
  // below); empty where it never did, and where it still does.
  std::string guaranteedSince = {};
  std::string guaranteedUntil = {};
  CustomCallFactory factory = nullptr;
  // The functions in called_computations come to the factory as regions.
  bool callsFunctions = false;
  // What the factory needs to tell targets of one family apart: an index into
  // the family's own table.
  int variant = 0;
};

// Sorted by name, without doubles. Made once; lives as long as the program.
std::span<const CustomCallTarget> customCallTargets();

// Null where the target is not registered.
const CustomCallTarget* findCustomCallTarget(std::string_view name);

// kUnsupported for a target that is not registered: the message names it, the
// nearest registered names, and what to do.
Result<Kernel> compileCustomCall(const KernelRequest& request);

// One table for each family; customCallTargets() joins them.
std::vector<CustomCallTarget> lapackTargets();
std::vector<CustomCallTarget> duccFftTargets();
std::vector<CustomCallTarget> topKTargets();
std::vector<CustomCallTarget> shapeAssertionTargets();
std::vector<CustomCallTarget> identityTargets();
std::vector<CustomCallTarget> portableTargets();
std::vector<CustomCallTarget> operationTargets();
std::vector<CustomCallTarget> solverLibraryTargets();
std::vector<CustomCallTarget> tpuSolverTargets();
std::vector<CustomCallTarget> tridiagonalTargets();

// When JAX guaranteed a custom-call target to be stable.
//
// Source: the history of _CUSTOM_CALL_TARGETS_GUARANTEED_STABLE in jax-ml/jax,
// one period for each target: from the first commit that listed it (gaps of
// a few days, where a commit was rolled back, are left out) to the last one
// that removed it.

struct StabilityGuarantee {
  std::string_view target;
  std::string_view since;
  std::string_view until;  // Empty: still guaranteed.
};

// Null where the target never was on the list.
const StabilityGuarantee* findStabilityGuarantee(std::string_view target);

}  // namespace vintage::harness::engine
