// Custom calls of Triton kernels: @__gpu$xla.gpu.triton, with the kernel and its grid in
// backend_config, and @triton_kernel_call, with both in a compressed protocol buffer.
#include <algorithm>

#include "golden/base/failures.h"
#include "golden/module/triton_payload.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "harness/engine/kernels/triton_grid.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int64_t kMostPrograms = int64_t{1} << 24;

using Array = TritonPayload::Array;

bool addsFloats(const Region& region) {
  constexpr int64_t kFloatAdd = 5;
  return std::ranges::any_of(region.blocks, [](const Block& block) {
    return std::ranges::any_of(block.operations, [](const Operation& operation) {
      const auto* kind = attributeField<int64_t>(operation.attributes, "atomic_rmw_op");
      return (kind && *kind == kFloatAdd) || std::ranges::any_of(operation.regions, addsFloats);
    });
  });
}

// Reads the kernel in `payload`; name, grid and parameters of `call` are set.
Result<Kernel> planTriton(const CustomCallTarget& target, const KernelRequest& request,
                          const std::string& payload, TritonGrid call) {
  const auto programs = checkedElementCount(call.grid);
  if (!programs || *programs < 1 || *programs > kMostPrograms)
    return noResource("the kernel {} has a grid of {}; up to {} programs are run here", call.name,
                      fmt::join(call.grid, " x "), kMostPrograms);
  ASSIGN_OR_RETURN(
      auto tree, readKernel(KernelLanguage::kTriton, std::as_bytes(std::span(payload)), call.name));
  combineSlices(tree);
  call.kernel = std::make_shared<const ModuleTree>(std::move(tree));
  for (const Function& function : call.kernel->functions)
    call.addsFloats |= addsFloats(function.body);
  std::vector<StepTable> tables = sharedSteps();
  for (const StepTable own :
       {tritonSteps(), tritonMathSteps(), tritonFoldSteps(), tritonMemorySteps()})
    tables.push_back(own);
  ASSIGN_OR_RETURN(call.program, within("kernel " + call.name, planKernel(*call.kernel, tables)));
  call.function = call.program->find(call.name);
  if (!call.function || call.function->source->argumentTypes.size() != call.parameters.size())
    return badInput("the kernel has no function @{} of {} arguments: operands, then results",
                    call.name, call.parameters.size());
  call.results.assign(request.resultTypes.begin(), request.resultTypes.end());
  ASSIGN_OR_RETURN(call.aliases, aliasesOf(request.operation, request.resultTypes.size(),
                                           request.operandTypes.size()));
  for (size_t i = 0; i < call.aliases.size(); ++i) {
    if (call.aliases[i] < 0) continue;
    const ValueType& operand = request.operandTypes[static_cast<size_t>(call.aliases[i])];
    if (operand.shape != call.results[i].shape || operand.element != call.results[i].element)
      return badInput("result {} takes the place of {}", i, operand.text);
  }
  return wrapRawKernel(target.name, request,
                       [call = std::move(call)](std::span<const Tensor> operands) {
                         return within("kernel " + call.name, runTriton(call, operands));
                       });
}

Result<Kernel> makeTriton(const CustomCallTarget& target, const KernelRequest& request) {
  CheckedAttributes read = backendConfig(target, request.operation);
  TritonGrid call;
  call.name = read.text("name");
  const std::string kernel = read.text("ir");
  call.grid = {read.integer("grid_x"), read.integer("grid_y"), read.integer("grid_z")};
  RETURN_IF_ERROR(read.status());
  call.parameters.resize(request.operandTypes.size() + request.resultTypes.size());
  return planTriton(target, request, kernel, std::move(call));
}

// jax-triton's own calls. Those of a kernel that was compiled keep its text beside.
Result<Kernel> makeTritonCall(const CustomCallTarget& target, const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  std::string opaque;
  if (const auto* text =
          attributeField<std::string>(request.operation.attributes, "backend_config")) {
    opaque = *text;
  } else {
    read = backendConfig(target, request.operation);
    opaque = read.text("opaque");
    RETURN_IF_ERROR(read.status());
  }
  ASSIGN_OR_RETURN(TritonPayload payload,
                   within("custom_call @" + target.name, tritonPayload(opaque)));
  if (payload.ttir.empty())
    return unsupported(
        "custom_call @{}: the kernel {} comes only as a compiler made it for a GPU of capability "
        "{}, without its text, which the embedded engine would run",
        target.name, payload.kernel, payload.computeCapability);
  const auto arrays = static_cast<size_t>(std::ranges::count_if(
      payload.parameters, [](const auto& each) { return std::holds_alternative<Array>(each); }));
  const size_t most = request.operandTypes.size() + request.resultTypes.size();
  ASSIGN_OR_RETURN(const auto aliases, aliasesOf(request.operation, request.resultTypes.size(),
                                                 request.operandTypes.size()));
  const auto overwritten =
      static_cast<size_t>(std::ranges::count_if(aliases, [](int64_t each) { return each >= 0; }));
  if (arrays != most && arrays + overwritten != most)
    return badInput("custom_call @{}: the kernel {} takes {} arrays, where the call has {}",
                    target.name, payload.kernel, arrays, most);
  TritonGrid call;
  call.name = std::move(payload.kernel);
  call.grid = payload.grid;
  call.parameters = std::move(payload.parameters);
  return planTriton(target, request, payload.ttir, std::move(call));
}

}  // namespace

std::vector<CustomCallTarget> tritonTargets() {
  std::vector<CustomCallTarget> targets = {
      {.name = "__gpu$xla.gpu.triton",
       .platform = "cuda",
       .apiVersions = {CustomCallApi::kOriginal, CustomCallApi::kTypedFfi},
       .signature = {{},
                     {},
                     {"name: str", "ir: str", "grid_x: i32", "grid_y: i32", "grid_z: i32",
                      "num_warps: i32", "num_stages: i32"}},
       .factory = makeTriton}};
  for (const auto& [name, api] : {std::pair("triton_kernel_call", CustomCallApi::kStatusReturning),
                                  std::pair("triton_kernel_call_ffi", CustomCallApi::kTypedFfi)})
    targets.push_back({.name = name,
                       .platform = "cuda",
                       .apiVersions = {api},
                       .signature = {{}, {}, {"opaque: str"}},
                       .factory = makeTritonCall});
  return targets;
}

}  // namespace vintage::harness
