// Programs that break one constraint of the specification each.
#pragma once

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "tests/program/stablehlo/operation_texts.h"

namespace vintage {

struct Violation {
  const char* label;      // As the specification counts: "reshape_c2".
  const char* arguments;  // Of the function around the operation.
  const char* text;
  const char* found;      // What the message must tell about the values.
};

// Each is refused with a message that has the label and the values.
inline void expectViolations(const std::vector<Violation>& violations) {
  ProgramContext context;
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

}  // namespace vintage
