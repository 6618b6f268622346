// Faults of linear algebra: operations, and LAPACK's custom-call targets.
#include <algorithm>

#include "harness/engine/faults/damage.h"

namespace vintage::harness {
using namespace golden;

namespace {

using namespace damage;

// An attribute of the target's own, as an older or newer producer might mean it.
FaultyFactory staleAttribute(const char* name, int64_t from, int64_t to) {
  return attributes([=](AttributeMap& attributes, const KernelRequest&) {
    for (const char* config : {"mhlo.backend_config", "backend_config"}) {
      const auto found = attributes.find(config);
      if (found == attributes.end()) continue;
      auto* map = std::get_if<AttributeMap>(&found->second.value);
      if (map == nullptr || !map->contains(name)) continue;
      auto* value = std::get_if<int64_t>(&map->at(name).value);
      if (value != nullptr) *value = *value == from ? to : from;
    }
  });
}

FaultyFactory negatedResult(size_t which) {
  return results([which](auto, std::vector<Value>& results) {
    eachFloat(results.at(which).tensor, [](double y, size_t) { return -y; });
  });
}

}  // namespace

std::vector<SeededFault> linearAlgebraFaults() {
  return {
      {"potrf_stale_triangle", "the attribute uplo is taken for its opposite",
       "stablehlo.custom_call", "lapack_dpotrf_ffi", "cholesky",
       staleAttribute("uplo", 'L', 'U')},
      {"syevd_negative_values", "the eigenvalues have the wrong sign", "stablehlo.custom_call",
       "lapack_dsyevd_ffi", "eigh", negatedResult(1)},
      {"getrf_pivots_from_zero", "the pivots count from zero", "stablehlo.custom_call",
       "lapack_dgetrf_ffi", "lu", results([](auto, std::vector<Value>& results) {
         eachInteger(results.at(1).tensor, [](int64_t pivot, size_t) { return pivot - 1; });
       })},
      {"geqrf_reflector_lost", "the reflectors' factors have the wrong sign",
       "stablehlo.custom_call", "lapack_dgeqrf_ffi", "geqrf", negatedResult(1)},
      {"gesdd_negative_values", "the singular values have the wrong sign",
       "stablehlo.custom_call", "lapack_dgesdd_ffi", "svd", negatedResult(1)},
      {"geev_imaginary_sign", "the imaginary parts of the eigenvalues have the wrong sign",
       "stablehlo.custom_call", "lapack_dgeev_ffi", "eig", negatedResult(1)},
      {"triangular_solve_unit_ignored", "the diagonal counts where it is said to be one",
       "stablehlo.triangular_solve", "", "triangular_solve",
       attributes([](AttributeMap& attributes, const KernelRequest&) {
         attributes["unit_diagonal"].value = false;
       })},
      {"gtsv_right_side_sign", "the solution has the wrong sign", "stablehlo.custom_call",
       "lapack_dgtsv_ffi", "tridiagonal_solve", negatedResult(3)},
  };
}

}  // namespace vintage::harness
