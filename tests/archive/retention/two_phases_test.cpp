// Retention announces what goes, waits, and does not believe a clock that jumped.
#include <fmt/format.h>

#include <gmock/gmock.h>

#include "archive/retention/retention.h"
#include "archive/store/batch_put.h"
#include "archive/store/collect.h"
#include "archive/store/database.h"
#include "archive/store/retention_table.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Keeps what was built in the last 30 days; waits 14; a pause of 40 is usual.
class TwoPhases : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    for (int number = 0; number < 100; number += 10)
      must(archive_->put(sampleRecord(fmt::format("case {}", number), number),
                         content(static_cast<uint64_t>(number), 200), nullptr));
  }
  RetentionOptions options(int today) const {
    RetentionOptions options = keepDays(30, today);
    options.policy.waitDays =
        RetentionPolicy().waitDays;  // These tests are about the waiting time.
    return options;
  }
  RetentionSummary apply(int today) { return must(applyRetention(*archive_, options(today))); }
  size_t kept() { return must(archive_->list({})).size(); }

  std::optional<Archive> archive_;
};

// A machine's clock jumped a year: the nightly retention removed everything that was older
// than the window by then, and collected its contents in the same call.
TEST_F(TwoPhases, AClockThatJumpsAYearRemovesNothing) {
  EXPECT_EQ(apply(100).removed, 0);
  const auto jumped = applyRetention(*archive_, options(100 + 365));
  EXPECT_EQ(refusal(jumped), Error::Kind::kUsage);
  EXPECT_THAT(jumped.error().message, HasSubstr("365 days lie between"));
  EXPECT_EQ(refusal(applyRetention(*archive_, options(99))), Error::Kind::kUsage);
  EXPECT_EQ(kept(), 10u);
  must(collectGarbage(*archive_));
  for (const ArtifactRecord& record : must(archive_->list({})))
    EXPECT_TRUE(archive_->read(record.id)) << record.name;
  // Retention knows the date by the last run that it believed.
  EXPECT_EQ(apply(110).removed, 0);
}

// There is no last run to compare a wrong date with: the first run only announces.
TEST_F(TwoPhases, AFirstRunOnAWrongDateOnlyAnnounces) {
  EXPECT_EQ(apply(100 + 365).announced, 10);
  EXPECT_EQ(kept(), 10u);
  // The clock is right again, and a person says so.
  RetentionOptions right = options(100);
  EXPECT_EQ(refusal(applyRetention(*archive_, right)), Error::Kind::kUsage);
  right.dateIsConfirmed = true;
  const RetentionSummary summary = must(applyRetention(*archive_, right));
  EXPECT_EQ(summary.removed, 0);
  EXPECT_EQ(summary.withdrawn, 3);  // Of days 70, 80 and 90.
  EXPECT_THAT(must(waitingArtifacts(*archive_)), SizeIs(7));
  EXPECT_EQ(must(waitingArtifacts(*archive_))[0].since, day(100));
}

TEST_F(TwoPhases, WhatIsAnnouncedGoesAfterTheWaitIfStillNothingKeepsIt) {
  const RetentionSummary first = apply(100);
  EXPECT_EQ(first.announced, 7);  // Of days 0 to 60.
  EXPECT_EQ(first.waiting, 7);
  EXPECT_EQ(first.removed, 0);
  const auto waiting = must(waitingArtifacts(*archive_));
  ASSERT_THAT(waiting, SizeIs(7));
  EXPECT_EQ(waiting[0].record.name, "case 0");
  EXPECT_THAT(waiting[0].reason, HasSubstr("'recent' begins on"));
  EXPECT_EQ(apply(113).removed, 0);
  must(placeHold(*archive_, must(archive_->find("case 0")), "a bug", std::nullopt));
  const RetentionSummary second = apply(114);
  EXPECT_EQ(second.removed, 6);
  EXPECT_EQ(second.held, 1);
  EXPECT_EQ(kept(), 4u);
}

// Retention said "in use" for an hour after each push: the lease of its upload was still there. A
// lease keeps the content for who relies on it, whatever becomes of a record.
TEST_F(TwoPhases, ALeaseKeepsContentAndNoRecord) {
  apply(100);
  const ArtifactRecord record = must(archive_->find("case 10"));
  const Lease lease =
      must(archive_->acquireLease(std::span(&record.id, 1), "upload", std::chrono::hours(1)));
  EXPECT_EQ(apply(114).removed, 7);
  must(collectGarbage(*archive_));
  EXPECT_THAT(must(archive_->missing(std::span(&record.id, 1))), ::testing::IsEmpty());
  ArtifactRecord again = sampleRecord("uploaded");
  again.id = record.id;
  const BatchKept kept = must(putBatch(*archive_, {.records = std::span(&again, 1)}));
  EXPECT_FALSE(kept.refusals.at(0)) << kept.refusals.at(0)->message;
  must(archive_->releaseLease(lease.id));
  must(collectGarbage(*archive_));
  EXPECT_FALSE(must(archive_->read(record.id)).empty());
}

// A policy that was wrong for a day removes nothing once it is right again.
TEST_F(TwoPhases, ARuleThatKeepsItAgainWithdrawsTheAnnouncement) {
  RetentionOptions wrong = options(100);
  wrong.policy.rules[0].days = 1;
  EXPECT_EQ(must(applyRetention(*archive_, wrong)).announced, 10);
  const RetentionSummary right = apply(101);
  EXPECT_EQ(right.withdrawn, 2);     // Of days 80 and 90.
  EXPECT_EQ(apply(114).removed, 8);  // Of days 0 to 70; 80 and 90 begin to wait again.
  EXPECT_EQ(kept(), 2u);
}

TEST_F(TwoPhases, ADryRunSaysWhatWouldHappenAndChangesNothing) {
  apply(100);
  RetentionOptions dry = options(500);
  dry.dryRun = true;
  std::vector<Date> days;
  dry.visit = [&](const LeavingArtifact& leaving) { days.push_back(leaving.goes); };
  const RetentionSummary summary = must(applyRetention(*archive_, dry));
  EXPECT_EQ(summary.removed, 7);
  EXPECT_EQ(summary.announced, 3);
  EXPECT_THAT(days, SizeIs(10));
  EXPECT_EQ(days.front(), day(514));
  EXPECT_EQ(days.back(), day(114));
  EXPECT_EQ(kept(), 10u);
  EXPECT_EQ(apply(100).announced, 0);
}

}  // namespace
}  // namespace vintage::tests
