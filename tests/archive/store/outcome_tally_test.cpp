// SQLite's counts and lists of a build's outcomes equal those of a plain walk over records.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "archive/store/archive_counts.h"
#include "archive/store/record_json.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

using ::testing::ElementsAre;

class OutcomeTallyTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("archive"), Archive::Mode::kCreate)));
    for (const char* build : {"old", "new"}) must(archive_->putBuild(sampleBuild(build)));
  }
  ContentId put(const std::string& name, const std::string& primitive, int producer, uint64_t seed,
                const Golden* golden = nullptr) {
    ArtifactRecord record = sampleRecord(name, producer);
    record.primitive = primitive;
    return must(archive_->put(record, content(seed, 50), golden));
  }
  void ran(const ContentId& artifact, const std::string& build, const std::string& run,
           OutcomeKind kind, const std::string& limitation = "", const ContentId& golden = "") {
    OutcomeRecord outcome;
    outcome.artifact = artifact;
    outcome.golden = golden;
    outcome.build = build;
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = run;
    outcome.outcome = kind;
    outcome.limitation = limitation;
    outcome.detail = kind == OutcomeKind::kPass ? "" : "it ended badly";
    must(archive_->putOutcomes(std::vector{outcome}));
  }
  // "add cpu graph pass 2", with "limited" where a limitation matched.
  std::vector<std::string> tally(const std::string& build, TallyBy by) {
    std::vector<std::string> lines;
    for (const OutcomeTally& one : must(tallyOutcomes(*archive_, build, by)))
      lines.push_back(fmt::format("{} {} {} {}{} {}", one.name, one.platform, one.mode,
                                  outcomeName(one.outcome), one.limited ? " limited" : "",
                                  one.count));
    return lines;
  }
  std::vector<std::string> listed(OutcomeListing listing) {
    std::vector<std::string> lines;
    for (const ListedOutcome& one : must(listOutcomes(*archive_, listing)).outcomes)
      lines.push_back(
          fmt::format("{} {} {}", one.name, one.producer, outcomeName(one.outcome.outcome)));
    return lines;
  }

  std::optional<Archive> archive_;
};

TEST_F(OutcomeTallyTest, TheLatestOutcomeOfEachPairCounts) {
  const ContentId sum = put("a", "add", 0, 1), sine = put("b", "sin", 0, 2);
  ran(sum, "old", "run 1", OutcomeKind::kError);
  ran(sum, "old", "run 2", OutcomeKind::kPass);
  ran(sine, "old", "run 1", OutcomeKind::kUnsupported, "known");
  ran(sine, "new", "run 1", OutcomeKind::kCrash);
  EXPECT_THAT(tally("old", TallyBy::kPrimitive),
              ElementsAre("add cpu graph pass 1", "sin cpu graph unsupported limited 1"));
  EXPECT_THAT(tally("new", TallyBy::kPrimitive), ElementsAre("sin cpu graph crash 1"));
}

TEST_F(OutcomeTallyTest, AContentOfTwoProducersIsOneExecutionAndTwoArtifacts) {
  const ContentId shared = put("a", "add", 0, 1);
  EXPECT_EQ(put("a", "add", 30, 1), shared);
  ran(shared, "new", "run 1", OutcomeKind::kPass);
  EXPECT_THAT(tally("new", TallyBy::kPrimitive), ElementsAre("add cpu graph pass 1"));
  EXPECT_THAT(tally("new", TallyBy::kProducer),
              ElementsAre("producer 0 cpu graph pass 1", "producer 30 cpu graph pass 1"));
}

