#include "archive/records/records.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace archive;

namespace {

using testing::ElementsAreArray;

BuildRecord datedBuild(const char* name, const char* version, const char* day,
                       const char* commit = "") {
  BuildRecord record;
  record.name = name;
  record.version = version;
  record.buildDate = *parseDate(day);
  if (*commit) record.details.commit = SourceCommit{.id = name, .time = commit, .subject = ""};
  return record;
}

// Builds of one day stood by their names as text: 0.12 before 0.9.2, and commits by their hashes. A
// bisect over them said "does not fail", or named an innocent build.
TEST(BuildOrder, OfOneDayGoesByCommitAndVersion) {
  const std::vector<BuildRecord> inOrder{
      datedBuild("jaxlib-0.12.0", "0.12.0", "2026-01-04"),
      datedBuild("compiler f0", "1", "2026-01-05", "2026-01-05T08:00:00Z"),
      datedBuild("compiler a1", "1", "2026-01-05", "2026-01-05T09:00:00Z"),
      datedBuild("jaxlib-0.9.2rc1", "0.9.2rc1", "2026-01-05"),
      datedBuild("jaxlib-0.9.2", "0.9.2", "2026-01-05"),
      datedBuild("jaxlib-0.9.2-fresh", "0.9.2", "2026-01-05"),
      datedBuild("jaxlib-0.12", "0.12", "2026-01-05"),
      datedBuild("jaxlib-0.9.3", "0.9.3", "2026-01-06"),
  };
  std::vector<std::string> names;
  for (const BuildRecord& one : inOrder) names.push_back(one.name);
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<BuildRecord> shuffled = inOrder;
    std::ranges::shuffle(shuffled, random);
    std::ranges::sort(shuffled, [](const auto& a, const auto& b) { return isOlder(a, b); });
    std::vector<std::string> sorted;
    for (const BuildRecord& one : shuffled) sorted.push_back(one.name);
    ASSERT_THAT(sorted, ElementsAreArray(names));
  }
}

}  // namespace
}  // namespace vintage::tests
