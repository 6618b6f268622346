#include <array>
#include <string_view>

#include "harness/importer/inspect.h"

namespace vintage::harness {
namespace {

struct TargetPart {
  std::string_view part;       // Stands in the target's name.
  std::string_view primitive;  // JAX's name of what lowers to it.
};

// In order: the first row that fits any of an artifact's targets decides, so
// that a decomposition comes before the solves that it is made of. Source: the
// lowering rules of jax/_src/lax/linalg.py and their siblings.
constexpr TargetPart kParts[] = {
    {"tpu_custom_call", "pallas_call"},
    {"mosaic_gpu", "pallas_call"},
    {"dynamic_approx_top_k", "approx_top_k"},
    {"ApproxTopK", "approx_top_k"},
    {"dynamic_top_k", "top_k"},
    {"dynamic_reduce_window", "reduce_window"},
    {"ducc_fft", "fft"},
    {"threefry2x32", "threefry2x32"},
    {"geev", "eig"},
    {"syev", "eigh"},
    {"heev", "eigh"},
    {"Eigh", "eigh"},
    {"gesdd", "svd"},
    {"gesvd", "svd"},
    {"gees", "schur"},
    {"gehrd", "hessenberg"},
    {"sytrd", "tridiagonal"},
    {"hetrd", "tridiagonal"},
    {"gtsv", "tridiagonal_solve"},
    {"potrf", "cholesky"},
    {"getrf", "lu"},
    {"lu_pivots_to_permutation", "lu_pivots_to_permutation"},
    {"geqrf", "qr"},
    {"Qr", "qr"},
    {"orgqr", "householder_product"},
    {"ungqr", "householder_product"},
    {"trsm", "triangular_solve"},
    {"annotate_device_placement", "device_put"},
    {"xla.sdy.", "sharding_constraint"},
    {"Sharding", "sharding_constraint"},
    {"tf.call_tf_function", "call_tf"},
};

}  // namespace

std::string primitiveOfTargets(std::span<const std::string> targets) {
  for (const TargetPart& row : kParts)
    for (const std::string& target : targets)
      if (target.find(row.part) != std::string::npos) return std::string(row.primitive);
  return "";
}

}  // namespace vintage::harness
