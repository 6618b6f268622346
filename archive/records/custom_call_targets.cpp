#include "archive/records/custom_call_targets.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vintage::archive {
namespace {

// Successors with what they replaced, those that the names alone do not show. The subjects of the
// commits that listed the successors, and JAX's compatibility tests, whose later data call the
// successor for the same computation, name them.
constexpr std::pair<std::string_view, std::string_view> kSuccessions[] = {
    {"cusolver_geqrf_ffi",
     "cublas_geqrf_batched"},  // "Activate FFI implementation of the QR decomposition"
    {"hipsolver_geqrf_ffi", "hipblas_geqrf_batched"},
    {"cusolver_syevd_ffi", "cusolver_syevj"},  // "… of symmetric Eigendecomposition"
    {"hipsolver_syevd_ffi", "hipsolver_syevj"},
    {"lapack_ctrsm_ffi", "blas_ctrsm"},  // "Activate Triangular Solve to XLA's FFI"
    {"lapack_dtrsm_ffi", "blas_dtrsm"},
    {"lapack_strsm_ffi", "blas_strsm"},
    {"lapack_ztrsm_ffi", "blas_ztrsm"},
    {"dynamic_ducc_fft", "ducc_fft"},  // "Add support for dynamic shapes to jax.fft"
};

// Each was seen to compile on a release whose registry lacks it; those of the TPU's compiler by
// what the default export writes for it.
constexpr std::string_view kOfCompiler[] = {
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
constexpr std::string_view kPrefixesOfCompiler[] = {"mhlo.", "stablehlo.", "xla.sdy."};

}  // namespace

std::vector<std::string> replacedTargets(std::string_view target) {
  std::vector<std::string> out;
  for (std::string_view suffix : {"_ffi", "_v2"})
    if (target.ends_with(suffix)) out.emplace_back(target.substr(0, target.size() - suffix.size()));
  for (const auto& [successor, replaced] : kSuccessions)
    if (successor == target) out.emplace_back(replaced);
  return out;
}

bool isKnownToCompiler(std::string_view target) {
  return std::ranges::find(kOfCompiler, target) != std::end(kOfCompiler) ||
         std::ranges::any_of(kPrefixesOfCompiler,
                             [&](std::string_view prefix) { return target.starts_with(prefix); });
}

}  // namespace vintage::archive
