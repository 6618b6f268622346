#include "harness/engine/custom_calls/registry.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/typed_words.h"

namespace vintage::harness {
using namespace golden;

namespace {

std::string nearestNames(std::string_view name) {
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const CustomCallTarget& target : customCallTargets()) {
    const size_t distance = editDistance(name.substr(0, 64), target.name);
    if (distance <= std::max<size_t>(2, target.name.size() / 3))
      ranked.emplace_back(distance, target.name);
  }
  std::ranges::sort(ranked);
  std::vector<std::string_view> names;
  for (size_t i = 0; i < ranked.size() && i < 3; ++i) names.push_back(ranked[i].second);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<CustomCallTarget> joinTargets() {
  std::vector<CustomCallTarget> all;
  for (auto* family : {lapackTargets, duccFftTargets, topKTargets, portableTargets,
                       operationTargets, solverTargets}) {
    for (CustomCallTarget& target : family()) {
      if (const StabilityGuarantee* guarantee = findStabilityGuarantee(target.name)) {
        target.guaranteedSince = guarantee->since;
        target.guaranteedUntil = guarantee->until;
      }
      all.push_back(std::move(target));
    }
  }
  std::ranges::sort(all, {}, &CustomCallTarget::name);
  const auto doubles = std::ranges::unique(all, {}, &CustomCallTarget::name);
  all.erase(doubles.begin(), doubles.end());
  return all;
}

// kUnsupported for a target that is not registered: the message names it, the
// nearest registered names, and what to do.
Result<Kernel> makeCustomCall(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string name, textOf(request.operation, "call_target_name"));
  if (const CustomCallTarget* target = findCustomCallTarget(name))
    return target->factory(*target, request);
  const std::string nearest = nearestNames(name);
  return unsupported(
      "The custom-call target '{}' is not registered in the embedded engine (it has {} "
      "targets{}). Replay the artifact on a consumer that registers it, or declare a "
      "limitation for the case.",
      name, customCallTargets().size(),
      nearest.empty() ? std::string() : "; the nearest are " + nearest);
}

}  // namespace

std::span<const CustomCallTarget> customCallTargets() {
  static const std::vector<CustomCallTarget> targets = joinTargets();
  return targets;
}

