#include "harness/consumers/embedded/engine_history.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"

namespace vintage::harness::consumers::embedded {
namespace {

using std::chrono::day;
using std::chrono::November;
using std::chrono::year;

// What no line below names came with the first build.
constexpr Date kFirstBuild{year(2026) / November / day(20)};

struct Arrival {
  std::string_view target;
  Date date;
};

// Targets that the engine registers since a later day.
constexpr Arrival kRegistered[] = {
    {"Eigh", year(2026) / November / day(21)},
    {"LuDecomposition", year(2026) / November / day(21)},
    {"ProductOfElementaryHouseholderReflectors", year(2026) / November / day(21)},
    {"Qr", year(2026) / November / day(21)},
    {"cusparse_gtsv2_ffi", year(2026) / November / day(22)},
    {"dynamic_ducc_fft", year(2026) / November / day(22)},
    {"hipsparse_gtsv2_ffi", year(2026) / November / day(22)},
    {"lapack_cgesvd_ffi", year(2026) / November / day(22)},
    {"lapack_dgesvd_ffi", year(2026) / November / day(22)},
    {"lapack_sgesvd_ffi", year(2026) / November / day(22)},
    {"lapack_zgesvd_ffi", year(2026) / November / day(22)},
    {"stablehlo.dynamic_reduce_window", year(2026) / November / day(22)},
};

// Targets that the catalogue's lowerings call, in one profile at least, since the first build...
constexpr std::string_view kExportedFromTheFirst[] = {
    "Eigh", "LuDecomposition", "ProductOfElementaryHouseholderReflectors", "Qr",
    "cu_lu_pivots_to_permutation", "cu_threefry2x32_ffi", "cusolver_geqrf_ffi",
    "cusolver_gesvd_ffi", "cusolver_getrf_ffi", "cusolver_orgqr_ffi", "cusolver_potrf_ffi",
    "cusolver_syevd_ffi", "hip_lu_pivots_to_permutation", "hip_threefry2x32_ffi",
    "hipsolver_geqrf_ffi", "hipsolver_gesvd_ffi", "hipsolver_getrf_ffi", "hipsolver_orgqr_ffi",
    "hipsolver_potrf_ffi", "hipsolver_syevd_ffi", "lapack_cgeev_ffi", "lapack_cgeqrf_ffi",
    "lapack_cgesdd_ffi", "lapack_cgetrf_ffi", "lapack_cheevd_ffi", "lapack_cpotrf_ffi",
    "lapack_ctrsm_ffi", "lapack_cungqr_ffi", "lapack_dgeev_ffi", "lapack_dgeqrf_ffi",
    "lapack_dgesdd_ffi", "lapack_dgetrf_ffi", "lapack_dgtsv_ffi", "lapack_dorgqr_ffi",
    "lapack_dpotrf_ffi", "lapack_dsyevd_ffi", "lapack_dtrsm_ffi", "lapack_sgeev_ffi",
    "lapack_sgeqrf_ffi", "lapack_sgesdd_ffi", "lapack_sgetrf_ffi", "lapack_sgtsv_ffi",
    "lapack_sorgqr_ffi", "lapack_spotrf_ffi", "lapack_ssyevd_ffi", "lapack_strsm_ffi",
    "lapack_zgeev_ffi", "lapack_zgeqrf_ffi", "lapack_zgesdd_ffi", "lapack_zgetrf_ffi",
    "lapack_zheevd_ffi", "lapack_zpotrf_ffi", "lapack_ztrsm_ffi", "lapack_zungqr_ffi", "mhlo.acos",
    "mhlo.acosh", "mhlo.asin", "mhlo.asinh", "mhlo.atanh", "mhlo.cosh", "mhlo.erf", "mhlo.sinh",
    "mhlo.topk", "shape_assertion",
};

// ...and those that they call since a later day.
constexpr Arrival kExportedLater[] = {
    {"ApproxTopK", year(2026) / November / day(21)},
    {"cusolver_sytrd_ffi", year(2026) / November / day(21)},
    {"cusparse_gtsv2_ffi", year(2026) / November / day(22)},
    {"hipsolver_sytrd_ffi", year(2026) / November / day(21)},
    {"hipsparse_gtsv2_ffi", year(2026) / November / day(22)},
    {"lapack_cgees_ffi", year(2026) / November / day(21)},
    {"lapack_cgehrd_ffi", year(2026) / November / day(21)},
    {"lapack_chetrd_ffi", year(2026) / November / day(21)},
    {"lapack_dgees_ffi", year(2026) / November / day(21)},
    {"lapack_dgehrd_ffi", year(2026) / November / day(21)},
    {"lapack_dsytrd_ffi", year(2026) / November / day(21)},
    {"lapack_sgees_ffi", year(2026) / November / day(21)},
    {"lapack_sgehrd_ffi", year(2026) / November / day(21)},
    {"lapack_ssytrd_ffi", year(2026) / November / day(21)},
    {"lapack_zgees_ffi", year(2026) / November / day(21)},
    {"lapack_zgehrd_ffi", year(2026) / November / day(21)},
    {"lapack_zhetrd_ffi", year(2026) / November / day(21)},
    {"mhlo.tan", year(2026) / November / day(22)},
    {"stablehlo.dynamic_approx_top_k", year(2026) / November / day(22)},
    {"stablehlo.dynamic_rng_bit_generator", year(2026) / November / day(22)},
};

// A version that is raised gets its day here with it.
static_assert(kNewestCallingConvention == 10 && kNewestSerializationVersion == 12,
              "since when does the engine read it?");
constexpr Date kCallingConvention10 = kFirstBuild;
constexpr Date kSerialization12 = kFirstBuild;

std::optional<Date> arrivalOf(std::string_view target, std::span<const Arrival> arrivals) {
  const auto found = std::ranges::find(arrivals, target, &Arrival::target);
  return found == arrivals.end() ? std::nullopt : std::optional(found->date);
}

}  // namespace

Date engineHasTargetSince(std::string_view target) {
  return arrivalOf(target, kRegistered).value_or(kFirstBuild);
}

std::optional<Date> exportsCallTargetSince(std::string_view target) {
  if (std::ranges::find(kExportedFromTheFirst, target) != std::end(kExportedFromTheFirst))
    return kFirstBuild;
  return arrivalOf(target, kExportedLater);
}

Date engineReadsNewestCallingConventionSince() { return kCallingConvention10; }
Date engineReadsNewestSerializationSince() { return kSerialization12; }

}  // namespace vintage::harness::consumers::embedded
