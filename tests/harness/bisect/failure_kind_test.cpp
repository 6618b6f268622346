// What two failures have in common that have one cause.

#include <gmock/gmock.h>

#include "harness/bisect/probe.h"
#include "tests/rooms.h"

namespace vintage::tests {
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

TEST(FailureKind, KeepsWhatIsNoClass) {
  EXPECT_EQ(kindOfError("NOT_FOUND: no such target"),
            "error in compile: NOT_FOUND: no such target");
  EXPECT_EQ(kindOfError("an Error: bad"), "error in compile: an Error: bad");
  EXPECT_NE(kindOfError("ValueError: one"), kindOfError("ValueError: other"));
}

}  // namespace
}  // namespace vintage::tests
