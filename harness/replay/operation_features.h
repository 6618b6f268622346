// What a program consists of, in the grain in which an engine goes wrong.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "golden/module/module_tree.h"

namespace vintage::harness {

struct OperationFeatures {
  // Sorted, without doubles: each operation by its name with its target, direction
  // or kind ("stablehlo.custom_call @Sharding", "stablehlo.compare EQ"); that with its
  // first operand's element type ("stablehlo.add of i64"); and that with the operation
  // its region consists of ("stablehlo.reduce over stablehlo.add").
  std::vector<std::string> features;
  size_t operations = 0;  // How many there are, constants and terminators left out.
};
OperationFeatures operationFeatures(const golden::ModuleTree& tree);

}  // namespace vintage::harness
