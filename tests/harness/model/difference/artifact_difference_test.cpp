#include "harness/model/difference/artifact_difference.h"

#include <gmock/gmock.h>

#include "golden/base/utf8.h"

namespace vintage::tests {
using namespace harness;

namespace {

using ::testing::HasSubstr;

// A long line was cut after a fixed number of bytes, in the middle of a character: the report was
// no UTF-8, and what read it as such failed.
TEST(ArtifactDifference, ALongLineIsCutBehindAWholeCharacter) {
  for (size_t before = 0; before < 4; ++before) {
    std::string line(150 + before, 'a');
    for (int i = 0; i < 20; ++i) line += "→";
    ArtifactDifference difference;
    difference.line = 1;
    difference.firstLine = line;
    difference.secondLine = "short";
    const std::string text = textOf(difference);
    EXPECT_TRUE(isUtf8(text)) << text;
    EXPECT_THAT(text, HasSubstr("→ …\n+ short\n"));
  }
}

}  // namespace
}  // namespace vintage::tests