// "Not comparable" was written as "compiled" in stage "compare". Archives hold such outcomes.
TEST_F(OutcomeTallyTest, WhatWasCompiledInStageCompareIsNotComparable) {
  const ContentId sum = put("a", "add", 0, 1);
  ran(sum, "old", "run 1", OutcomeKind::kCompiled);
  EXPECT_THAT(tally("old", TallyBy::kPrimitive), ElementsAre("add cpu graph not comparable 1"));
  OutcomeListing listing;
  listing.build = "old";
  listing.name = "add";
  EXPECT_THAT(listed(listing), ElementsAre("a producer 0 not comparable"));
  const auto withKind = [&](OutcomeKind kind) {
    OutcomeFilter filter;
    filter.outcomes = {kind};
    return must(archive_->outcomes(filter)).size();
  };
  EXPECT_EQ(withKind(OutcomeKind::kNotComparable), 1u);
  EXPECT_EQ(withKind(OutcomeKind::kCompiled), 0u);
  auto json = recordJson(must(archive_->outcomes({})).front());
  EXPECT_EQ(json["outcome"], "not comparable");
  json["outcome"] = "compiled";
  EXPECT_EQ(must(outcomeOfJson(json)).outcome, OutcomeKind::kNotComparable);
}

// Two cases of one primitive can have the same bytes and differ in their goldens.
TEST_F(OutcomeTallyTest, AnOutcomeSpeaksOfTheArtifactWithItsGolden) {
  const Golden one = sampleGolden(1), two = sampleGolden(2);
  const ContentId shared = put("first", "add", 0, 1, &one);
  EXPECT_EQ(put("second", "add", 0, 1, &two), shared);
  const ContentId golden = must(archive_->find("second")).golden;
  ran(shared, "new", "run 1", OutcomeKind::kMismatch, "", golden);
  EXPECT_THAT(listed({.build = "new", .name = "add"}), ElementsAre("second producer 0 mismatch"));
  EXPECT_THAT(listed({.build = "new", .by = TallyBy::kProducer, .name = "producer 0"}),
              ElementsAre("second producer 0 mismatch"));
  EXPECT_THAT(tally("new", TallyBy::kProducer), ElementsAre("producer 0 cpu graph mismatch 1"));
}

TEST_F(OutcomeTallyTest, FailuresComeFirstAndUndeclaredOnesBeforeThem) {
  ran(put("c", "add", 0, 1), "new", "run 1", OutcomeKind::kPass);
  ran(put("b", "add", 0, 2), "new", "run 1", OutcomeKind::kError, "known");
  ran(put("d", "add", 0, 3), "new", "run 1", OutcomeKind::kError);
  ran(put("a", "add", 0, 4), "new", "run 1", OutcomeKind::kTimeout);
  EXPECT_THAT(listed({.build = "new", .name = "add"}),
              ElementsAre("a producer 0 timeout", "d producer 0 error", "b producer 0 error",
                          "c producer 0 pass"));
}

TEST_F(OutcomeTallyTest, ADetailIsCutWhereItIsListed) {
  ran(put("a", "add", 0, 1), "new", "run 1", OutcomeKind::kError);
  const auto list =
      must(listOutcomes(*archive_, {.build = "new", .name = "add", .detailBytes = 2}));
  ASSERT_EQ(list.outcomes.size(), 1u);
  EXPECT_EQ(list.outcomes[0].outcome.detail, "it");
}

TEST_F(OutcomeTallyTest, AnUnknownBuildIsNamed) {
  EXPECT_EQ(refusal(tallyOutcomes(*archive_, "nobody's", TallyBy::kPrimitive)),
            Error::Kind::kNotFound);
  EXPECT_EQ(refusal(listOutcomes(*archive_, {.build = "nobody's"})), Error::Kind::kNotFound);
}

