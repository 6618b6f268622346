#include "golden/program/entry_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/program/program_copy.h"
#include "golden/program/program_module.h"
#include "llvm/ADT/BitVector.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace vintage::golden {
using namespace mlir;

namespace {

// An alias names the result that takes the argument's place by its number.
void renumberAliases(func::FuncOp function, const llvm::BitVector& dropped) {
  constexpr const char* kAlias = "tf.aliasing_output";
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const auto alias = function.getArgAttrOfType<IntegerAttr>(i, kAlias);
    if (!alias || alias.getInt() < 0 || alias.getInt() >= int64_t{dropped.size()}) continue;
    int64_t number = alias.getInt();
    for (int64_t result = alias.getInt(); result-- > 0;)
      number -= dropped.test(static_cast<unsigned>(result));
    function.setArgAttr(i, kAlias, IntegerAttr::get(alias.getType(), number));
  }
}

// The name of the first mesh; empty: it declares none.
std::string meshOf(ModuleOp module) {
  for (mlir::Operation& operation : *module.getBody())
    if (operation.getName().getStringRef() == "sdy.mesh")
      if (auto name = SymbolTable::getSymbolName(&operation)) return name.str();
  return "";
}

}  // namespace

Result<Program> withTokensInside(const Program& program, const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  func::FuncOp function = copy.function();
  mlir::Block& body = copy.body();
  auto builder = OpBuilder::atBlockBegin(&body);
  llvm::BitVector arguments(body.getNumArguments());
  for (BlockArgument argument : body.getArguments()) {
    if (!isa<stablehlo::TokenType>(argument.getType())) continue;
    OperationState state(function.getLoc(), "stablehlo.after_all", {}, argument.getType());
    argument.replaceAllUsesWith(builder.create(state)->getResult(0));
    arguments.set(argument.getArgNumber());
  }
  llvm::BitVector results(copy.terminator().getNumOperands());
  for (OpOperand& operand : copy.terminator().getOpOperands())
    if (isa<stablehlo::TokenType>(operand.get().getType())) results.set(operand.getOperandNumber());
  renumberAliases(function, results);
  copy.terminator().eraseOperands(results);
  // Their attributes go with them.
  if (results.any() && failed(function.eraseResults(results)))
    return unsupported("tokens among the results cannot be taken out");
  if (arguments.any() && failed(function.eraseArguments(arguments)))
    return unsupported("tokens among the arguments cannot be taken out");
  return copy.finish();
}

Result<Program> withWholeResults(const Program& program, std::span<const size_t> results,
                                 const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  func::FuncOp function = copy.function();
  const std::string mesh = meshOf(copy.module());
  for (const size_t result : results) {
    if (result >= function.getNumResults())
      return usageError("result {} was named; @{} has {}", result, entry, function.getNumResults());
    const auto index = static_cast<unsigned>(result);
    if (mesh.empty()) {
      function.setResultAttr(index, "mhlo.sharding",
                             StringAttr::get(function.getContext(), "{replicated}"));
      continue;
    }
    const auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[index]);
    if (!type) continue;
    const std::vector<std::string> whole(static_cast<size_t>(type.getRank()), "{}");
    const mlir::Attribute sharding =
        parseAttribute(fmt::format("#sdy.sharding<@{}, [{}]>", mesh, fmt::join(whole, ", ")),
                       function.getContext());
    if (!sharding) return unsupported("a sharding over the mesh @{} cannot be written", mesh);
    function.setResultAttr(index, "sdy.sharding", sharding);
  }
  return copy.finish();
}

Result<Program> withoutLayouts(const Program& program, const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  func::FuncOp function = copy.function();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, kLayoutAttribute);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.removeResultAttr(i, StringAttr::get(function.getContext(), kLayoutAttribute));
  return copy.finish();
}

Result<Program> withAttributes(const Program& program,
                               std::span<const std::pair<std::string, std::string>> attributes,
                               const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  ModuleOp module = copy.module();
  for (const auto& [name, text] : attributes) {
    const DiagnosticCollector diagnostics(*module.getContext());
    const mlir::Attribute value = parseAttribute(text, module.getContext());
    if (!value) return badInput("{} is no attribute for {}", text, name);
    module->setAttr(name, value);
  }
  return copy.finish();
}

}  // namespace vintage::golden
