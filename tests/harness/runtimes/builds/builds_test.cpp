#include "harness/runtimes/builds/builds.h"

#include <gmock/gmock.h>

#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

BuildRecord build(const char* name, const char* date, std::vector<std::string> command,
                  const char* kind = "engine") {
  BuildRecord record;
  record.name = name;
  record.buildDate = *parseDate(date);
  // Those of one program are known by it.
  if (kind == std::string("engine")) record.details.program = command.front();
  if (!command.empty()) record.start.emplace().worker = std::move(command);
  record.kind = kind;
  return record;
}

TEST(Builds, OnlyThoseOfTheWindowThatCanStartAndDiffer) {
  const BuildRecord tonight = build("tonight", "2026-03-22", {"/bin/sh"});
  std::vector<BuildRecord> all{
      tonight,
      build("same program", "2026-03-21", {"/bin/sh", "--build-date", "2026-03-21"}),
      build("older", "2026-03-02", {"/bin/cat"}),
      build("newer of one program", "2026-03-10", {"/bin/cat"}),
      build("border", "2026-03-01", {"/bin/ls"}),
      build("too old", "2026-02-28", {"/bin/true"}),
      build("gone", "2026-03-20", {"/nonexistent/worker"}),
      build("facts", "2026-03-20", {}, "facts"),
      build("somebody's", "2026-03-19", {"sh", "-c", "worker"}, "command"),
  };
  const StartableBuilds startable =
      startableBuilds(all, {*parseDate("2026-03-01"), *parseDate("2026-03-21")}, tonight);
  std::vector<std::string> names;
  for (const BuildRecord& one : startable.builds) names.push_back(one.name);
  EXPECT_THAT(names, testing::ElementsAre("somebody's", "newer of one program", "border"));
  EXPECT_EQ(startable.same, 2);
  EXPECT_EQ(startable.cannotStart, 1);
}

// A laboratory that reports "jax-0.8.1" with a wrong day would have moved the promises of the
// owner, who registers that release later.
TEST_F(FolderTest, AReportedBuildLendsTheOwnerNoDay) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  archive.actAs("token lab", false, "lab");
  must(archive.putBuild(sampleBuild("jax-0.8.1", 1)));
  archive.actAs("", true);
  EXPECT_THAT(must(ownBuilds(archive)), testing::IsEmpty());
  EXPECT_EQ(must(registeredBuilds(archive)).size(), 1u);
  BuildRecord owners = sampleBuild("jax-0.8.1", 2);
  EXPECT_FALSE(keepArchivedDay(archive, owners));
  must(registerBuild(archive, owners));
  ASSERT_EQ(must(ownBuilds(archive)).size(), 1u);
  EXPECT_EQ(must(ownBuilds(archive)).front().buildDate, day(2));
}

}  // namespace
}  // namespace vintage::tests
