// The committed limitation tables are those of this catalogue on this engine:
// `make tables` writes them again.

#include <gtest/gtest.h>

#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
namespace {

// The night that the page is of: on another, other limitations may apply.
std::string dayOf(const std::string& page) {
  constexpr std::string_view kBefore = "*Last generated on: ";
  const size_t at = page.find(kBefore);
  return at == std::string::npos ? "" : page.substr(at + kBefore.size(), 10);
}

TEST(CommittedTables, AreCurrent) {
  const tests::command::Sandbox sandbox;
  const std::string archive = sandbox.path("archive");
  const std::string today =
      dayOf(tests::command::Sandbox::read(VINTAGE_SOURCE "/docs/tables/limitations.md"));
  ASSERT_EQ(today.size(), 10u);
  const auto night = sandbox.run({"nightly", "--archive", archive, "--today", today});
  ASSERT_EQ(night.status, 0) << night.err << night.out;
  const auto checked =
      sandbox.run({"tables", "--archive", archive, "--today", today, "-o",
                   VINTAGE_SOURCE "/docs/tables", "--page", "limitations", "--check"});
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err << "\nmake tables writes them again";
}

}  // namespace
}  // namespace vintage::tests
