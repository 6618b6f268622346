// The records and contents that a mirror copies, leaves and refuses, between folders.
#include "archive/transfer/mirror.h"

#include <gmock/gmock.h>

#include "archive/retention/retention.h"
#include "archive/store/collect.h"
#include "archive/store/database.h"
#include "archive/transfer/place.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/transfer/archives.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

using testing::HasSubstr;
using namespace tests::transfer;

class Mirror : public FolderTest {
 protected:
  MirrorSummary copy(const std::string& from, const std::string& to, MirrorOptions options = {}) {
    auto source = must(openPlace(path(from), PlaceUse::kRead, {}));
    auto destination = must(openPlace(path(to), PlaceUse::kWrite, {}));
    return must(mirror(*source, destination.get(), options));
  }
};

TEST_F(Mirror, AMirrorIsWholeAndASecondOneSendsNothing) {
  fillArchive(path("A"), 1, 250);
  const MirrorSummary first = copy("A", "B");
  EXPECT_EQ(first.artifacts.sent, 250u);
  EXPECT_EQ(first.artifacts.there, 0u);
  EXPECT_TRUE(first.refused.empty());
  EXPECT_TRUE(first.lost.empty());
  expectSameArchives(path("A"), path("B"));

  // Builds of the destination's own were counted as if they had been selected.
  must(must(Archive::open(path("B"), Archive::Mode::kReadWrite)).putBuild(sampleBuild("own", 1)));
  const MirrorSummary second = copy("A", "B");
  EXPECT_EQ(second.builds.there, 3u);
  EXPECT_EQ(second.artifacts.there, 250u);
  for (const Moved& moved :
       {second.artifacts, second.contents, second.builds, second.runs, second.outcomes})
    EXPECT_EQ(moved.sent, 0u);
  EXPECT_EQ(second.bytes, 0);
  EXPECT_EQ(second.outcomes.there, first.outcomes.sent);
}

TEST_F(Mirror, ADryRunSaysWhatWouldGoAndLeavesNothingBehind) {
  fillArchive(path("A"), 2, 40);
  auto source = must(openPlace(path("A"), PlaceUse::kRead, {}));
  MirrorOptions options;
  options.dryRun = true;
  const MirrorSummary would = must(mirror(*source, nullptr, options));
  EXPECT_EQ(would.artifacts.sent, 40u);
  const MirrorSummary done = copy("A", "B");
  EXPECT_EQ(done.artifacts.sent, would.artifacts.sent);
  EXPECT_EQ(done.contents.sent, would.contents.sent);
  EXPECT_EQ(done.outcomes.sent, would.outcomes.sent);
  EXPECT_EQ(done.runs.sent, would.runs.sent);

  auto destination = must(openPlace(path("B"), PlaceUse::kRead, {}));
  fillArchive(path("A"), 3, 10);
  const MirrorSummary rest = must(mirror(*source, destination.get(), options));
  EXPECT_EQ(rest.artifacts.sent, 10u);
  EXPECT_EQ(must(must(Archive::open(path("B"), Archive::Mode::kReadOnly)).list({})).size(), 40u);
}

TEST_F(Mirror, AFilterTakesItsArtifactsAndWhatIsKnownOfThem) {
  fillArchive(path("A"), 4, 200);
  MirrorOptions options;
  options.filter.dtypes = {"bf16"};
  {  // A run that has nothing to do with them.
    RunRecord run;
    run.id = "2026-01-01T00:00:00Z-other";
    run.kind = "gate";
    must(must(Archive::open(path("A"), Archive::Mode::kReadWrite)).putRun(run));
  }
  const MirrorSummary summary = copy("A", "B", options);
  EXPECT_EQ(summary.outcomesLeftOut, 0u);
  Archive all = must(Archive::open(path("A"), Archive::Mode::kReadOnly));
  Archive some = must(Archive::open(path("B"), Archive::Mode::kReadOnly));
  const auto wanted = must(all.list(options.filter));
  ASSERT_FALSE(wanted.empty());
  EXPECT_EQ(recordTexts(must(some.list({}))), recordTexts(wanted));
  std::set<ContentId> ids;
  for (const ArtifactRecord& record : wanted) ids.insert(record.id);
  OutcomeFilter everything;
  everything.latestOnly = false;
  std::set<std::string> expected;
  for (const OutcomeRecord& outcome : must(all.outcomes(everything)))
    if (ids.contains(outcome.artifact)) expected.insert(jsonText(recordJson(outcome)));
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(outcomeTexts(some), expected);
  for (const RunRecord& run : must(some.runs())) EXPECT_NE(run.kind, "gate");

  // The rest afterwards: the whole is whole.
  copy("A", "B");
  expectSameArchives(path("A"), path("B"));
}

