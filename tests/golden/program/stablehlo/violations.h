// Programs that break one constraint of the specification each.
#pragma once

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "tests/golden/program/stablehlo/operation_texts.h"

namespace vintage::tests {

struct Violation {
  const char* label;      // As the specification counts: "reshape_c2".
  const char* arguments;  // Of the function around the operation.
  const char* text;
  const char* found;  // The values that the message must name.
};

// A change of a valid operation that breaks a constraint.
struct Change {
  const char* label;
  const char* from;  // Its first occurrence is replaced,
  const char* to;    // by this.
  const char* found;
};

// Each is rejected with a message that has the label and the values.
inline void expectViolations(const std::vector<Violation>& violations) {
  golden::ProgramContext context;
  for (const Violation& violation : violations) {
    const std::string text = moduleOf({violation.arguments, violation.text});
    auto program = context.parseText(text, "test");
    if (program) {
      ADD_FAILURE() << violation.label << " is not reported for\n" << text;
      continue;
    }
    EXPECT_THAT(program.error().message,
                testing::HasSubstr("[" + std::string(violation.label) + "]"))
        << text;
    EXPECT_THAT(program.error().message, testing::HasSubstr(violation.found)) << text;
  }
}

// `valid` is accepted, and each change of it is rejected.
inline void expectChangesRefused(const OperationText& valid, const std::vector<Change>& changes) {
  golden::ProgramContext context;
  const std::string text = moduleOf(valid);
  auto accepted = context.parseText(text, "test");
  ASSERT_TRUE(accepted) << accepted.error().message << "\n" << text;
  for (const Change& change : changes) {
    std::string changed = text;
    const size_t place = changed.find(change.from);
    ASSERT_NE(place, std::string::npos) << change.from;
    changed.replace(place, std::string_view(change.from).size(), change.to);
    auto program = context.parseText(changed, "test");
    if (program) {
      ADD_FAILURE() << change.label << " is not reported for\n" << changed;
      continue;
    }
    EXPECT_THAT(program.error().message, testing::HasSubstr("[" + std::string(change.label) + "]"))
        << changed;
    EXPECT_THAT(program.error().message, testing::HasSubstr(change.found)) << changed;
  }
}

}  // namespace vintage::tests
