#include "golden/kernels/kernel_facts.h"

#include "golden/base/failures.h"
#include "golden/dialects/tpu/tpu_dialect.h"
#include "golden/kernels/kept_dialects.h"
#include "golden/kernels/kernel_payload.h"
#include "golden/kernels/kernel_reader.h"
#include "golden/module/mosaic_payload.h"
#include "golden/module/triton_payload.h"
#include "golden/program/bytecode_cursor.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/BuiltinOps.h"

namespace vintage::golden {
using namespace mlir;

namespace {

constexpr size_t kHashBytes = 32;  // In front of the text in a call of the first Mosaic for GPU.

const std::string* textIn(const AttributeMap& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : std::get_if<std::string>(&found->second.value);
}

// The writer of bytecode stands behind the magic and the format's version.
std::string formOf(std::string_view payload) {
  if (!payload.starts_with(kBytecodeMagic)) return "text";
  const std::string_view writer = payload.substr(kBytecodeMagic.size() + 1, 64);
  return fmt::format("bytecode of {}", writer.substr(0, writer.find('\0')));
}

// "stable_mosaic_gpu.version = 1 : i64"
std::optional<int64_t> versionInText(std::string_view payload, std::string_view name) {
  int64_t version = 0;
  const size_t at = payload.find(fmt::format("{} = ", name));
  if (at == std::string_view::npos) return std::nullopt;
  StringRef rest(payload.substr(at + name.size() + 3));
  if (rest.consumeInteger(10, version)) return std::nullopt;
  return version;
}

// Operations of any dialect: only the module's attributes are looked at.
Status readModule(std::string_view payload, std::string_view version, KernelFacts& facts) {
  if (!payload.starts_with(kBytecodeMagic)) {
    facts.version = versionInText(payload, version);
    return {};
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.loadDialect<tpu::TpuDialect>();
  kept::Counts counts;
  kept::load(context, counts);
  mlir::Block top;
  if (const std::string problem =
          readKernelPayload(context, std::as_bytes(std::span(payload)), "the kernel", top);
      !problem.empty())
    return badInput("the kernel cannot be read: {}", problem);
  if (!llvm::hasSingleElement(top)) return badInput("the kernel does not hold exactly one module");
  const auto number = [&](std::string_view name) -> std::optional<int64_t> {
    const auto found = top.front().getAttrOfType<IntegerAttr>(StringRef(name));
    return found ? std::optional(found.getInt()) : std::nullopt;
  };
  facts.version = number(version);
  if (const auto major = number("mosaic_gpu.arch_major"))
    facts.architecture = fmt::format("{}.{}", *major, number("mosaic_gpu.arch_minor").value_or(0));
  return {};
}

Result<KernelFacts> mosaicFacts(const std::string& config) {
  ASSIGN_OR_RETURN(const auto bytes, mosaicPayload(config));
  const std::string_view payload(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  KernelFacts facts;
  facts.language = "Mosaic for TPU";
  facts.form = formOf(payload);
  RETURN_IF_ERROR(readModule(payload, kMosaicVersion, facts));
  facts.isRun = facts.version.value_or(1) <= kNewestMosaicVersion;
  return facts;
}

// The facts about a call of jax-triton.
Result<KernelFacts> tritonFacts(std::string_view opaque) {
  ASSIGN_OR_RETURN(const TritonPayload payload, tritonPayload(opaque));
  KernelFacts facts;
  facts.language = "Triton";
  facts.isRun = !payload.ttir.empty();
  facts.form = payload.ttir.empty() ? "a compiled kernel alone" : "text beside a compiled kernel";
  if (payload.configurations > 1)
    facts.form += fmt::format(", the first of {} configurations", payload.configurations);
  if (const int64_t capability = payload.computeCapability; capability > 0)
    facts.architecture = fmt::format("{}.{}", capability / 10, capability % 10);
  return facts;
}

Result<KernelFacts> factsOf(const std::string& target, const Operation& call) {
  KernelFacts facts;
  const std::string* opaque = textIn(call.attributes, "backend_config");
  const bool isTritonCall = target.starts_with("triton_kernel_call");
  for (const char* name : {"backend_config", "mhlo.backend_config"}) {
    const auto found = call.attributes.find(name);
    const auto* fields =
        found == call.attributes.end() ? nullptr : std::get_if<AttributeMap>(&found->second.value);
    if (!fields) continue;
    opaque = textIn(*fields, isTritonCall                       ? "opaque"
                             : target == "__gpu$xla.gpu.triton" ? "ir"
                                                                : "module");
  }
  if (!opaque) return badInput("backend_config holds no kernel");
  if (target == "tpu_custom_call") return mosaicFacts(*opaque);
  if (isTritonCall) return tritonFacts(*opaque);
  std::string_view payload = *opaque;
  if (target == "__gpu$xla.gpu.triton") {
    facts.language = "Triton";
  } else {
    facts.language = "Mosaic for GPU";
    facts.isRun = false;
    if (target == "mosaic_gpu") payload.remove_prefix(std::min(kHashBytes, payload.size()));
    RETURN_IF_ERROR(readModule(payload, "stable_mosaic_gpu.version", facts));
  }
  facts.form = formOf(payload);
  return facts;
}

}  // namespace

std::optional<Result<KernelFacts>> kernelFacts(const Operation& call) {
  const std::string* target = textIn(call.attributes, "call_target_name");
  if (!target) return std::nullopt;
  if (!llvm::is_contained({"tpu_custom_call", "__gpu$xla.gpu.triton", "triton_kernel_call",
                           "triton_kernel_call_ffi", "mosaic_gpu", "mosaic_gpu_v2"},
                          *target))
    return std::nullopt;
  return factsOf(*target, call);
}

std::string kernelText(const KernelFacts& facts) {
  std::string text = facts.language;
  if (facts.version) text += fmt::format(", version {}", *facts.version);
  text += ", " + facts.form;
  if (!facts.architecture.empty()) text += fmt::format(", for architecture {}", facts.architecture);
  if (!facts.isRun) text += "; it is not executed here";
  return text;
}

}  // namespace vintage::golden
