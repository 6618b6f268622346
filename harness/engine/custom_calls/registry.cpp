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
    {"?", "2023-03-23", "",
     "Eigh LuDecomposition ProductOfElementaryHouseholderReflectors Qr SPMDFullToShardShape "
     "SPMDShardToFullShape Sharding"},
    {"AllocateBuffer", "2025-08-18", ""},
    {"ApproxTopK", "2023-05-09", ""},
    {"__gpu$xla.gpu.triton", "2024-05-02", "2024-12-05"},
    {"annotate_device_placement", "2025-04-08", ""},
    {"blas_?trsm", "2023-06-26", "2025-06-16", "c d s z"},
    {"cu_lu_pivots_to_permutation", "2024-08-12", ""},
    {"cu_threefry2x32", "2023-03-23", "2025-02-04"},
    {"cu_threefry2x32_ffi", "2024-06-28", ""},
    {"cublas_geqrf_batched", "2023-03-23", "2024-10-04"},
    {"cusolver_?", "2023-03-23", "2024-10-04", "geqrf orgqr syevd syevj"},
    {"cusolver_?_ffi", "2024-10-04", "", "geqrf orgqr syevd"},
    {"cusolver_?_ffi", "2024-10-17", "", "gesvd gesvdj"},
    {"cusolver_getrf_ffi", "2024-08-21", ""},
    {"cusolver_sytrd_ffi", "2025-01-10", ""},
    {"cusparse_gtsv2_ffi", "2025-06-16", ""},
    {"ducc_fft", "2023-03-23", "2024-04-26"},
    {"dynamic_ducc_fft", "2023-06-17", "2024-05-28"},
    {"hip_lu_pivots_to_permutation", "2024-10-04", ""},
    {"hip_threefry2x32_ffi", "2026-02-16", ""},
    {"hipblas_geqrf_batched", "2024-08-06", "2024-10-04"},
    {"hipsolver_?", "2024-08-06", "2024-10-04", "geqrf orgqr syevd syevj"},
    {"hipsolver_?_ffi", "2024-10-04", "", "geqrf getrf orgqr syevd"},
    {"hipsolver_?_ffi", "2024-10-17", "", "gesvd gesvdj"},
    {"?solver_potrf_ffi", "2025-10-10", "", "cu hip"},
    {"hipsolver_gesdd_ffi", "2026-03-27", ""},
    {"hipsolver_sytrd_ffi", "2026-02-12", ""},
    {"lapack_?gees", "2023-06-26", "2025-06-16", "c d s z"},
    {"lapack_?gees_ffi", "2024-12-06", "", "c d s z"},
    {"lapack_?geev", "2023-06-16", "2025-04-11", "c d s z"},
    {"lapack_?geev_ffi", "2024-08-28", "", "c d s z"},
    {"lapack_?gehrd", "2024-10-01", "2025-04-11", "c d s z"},
    {"lapack_?gehrd_ffi", "2024-10-01", "", "c d s z"},
    {"lapack_?geqrf", "2023-03-23", "2024-10-04", "c d s z"},
    {"lapack_?geqrf_ffi", "2024-08-23", "", "c d s z"},
    {"lapack_?gesdd", "2023-06-22", "2025-04-11", "c s z"},
    {"lapack_?gesdd", "2023-07-14", "2025-04-11", "d"},
    {"lapack_?gesdd_ffi", "2024-08-13", "", "c d s z"},
    {"lapack_?getrf", "2023-06-23", "2024-09-30", "c d s z"},
    {"lapack_?getrf_ffi", "2024-08-02", "", "c d s z"},
    {"lapack_?gtsv_ffi", "2025-01-10", "", "c d s z"},
    {"lapack_?heevd", "2023-03-23", "2024-10-04", "c z"},
    {"lapack_?heevd_ffi", "2024-08-28", "", "c z"},
    {"lapack_?hetrd", "2024-12-09", "2025-06-16", "c z"},
    {"lapack_?hetrd_ffi", "2024-12-09", "", "c z"},
    {"lapack_?orgqr", "2023-03-23", "2024-10-04", "d s"},
    {"lapack_?orgqr_ffi", "2024-09-02", "", "d s"},
    {"lapack_?potrf", "2023-06-22", "2025-04-11", "c d s z"},
    {"lapack_?potrf_ffi", "2024-07-25", "", "c d s z"},
    {"lapack_?syevd", "2023-03-23", "2024-10-04", "d s"},
    {"lapack_?syevd_ffi", "2024-08-28", "", "d s"},
    {"lapack_?sytrd", "2024-12-09", "2025-06-16", "d s"},
    {"lapack_?sytrd_ffi", "2024-12-09", "", "d s"},
    {"lapack_?trsm_ffi", "2024-12-11", "", "c d s z"},
    {"lapack_?ungqr", "2023-03-23", "2024-10-04", "c z"},
    {"lapack_?ungqr_ffi", "2024-09-02", "", "c z"},
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
  const size_t place = row.target.find('?');
  if (place == std::string_view::npos) return row.target == target;
  const std::string_view before = row.target.substr(0, place), after = row.target.substr(place + 1);
  if (target.size() < before.size() + after.size() || !target.starts_with(before) ||
      !target.ends_with(after))
    return false;
  const auto word = target.substr(place, target.size() - before.size() - after.size());
  return fmt::format(" {} ", row.words).find(fmt::format(" {} ", word)) != std::string::npos;
}

}  // namespace

const StabilityGuarantee* findStabilityGuarantee(std::string_view target) {
  const auto* found = std::ranges::find_if(
      kGuarantees, [&](const StabilityGuarantee& row) { return isOf(row, target); });
  return found == std::end(kGuarantees) ? nullptr : found;
}

}  // namespace vintage::harness
