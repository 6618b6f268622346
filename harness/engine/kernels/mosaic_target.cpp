// tpu_custom_call: a Mosaic kernel in base64 in a JSON object.
#include <atomic>

#include "golden/base/failures.h"
#include "golden/module/mosaic_payload.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "harness/engine/kernels/kernel_roundings.h"
#include "harness/engine/kernels/mosaic_kernel.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Compilations of several threads may each say how; they say the same.
std::atomic<KernelReader> mosaicReader = nullptr, tritonReader = nullptr;

Result<RawKernel> plan(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string config, textOf(request.operation, "backend_config"));
  ASSIGN_OR_RETURN(const auto payload, mosaicPayload(config));
  ASSIGN_OR_RETURN(const auto name,
                   textOf(request.operation, "kernel_name", std::string("kernel")));
  ASSIGN_OR_RETURN(auto tree, readKernel(KernelLanguage::kMosaic, payload, name));
  std::vector<ValueType> results;
  for (const ValueType& type : request.resultTypes) {
    if (type.kind == ValueType::Kind::kTuple)
      results.insert(results.end(), type.elements.begin(), type.elements.end());
    else
      results.push_back(type);
  }
  for (const ValueType& type : results)
    if (!isStatic(type)) return unsupported("a result of the open type {}", type.text);
  ASSIGN_OR_RETURN(auto aliases,
                   aliasesOf(request.operation, results.size(), request.operandTypes.size()));
  ASSIGN_OR_RETURN(auto kernel,
                   within(name, MosaicKernel::make(std::move(tree), request.operandTypes, results,
                                                   std::move(aliases))));
  return RawKernel([kernel](std::span<const Tensor> operands) -> Result<RawResults> {
    ASSIGN_OR_RETURN(auto made, kernel->run(operands));
    RawResults results;
    for (Tensor& tensor : made) results.push_back(std::move(tensor));
    return results;
  });
}

Result<Kernel> makeMosaicCall(const CustomCallTarget& target, const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto kernel, within("custom_call @" + target.name, plan(request)));
  return wrapRawKernel(target.name, request, std::move(kernel));
}

}  // namespace

void readKernelsWith(const KernelReaders& readers) {
  mosaicReader = readers.mosaic;
  tritonReader = readers.triton;
}

Result<ModuleTree> readKernel(KernelLanguage language, std::span<const std::byte> payload,
                              std::string_view name) {
  const KernelReader reader = language == KernelLanguage::kTriton ? tritonReader : mosaicReader;
  if (!reader)
    return unsupported("this program runs kernels that others have read, and reads none itself");
  ASSIGN_OR_RETURN(auto kernel, reader(payload, name));
  WithoutRoundings::applyTo(kernel);
  return kernel;
}

std::vector<CustomCallTarget> mosaicTargets() {
  return {{"tpu_custom_call",
           "tpu",
           {CustomCallApi::kOriginal},
           {{"operands of the kernel"},
            {"results of the kernel"},
            {fmt::format("custom_call_config.body: a Mosaic kernel of versions 1 to {}, in base64",
                         kNewestMosaicVersion)}},
           makeMosaicCall}};
}

}  // namespace vintage::harness
