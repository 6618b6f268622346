// Artifacts that policies keep, artifacts that go, and the reasons given for them.
#include <fmt/format.h>

#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/retention/retention.h"
#include "archive/store/batch_put.h"
#include "archive/store/collect.h"
#include "archive/store/retention_table.h"
#include "golden/base/file_system.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Date date(const char* text) { return must(parseDate(text)); }

ArtifactRecord built(const std::string& caseId, const char* when,
                     const std::string& platform = "cpu") {
  ArtifactRecord record = sampleRecord(caseId + "/" + platform);
  record.caseId = caseId;
  record.producer = std::string("build of ") + when;
  record.buildDate = date(when);
  record.platforms = {platform};
  return record;
}

RetentionPolicy policyOf(const std::string& rules, const std::string& outcomes = "keep") {
  return must(parseRetentionPolicy(
      R"({"vintage_retention": 1, "outcomes": ")" + outcomes + R"(", "rules": [)" + rules + "]}",
      "p"));
}

// The dates that stay, of artifacts of one case that come newest first.
std::vector<std::string> kept(const RetentionPolicy& policy, const char* today,
                              std::vector<const char*> dates) {
  RetentionDecision decision(policy, date(today));
  std::vector<std::string> kept;
  for (const char* when : dates) {
    if (decision.reasonToGo(built("c", when)).empty()) kept.emplace_back(when);
  }
  return kept;
}

TEST(RetentionPolicy, BordersOfAgeAndWindow) {
  const RetentionPolicy age = policyOf(R"({"name": "a", "keep": "age", "days": 10})");
  EXPECT_THAT(kept(age, "2026-03-11", {"2026-03-12", "2026-03-11", "2026-03-01", "2026-02-28"}),
              ElementsAre("2026-03-12", "2026-03-11", "2026-03-01"));
  // 180 days before 2026-11-20 is 2026-05-24; 21 days before is 2026-10-30.
  const RetentionPolicy backward =
      policyOf(R"({"name": "w", "keep": "window", "promise": "backward"})");
  EXPECT_THAT(kept(backward, "2026-11-20", {"2026-05-24", "2026-05-23"}),
              ElementsAre("2026-05-24"));
  const RetentionPolicy forward =
      policyOf(R"({"name": "w", "keep": "window", "promise": "forward"})");
  EXPECT_THAT(kept(forward, "2026-11-20", {"2026-10-30", "2026-10-29"}), ElementsAre("2026-10-30"));
  // Over a leap day.
  EXPECT_THAT(kept(age, "2024-03-10", {"2024-02-29", "2024-02-28"}), ElementsAre("2024-02-29"));
}

TEST(RetentionPolicy, NewestOfEachSpan) {
  const auto newest = [](const char* span, int count = 1) {
    return policyOf(fmt::format(
        R"({{"name": "n", "keep": "newest", "count": {}, "per": ["case", "{}"]}})", count, span));
  };
  const std::vector<const char*> dates{"2026-03-02", "2026-03-01", "2026-02-28", "2026-02-01",
                                       "2025-12-31", "2025-12-29", "2025-12-28", "2025-10-01"};
  EXPECT_THAT(kept(newest("day"), "2026-03-02", dates), ::testing::SizeIs(8));
  // 2026-03-02 and 2025-12-29 are Mondays.
  EXPECT_THAT(kept(newest("week"), "2026-03-02", dates),
              ElementsAre("2026-03-02", "2026-03-01", "2026-02-01", "2025-12-31", "2025-12-28",
                          "2025-10-01"));
  EXPECT_THAT(kept(newest("month"), "2026-03-02", dates),
              ElementsAre("2026-03-02", "2026-02-28", "2025-12-31", "2025-10-01"));
  EXPECT_THAT(kept(newest("quarter"), "2026-03-02", dates),
              ElementsAre("2026-03-02", "2025-12-31"));
  EXPECT_THAT(kept(newest("year", 2), "2026-03-02", dates),
              ElementsAre("2026-03-02", "2026-03-01", "2025-12-31", "2025-12-29"));
  // Without a span: the newest of all time.
  EXPECT_THAT(kept(policyOf(R"({"name": "n", "keep": "newest", "count": 3, "per": "case"})"),
                   "2026-03-02", dates),
              ElementsAre("2026-03-02", "2026-03-01", "2026-02-28"));
}

