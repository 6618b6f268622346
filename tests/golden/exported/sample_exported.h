// An Exported of one function of one array, for tests of what is around it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "golden/exported/exported.h"

namespace vintage::tests {

// f32[size] to f32[size], for the CPU.
inline golden::Exported exportedOf(std::vector<std::byte> module, const std::string& size) {
  golden::Exported exported;
  exported.functionName = "f";
  exported.inputs = exported.outputs = {{false, "f32", {size}, {}}};
  exported.inputTree.kind = golden::PyTree::Kind::kTuple;
  exported.inputTree.children.resize(2);
  exported.inputTree.children[0].kind = golden::PyTree::Kind::kTuple;
  exported.inputTree.children[0].children.resize(1);
  exported.inputTree.children[1].kind = golden::PyTree::Kind::kDict;
  exported.inputShardings.resize(1);
  exported.outputShardings.resize(1);
  exported.platforms = {"cpu"};
  exported.keptInputs = {0};
  exported.module = std::move(module);
  return exported;
}

}  // namespace vintage::tests
