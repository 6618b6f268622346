// The solver targets of JAX's CUDA, ROCm and TPU runtimes, run by LAPACK.
//
// With them, an artifact for an accelerator replays here too. Its outputs do not stand for those of
// the accelerator's own library.
//
// The targets do not name the element type, which is that of the operands, and few have LAPACK's
// flags. The GPUs' targets have the layouts, batches and results of the CPU's typed targets; the
// TPU's return no info.
#include <algorithm>
#include <complex>
#include <numeric>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct SolverTarget {
  // "solver" of "cusolver_potrf_ffi" and "hipsolver_potrf_ffi"; none of the TPU's.
  std::string_view library;
  std::string_view name;
  std::string_view stem;  // LAPACK's: "potrf", "orgqr/ungqr"
  std::vector<std::string> attributes = {};
  std::vector<std::string> results = {};  // Where they are not LAPACK's.
  bool cuda = true;
};

const std::vector<SolverTarget>& solverRows() {
  static const std::vector<std::string> svd{"full_matrices: bool", "compute_uv: bool",
                                            "transposed: bool"};
  static const std::vector<SolverTarget> all = {
      {"solver", "potrf", "potrf", {"lower: bool"}},
      {"solver", "getrf", "getrf"},
      {"solver", "geqrf", "geqrf"},
      {"solver", "orgqr", "orgqr/ungqr"},
      {"solver", "syevd", "syevd/heevd", {"lower: bool", "algorithm: ui8"}},
      {"solver", "gesvd", "gesdd", svd},
      {"solver", "gesdd", "gesdd", svd, {}, false},
      {"solver",
       "gesvdj",
       "gesdd",
       {"full_matrices: bool", "compute_uv: bool"},
       {"a: T[*,m,n]", "s: R[*,min(m,n)]", "u: T[*,m,?]", "v: T[*,n,?]", "info: i32[*]"}},
      {"solver", "sytrd", "sytrd/hetrd", {"lower: bool"}},
      {"sparse", "gtsv2", "gtsv", {}, {"x: T[*,n,columns]"}},
      {"", "Eigh", "syevd/heevd", {}, {"v: T[*,n,n]", "w: R[*,n]"}},
      {"",
       "LuDecomposition",
       "getrf",
       {},
       {"lu: T[*,m,n]", "pivots: i32[*,min(m,n)]", "permutation: i32[*,m]"}},
      {"", "Qr", "geqrf"},
      {"", "ProductOfElementaryHouseholderReflectors", "orgqr/ungqr", {}, {"q: T[*,m,n]"}},
  };
  return all;
}

const SolverTarget& rowOf(const CustomCallTarget& target) {
  return solverRows()[static_cast<size_t>(target.variant)];
}

// By LAPACK's typed target for the elements of the first operand, which has these flags and
// results.
Result<Kernel> lapackKernel(const CustomCallTarget& target, const KernelRequest& request,
                            Operation operation, AttributeMap flags,
                            std::span<const ValueType> results) {
  const SolverTarget& row = rowOf(target);
  const CustomCallTarget* lapack = request.operandTypes.empty()
                                       ? nullptr
                                       : findTypedLapack(request.operandTypes[0].element, row.stem);
  if (!lapack) return badInput("custom_call @{} needs f32, f64 or complex matrices.", target.name);
  operation.attributes.erase("backend_config");
  operation.attributes["mhlo.backend_config"].value = std::move(flags);
  KernelRequest solved = request.with(operation);
  solved.resultTypes = results;
  return lapack->factory(*lapack, solved);
}

// Runs `kernel` for `count` results, and finish(results, call) makes the call's results of them.
template <typename Finish>
Result<Kernel> finished(Result<Kernel> kernel, size_t count, Finish finish) {
  if (!kernel) return kernel;
  return Kernel([kernel = *std::move(kernel), count, finish](KernelCall& call) -> Status {
    std::vector<Value> values(count);
    KernelCall own{call.operands, values, {}, call.availableBytes};
    RETURN_IF_ERROR(kernel(own));
    return finish(values, call);
  });
}

// LAPACK's info for a batch of matrices.
ValueType infoOf(ValueType matrices) {
  matrices.element = ElementType::kI32;
  matrices.shape.resize(matrices.shape.size() - 2);
  return matrices;
}

