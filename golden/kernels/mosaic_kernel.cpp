#include "golden/base/failures.h"
#include "golden/dialects/tpu/tpu_dialect.h"
#include "golden/kernels/kernel_payload.h"
#include "golden/kernels/kernel_reader.h"
#include "golden/kernels/kernel_tree.h"
#include "golden/kernels/mosaic_versions.h"
#include "golden/module/mosaic_payload.h"
#include "mlir/IR/BuiltinOps.h"

namespace vintage::golden {
using namespace mlir;

namespace {

constexpr std::string_view kPrefix = "stable_mosaic.";

}  // namespace

Result<ModuleTree> readMosaicKernel(std::span<const std::byte> payload, std::string_view name) {
  // MLIR knows of the languages only the types and attributes in which it looks for more than text.
  // All operations are read in their generic form, so that kernels of any release are.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.loadDialect<tpu::TpuDialect>();
  mlir::Block top;
  if (const std::string problem = readKernelPayload(context, payload, name, top); !problem.empty())
    return badInput("{}: the kernel cannot be read: {}", name, problem);
  auto module = llvm::hasSingleElement(top) ? dyn_cast<ModuleOp>(top.front()) : ModuleOp();
  if (!module) return badInput("{}: the kernel does not hold exactly one module", name);

  const auto stated =
      module->getAttrOfType<IntegerAttr>(StringRef(kMosaicVersion.data(), kMosaicVersion.size()));
  const int64_t version = stated ? stated.getInt() : 1;
  if (version > kNewestMosaicVersion)
    return unsupported(
        "{}: the kernel has version {} of serialized Mosaic, and this build reads up to {}. Export "
        "it for forward compatibility (jax.export does), or read it with a later Vintage.",
        name, version, kNewestMosaicVersion);
  if (version < 1) return badInput("{}: {} is {}", name, kMosaicVersion, version);
  ASSIGN_OR_RETURN(auto tree, within(std::string(name), kernelTree(module, stated ? kPrefix : "")));
  RETURN_IF_ERROR(within(std::string(name), upgradeMosaicKernel(tree, version)));
  return tree;
}

}  // namespace vintage::golden