const CustomCallTarget* findCustomCallTarget(std::string_view name) {
  const auto all = customCallTargets();
  const auto found = std::ranges::lower_bound(
      all, name, {}, [](const CustomCallTarget& target) { return std::string_view(target.name); });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

CheckedAttributes backendConfig(const CustomCallTarget& target, const Operation& operation) {
  const CheckedAttributes read(operation.attributes, "custom_call @" + target.name);
  return read.dictionary(read.has("backend_config") ? "backend_config" : "mhlo.backend_config",
                         /*mayBeMissing=*/true);
}

std::vector<OperationEntry> customCallOperations() {
  return {{"stablehlo.custom_call", makeCustomCall}};
}

namespace {

constexpr StabilityGuarantee kGuarantees[] = {
    {"AllocateBuffer", "2025-08-18", ""},
    {"ApproxTopK", "2023-05-09", ""},
    {"Eigh", "2023-03-23", ""},
    {"LuDecomposition", "2023-03-23", ""},
    {"ProductOfElementaryHouseholderReflectors", "2023-03-23", ""},
    {"Qr", "2023-03-23", ""},
    {"SPMDFullToShardShape", "2023-03-23", ""},
    {"SPMDShardToFullShape", "2023-03-23", ""},
    {"Sharding", "2023-03-23", ""},
    {"__gpu$xla.gpu.triton", "2024-05-02", "2024-12-05"},
    {"annotate_device_placement", "2025-04-08", ""},
    {"blas_?trsm", "2023-06-26", "2025-06-16", "cdsz"},
    {"cu_lu_pivots_to_permutation", "2024-08-12", ""},
    {"cu_threefry2x32", "2023-03-23", "2025-02-04"},
    {"cu_threefry2x32_ffi", "2024-06-28", ""},
    {"cublas_geqrf_batched", "2023-03-23", "2024-10-04"},
    {"cusolver_geqrf", "2023-03-23", "2024-10-04"},
    {"cusolver_geqrf_ffi", "2024-10-04", ""},
    {"cusolver_gesvd_ffi", "2024-10-17", ""},
    {"cusolver_gesvdj_ffi", "2024-10-17", ""},
    {"cusolver_getrf_ffi", "2024-08-21", ""},
    {"cusolver_orgqr", "2023-03-23", "2024-10-04"},
    {"cusolver_orgqr_ffi", "2024-10-04", ""},
    {"cusolver_potrf_ffi", "2025-10-10", ""},
    {"cusolver_syevd", "2023-03-23", "2024-10-04"},
    {"cusolver_syevd_ffi", "2024-10-04", ""},
    {"cusolver_syevj", "2023-03-23", "2024-10-04"},
    {"cusolver_sytrd_ffi", "2025-01-10", ""},
    {"cusparse_gtsv2_ffi", "2025-06-16", ""},
    {"ducc_fft", "2023-03-23", "2024-04-26"},
    {"dynamic_ducc_fft", "2023-06-17", "2024-05-28"},
    {"hip_lu_pivots_to_permutation", "2024-10-04", ""},
    {"hip_threefry2x32_ffi", "2026-02-16", ""},
    {"hipblas_geqrf_batched", "2024-08-06", "2024-10-04"},
    {"hipsolver_geqrf", "2024-08-06", "2024-10-04"},
    {"hipsolver_geqrf_ffi", "2024-10-04", ""},
    {"hipsolver_gesdd_ffi", "2026-03-27", ""},
    {"hipsolver_gesvd_ffi", "2024-10-17", ""},
    {"hipsolver_gesvdj_ffi", "2024-10-17", ""},
    {"hipsolver_getrf_ffi", "2024-10-04", ""},
    {"hipsolver_orgqr", "2024-08-06", "2024-10-04"},
    {"hipsolver_orgqr_ffi", "2024-10-04", ""},
    {"hipsolver_potrf_ffi", "2025-10-10", ""},
    {"hipsolver_syevd", "2024-08-06", "2024-10-04"},
    {"hipsolver_syevd_ffi", "2024-10-04", ""},
    {"hipsolver_syevj", "2024-08-06", "2024-10-04"},
    {"hipsolver_sytrd_ffi", "2026-02-12", ""},
    {"lapack_?gees", "2023-06-26", "2025-06-16", "cdsz"},
    {"lapack_?gees_ffi", "2024-12-06", "", "cdsz"},
    {"lapack_?geev", "2023-06-16", "2025-04-11", "cdsz"},
    {"lapack_?geev_ffi", "2024-08-28", "", "cdsz"},
    {"lapack_?gehrd", "2024-10-01", "2025-04-11", "cdsz"},
    {"lapack_?gehrd_ffi", "2024-10-01", "", "cdsz"},
    {"lapack_?geqrf", "2023-03-23", "2024-10-04", "cdsz"},
    {"lapack_?geqrf_ffi", "2024-08-23", "", "cdsz"},
    {"lapack_?gesdd", "2023-06-22", "2025-04-11", "csz"},
    {"lapack_?gesdd", "2023-07-14", "2025-04-11", "d"},
    {"lapack_?gesdd_ffi", "2024-08-13", "", "cdsz"},
    {"lapack_?getrf", "2023-06-23", "2024-09-30", "cdsz"},
    {"lapack_?getrf_ffi", "2024-08-02", "", "cdsz"},
    {"lapack_?gtsv_ffi", "2025-01-10", "", "cdsz"},
    {"lapack_?heevd", "2023-03-23", "2024-10-04", "cz"},
    {"lapack_?heevd_ffi", "2024-08-28", "", "cz"},
    {"lapack_?hetrd", "2024-12-09", "2025-06-16", "cz"},
    {"lapack_?hetrd_ffi", "2024-12-09", "", "cz"},
    {"lapack_?orgqr", "2023-03-23", "2024-10-04", "ds"},
    {"lapack_?orgqr_ffi", "2024-09-02", "", "ds"},
    {"lapack_?potrf", "2023-06-22", "2025-04-11", "cdsz"},
    {"lapack_?potrf_ffi", "2024-07-25", "", "cdsz"},
    {"lapack_?syevd", "2023-03-23", "2024-10-04", "ds"},
    {"lapack_?syevd_ffi", "2024-08-28", "", "ds"},
    {"lapack_?sytrd", "2024-12-09", "2025-06-16", "ds"},
    {"lapack_?sytrd_ffi", "2024-12-09", "", "ds"},
    {"lapack_?trsm_ffi", "2024-12-11", "", "cdsz"},
    {"lapack_?ungqr", "2023-03-23", "2024-10-04", "cz"},
    {"lapack_?ungqr_ffi", "2024-09-02", "", "cz"},
    {"lapack_dsesdd", "2023-06-22", "2023-07-19"},
    {"mosaic_gpu", "2025-04-23", "2025-08-18"},
    {"mosaic_gpu_v2", "2025-08-18", ""},
    {"shape_assertion", "2023-07-19", ""},
    {"stablehlo.dynamic_approx_top_k", "2024-06-05", ""},
    {"stablehlo.dynamic_reduce_window", "2023-06-17", ""},
    {"stablehlo.dynamic_rng_bit_generator", "2023-06-19", ""},
    {"stablehlo.dynamic_top_k", "2023-07-28", ""},
    {"tf.call_tf_function", "2023-06-01", ""},
    {"tpu_custom_call", "2023-06-30", ""},
};

bool isOf(const StabilityGuarantee& row, std::string_view target) {
  const size_t letter = row.target.find('?');
  if (letter == std::string_view::npos) return row.target == target;
  return target.size() == row.target.size() && target.starts_with(row.target.substr(0, letter)) &&
         target.ends_with(row.target.substr(letter + 1)) &&
         row.elements.find(target[letter]) != std::string_view::npos;
}

}  // namespace

const StabilityGuarantee* findStabilityGuarantee(std::string_view target) {
  const auto* found = std::ranges::find_if(
      kGuarantees, [&](const StabilityGuarantee& row) { return isOf(row, target); });
  return found == std::end(kGuarantees) ? nullptr : found;
}

}  // namespace vintage::harness