std::vector<int64_t> rowMajorLayout(const ValueType& type) {
  std::vector<int64_t> minorToMajor(type.shape.size());
  std::iota(minorToMajor.rbegin(), minorToMajor.rend(), 0);
  return minorToMajor;
}

void swapLast(Shape& shape) {
  if (shape.size() >= 2) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
}

Result<Tensor> adjoint(const Tensor& matrices) {
  std::vector<int64_t> order(matrices.shape().size());
  std::iota(order.begin(), order.end(), 0);
  swapLast(order);
  ASSIGN_OR_RETURN(auto swapped, transposeTensor(matrices, order));
  visitElementType(swapped.type(), [&]<typename T>() {
    if constexpr (kIsComplexStorage<T>)
      for (T& value : swapped.mutableValues<T>()) value = std::conj(value);
  });
  return swapped;
}

Result<Kernel> makeGpuSolver(const CustomCallTarget& target, const KernelRequest& request) {
  CheckedAttributes read = backendConfig(target, request.operation);
  AttributeMap flags;  // LAPACK's letters for the flags that are there.
  if (read.has("lower")) {
    flags["uplo"].value = int64_t{read.flag("lower") ? 'L' : 'U'};
    flags["mode"].value = int64_t{'V'};
  }
  if (read.has("compute_uv")) {
    const bool full = read.flag("full_matrices", true);
    flags["mode"].value = int64_t{!read.flag("compute_uv") ? 'N' : full ? 'A' : 'S'};
  }
  const bool transposed = read.flag("transposed", false);
  RETURN_IF_ERROR(read.status());
  if (transposed)
    return unsupported(
        "custom_call @{} of a transposed matrix is not run here; replay the "
        "artifact on its own platform.",
        target.name);
  std::vector<ValueType> results(request.resultTypes.begin(), request.resultTypes.end());
  // Jacobi's method gives the right singular vectors as they are; LAPACK their adjoint.
  const bool jacobi = rowOf(target).name == "gesvdj" && results.size() == 5;
  if (jacobi) swapLast(results[3].shape);
  auto kernel = lapackKernel(target, request, request.operation, std::move(flags), results);
  if (!jacobi) return kernel;
  return finished(std::move(kernel), 5, [](std::span<Value> inner, KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(inner[3].tensor, adjoint(inner[3].tensor));
    std::ranges::move(inner, call.results.begin());
    return {};
  });
}

// gtsv gives its diagonals and an info beside the solution.
Result<Kernel> makeTridiagonal(const CustomCallTarget& target, const KernelRequest& request) {
  if (request.operandTypes.size() < 4 || request.operandTypes[3].shape.size() < 2 ||
      request.resultTypes.size() != 1)
    return badInput("custom_call @{} needs three diagonals and the right sides, and one result.",
                    target.name);
  std::vector<ValueType> results(request.operandTypes.begin(), request.operandTypes.begin() + 3);
  results.push_back(request.resultTypes[0]);
  results.push_back(infoOf(request.operandTypes[3]));
  Operation operation = request.operation;
  const auto given = operation.attributes.find("result_layouts");
  if (given != operation.attributes.end()) {
    AttributeList layouts;
    for (const ValueType& result : results) layouts.emplace_back().value = rowMajorLayout(result);
    if (const auto* one = std::get_if<AttributeList>(&given->second.value); one && !one->empty())
      layouts[3] = (*one)[0];
    given->second.value = std::move(layouts);
  }
  return finished(lapackKernel(target, request, std::move(operation), {}, results), 5,
                  [](std::span<Value> inner, KernelCall& call) -> Status {
                    call.results[0] = std::move(inner[3]);
                    return {};
                  });
}

