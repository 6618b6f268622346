// The life of targets in days, and the facts in a description's JSON.
#include "harness/judge/tables/target_life.h"

#include "tests/harness/gate/release_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::SizeIs;

// solve goes with 3 and is emitted by 1 only; fresh comes with 2; lost is only listed.
std::vector<RuntimeDescription> threeReleases() {
  return {ReleaseBuilder("1", "2025-01-17")
              .registers({"solve"})
              .lists({"solve", "lost"})
              .emits("solve"),
          ReleaseBuilder("2", "2025-02-24").registers({"solve", "fresh"}).emits("Sharding"),
          ReleaseBuilder("3", "2025-03-19").registers({"fresh"}).emits("fresh")};
}

const TargetLife& lifeOf(const std::vector<TargetLife>& lives, const std::string& name) {
  for (const TargetLife& life : lives)
    if (life.name == name) return life;
  ADD_FAILURE() << name;
  return lives.front();
}

TEST(TargetLife, SaysTheFirstAndTheLastDay) {
  const auto lives = targetLives(threeReleases());
  ASSERT_THAT(lives, SizeIs(4));
  const TargetLife& solve = lifeOf(lives, "solve");
  EXPECT_EQ(solve.platform, "cpu");
  EXPECT_EQ(solve.registered->last.day, day("2025-02-24"));
  EXPECT_EQ(solve.registered->last.release, "jax 2");
  EXPECT_FALSE(solve.registered->began);  // The oldest release has it already.
  EXPECT_TRUE(solve.registered->ended);
  EXPECT_EQ(solve.emitted->last.day, day("2025-01-17"));
  EXPECT_EQ(solve.listed->last.day, day("2025-01-17"));
  const TargetLife& fresh = lifeOf(lives, "fresh");
  EXPECT_EQ(fresh.registered->first.day, day("2025-02-24"));
  EXPECT_TRUE(fresh.registered->began);
  EXPECT_FALSE(fresh.registered->ended);
  EXPECT_FALSE(fresh.listed);
}

TEST(TargetLife, WhatIsNotKnownIsNotNever) {
  const auto lives = targetLives(threeReleases());
  EXPECT_EQ(lifeOf(lives, "lost").platform, "any");
  EXPECT_FALSE(lifeOf(lives, "lost").registryKnown);
  EXPECT_TRUE(lifeOf(lives, "Sharding").ofCompiler);
  EXPECT_TRUE(lifeOf(lives, "fresh").registryKnown);
}

// The table ended a target on the day of the last release that was asked about its platform: the
// releases after it had been asked about the CPU alone.
TEST(TargetLife, AReleaseThatWasNotAskedEndsNothing) {
  auto releases = threeReleases();
  for (size_t i : {0, 1}) {
    releases[i].emission.calls.push_back({"solver", "cuda", kEmittedByDefault, {}, {}, "", false});
    releases[i].emission.lowered.push_back({"cuda", kEmittedByDefault, 5, {}});
  }
  EXPECT_FALSE(lifeOf(targetLives(releases), "solver").emitted->ended);
  releases[2].emission.lowered.push_back({"cuda", kEmittedByDefault, 5, {}});
  EXPECT_TRUE(lifeOf(targetLives(releases), "solver").emitted->ended);
  EXPECT_FALSE(lifeOf(targetLives(releases), "solver").registered);
}

TEST(EmissionFacts, SurviveTheirJson) {
  RuntimeDescription release =
      ReleaseBuilder("1", "2025-01-17")
          .registers({"solve"})
          .emits("solve", {4, 2, {"lower", "uplo"}}, kEmittedAhead, "cpu", true);
  release.exporterReleased = day("2025-01-18");
  release.emission.lowered[0].refused = {{"lu", "GpuLibNotLinkedError", 4}};
  release.emission.harnessesOf = "the release";
  const auto read = parseRuntimeDescription(toJson(release).dump(), "release.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, release);
}

TEST(EmissionFacts, AModeThatDoesNotExistIsRejectedWithItsPlace) {
  RuntimeDescription release = ReleaseBuilder("1", "2025-01-17").emits("solve", {}, "eager");
  const auto read = parseRuntimeDescription(toJson(release).dump(), "release.json");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("emitted[0].mode"));
  EXPECT_THAT(read.error().message, HasSubstr("'eager' is no mode"));
}

}  // namespace
}  // namespace vintage::tests
