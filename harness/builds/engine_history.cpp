#include "harness/builds/engine_history.h"

#include <span>

#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"

namespace vintage {
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
    {"hipsparse_gtsv2_ffi", year(2026) / November / day(22)},
};

// Targets that a lowering of the catalogue calls since a later day.
constexpr Arrival kExported[] = {
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
};

// A version that is raised gets its day here with it.
static_assert(kNewestCallingConvention == 10 && kNewestSerializationVersion == 12,
              "since when does the engine read it?");
constexpr Date kCallingConvention10 = kFirstBuild;
constexpr Date kSerialization12 = kFirstBuild;

Date arrivalOf(std::string_view target, std::span<const Arrival> later) {
  for (const Arrival& one : later)
    if (one.target == target) return one.date;
  return kFirstBuild;
}

}  // namespace

Date engineHasTargetSince(std::string_view target) { return arrivalOf(target, kRegistered); }
Date exportsCallTargetSince(std::string_view target) { return arrivalOf(target, kExported); }
Date engineReadsNewestCallingConventionSince() { return kCallingConvention10; }
Date engineReadsNewestSerializationSince() { return kSerialization12; }

}  // namespace vintage
