#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/judge/window/run_window.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

// A producer exports by default what consumers have read for thirty days.
TEST(DefaultBump, IsLegalThirtyDaysAfterTheFirstConsumer) {
  const auto build = [](const char* name, const char* date, int newest, int byDefault) {
    BuildRecord record = sampleBuild(name);
    record.buildDate = *parseDate(date);
    record.newestCallingConvention = newest;
    if (byDefault > 0)
      record.details.runtime.emplace().callingConvention = {4, newest, byDefault, {}};
    return record;
  };
  const BuildRecord old = build("old", "2026-01-01", 9, 0);
  const BuildRecord first = build("first", "2026-02-01", 10, 9);
  const auto verdictOf = [&](const char* date) {
    const std::vector<BuildRecord> builds{old, first, build("producer", date, 10, 10)};
    return checkDefaultBumps(builds, 30, *parseDate("2026-12-31")).back();
  };
  EXPECT_EQ(verdictOf("2026-03-03").verdict, Verdict::kHolds);  // 30 days.
  const DefaultBump early = verdictOf("2026-03-02");
  EXPECT_EQ(early.verdict, Verdict::kBroken);
  EXPECT_EQ(early.firstConsumer, "first");
  EXPECT_EQ(early.earliest, parseDate("2026-03-03").value());
  // Without an older consumer it is unknown whether this was the first.
  const std::vector<BuildRecord> alone{first, build("producer", "2026-02-02", 10, 10)};
  EXPECT_EQ(checkDefaultBumps(alone, 30, *parseDate("2026-12-31")).back().verdict,
            Verdict::kCannotTell);
}

}  // namespace
}  // namespace vintage::tests
