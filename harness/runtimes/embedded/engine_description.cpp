// The targets and operations that the embedded engine registers, and since when. Only this file
// holds the dates, so a table that grows needs a line here (a test insists).
#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "archive/records/custom_call_targets.h"
#include "archive/records/runtime_description.h"
#include "golden/base/date.h"
#include "golden/base/stablehlo_version.h"
#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

// Targets with the day since when something is true of them.
struct TargetsSince {
  std::string_view target;  // "lapack_?potrf_ffi", where ? is one of `words`.
  std::string_view since;
  std::string_view words = {};  // "c d s z"
};

// The first build registered everything that no row names.
constexpr Date kFirstBuild = std::chrono::year(2026) / std::chrono::November / std::chrono::day(20);

// Targets that the engine registers since a later day.
constexpr TargetsSince kRegistered[] = {
    {"?", "2026-11-21", "Eigh LuDecomposition ProductOfElementaryHouseholderReflectors Qr"},
    {"?sparse_gtsv2_ffi", "2026-11-22", "cu hip"},
    {"lapack_?gesvd_ffi", "2026-11-22", "c d s z"},
    {"?", "2026-11-22", "dynamic_ducc_fft stablehlo.dynamic_reduce_window"},
    {"lapack_?geqp3_ffi", "2026-11-26", "c d s z"},
    {"lapack_?mqr_ffi", "2026-11-26", "cun dor sor zun"},
    {"?_geqrf_batched", "2026-11-26", "cublas hipblas"},
    {"?_getrf_batched", "2026-11-26", "cublas hipblas"},
    {"cusolver_?", "2026-11-26", "geqrf getrf orgqr syevd syevj"},
    {"hipsolver_?", "2026-11-26", "geqrf getrf orgqr syevd syevj"},
    {"?", "2026-11-26",
     "__gpu$xla.gpu.triton cpu_csr_sparse_dense_ffi dce_sink tpu_custom_call "
     "tridiagonal_solve_perturbed_ffi triton_kernel_call triton_kernel_call_ffi"},
    {"?", "2026-11-27", "control_dep"},
};

// Targets that the catalogue's lowerings call in at least one profile, each with its first day.
constexpr TargetsSince kExported[] = {
    {"?", "2026-11-20",
     "Eigh LuDecomposition ProductOfElementaryHouseholderReflectors Qr shape_assertion"},
    {"?_lu_pivots_to_permutation", "2026-11-20", "cu hip"},
    {"?_threefry2x32_ffi", "2026-11-20", "cu hip"},
    {"cusolver_?_ffi", "2026-11-20", "geqrf gesvd getrf orgqr potrf syevd"},
    {"hipsolver_?_ffi", "2026-11-20", "geqrf gesvd getrf orgqr potrf syevd"},
    {"lapack_?_ffi", "2026-11-20",
     "cgeev cgeqrf cgesdd cgetrf cheevd cpotrf ctrsm cungqr dgeev dgeqrf dgesdd dgetrf dgtsv "
     "dorgqr dpotrf dsyevd dtrsm sgeev sgeqrf sgesdd sgetrf sgtsv sorgqr spotrf ssyevd strsm "
     "zgeev zgeqrf zgesdd zgetrf zheevd zpotrf ztrsm zungqr"},
    {"mhlo.?", "2026-11-20", "acos acosh asin asinh atanh cosh erf sinh topk"},
    {"?solver_sytrd_ffi", "2026-11-21", "cu hip"},
    {"lapack_?_ffi", "2026-11-21",
     "cgees cgehrd chetrd dgees dgehrd dsytrd sgees sgehrd ssytrd zgees zgehrd zhetrd"},
    {"ApproxTopK", "2026-11-21"},
    {"?sparse_gtsv2_ffi", "2026-11-22", "cu hip"},
    {"?", "2026-11-22",
     "mhlo.tan stablehlo.dynamic_approx_top_k stablehlo.dynamic_rng_bit_generator"},
};