// Against records that are walked one by one.
TEST_F(OutcomeTallyTest, AgreesWithAWalkOverAllRecords) {
  std::mt19937 random(7);
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  const std::string kPrimitives[] = {"", "add", "sin", "svd"};
  std::vector<ContentId> ids;
  for (int number = 0; number < 60; ++number) {
    const int shape = below(40);  // Some share their bytes.
    ids.push_back(put(fmt::format("case {}", number), kPrimitives[shape % 4], below(3), shape));
  }
  for (int number = 0; number < 400; ++number)
    ran(ids[below(60)], below(2) ? "old" : "new", fmt::format("run {}", below(4)),
        static_cast<OutcomeKind>(below(7)), below(4) ? "" : "known");

  const auto records = must(archive_->list({}));
  OutcomeFilter filter;
  filter.builds = {"new"};
  std::map<std::string, int64_t> primitives, producers;
  for (const OutcomeRecord& outcome : must(archive_->outcomes(filter))) {
    const std::string end = fmt::format("{}{}", outcomeName(outcome.outcome),
                                        outcome.limitation.empty() ? "" : " limited");
    std::set<std::string> names;
    for (const ArtifactRecord& record : records) {
      if (record.id != outcome.artifact) continue;
      names.insert(record.primitive);
      ++producers[fmt::format("{} cpu graph {}", record.producer, end)];
    }
    ++primitives[fmt::format("{} cpu graph {}", *names.begin(), end)];
  }
  const auto lines = [](const std::map<std::string, int64_t>& counts) {
    std::vector<std::string> all;
    for (const auto& [what, count] : counts) all.push_back(fmt::format("{} {}", what, count));
    return all;
  };
  EXPECT_THAT(tally("new", TallyBy::kPrimitive),
              ::testing::UnorderedElementsAreArray(lines(primitives)));
  EXPECT_THAT(tally("new", TallyBy::kProducer),
              ::testing::UnorderedElementsAreArray(lines(producers)));

  // Page by page each outcome comes once, and the total is what was counted.
  for (const std::string& primitive : kPrimitives) {
    int64_t expected = 0;
    for (const auto& [what, count] : primitives)
      if (what.starts_with(primitive + " ")) expected += count;
    std::set<std::string> seen;
    OutcomeListing listing{.build = "new", .name = primitive, .most = 3};
    for (;; listing.after += 3) {
      const auto page = must(listOutcomes(*archive_, listing));
      for (const ListedOutcome& one : page.outcomes) seen.insert(one.outcome.artifact);
      if (page.outcomes.empty()) break;
      EXPECT_EQ(page.total, expected) << primitive;
    }
    EXPECT_EQ(static_cast<int64_t>(seen.size()), expected) << primitive;
  }
}

TEST_F(OutcomeTallyTest, CountsSayWhatThereIs) {
  const Golden golden = sampleGolden(1);
  const ContentId first = put("a", "add", 0, 1, &golden);
  put("b", "", 30, 2);
  ran(first, "old", "run 1", OutcomeKind::kPass, "", must(archive_->find("a")).golden);
  ran(first, "old", "run 2", OutcomeKind::kCrash, "", must(archive_->find("a")).golden);
  must(archive_->finishRun("run 1", "{}"));
  const auto counts = must(archiveCounts(*archive_));
  EXPECT_EQ(counts.artifacts, 2);
  EXPECT_EQ(counts.withoutGolden, 1);
  EXPECT_EQ(counts.withoutPrimitive, 1);
  EXPECT_EQ(counts.contents, 3);  // Two artifacts and a golden.
  EXPECT_EQ(counts.builds, 2);
  EXPECT_EQ(counts.runs, 2);
  EXPECT_EQ(counts.unfinishedRuns, 1);
  EXPECT_EQ(counts.outcomes,
            (std::map<OutcomeKind, int64_t>{{OutcomeKind::kPass, 1}, {OutcomeKind::kCrash, 1}}));
  EXPECT_THAT(must(archivedPrimitives(*archive_)), ElementsAre("", "add"));
  const auto producers = must(archivedProducers(*archive_));
  ASSERT_EQ(producers.size(), 2u);
  EXPECT_EQ(producers[1].name, "producer 30");
  EXPECT_EQ(producers[1].buildDate, day(30));
  EXPECT_EQ(producers[1].artifacts, 1);
  EXPECT_EQ(must(outcomesByBuild(*archive_)), (std::map<std::string, int64_t>{{"old", 2}}));
  EXPECT_EQ(must(outcomesOfRun(*archive_, "run 2")), 1);
}

TEST_F(OutcomeTallyTest, AnEmptyArchiveHasNoNames) {
  EXPECT_TRUE(must(archivedPrimitives(*archive_)).empty());
  EXPECT_TRUE(must(archivedProducers(*archive_)).empty());
  EXPECT_TRUE(tally("new", TallyBy::kProducer).empty());
}

}  // namespace
}  // namespace vintage::tests