// With a wrong clock at its producer, an artifact of tomorrow displaced the newest one of today.
TEST(RetentionPolicy, WhatWasBuiltAfterTodayStaysAndDisplacesNothing) {
  const RetentionPolicy one =
      policyOf(R"({"name": "n", "keep": "newest", "count": 1, "per": "case"})");
  EXPECT_THAT(kept(one, "2026-03-01", {"2026-03-02", "2026-03-01", "2026-02-28"}),
              ElementsAre("2026-03-02", "2026-03-01"));
}

TEST(RetentionPolicy, ARuleOfOneProducerKeepsItsArtifactsOnly) {
  const RetentionPolicy policy =
      policyOf(R"({"name": "a", "keep": "all", "where": {"producer": "build of 2020-*"}})");
  RetentionDecision decision(policy, date("2026-11-20"));
  EXPECT_TRUE(decision.reasonToGo(built("c", "2020-01-01")).empty());
  EXPECT_FALSE(decision.reasonToGo(built("c", "2021-01-01")).empty());
}

TEST(RetentionPolicy, TheDefaultKeepsTheWindowThenOnePerCasePlatformAndMonth) {
  RetentionDecision decision(defaultRetentionPolicy(), date("2026-11-20"));
  const auto stays = [&](const ArtifactRecord& record) {
    return decision.reasonToGo(record).empty();
  };
  EXPECT_TRUE(stays(built("c", "2026-11-20")));
  EXPECT_TRUE(stays(built("c", "2026-05-24")));
  // One of May is inside the window, and is May's.
  EXPECT_FALSE(stays(built("c", "2026-05-23")));
  EXPECT_TRUE(stays(built("other", "2026-05-23")));
  EXPECT_TRUE(stays(built("c", "2026-05-22", "tpu")));
  EXPECT_TRUE(stays(built("c", "2026-04-30")));
  EXPECT_FALSE(stays(built("c", "2026-04-29")));
  EXPECT_THAT(decision.reasonToGo(built("c", "2026-04-01")),
              AllOf(HasSubstr("'the backward window' begins on 2026-05-24"),
                    HasSubstr("'one per case and month' keeps 1 newer")));
  ArtifactRecord imported = sampleRecord("imported");
  imported.buildDate = date("2019-01-01");
  EXPECT_TRUE(stays(imported));
  EXPECT_EQ(decision.keptBy().at("the backward window"), 2);
  EXPECT_EQ(decision.keptBy().at("what was imported"), 1);
}

TEST(RetentionPolicy, PatternsLeaveBracketsAlone) {
  const RetentionPolicy policy = policyOf(
      R"({"name": "a", "keep": "all", "where": {"name": ["dot_f32[4,?]*"], "platform": "t*"}})");
  RetentionDecision decision(policy, date("2026-11-20"));
  EXPECT_TRUE(decision.reasonToGo(built("dot_f32[4,3]", "2020-01-01", "tpu")).empty());
  EXPECT_FALSE(decision.reasonToGo(built("dot_f32[4,3]", "2020-01-01", "cpu")).empty());
  EXPECT_FALSE(decision.reasonToGo(built("dot_f32[4,33]", "2020-01-01", "tpu")).empty());
  // A pattern is of the whole name.
  const RetentionPolicy beginning =
      policyOf(R"({"name": "a", "keep": "all", "where": {"name": "dot/cpu", "platform": "c"}})");
  RetentionDecision whole(beginning, date("2026-11-20"));
  EXPECT_FALSE(whole.reasonToGo(built("dot", "2020-01-01")).empty());
}

TEST(RetentionPolicy, TheFileRoundTripsAndRefusesWhatItDoesNotKnow) {
  const std::string text = retentionPolicyText(defaultRetentionPolicy());
  EXPECT_EQ(retentionPolicyText(must(parseRetentionPolicy(text, "p"))), text);
  const std::string rule = R"({"name": "a", "keep": "all"})";
  const std::pair<std::string, std::string> bad[] = {
      {"", "p: not JSON"},
      {"{", "p: not JSON"},
      {"[]", "p: the file: write a JSON object"},
      {R"({"rules": [)" + rule + "]}", "p: vintage_retention: write 1"},
      {R"({"vintage_retention": 2, "rules": [)" + rule + "]}", "p: vintage_retention: write 1"},
      {R"({"vintage_retention": 1, "rules": []})", "p: rules: write a list of one or more"},
      {R"({"vintage_retention": 1, "rules": [)" + rule + R"(], "rule": 1})",
       "p: rule: write one of"},
      {R"({"vintage_retention": 1, "outcomes": "burn", "rules": [)" + rule + "]}", "p: outcomes"},
      {R"({"vintage_retention": 1, "rules": [7]})", "rules[0]"},
      {R"({"vintage_retention": 1, "rules": [{"keep": "all"}]})", "rules[0].name"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "some"}]})", "rules[0].keep"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "age"}]})", "rules[0].days"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "age", "days": -1}]})",
       "rules[0].days"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "age", "days": 99999999999999999999}]})",
       "rules[0].days"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "newest", "count": 0, "per": "day"}]})",
       "rules[0].count"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "newest", "count": 1}]})",
       "rules[0].per"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "newest", "count": 1, "per": ["moon"]}]})",
       "rules[0].per"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "window", "promise": "sideways"}]})",
       "rules[0].promise"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "all", "days": 3}]})",
       "rules[0].days"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "all", "where": {"color": "x"}}]})",
       "rules[0].where.color"},
      {R"({"vintage_retention": 1, "rules": [{"name": "a", "keep": "all", "where": {"name": [1]}}]})",
       "rules[0].where.name"},
  };
  for (const auto& [json, words] : bad) {
    const auto policy = parseRetentionPolicy(json, "p");
    ASSERT_FALSE(policy) << json;
    EXPECT_EQ(policy.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(policy.error().message, HasSubstr(words)) << json;
  }
}

class RetentionTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    must(archive_->putBuild(sampleBuild("engine")));
  }
  void put(const ArtifactRecord& record, const std::vector<std::byte>& bytes,
           const Golden* golden = nullptr) {
    ArtifactRecord copy = record;
    copy.format = ArtifactRecord::Format::kSavedModel;
    must(archive_->put(copy, bytes, golden));
  }
  void putOutcome(const ArtifactRecord& which, const std::string& run,
                  OutcomeKind kind = OutcomeKind::kPass) {
    const ArtifactRecord record = must(archive_->find(which.name + "@" + which.producer));
    OutcomeRecord outcome;
    outcome.artifact = record.id;
    outcome.golden = record.golden;
    outcome.build = "engine";
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = run;
    outcome.outcome = kind;
    must(archive_->putOutcomes(std::span(&outcome, 1)));
  }
  RetentionSummary apply(const char* today, bool dryRun = false,
                         const RetentionPolicy& policy = defaultRetentionPolicy()) {
    gone_.clear();
    held_.clear();
    RetentionOptions options;
    options.policy = policy;
    options.policy.waitDays = 0;
    options.today = date(today);
    options.dateIsConfirmed = true;
    options.dryRun = dryRun;
    options.visit = [&](const LeavingArtifact& leaving) {
      const bool held = leaving.state == LeavingArtifact::State::kHeld;
      (held ? held_ : gone_)
          .push_back(leaving.record.name + "@" + formatDate(leaving.record.buildDate));
    };
    return must(applyRetention(*archive_, options));
  }
  FsckSummary fsck() {
    FsckOptions options;
    options.readData = true;
    return must(checkArchive(path("a"), options, [](const FsckFinding& finding) {
      EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
    }));
  }
  std::optional<Archive> archive_;
  std::vector<std::string> gone_, held_;
};

TEST_F(RetentionTest, DryRunListsExactlyWhatGoes) {
  for (int month = 1; month <= 4; ++month) {
    for (const int dayOfMonth : {3, 10, 20}) {
      const std::string when = fmt::format("2026-{:02}-{:02}", month, dayOfMonth);
      put(built("c", when.c_str()), content(month * 100 + dayOfMonth, 500));
    }
  }
  const RetentionSummary dry = apply("2026-10-16", true);  // The window begins on 2026-04-19.
  const std::vector<std::string> listed = gone_;
  EXPECT_EQ(dry.artifacts, 12);
  EXPECT_EQ(dry.removed, 8);
  EXPECT_EQ(must(archive_->list({})).size(), 12u);
  EXPECT_THAT(must(recordedRemovals(*archive_, 100)), IsEmpty());

  const RetentionSummary done = apply("2026-10-16");
  EXPECT_EQ(gone_, listed);
  EXPECT_EQ(done.removed, 8);
  std::vector<std::string> stayed;
  for (const ArtifactRecord& record : must(archive_->list({})))
    stayed.push_back(formatDate(record.buildDate));
  EXPECT_THAT(stayed, ElementsAre("2026-01-20", "2026-02-20", "2026-03-20", "2026-04-20"));
  const auto removals = must(recordedRemovals(*archive_, 100));
  ASSERT_EQ(removals.size(), 8u);
  EXPECT_EQ(removals[0].name, "c/cpu");
  EXPECT_THAT(removals[0].reason, HasSubstr("one per case and month"));
  EXPECT_EQ(fsck().litter, 8);
  const CollectReport collected = must(collectGarbage(*archive_));
  EXPECT_EQ(collected.contents, 8);
  EXPECT_EQ(fsck().litter, 0);
  EXPECT_EQ(apply("2026-10-16").removed, 0);
  ArtifactFilter filter;  // Nor does searching find them.
  filter.dtypes = {"f32"};
  EXPECT_EQ(must(archive_->list(filter)).size(), 4u);
}

