// A module's functions within another one.
#pragma once

#include <string>

#include "golden/module/module_tree.h"

namespace vintage::harness {

// Adds the functions and meshes of `from` under names that `to` lacks; the new name of its main.
std::string importModule(golden::ModuleTree from, golden::ModuleTree& to);

}  // namespace vintage::harness
