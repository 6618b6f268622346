// The common form of two failures with one cause.

#include <gmock/gmock.h>

#include "harness/bisect/probe.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

std::string kindOfError(const std::string& detail) {
  return failureKind(OutcomeKind::kError, Stage::kCompile, detail);
}

// JAX 0.8.0 renamed XlaRuntimeError, and a bisect over releases named a second culprit there.
TEST(FailureKind, LeavesOutTheClassOfAnException) {
  const std::string kind = "error in compile: NOT_FOUND: no such target";
  EXPECT_EQ(kindOfError("XlaRuntimeError: NOT_FOUND: no such target"), kind);
  EXPECT_EQ(kindOfError("JaxRuntimeError: NOT_FOUND: no such target"), kind);
  EXPECT_EQ(kindOfError("jaxlib.xla_extension.XlaRuntimeError: NOT_FOUND: no such target\nmore"),
            kind);
}

// Each build's message has another number, another quoted name and another path.
TEST(FailureKind, LeavesOutWhatDiffersFromBuildToBuild) {
  EXPECT_EQ(kindOfError("line 12: bad"), kindOfError("line 345: bad"));
  EXPECT_EQ(kindOfError("no target 'one' here"), kindOfError("no target 'another' here"));
  EXPECT_EQ(kindOfError("cannot read /opt/a/lib.so now"), kindOfError("cannot read /home/b now"));
  EXPECT_NE(kindOfError("cannot read"), kindOfError("cannot write"));
}

TEST(FailureKind, ACrashIsItsSignalAndAMismatchItsOutput) {
  const auto crash = [](const char* detail) {
    return failureKind(OutcomeKind::kCrash, Stage::kRun, detail);
  };
  EXPECT_EQ(crash("it ended by signal 11: something"), "crash by signal 11");
  EXPECT_EQ(crash("it ended by signal 11: another thing"), crash("it ended by signal 11"));
  EXPECT_NE(crash("it ended by signal 11"), crash("it ended by signal 6"));
  const auto mismatch = [](const char* detail) {
    return failureKind(OutcomeKind::kMismatch, Stage::kCompare, detail);
  };
  EXPECT_EQ(mismatch("output 0[2, 1]: expected 1"), mismatch("output 0[3]: expected 2"));
  EXPECT_NE(mismatch("output 0: expected 1"), mismatch("output 1: expected 1"));
}

TEST(FailureKind, KeepsWhatIsNoClass) {
  EXPECT_EQ(kindOfError("NOT_FOUND: no such target"),
            "error in compile: NOT_FOUND: no such target");
  EXPECT_EQ(kindOfError("an Error: bad"), "error in compile: an Error: bad");
  EXPECT_NE(kindOfError("ValueError: one"), kindOfError("ValueError: other"));
}

}  // namespace
}  // namespace vintage::tests