TEST_F(Mirror, WhatIsFilledInLaterTravelsToo) {
  Archive source = must(Archive::open(path("A"), Archive::Mode::kCreate));
  ArtifactRecord record = sampleRecord("later");
  record.primitive.clear();
  must(source.put(record, content(1, 500), nullptr));
  copy("A", "B");
  record.primitive = "add";
  const Golden golden = sampleGolden(3);
  must(source.put(record, content(1, 500), &golden));
  EXPECT_EQ(copy("A", "B").artifacts.sent, 1u);
  EXPECT_EQ(copy("A", "B").artifacts.sent, 0u);
  expectSameArchives(path("A"), path("B"));
  // The other way nothing is lost: the poorer record changes nothing.
  Archive poor = must(Archive::open(path("C"), Archive::Mode::kCreate));
  record.primitive.clear();
  must(poor.put(record, content(1, 500), nullptr));
  EXPECT_EQ(copy("C", "B").artifacts.there + copy("C", "B").refused.size(), 1u);
  expectSameArchives(path("A"), path("B"));
}

TEST_F(Mirror, AContradictionIsNamedAndTheRestArrives) {
  fillArchive(path("A"), 5, 30);
  Archive source = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
  must(source.put(sampleRecord("contested"), content(100, 900), nullptr));
  Archive destination = must(Archive::open(path("B"), Archive::Mode::kCreate));
  must(destination.put(sampleRecord("contested"), content(101, 900), nullptr));
  const MirrorSummary summary = copy("A", "B");
  EXPECT_EQ(summary.artifacts.sent, 30u);
  ASSERT_EQ(summary.refused.size(), 1u);
  EXPECT_THAT(summary.refused[0].name, HasSubstr("contested"));
  EXPECT_THAT(summary.refused[0].error.message, HasSubstr("kept already"));
  EXPECT_EQ(must(destination.read(must(destination.find("contested")).id)), content(101, 900));
}

