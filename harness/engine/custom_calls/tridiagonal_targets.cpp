// cusparse_gtsv2_ffi and hipsparse_gtsv2_ffi: tridiagonal systems, by LAPACK's
// gtsv, which gives its diagonals and an info beside the solution.
#include <numeric>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {
using namespace golden;

namespace {

std::vector<int64_t> rowMajor(size_t rank) {
  std::vector<int64_t> layout(rank);
  std::iota(layout.rbegin(), layout.rend(), 0);
  return layout;
}

Result<Kernel> makeTridiagonal(const CustomCallTarget& target, const KernelRequest& request) {
  const CustomCallTarget* lapack =
      request.operandTypes.empty()
          ? nullptr
          : findTypedLapack(request.operandTypes[0].element, "gtsv", "gtsv");
  if (!lapack || request.operandTypes.size() < 4 || request.operandTypes[3].shape.size() < 2 ||
      request.resultTypes.size() != 1)
    return badInput(
        "custom_call @{} needs three diagonals and the right sides, of f32, "
        "f64 or complex numbers, and one result.",
        target.name);
  std::vector<ValueType> results(request.operandTypes.begin(), request.operandTypes.begin() + 3);
  results.push_back(request.resultTypes[0]);
  ValueType info = request.operandTypes[3];
  info.element = ElementType::kI32;
  info.shape.resize(info.shape.size() - 2);
  results.push_back(info);
  Operation operation = request.operation;
  const auto given = operation.attributes.find("result_layouts");
  if (given != operation.attributes.end()) {
    AttributeList layouts;
    for (const ValueType& result : results)
      layouts.emplace_back().value = rowMajor(result.shape.size());
    if (const auto* one = std::get_if<AttributeList>(&given->second.value); one && !one->empty())
      layouts[3] = (*one)[0];
    given->second.value = std::move(layouts);
  }
  const KernelRequest inner{operation, request.operandTypes, results, request.regions,
                            request.regionShortcuts};
  auto kernel = lapack->factory(*lapack, inner);
  if (!kernel) return kernel;
  return Kernel([kernel = *std::move(kernel)](KernelCall& call) -> Status {
    std::vector<Value> values(5);
    KernelCall own{.operands = call.operands, .results = values};
    own.availableBytes = call.availableBytes;
    RETURN_IF_ERROR(kernel(own));
    call.results[0] = std::move(values[3]);
    return {};
  });
}

}  // namespace

std::vector<CustomCallTarget> tridiagonalTargets() {
  std::vector<CustomCallTarget> targets;
  for (const auto& [name, platform] :
       {std::pair("cusparse_gtsv2_ffi", "cuda"), {"hipsparse_gtsv2_ffi", "rocm"}}) {
    targets.push_back({.name = name,
                       .platform = platform,
                       .apiVersions = {CustomCallApi::kTypedFfi},
                       .signature = {{"dl: T[*,n]", "d: T[*,n]", "du: T[*,n]", "b: T[*,n,columns]"},
                                     {"x: T[*,n,columns]"},
                                     {}},
                       .factory = makeTridiagonal});
  }
  return targets;
}

}  // namespace vintage::harness
