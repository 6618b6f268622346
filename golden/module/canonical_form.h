// What two modules have in common when they say the same: operations, types and attributes in
// their order, without the names that somebody gave them.
#pragma once

#include <string>
#include <vector>

#include "golden/module/module_tree.h"
#include "golden/module/room.h"

namespace vintage::golden::module {

// A line for each operation, those of main first, then those of each function where it is first
// named. Values and functions are numbered; locations, the module's and the functions' names and
// JAX's descriptions of results are left out. A constant stands where it is used, since compilers
// move, merge and copy constants freely.
std::vector<std::string> canonicalForm(const ModuleTree& module);

}  // namespace vintage::golden::module
