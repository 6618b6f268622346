#include "reports/failure_cause.h"

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace archive;
using namespace reports;

namespace {

std::string cause(const std::string& detail, const std::string& name = "lu_f32",
                  OutcomeKind outcome = OutcomeKind::kError) {
  return causeOf(outcome, Stage::kCompile, detail, name);
}

TEST(FailureCause, IsTheSameWhateverTheNumbersAndTheArtifactsName) {
  EXPECT_EQ(cause("a: at 0x7f01, line 12\nstack", "a"), cause("b: at 0x9e, line 7\nother", "b"));
  EXPECT_EQ(cause("…: bad", "…"), cause("b: bad", "b"));
  EXPECT_NE(cause("no target lapack_spotrf"), cause("no target lapack_dpotrf"));
  EXPECT_NE(cause("float32"), cause("float64"));
  EXPECT_NE(cause("x"), cause("x", "lu_f32", OutcomeKind::kCrash));
  // 'expected 1, found 2' of two primitives does not show a common cause.
  EXPECT_NE(cause("output 0", "lu_f32", OutcomeKind::kMismatch),
            cause("output 0", "qr_f32", OutcomeKind::kMismatch));
  EXPECT_EQ(cause("output 0", "lu_f32", OutcomeKind::kMismatch),
            cause("output 1", "lu_f64", OutcomeKind::kMismatch));
}

TEST(ShortDetail, IsTheFirstLineCutBetweenCharacters) {
  EXPECT_EQ(shortDetail("one line"), "one line");
  EXPECT_EQ(shortDetail("\n one line \n\n"), "one line");
  EXPECT_EQ(shortDetail("one\ntwo"), "one … (--format json has all 7 characters)");
  EXPECT_THAT(shortDetail("aä", 2), testing::StartsWith("a … ("));
  EXPECT_EQ(shortDetail("aä", 3), "aä");
  EXPECT_EQ(shortDetail(""), "");
}

}  // namespace
}  // namespace vintage::tests
