#include "golden/module/module_tree.h"

namespace vintage::golden::module {

const Function* ModuleTree::find(std::string_view functionName) const {
  for (const Function& function : functions)
    if (function.name == functionName) return &function;
  return nullptr;
}

}  // namespace vintage::golden::module
