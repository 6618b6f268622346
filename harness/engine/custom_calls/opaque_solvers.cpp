// The solver targets of JAX's CUDA and ROCm runtimes as they were before the typed FFI of 2024.
//
// They differ from the typed ones in the form of the call alone: sizes and flags are a packed C
// struct in backend_config, and a workspace, with an info where the typed form has none, comes
// behind the results. The typed target's factory computes them.
//
// Facts: the descriptors of jaxlib's gpu/solver_kernels.h and gpu/blas_kernels.h, checked against
// JAX's own compatibility artifacts of 2023 and 2024.
#include <cstring>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct OpaqueSolver {
  std::string_view name;   // "solver_syevj", behind "cu" or "hip"
  std::string_view typed;  // "solver_syevd_ffi"
  bool hasTriangle = false;
};

constexpr OpaqueSolver kRows[] = {
    {"solver_geqrf", "solver_geqrf_ffi"},       {"solver_getrf", "solver_getrf_ffi"},
    {"solver_orgqr", "solver_orgqr_ffi"},       {"solver_syevd", "solver_syevd_ffi", true},
    {"solver_syevj", "solver_syevd_ffi", true}, {"blas_geqrf_batched", "solver_geqrf_ffi"},
    {"blas_getrf_batched", "solver_getrf_ffi"},
};

std::string_view vendorOf(const CustomCallTarget& target) {
  return target.platform == "cuda" ? "cu" : "hip";
}

// The descriptor of an eigenvalue solver is {type, triangle, batch, n, workspace}. Its triangle is
// a constant of the vendor's BLAS.
Result<bool> lowerTriangle(const CustomCallTarget& target, const Operation& operation) {
  CheckedAttributes read(operation);
  const std::string descriptor = read.text("backend_config");
  RETURN_IF_ERROR(read.status());
  int32_t fields[5], triangle = 0;
  if (descriptor.size() == sizeof fields) {
    std::memcpy(fields, descriptor.data(), sizeof fields);
    triangle = fields[1];
    const int32_t lower = target.platform == "cuda" ? 0 : 122, upper = lower == 0 ? 1 : 121;
    if (triangle == lower || triangle == upper) return triangle == lower;
  }
  return badInput(
      "custom_call @{}: backend_config has {} bytes and names triangle {}; it is a struct of {} "
      "bytes whose second number says which triangle holds the matrix.",
      target.name, descriptor.size(), triangle, sizeof fields);
}

Result<Kernel> makeOpaqueSolver(const CustomCallTarget& target, const KernelRequest& request) {
  const OpaqueSolver& row = kRows[target.variant];
  const CustomCallTarget& typed =
      *findCustomCallTarget(fmt::format("{}{}", vendorOf(target), row.typed));
  Operation operation = request.operation;
  AttributeMap flags;
  if (row.hasTriangle) {
    ASSIGN_OR_RETURN(flags["lower"].value, lowerTriangle(target, operation));
  }
  operation.attributes.erase("backend_config");
  operation.attributes["mhlo.backend_config"].value = std::move(flags);
  // One tuple, up to 2023.
  const bool tuple =
      request.resultTypes.size() == 1 && request.resultTypes[0].kind == ValueType::Kind::kTuple;
  std::span<const ValueType> results = request.resultTypes;
  if (tuple) results = request.resultTypes[0].elements;
  const size_t count = typed.signature.results.size();
  if (results.size() < count)
    return badInput("custom_call @{} gives {} results and a workspace; this one has {}.",
                    target.name, count, results.size());
  if (auto layouts = operation.attributes.find("result_layouts");
      layouts != operation.attributes.end())
    if (auto* list = std::get_if<AttributeList>(&layouts->second.value);
        list && list->size() > count)
      list->resize(count);
  KernelRequest solved = request.with(operation);
  solved.resultTypes = results.first(count);
  ASSIGN_OR_RETURN(auto kernel, typed.factory(typed, solved));
  const std::vector<ValueType> others(results.begin() + static_cast<ptrdiff_t>(count),
                                      results.end());
  return Kernel([kernel = std::move(kernel), count, others, tuple](KernelCall& call) -> Status {
    std::vector<Value> values(count);
    KernelCall own{call.operands, values, {}, call.availableBytes};
    RETURN_IF_ERROR(kernel(own));
    for (const ValueType& type : others) {  // No error, and nothing in the workspace.
      ASSIGN_OR_RETURN(values.emplace_back().tensor, Tensor::make(type.element, type.shape));
    }
    if (tuple) {
      call.results[0].isTuple = true;
      call.results[0].elements = std::move(values);
    } else {
      std::ranges::move(values, call.results.begin());
    }
    return {};
  });
}

}  // namespace

std::vector<CustomCallTarget> opaqueSolverTargets() {
  std::vector<CustomCallTarget> targets;
  const std::vector<CustomCallTarget> typed = solverTargets();
  for (const char* vendor : {"cu", "hip"})
    for (int row = 0; row < std::ssize(kRows); ++row) {
      const auto computed = std::ranges::find(typed, fmt::format("{}{}", vendor, kRows[row].typed),
                                              &CustomCallTarget::name);
      CustomCallTarget target = *computed;
      target.name = fmt::format("{}{}", vendor, kRows[row].name);
      target.apiVersions = {CustomCallApi::kStatusReturning};
      target.signature.attributes = {};
      target.factory = makeOpaqueSolver;
      target.variant = row;
      targets.push_back(std::move(target));
    }
  return targets;
}

}  // namespace vintage::harness
