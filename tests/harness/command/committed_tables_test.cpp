// The committed limitation tables are those of this catalogue on this engine:
// `make tables` writes them again.

#include <gtest/gtest.h>

#include "tests/harness/command/run_vintage.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

TEST(CommittedTables, AreCurrent) {
  const tests::command::Sandbox sandbox;
  const std::string archive = sandbox.path("archive");
  const auto night = sandbox.run({"nightly", "--archive", archive});
  ASSERT_EQ(night.status, 0) << night.err << night.out;
  const auto checked = sandbox.run({"tables", "--archive", archive, "-o",
                                    VINTAGE_SOURCE "/docs/tables", "--page", "limitations",
                                    "--check"});
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err << "\nmake tables writes them again";
}

}  // namespace
}  // namespace vintage::tests