// Damage in the source: named, not copied, and the rest arrives.
TEST_F(Mirror, WhatTheSourceLostIsNamedAndTheRestArrives) {
  fillArchive(path("A"), 6, 20);
  ContentId id;
  {
    Archive source = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
    id = must(source.put(sampleRecord("large"), content(9, 400'000, false), nullptr));
  }
  const std::string file = path("A") + "/blobs/" + id.substr(0, 2) + "/" + id + ".zst";
  ASSERT_TRUE(std::filesystem::exists(file));
  std::filesystem::resize_file(file, 1000);
  {
    const Golden golden = sampleGolden(77);
    must(must(Archive::open(path("A"), Archive::Mode::kReadWrite))
             .put(sampleRecord("without its golden"), content(10, 300), &golden));
    must(must(Database::open(path("A/index.sqlite"), {}))
             ->execute(
                 "DELETE FROM blob_content WHERE blob IN (SELECT golden FROM artifact_record WHERE "
                 "name = 'without its golden')"));
  }
  const MirrorSummary summary = copy("A", "B");
  ASSERT_EQ(summary.lost.size(), 2u);
  EXPECT_THAT(summary.lost[0].name + summary.lost[1].name,
              testing::AllOf(HasSubstr("large"), HasSubstr("without its golden")));
  EXPECT_TRUE(summary.refused.empty());
  EXPECT_EQ(summary.artifacts.sent, 20u);
  // A copy that is done protects nothing any more.
  EXPECT_EQ(
      must(must(Database::open(path("B/index.sqlite"), {}))->integer("SELECT count(*) FROM lease")),
      0);
}

TEST_F(Mirror, ARunOfTheDestinationIsNotReplacedByAnOlderCopy) {
  fillArchive(path("A"), 7, 10);
  copy("A", "B");
  Archive source = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
  Archive destination = must(Archive::open(path("B"), Archive::Mode::kReadWrite));
  RunRecord run;
  run.id = "2026-11-20T21:50:00.000000Z-000001";
  run.kind = "replay";
  run.started = "2026-11-20T21:50:00Z";
  must(source.putRun(run));
  must(destination.putRun(run));
  must(destination.finishRun(run.id, R"({"verdict":"holds"})"));
  copy("A", "B");
  EXPECT_EQ(must(destination.run(run.id)).verdict, R"({"verdict":"holds"})");
  // And a finished one completes one that was interrupted.
  copy("B", "A");
  EXPECT_EQ(must(source.run(run.id)).verdict, R"({"verdict":"holds"})");
}

// A mirror failed with "an outcome names artifact …, which is not kept" where the
// destination's retention let an artifact go after its record had arrived and before
// its outcomes did. Nothing of the run arrived, and it stayed unfinished.
TEST_F(Mirror, WhatTheDestinationLetsGoMeanwhileIsLeftOut) {
  fillArchive(path("A"), 8, 120);
  MirrorOptions options;
  options.progress = [&](const std::string& what, size_t done, size_t total) {
    if (what != "artifacts" || done < total) return;
    Archive archive = must(Archive::open(path("B"), Archive::Mode::kReadWrite));
    RetentionOptions retention = keepDays(20, 40);
    // The mirror's lease would keep them: it took longer than that.
    must(must(Database::open(path("B/index.sqlite"), {}))->execute("DELETE FROM lease_content"));
    EXPECT_GT(must(applyRetention(archive, retention)).removed, 10);
    must(collectGarbage(archive));
  };
  const MirrorSummary summary = copy("A", "B", options);
  Archive source = must(Archive::open(path("A"), Archive::Mode::kReadOnly));
  Archive destination = must(Archive::open(path("B"), Archive::Mode::kReadOnly));
  std::set<ContentId> kept;
  for (const ArtifactRecord& record : must(destination.list({}))) kept.insert(record.id);
  // The artifact and the build of an outcome.
  using Told = std::set<std::pair<ContentId, std::string>>;
  OutcomeFilter all;
  all.latestOnly = false;
  Told expected, arrived;
  size_t sent = 0, leftOut = 0;
  for (const OutcomeRecord& outcome : must(source.outcomes(all))) {
    const bool stays = kept.contains(outcome.artifact);
    if (stays) expected.emplace(outcome.artifact, outcome.build);
    ++(stays ? sent : leftOut);
  }
  for (const OutcomeRecord& outcome : must(destination.outcomes(all)))
    arrived.emplace(outcome.artifact, outcome.build);
  EXPECT_GT(leftOut, 10u);
  EXPECT_FALSE(expected.empty());
  EXPECT_TRUE(arrived == expected);
  EXPECT_EQ(summary.outcomesLeftOut, leftOut);
  EXPECT_EQ(summary.outcomes.sent, sent);
  const auto runs = must(destination.runs());
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_FALSE(runs[0].finished.empty());
}

TEST_F(Mirror, TheUnionOfTwoArchivesIsTheSameInBothDirections) {
  for (uint64_t seed = 20; seed < 24; ++seed) {
    const std::string a = "A" + std::to_string(seed), b = "B" + std::to_string(seed);
    fillArchive(path(a), seed, 60);
    fillArchive(path(b), seed + 100, 60);
    copy(a, b);
    copy(b, a);
    expectSameArchives(path(a), path(b));
    EXPECT_EQ(copy(a, b).artifacts.sent, 0u);
  }
}

TEST_F(Mirror, PlacesThatAreNoneAreNamed) {
  const auto missing = openPlace(path("nothing"), PlaceUse::kRead, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::kNotFound);
  for (const char* bad : {"ftp://host/", "s3://", "s3:///prefix", "http://", "https://u:p@host"}) {
    const auto place = openPlace(bad, PlaceUse::kWrite, {});
    ASSERT_FALSE(place) << bad;
    EXPECT_EQ(place.error().kind, Error::Kind::kUsage) << place.error().message;
  }
}

}  // namespace
}  // namespace vintage::tests
