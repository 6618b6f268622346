// A case of the catalogue by its id, and the text and targets of its module.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "primitives/catalogue/case.h"

namespace vintage::tests {

// If there is none, fails the test and returns some case.
inline const primitives::Case& caseOf(std::string_view id) {
  for (const primitives::Case& entry : primitives::catalogue())
    if (entry.id == id) return entry;
  ADD_FAILURE() << id;
  return primitives::catalogue().front();
}

// As StableHLO prints it.
inline std::string textOf(const primitives::LoweredCase& lowered) {
  golden::ProgramContext context;
  const Result<golden::Program> program = context.build(lowered.module, "memory");
  EXPECT_TRUE(program) << program.error().message;
  return program ? program->print() : "";
}

inline void takeTargets(const golden::Region& region, std::set<std::string>& targets) {
  for (const golden::Block& block : region.blocks) {
    for (const golden::Operation& operation : block.operations) {
      if (operation.name == "stablehlo.custom_call")
        targets.insert(std::get<std::string>(operation.attributes.at("call_target_name").value));
      for (const golden::Region& inner : operation.regions) takeTargets(inner, targets);
    }
  }
}

// The targets of its custom calls.
inline std::set<std::string> targetsOf(const primitives::LoweredCase& lowered) {
  std::set<std::string> targets;
  for (const golden::Function& function : lowered.module.functions)
    takeTargets(function.body, targets);
  return targets;
}

}  // namespace vintage::tests
