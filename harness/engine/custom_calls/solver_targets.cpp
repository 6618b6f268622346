// The solver targets of JAX's CUDA and ROCm runtimes, run by LAPACK.
//
// They name neither the element type (the operands tell it) nor, but for a
// few, their flags as LAPACK does; layouts, batches and results are those of
// the CPU's typed targets. So that an artifact for an accelerator replays here
// too; it does not stand for what the accelerator's own library would give.
#include <fmt/format.h>

#include <complex>
#include <numeric>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct SolverTarget {
  std::string_view name;  // Behind "cusolver_" and "hipsolver_".
  std::string_view realStem, complexStem;
  CustomCallSignature signature;
  bool cuda = true, rocm = true;
  // Jacobi's method gives the right singular vectors as they are; LAPACK their
  // adjoint.
  bool adjointResult3 = false;
};

const std::vector<SolverTarget>& solverTargets() {
  static const std::string a = "a: T[*,n,n]", general = "a: T[*,m,n]", info = "info: i32[*]";
  static const CustomCallSignature svd{
      {general},
      {general, "s: R[*,min(m,n)]", "u: T[*,m,?]", "vt: T[*,?,n]", info},
      {"full_matrices: bool", "compute_uv: bool", "transposed: bool"}};
  static const std::vector<SolverTarget> all = {
      {"potrf", "potrf", "potrf", {{a}, {a, info}, {"lower: bool"}}},
      {"getrf", "getrf", "getrf", {{general}, {general, "ipiv: i32[*,min(m,n)]", info}, {}}},
      {"geqrf", "geqrf", "geqrf", {{general}, {general, "tau: T[*,min(m,n)]"}, {}}},
      {"orgqr", "orgqr", "ungqr", {{general, "tau: T[*,k]"}, {general}, {}}},
      {"syevd", "syevd", "heevd", {{a}, {a, "w: R[*,n]", info}, {"lower: bool", "algorithm: ui8"}}},
      {"gesvd", "gesdd", "gesdd", svd},
      {"gesdd", "gesdd", "gesdd", svd, false},
      {"gesvdj",
       "gesdd",
       "gesdd",
       {{general},
        {general, "s: R[*,min(m,n)]", "u: T[*,m,?]", "v: T[*,n,?]", info},
        {"full_matrices: bool", "compute_uv: bool"}},
       true,
       true,
       true},
      {"sytrd",
       "sytrd",
       "hetrd",
       {{a}, {a, "d: R[*,n]", "e: R[*,n-1]", "tau: T[*,n-1]", info}, {"lower: bool"}}},
  };
  return all;
}

// LAPACK's letters for the flags that are there.
AttributeMap translated(const AttributeMap& config, CheckedAttributes& read) {
  AttributeMap flags;
  if (config.contains("lower")) {
    flags["uplo"].value = int64_t{read.flag("lower") ? 'L' : 'U'};
    flags["mode"].value = int64_t{'V'};
  }
  if (config.contains("compute_uv")) {
    const bool full = read.flag("full_matrices", true);
    flags["mode"].value = int64_t{!read.flag("compute_uv") ? 'N' : full ? 'A' : 'S'};
  }
  return flags;
}

void swapLast(Shape& shape) {
  if (shape.size() >= 2) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
}

Result<Tensor> adjoint(const Tensor& matrices) {
  std::vector<int64_t> order(matrices.shape().size());
  std::iota(order.begin(), order.end(), 0);
  swapLast(order);
  ASSIGN_OR_RETURN(auto swapped, transposeTensor(matrices, order));
  const auto conjugate = [&]<typename T>(std::span<T> values) {
    for (T& value : values) value = std::conj(value);
  };
  if (swapped.type() == ElementType::kC64) {
    conjugate(swapped.mutableValues<std::complex<float>>());
  } else if (swapped.type() == ElementType::kC128) {
    conjugate(swapped.mutableValues<std::complex<double>>());
  }
  return swapped;
}

// `kernel`, whose result 3 is turned into its adjoint.
Kernel withAdjointResult3(Kernel kernel) {
  return [kernel = std::move(kernel)](KernelCall& call) -> Status {
    RETURN_IF_ERROR(kernel(call));
    ASSIGN_OR_RETURN(call.results[3].tensor, adjoint(call.results[3].tensor));
    return {};
  };
}

Result<Kernel> makeSolver(const CustomCallTarget& target, const KernelRequest& request) {
  const SolverTarget& solver = solverTargets()[static_cast<size_t>(target.variant)];
  CheckedAttributes outer(request.operation);
  const AttributeMap config =
      outer.dictionary("backend_config", outer.dictionary("mhlo.backend_config", AttributeMap{}));
  CheckedAttributes read(config, "custom_call @" + target.name + ": backend_config");
  const AttributeMap flags = translated(config, read);
  const bool transposed = read.flag("transposed", false);
  RETURN_IF_ERROR(outer.status());
  RETURN_IF_ERROR(read.status());
  if (transposed) {
    return unsupported(
        "custom_call @{} of a transposed matrix is not run here; replay the "
        "artifact on its own platform.",
        target.name);
  }
  const CustomCallTarget* lapack =
      request.operandTypes.empty()
          ? nullptr
          : findTypedLapack(request.operandTypes[0].element, solver.realStem, solver.complexStem);
  if (!lapack) return badInput("custom_call @{} needs f32, f64 or complex matrices.", target.name);
  Operation operation = request.operation;
  operation.attributes.erase("backend_config");
  operation.attributes["mhlo.backend_config"].value = flags;
  std::vector<ValueType> results(request.resultTypes.begin(), request.resultTypes.end());
  if (solver.adjointResult3 && results.size() == 5) swapLast(results[3].shape);
  const KernelRequest inner{operation, request.operandTypes, results, request.regions,
                            request.regionShortcuts};
  auto kernel = lapack->factory(*lapack, inner);
  if (!kernel || !solver.adjointResult3 || results.size() != 5) return kernel;
  return withAdjointResult3(*std::move(kernel));
}

}  // namespace

std::vector<CustomCallTarget> solverLibraryTargets() {
  std::vector<CustomCallTarget> targets;
  for (size_t i = 0; i < solverTargets().size(); ++i) {
    const SolverTarget& solver = solverTargets()[i];
    for (const auto& [prefix, platform, has] :
         {std::tuple("cusolver", "cuda", solver.cuda), {"hipsolver", "rocm", solver.rocm}}) {
      if (!has) continue;
      targets.push_back({.name = fmt::format("{}_{}_ffi", prefix, solver.name),
                         .platform = platform,
                         .apiVersions = {CustomCallApi::kTypedFfi},
                         .signature = solver.signature,
                         .factory = makeSolver,
                         .variant = static_cast<int>(i)});
    }
  }
  return targets;
}

}  // namespace vintage::harness