// LAPACK's exchanges count from one; the permutation is what they make of 0, 1, ….
Status finishLu(std::span<Value> inner, KernelCall& call) {
  const Tensor& exchanges = inner[1].tensor;
  ASSIGN_OR_RETURN(auto pivots, Tensor::make(ElementType::kI32, exchanges.shape()));
  Shape shape = call.operands[0].tensor.shape();
  const int64_t rows = shape[shape.size() - 2], steps = exchanges.shape().back();
  shape.pop_back();
  ASSIGN_OR_RETURN(auto permutation, Tensor::make(ElementType::kI32, shape));
  const auto from = exchanges.values<int32_t>();
  const auto counted = pivots.mutableValues<int32_t>();
  const auto order = permutation.mutableValues<int32_t>();
  const int64_t batches = rows == 0 ? 0 : permutation.size() / rows;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const auto line = order.subspan(static_cast<size_t>(batch * rows), static_cast<size_t>(rows));
    std::iota(line.begin(), line.end(), 0);
    for (int64_t i = 0; i < steps; ++i) {
      const auto at = static_cast<size_t>(batch * steps + i);
      counted[at] = from[at] - 1;
      if (counted[at] < 0 || counted[at] >= rows)
        return badInput("custom_call @LuDecomposition: no exchange of rows");
      std::swap(line[static_cast<size_t>(i)], line[static_cast<size_t>(counted[at])]);
    }
  }
  call.results[0] = inner[0];
  call.results[1].tensor = std::move(pivots);
  call.results[2].tensor = std::move(permutation);
  return {};
}

Result<Kernel> makeTpuSolver(const CustomCallTarget& target, const KernelRequest& request) {
  const bool eigh = target.name == "Eigh", lu = target.name == "LuDecomposition";
  const size_t count = target.signature.results.size();
  if (request.operandTypes.empty() || request.operandTypes[0].shape.size() < 2 ||
      request.resultTypes.size() != count)
    return badInput("custom_call @{} takes matrices and gives {} results.", target.name, count);
  AttributeMap flags;
  if (eigh) {
    // "lower,sort,sweeps,tolerance"
    const std::string configuration =
        CheckedAttributes(request.operation).text("backend_config", std::string("1"));
    flags["uplo"].value = int64_t{configuration.starts_with('0') ? 'U' : 'L'};
    flags["mode"].value = int64_t{'V'};
  }
  std::vector<ValueType> results(request.resultTypes.begin(), request.resultTypes.end());
  if (lu) results.pop_back();
  if (eigh || lu) results.push_back(infoOf(request.operandTypes[0]));
  // LAPACK takes its matrices column by column.
  const auto layouts =
      [rank = request.operandTypes[0].shape.size()](std::span<const ValueType> types) {
        AttributeList all;
        for (const ValueType& type : types) {
          std::vector<int64_t> minorToMajor = rowMajorLayout(type);
          if (minorToMajor.size() == rank) std::swap(minorToMajor[0], minorToMajor[1]);
          all.emplace_back().value = std::move(minorToMajor);
        }
        return all;
      };
  Operation operation = request.operation;
  operation.attributes["operand_layouts"].value = layouts(request.operandTypes);
  operation.attributes["result_layouts"].value = layouts(results);
  return finished(lapackKernel(target, request, std::move(operation), std::move(flags), results),
                  results.size(), [lu](std::span<Value> inner, KernelCall& call) -> Status {
                    if (lu) return finishLu(inner, call);
                    for (size_t i = 0; i < call.results.size(); ++i)
                      call.results[i] = std::move(inner[i]);
                    return {};
                  });
}

}  // namespace

std::vector<CustomCallTarget> solverTargets() {
  std::vector<CustomCallTarget> targets;
  for (size_t i = 0; i < solverRows().size(); ++i) {
    const SolverTarget& row = solverRows()[i];
    const LapackFamily& family = lapackFamily(row.stem);
    CustomCallTarget target{
        .name = std::string(row.name),
        .platform = "tpu",
        .apiVersions = {CustomCallApi::kOriginal, CustomCallApi::kStatusReturning},
        .signature = {family.operands, row.results.empty() ? family.results : row.results,
                      row.attributes},
        .factory = makeTpuSolver,
        .variant = static_cast<int>(i)};
    if (row.library.empty()) {
      targets.push_back(std::move(target));
      continue;
    }
    target.apiVersions = {CustomCallApi::kTypedFfi};
    target.factory = row.library == "sparse" ? makeTridiagonal : makeGpuSolver;
    for (const auto& [vendor, platform] : {std::pair("cu", "cuda"), {"hip", "rocm"}}) {
      if (!row.cuda && std::string_view(platform) == "cuda") continue;
      target.name = fmt::format("{}{}_{}_ffi", vendor, row.library, row.name);
      target.platform = platform;
      targets.push_back(target);
    }
  }
  return targets;
}

}  // namespace vintage::harness