// The custom-call targets that JAX guarantees to be stable, and since when: its list
// _CUSTOM_CALL_TARGETS_GUARANTEED_STABLE, by the first commit that listed each (gaps of a few days,
// where a commit was rolled back, are left out).
constexpr TargetsSince kGuaranteed[] = {
    {"?", "2023-03-23",
     "Eigh LuDecomposition ProductOfElementaryHouseholderReflectors Qr "
     "SPMDFullToShardShape SPMDShardToFullShape Sharding"},
    {"AllocateBuffer", "2025-08-18"},
    {"ApproxTopK", "2023-05-09"},
    {"annotate_device_placement", "2025-04-08"},
    {"cu_lu_pivots_to_permutation", "2024-08-12"},
    {"cu_threefry2x32_ffi", "2024-06-28"},
    {"cusolver_?_ffi", "2024-10-04", "geqrf orgqr syevd"},
    {"cusolver_?_ffi", "2024-10-17", "gesvd gesvdj"},
    {"cusolver_getrf_ffi", "2024-08-21"},
    {"cusolver_sytrd_ffi", "2025-01-10"},
    {"cusparse_gtsv2_ffi", "2025-06-16"},
    {"hip_lu_pivots_to_permutation", "2024-10-04"},
    {"hip_threefry2x32_ffi", "2026-02-16"},
    {"hipsolver_?_ffi", "2024-10-04", "geqrf getrf orgqr syevd"},
    {"hipsolver_?_ffi", "2024-10-17", "gesvd gesvdj"},
    {"?solver_potrf_ffi", "2025-10-10", "cu hip"},
    {"hipsolver_gesdd_ffi", "2026-03-27"},
    {"hipsolver_sytrd_ffi", "2026-02-12"},
    {"lapack_?gees_ffi", "2024-12-06", "c d s z"},
    {"lapack_?geev_ffi", "2024-08-28", "c d s z"},
    {"lapack_?gehrd_ffi", "2024-10-01", "c d s z"},
    {"lapack_?geqrf_ffi", "2024-08-23", "c d s z"},
    {"lapack_?gesdd_ffi", "2024-08-13", "c d s z"},
    {"lapack_?getrf_ffi", "2024-08-02", "c d s z"},
    {"lapack_?gtsv_ffi", "2025-01-10", "c d s z"},
    {"lapack_?heevd_ffi", "2024-08-28", "c z"},
    {"lapack_?hetrd_ffi", "2024-12-09", "c z"},
    {"lapack_?orgqr_ffi", "2024-09-02", "d s"},
    {"lapack_?potrf_ffi", "2024-07-25", "c d s z"},
    {"lapack_?syevd_ffi", "2024-08-28", "d s"},
    {"lapack_?sytrd_ffi", "2024-12-09", "d s"},
    {"lapack_?trsm_ffi", "2024-12-11", "c d s z"},
    {"lapack_?ungqr_ffi", "2024-09-02", "c z"},
    {"mosaic_gpu_v2", "2025-08-18"},
    {"shape_assertion", "2023-07-19"},
    {"stablehlo.dynamic_approx_top_k", "2024-06-05"},
    {"stablehlo.dynamic_reduce_window", "2023-06-17"},
    {"stablehlo.dynamic_rng_bit_generator", "2023-06-19"},
    {"stablehlo.dynamic_top_k", "2023-07-28"},
    {"tf.call_tf_function", "2023-06-01"},
    {"tpu_custom_call", "2023-06-30"},
};

bool names(const TargetsSince& row, std::string_view target) {
  const size_t place = row.target.find('?');
  if (place == row.target.npos) return row.target == target;
  const std::string_view before = row.target.substr(0, place), after = row.target.substr(place + 1);
  if (target.size() < before.size() + after.size() || !target.starts_with(before) ||
      !target.ends_with(after))
    return false;
  const auto word = target.substr(place, target.size() - before.size() - after.size());
  return fmt::format(" {} ", row.words).find(fmt::format(" {} ", word)) != std::string::npos;
}

// None where no row names it.
std::optional<Date> sinceOf(std::string_view target, std::span<const TargetsSince> rows) {
  const auto row =
      std::ranges::find_if(rows, [&](const TargetsSince& each) { return names(each, target); });
  return row == rows.end() ? std::nullopt : std::optional(*parseDate(row->since));
}

// A version that is raised gets its day here with it.
static_assert(kNewestCallingConvention == 10 && kNewestSerializationVersion == 12,
              "since when does the engine read it?");
constexpr Date kCallingConvention10 = kFirstBuild;
constexpr Date kSerialization12 = kFirstBuild;

constexpr std::string_view kExportedSchema =
#include "harness/runtimes/embedded/exported_schema.inc"
    ;

// readExported() reads every version from the first.
constexpr int kLowestSerialization = 1;

std::vector<TargetValue> values(const std::vector<std::string>& texts) {
  std::vector<TargetValue> list;
  for (const std::string& text : texts) list.push_back(parseTargetValue(text));
  return list;
}

RegisteredTarget describe(const CustomCallTarget& target) {
  RegisteredTarget described;
  described.name = target.name;
  described.platform = target.platform;
  TargetSchema& schema = described.schema;
  for (const CustomCallApi api : target.apiVersions)
    schema.apiVersions.push_back(static_cast<int>(api));
  schema.operands = values(target.signature.operands);
  schema.results = values(target.signature.results);
  schema.attributes = values(target.signature.attributes);
  for (size_t result = 0; result < schema.results.size(); ++result)
    for (size_t operand = 0; operand < schema.operands.size(); ++operand)
      if (!schema.results[result].name.empty() &&
          schema.results[result].name == schema.operands[operand].name)
        schema.aliases.push_back({static_cast<int>(result), static_cast<int>(operand)});
  described.since = sinceOf(target.name, kRegistered).value_or(kFirstBuild);
  described.exportedSince = sinceOf(target.name, kExported);
  described.exported = described.exportedSince.has_value();
  for (const std::string& replaced : replacedTargets(target.name))
    if (findCustomCallTarget(replaced) != nullptr) described.replaces.push_back(replaced);
  return described;
}

}  // namespace

RuntimeDescription describeEngine(const BuildRecord& build) {
  RuntimeDescription runtime;
  runtime.name = build.name;
  runtime.version = build.version;
  runtime.buildDate = build.buildDate;
  runtime.platforms = build.platforms;
  runtime.modes = build.modes;
  for (const CustomCallTarget& target : customCallTargets()) {
    runtime.targets.push_back(describe(target));
    if (const auto since = sinceOf(target.name, kGuaranteed))
      runtime.stableTargets.push_back({target.name, since});
  }
  runtime.callingConvention = {kOldestCallingConvention, kNewestCallingConvention,
                               kNewestCallingConvention, kCallingConvention10};
  runtime.serialization = {kLowestSerialization, kNewestSerializationVersion,
                           kNewestSerializationVersion, kSerialization12};
  runtime.stablehlo = {kOldestStablehloVersion, kCurrentStablehloVersion, kCurrentStablehloVersion};
  runtime.serializationSchema = kExportedSchema;
  normalize(runtime);
  return runtime;
}

}  // namespace vintage::harness
