// `vintage gate --releases` and `--facts`, and `vintage tables --targets` as they are typed, over a
// folder of descriptions and over builds of an archive.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"
#include "tests/harness/gate/release_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using tests::command::Finished;
using tests::command::Sandbox;

// 2025-02-24 + 181 days = 2025-08-24.
struct GateReleases : testing::Test {
  Sandbox sandbox;

  GateReleases() {
    std::filesystem::create_directories(sandbox.path("facts"));
    write(
        ReleaseBuilder("0.5.1", "2025-02-24").registers({"solve"}).lists({"solve"}).emits("solve"));
    write(ReleaseBuilder("0.6.0", "2025-04-17").registers({"fresh"}).lists({"fresh"}));
  }
  void write(const RuntimeDescription& release) const {
    sandbox.write("facts/" + release.version + ".json", toJson(release).dump(1));
  }
};

TEST_F(GateReleases, JudgesAFolderWithoutAnArchive) {
  const Finished done =
      sandbox.run({"gate", "--facts", sandbox.path("facts"), "--out", sandbox.path("page.md")});
  EXPECT_EQ(done.status, 1) << done.err;
  EXPECT_THAT(done.out, HasSubstr("2025-04-17  jax 0.5.1 -> jax 0.6.0  forbidden"));
  EXPECT_THAT(done.out, HasSubstr("forbidden     emitted-target-removed  solve@cpu"));
  EXPECT_THAT(done.out, HasSubstr("129 days too early"));  // 2025-04-17 to 2025-08-24.
  EXPECT_THAT(done.out, HasSubstr("computed only"));
  EXPECT_THAT(Sandbox::read(sandbox.path("page.md")), HasSubstr("Earliest legal day: 2025-08-24"));
}

TEST_F(GateReleases, JudgesARangeOfTheBuildsOfAnArchive) {
  for (const char* file : {"facts/0.5.1.json", "facts/0.6.0.json"}) {
    const Finished imported =
        sandbox.run({"builds", "import", sandbox.path(file), "--archive", sandbox.path("A")});
    ASSERT_EQ(imported.status, 0) << imported.err;
  }
  const Finished done = sandbox.run(
      {"gate", "--releases", "0.5..0.6", "--archive", sandbox.path("A"), "--format", "json"});
  EXPECT_EQ(done.status, 1) << done.err;
  const json judged = json::parse(done.out);
  ASSERT_EQ(judged["steps"].size(), 1u);
  EXPECT_EQ(judged["steps"][0]["findings"][0]["rule"], "emitted-target-removed");
  EXPECT_EQ(judged["steps"][0]["findings"][0]["earliest_legal_date"]["date"], "2025-08-24");
  // The same pair, by the names of its builds.
  const Finished pair = sandbox.run(
      {"gate", "--old", "jax 0.5.1", "--new", "jax 0.6.0", "--archive", sandbox.path("A")});
  EXPECT_EQ(pair.status, 1) << pair.err;
  EXPECT_THAT(pair.out, HasSubstr("emitted-target-removed"));
  const Finished none =
      sandbox.run({"gate", "--releases", "0.7..0.8", "--archive", sandbox.path("A")});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("a comparison takes two"));
}

// The gate queried only the ends in the archive, so a target that both have passed, even if a build
// in between lacked it.
TEST_F(GateReleases, BuildsOfTheArchiveBetweenTheTwoAreAsked) {
  write(ReleaseBuilder("0.7.0", "2025-05-01")
            .registers({"solve", "fresh"})
            .lists({"solve", "fresh"})
            .emits("solve"));
  for (const char* version : {"0.5.1", "0.6.0", "0.7.0"}) {
    const Finished imported =
        sandbox.run({"builds", "import", sandbox.path(std::string("facts/") + version + ".json"),
                     "--archive", sandbox.path("A")});
    ASSERT_EQ(imported.status, 0) << imported.err;
  }
  const Finished done = sandbox.run(
      {"gate", "--old", "jax 0.5.1", "--new", "jax 0.7.0", "--archive", sandbox.path("A")});
  // Targets that the middle build lacked need review. Exports of the new one call the target within
  // the forward window of the middle one: that is forbidden.
  EXPECT_EQ(done.status, 1) << done.out << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("needs review  emitted-target-removed  solve@cpu"),
                              HasSubstr("In jax 0.6.0 of 2025-04-17, between the two: "),
                              HasSubstr("forbidden     target-emitted-before-registered")));
}

TEST_F(GateReleases, ARangeNeedsAnArchive) {
  const Finished done = sandbox.run({"gate", "--releases", "0.5..0.6"});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("--archive"));
}

TEST_F(GateReleases, ARangeAFolderAndAFileOfDatesAreThreeOptions) {
  sandbox.run(
      {"builds", "import", sandbox.path("facts/0.5.1.json"), "--archive", sandbox.path("A")});
  const Finished folder =
      sandbox.run({"gate", "--releases", sandbox.path("facts"), "--archive", sandbox.path("A")});
  EXPECT_EQ(folder.status, 2);
  EXPECT_THAT(folder.err, HasSubstr("give FROM..TO"));
  const Finished range =
      sandbox.run({"gate", "--facts", "0.5..0.6", "--archive", sandbox.path("A")});
  EXPECT_EQ(range.status, 2);
  EXPECT_THAT(range.err, HasSubstr("this folder cannot be read"));
  const Finished both =
      sandbox.run({"gate", "--facts", sandbox.path("facts"), "--releases", "0.5..0.6"});
  EXPECT_EQ(both.status, 2);
}

TEST_F(GateReleases, TheTableShowsTheLifeOfEachTarget) {
  const Finished text = sandbox.run({"tables", "--targets", "--facts", sandbox.path("facts")});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("to 2025-02-24"));
  EXPECT_THAT(text.out, HasSubstr("from 2025-04-17"));
  const Finished page = sandbox.run(
      {"tables", "--targets", "--facts", sandbox.path("facts"), "-o", sandbox.path("targets.md")});
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_THAT(Sandbox::read(sandbox.path("targets.md")),
              AllOf(HasSubstr("| solve | cpu | to 2025-02-24 |"),
                    HasSubstr("Exports were tried for cpu of 2.")));
}

}  // namespace
}  // namespace vintage::tests
