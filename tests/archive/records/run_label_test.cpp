#include <gmock/gmock.h>

#include "archive/records/records.h"

namespace vintage::tests {
using namespace archive;

namespace {

TEST(RunLabel, LettersDigitsAndAFewMarks) {
  for (const char* label : {"", "a", "7", "before", "jax-0.8.1_try.2"})
    EXPECT_TRUE(checkRunLabel(label)) << label;
  EXPECT_TRUE(checkRunLabel(std::string(64, 'x')));
  EXPECT_FALSE(checkRunLabel(std::string(65, 'x')));
  // The id of a run has colons, and an option begins with a dash.
  for (const char* label :
       {" ", "-x", ".x", "two words", "a/b", "2026-11-26T02:00:00Z", "é", "a\n"})
    EXPECT_FALSE(checkRunLabel(label)) << label;
  const Status refused = checkRunLabel("two words");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("'two words'"));
  EXPECT_THAT(refused.error().message, testing::HasSubstr("1 to 64 letters, digits and ._-"));
}

}  // namespace
}  // namespace vintage::tests
