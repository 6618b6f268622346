#include "golden/base/failures.h"
#include "golden/kernels/kept_dialects.h"
#include "golden/kernels/kernel_payload.h"
#include "golden/kernels/kernel_reader.h"
#include "golden/kernels/kernel_tree.h"
#include "golden/program/bytecode_cursor.h"
#include "mlir/IR/BuiltinOps.h"

namespace vintage::golden {
using namespace mlir;

namespace {

// "tensor<16x128x!tt.ptr<f32>>" and "!tt.ptr<f32>" are arrays of addresses.
void makeAddresses(ValueType& type) {
  StringRef text = type.text;
  if (!text.contains("!tt.ptr<")) return;
  Shape shape;
  if (text.consume_front("tensor<"))
    for (int64_t size = 0; !text.consumeInteger(10, size) && text.consume_front("x");)
      shape.push_back(size);
  if (!text.starts_with("!tt.ptr<")) return;  // A pointer to a tensor, which no JAX has made.
  type.kind = ValueType::Kind::kTensor;
  type.element = ElementType::kI64;
  type.shape = std::move(shape);
}

// Triton prints folds in generic form, with properties. MLIR takes these in an operation's own
// syntax alone, where it knows the operation by its name alone.
std::string withoutQuotes(StringRef payload) {
  std::string text;
  while (!payload.empty()) {
    const size_t at = std::min(payload.find("\"tt.reduce\"("), payload.find("\"tt.scan\"("));
    text += payload.take_front(at);
    payload = payload.drop_front(std::min(at, payload.size()));
    if (!payload.consume_front("\"")) break;
    const auto [operation, rest] = payload.split('"');
    text += operation;
    payload = rest;
  }
  return text;
}

}  // namespace

Result<ModuleTree> readTritonKernel(std::span<const std::byte> payload, std::string_view name) {
  std::string text;
  const StringRef given(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (!given.starts_with(kBytecodeMagic)) {
    text = withoutQuotes(given);
    payload = std::as_bytes(std::span(text));
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  kept::Counts counts;
  kept::load(context, counts);
  mlir::Block top;
  for (const bool isCounting : {true, false}) {
    counts.isCounting = isCounting;
    top.clear();
    if (const std::string problem = readKernelPayload(context, payload, name, top);
        !problem.empty()) {
      // An operation in a syntax of its own.
      if (problem.find("is unknown") != std::string::npos)
        return unsupported("{}: the kernel cannot be read: {}", name, problem);
      return badInput("{}: the kernel cannot be read: {}", name, problem);
    }
  }
  auto module = llvm::hasSingleElement(top) ? dyn_cast<ModuleOp>(top.front()) : ModuleOp();
  if (!module) return badInput("{}: the kernel does not hold exactly one module", name);
  ASSIGN_OR_RETURN(auto tree, within(std::string(name), kernelTree(module, "")));
  for (Function& function : tree.functions) {
    for (auto* types : {&function.argumentTypes, &function.resultTypes, &function.valueTypes})
      for (ValueType& type : *types) makeAddresses(type);
  }
  return tree;
}

}  // namespace vintage::golden
