// The description of a module and of the Exported around it, for `vintage show`.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "golden/exported/exported.h"
#include "golden/program/program.h"

namespace vintage::harness {

// The element types and properties of a module's main, or of the Exported around it.
struct ModuleFacts {
  std::set<std::string> dtypes;
  bool dynamic = false, tokens = false;
  int64_t devices = 1;
  size_t platforms = 1;
};
ModuleFacts factsOf(const golden::ModuleTree& tree);

// Members of `details`, which is an object.
void describeExported(const golden::Exported& exported, nlohmann::json& details);
// The arguments and results of a bare module's main, as an Exported states them: an unknown
// dimension is a variable of its own.
void describeMain(const golden::ModuleTree& tree, nlohmann::json& details);

// The variant of a case with such a program.
std::string variantOf(const ModuleFacts& facts);

// The custom-call targets of an Exported's derivatives, of every order. A caller that
// differentiates the loaded program calls them, so an artifact needs them like those of its own
// program. Sorted; empty where there is none.
Result<std::vector<std::string>> derivativeTargets(golden::ProgramContext& context,
                                                   const golden::Exported& exported,
                                                   const std::string& name);

// Both sorted lists in one, each target once.
std::vector<std::string> mergedTargets(const std::vector<std::string>& one,
                                       const std::vector<std::string>& other);

}  // namespace vintage::harness