TEST_F(RetentionTest, HoldsKeepUntilTheirLastDay) {
  put(built("c", "2026-01-01"), content(1, 100));
  put(built("c", "2026-01-02"), content(2, 100));
  put(built("c", "2026-01-03"), content(3, 100));
  const ArtifactRecord first = must(archive_->find("c/cpu@build of 2026-01-01"));
  const Status unexplained = placeHold(*archive_, first, "", std::nullopt);
  ASSERT_FALSE(unexplained);
  EXPECT_EQ(unexplained.error().kind, Error::Kind::kUsage);
  must(placeHold(*archive_, first, "bug 12", date("2027-06-30")));
  EXPECT_EQ(apply("2027-06-30").held, 1);
  EXPECT_THAT(gone_, ElementsAre("c/cpu@2026-01-02"));
  EXPECT_THAT(held_, ElementsAre("c/cpu@2026-01-01"));
  ASSERT_EQ(must(allHolds(*archive_)).size(), 1u);
  EXPECT_EQ(must(allHolds(*archive_))[0].reason, "bug 12");
  must(placeHold(*archive_, first, "bug 13", std::nullopt));  // Replaces it.
  EXPECT_EQ(apply("2030-01-01").held, 1);
  EXPECT_EQ(must(allHolds(*archive_))[0].reason, "bug 13");
  must(releaseHold(*archive_, first));
  EXPECT_EQ(refusal(releaseHold(*archive_, first)), Error::Kind::kNotFound);
  apply("2030-01-01");
  EXPECT_THAT(gone_, ElementsAre("c/cpu@2026-01-01"));
  EXPECT_EQ(refusal(placeHold(*archive_, first, "too late", std::nullopt)), Error::Kind::kNotFound);
  // One that is over does not stand in the way.
  const ArtifactRecord last = must(archive_->find("c/cpu@build of 2026-01-03"));
  must(placeHold(*archive_, last, "over", date("2026-02-01")));
  apply("2030-01-01", false, policyOf(R"({"name": "a", "keep": "age", "days": 1})"));
  EXPECT_THAT(gone_, ElementsAre("c/cpu@2026-01-03"));
  EXPECT_THAT(must(allHolds(*archive_)), IsEmpty());
}

TEST_F(RetentionTest, ResultsStayWithTheRowOfTheirContent) {
  const auto bytes = content(1, 300'000, false);
  const Golden golden = sampleGolden(1);
  const ArtifactRecord record = built("c", "2026-01-01");
  put(record, bytes, &golden);
  putOutcome(record, "run 1");
  putOutcome(record, "run 2", OutcomeKind::kCrash);
  apply("2028-01-01", false, policyOf(R"({"name": "a", "keep": "age", "days": 1})"));
  const CollectReport collected = must(collectGarbage(*archive_));
  EXPECT_EQ(collected.emptied, 1);   // The artifact's.
  EXPECT_EQ(collected.contents, 1);  // The golden's.
  EXPECT_FALSE(std::filesystem::exists(
      path("a/blobs/" + contentHash(bytes).substr(0, 2) + "/" + contentHash(bytes) + ".zst")));
  OutcomeFilter filter;
  filter.latestOnly = false;
  EXPECT_EQ(must(archive_->outcomes(filter)).size(), 2u);
  EXPECT_EQ(must(recordedRemovals(*archive_, 1))[0].outcomes, R"({"crash":1,"pass":1})");
  const auto read = archive_->read(contentHash(bytes));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, Error::Kind::kNotFound);
  EXPECT_TRUE(fsck().whole());
  EXPECT_EQ(fsck().litter, 0);
  EXPECT_EQ(must(collectGarbage(*archive_)).emptied, 0);  // Nothing is left to do.
  put(record, bytes, &golden);  // Comes back, and is the results' content again.
  EXPECT_EQ(must(archive_->read(contentHash(bytes))), bytes);
  EXPECT_TRUE(fsck().whole());
}

