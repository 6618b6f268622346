#include "harness/runtime/compiler_targets.h"

#include <algorithm>
#include <iterator>

namespace vintage::harness::runtime {
namespace {

// Each was seen to compile on a release whose registry lacks it; those of the TPU's compiler by
// what the default export writes for it.
constexpr std::string_view kTargets[] = {
    "AllocateBuffer",
    "ApproxTopK",
    "Eigh",
    "LuDecomposition",
    "MoveToDevice",
    "MoveToHost",
    "PartialReduce",
    "ProductOfElementaryHouseholderReflectors",
    "Qr",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "Sharding",
    "TopK",
    "annotate_device_placement",
    "tpu_custom_call",
};
constexpr std::string_view kPrefixes[] = {"mhlo.", "stablehlo.", "xla.sdy."};

}  // namespace

bool isKnownToCompiler(std::string_view target) {
  return std::ranges::find(kTargets, target) != std::end(kTargets) ||
         std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return target.starts_with(prefix); });
}

}  // namespace vintage::harness::runtime
