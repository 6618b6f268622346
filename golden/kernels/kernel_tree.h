// The plain tree of a module with operations of any dialect.
#pragma once

#include <string_view>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "mlir/IR/BuiltinOps.h"

namespace vintage::golden {

// Functions are the operations named "func.func" or ending in ".func" ("tt.func"), with `prefix` in
// front, which all names lose. kResource where operations nest too deep.
Result<ModuleTree> kernelTree(mlir::ModuleOp module, std::string_view prefix);

}  // namespace vintage::golden