TEST_F(RetentionTest, ResultsGoWithTheLastArtifactOfTheirContentWhereThePolicySaysSo) {
  const auto bytes = content(1, 500);
  const Golden first = sampleGolden(1), second = sampleGolden(2);
  const ArtifactRecord old = built("c", "2026-01-01"), twin = built("c", "2026-01-02"),
                       other = built("c", "2027-12-31");
  put(old, bytes, &first);
  put(twin, bytes, &first);
  put(other, bytes, &second);
  putOutcome(old, "run");
  putOutcome(other, "run");
  const auto policy = [](int days) {
    return policyOf(fmt::format(R"({{"name": "a", "keep": "age", "days": {}}})", days), "remove");
  };
  const auto outcomes = [&] { return must(archive_->outcomes({})).size(); };
  // 2026-01-02 is 729 days before 2028-01-01.
  EXPECT_EQ(apply("2028-01-01", false, policy(729)).outcomesRemoved, 0);
  EXPECT_EQ(outcomes(), 2u);  // The twin has the same content and golden.
  EXPECT_EQ(apply("2028-01-01", false, policy(728)).outcomesRemoved, 1);
  EXPECT_EQ(outcomes(), 1u);
  EXPECT_EQ(apply("2028-01-01", false, policy(0)).outcomesRemoved, 1);
  EXPECT_EQ(must(collectGarbage(*archive_)).contents, 3);
  EXPECT_EQ(must(Archive::open(path("a"), Archive::Mode::kReadOnly)).list({})->size(), 0u);
  EXPECT_EQ(fsck().blobs, 0);
}

TEST_F(RetentionTest, CollectionTakesWhatNothingNamesAndLeavesWhatALeaseProtects) {
  const auto uploaded = content(5, 200'000, false), small = content(6, 900);
  const Lease lease = must(archive_->acquireLease({}, "test", std::chrono::hours(1)));
  const ContentId large = must(archive_->putContent(lease.id, uploaded));
  const ContentId little = must(archive_->putContent(lease.id, small));
  const ContentId stray = contentHash(content(7, 1));
  std::filesystem::create_directories(path("a/blobs/" + stray.substr(0, 2)));
  const std::string strayPath = path("a/blobs/" + stray.substr(0, 2) + "/" + stray + ".zst");
  must(must(realFileSystem().create(strayPath))->append(content(8, 77)));
  const std::string foreign = path("a/blobs/" + stray.substr(0, 2) + "/README");
  must(realFileSystem().create(foreign));

  EXPECT_EQ(must(collectGarbage(*archive_, {.dryRun = true, .progress = {}})).files, 1);
  EXPECT_TRUE(std::filesystem::exists(strayPath));
  const CollectReport report = must(collectGarbage(*archive_));
  EXPECT_EQ(report.files, 1);
  EXPECT_EQ(report.bytes, 77);
  EXPECT_EQ(report.contents, 0);
  EXPECT_FALSE(std::filesystem::exists(strayPath));
  EXPECT_TRUE(std::filesystem::exists(foreign));
  EXPECT_EQ(must(archive_->read(large)), uploaded);

  must(archive_->releaseLease(lease.id));
  EXPECT_EQ(must(collectGarbage(*archive_, {.dryRun = true, .progress = {}})).contents, 2);
  EXPECT_EQ(must(archive_->read(little)), small);
  EXPECT_EQ(must(collectGarbage(*archive_)).contents, 2);
  EXPECT_EQ(refusal(archive_->read(large)), Error::Kind::kNotFound);
  ArtifactRecord record = sampleRecord("late");
  record.id = large;
  EXPECT_EQ(refusal(putBatch(*archive_, {.records = std::span(&record, 1), .together = true})),
            Error::Kind::kNotFound);
}

TEST_F(RetentionTest, AnExpiredLeaseProtectsUntilItIsCollected) {
  TurnedClock clock;
  ArchiveEnvironment environment;
  environment.clock = &clock;
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite, environment));
  const Lease lease = must(archive.acquireLease({}, "slow", std::chrono::hours(1)));
  must(archive.putContent(lease.id, content(1, 100)));
  clock.turn(std::chrono::hours(2));
  must(archive.renewLease(lease.id, std::chrono::hours(1)));  // Late, but not too late.
  EXPECT_EQ(must(collectGarbage(archive)).leases, 0);
  clock.turn(std::chrono::hours(2));
  const CollectReport report = must(collectGarbage(archive));
  EXPECT_EQ(report.leases, 1);
  EXPECT_EQ(report.contents, 1);
  EXPECT_EQ(refusal(archive.renewLease(lease.id, std::chrono::hours(1))), Error::Kind::kNotFound);
  EXPECT_EQ(refusal(archive.putContent(lease.id, content(2, 100))), Error::Kind::kNotFound);
}

}  // namespace
}  // namespace vintage::tests
