#include "golden/program/result_shardings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/program/program_copy.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/SymbolTable.h"

namespace vintage::golden::program {
namespace {

// The name of the first mesh; empty: it declares none.
std::string meshOf(mlir::ModuleOp module) {
  for (mlir::Operation& operation : *module.getBody())
    if (operation.getName().getStringRef() == "sdy.mesh")
      if (auto name = mlir::SymbolTable::getSymbolName(&operation)) return name.str();
  return "";
}

}  // namespace

Result<Program> withWholeResults(const Program& program, std::span<const size_t> results,
                                 const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  mlir::func::FuncOp function = copy.function();
  const std::string mesh = meshOf(copy.module());
  for (const size_t result : results) {
    if (result >= function.getNumResults())
      return usageError("result {} was named; @{} has {}", result, entry, function.getNumResults());
    const auto index = static_cast<unsigned>(result);
    if (mesh.empty()) {
      function.setResultAttr(index, "mhlo.sharding",
                             mlir::StringAttr::get(function.getContext(), "{replicated}"));
      continue;
    }
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(function.getResultTypes()[index]);
    if (!type) continue;
    const std::vector<std::string> whole(static_cast<size_t>(type.getRank()), "{}");
    const mlir::Attribute sharding =
        mlir::parseAttribute(fmt::format("#sdy.sharding<@{}, [{}]>", mesh, fmt::join(whole, ", ")),
                             function.getContext());
    if (!sharding) return unsupported("a sharding over the mesh @{} cannot be written", mesh);
    function.setResultAttr(index, "sdy.sharding", sharding);
  }
  return copy.finish();
}

}  // namespace vintage::golden::program
