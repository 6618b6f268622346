// fsck heals from other archives: many contents at once, and only what is whole.
#include "tests/archive/integrity/fsck_fixture.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = FsckFinding::Kind;

using FsckHealing = FsckTest;

TEST_F(FsckHealing, DamagedContentNeedsReadingAndADonor) {
  {
    std::fstream file(blobPath(large_), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(70'000);
    file.put('x').put('y').put('z');
  }
  EXPECT_TRUE(check().whole());
  EXPECT_FALSE(check(reading()).whole());
  const FsckFinding& finding = only(Kind::kDamagedContent);
  EXPECT_EQ(finding.content, large_);
  EXPECT_EQ(finding.place, blobPath(large_));
  EXPECT_THAT(finding.affected, ElementsAre("large (producer 0)"));
  EXPECT_EQ(finding.affectedOutcomes, 1);

  EXPECT_FALSE(check(reading(true)).whole());  // Nobody to heal from.
  EXPECT_FALSE(only(Kind::kDamagedContent).healed);
  FakeDonor liar("the liar"), donor("the donor");
  liar.contents[large_] = content(77, 10);
  FsckOptions options = reading(true);
  options.donors = {liar};
  EXPECT_FALSE(check(options).whole());
  EXPECT_FALSE(only(Kind::kDamagedContent).healed);
  EXPECT_THAT(found_[0].remedy, HasSubstr("the liar sent bytes that hash to"));
  donor.contents[large_] = largeBytes_;
  options.donors = {liar, donor};
  const FsckSummary healed = check(options);
  EXPECT_TRUE(healed.whole());
  EXPECT_EQ(healed.healed, 1);
  EXPECT_TRUE(only(Kind::kDamagedContent).healed);
  EXPECT_THAT(found_[0].remedy, HasSubstr("from the donor"));
  EXPECT_THAT(found_[0].affected, ElementsAre("large (producer 0)"));
  expectWhole();
}

// Without a word to a donor: what lies here is whole, nothing is damaged, or
// nothing was to be healed.
TEST_F(FsckHealing, DonorsAreOnlyAskedForWhatTheyCanHeal) {
  FakeDonor donor("the donor");
  FsckOptions options = reading(true);
  options.donors = {donor};
  EXPECT_TRUE(check(options).whole());
  sql("UPDATE blob SET bytes = 5 WHERE in_file = 0");
  EXPECT_TRUE(check(options).whole());
  EXPECT_FALSE(found_.empty());
  std::filesystem::remove(blobPath(large_));
  options.repair = false;
  EXPECT_FALSE(check(options).whole());
  // Content that nothing names is left to the collection.
  sql("DELETE FROM outcome; DELETE FROM artifact WHERE id = (SELECT id FROM artifact_record "
      "WHERE name = 'large')");
  options.repair = true;
  EXPECT_FALSE(check(options).whole());
  EXPECT_THAT(donor.asked, IsEmpty());
}

// Every donor was asked for everything, and content that was whole again was sent once more.
TEST_F(FsckHealing, WhatOneDonorHealsTheNextIsNotAskedFor) {
  FakeDonor first("the first"), second("the second");
  first.contents[large_] = largeBytes_;
  second.contents[large_] = largeBytes_;
  second.contents[small_] = smallBytes_;
  std::filesystem::remove(blobPath(large_));
  sql("DELETE FROM blob_content WHERE blob IN (SELECT blob FROM artifact_record WHERE name = "
      "'small')");
  FsckOptions options = reading(true);
  options.donors = {first, second};
  EXPECT_TRUE(check(options).whole());
  ASSERT_EQ(second.asked.size(), 1u);
  EXPECT_EQ(second.asked[0], std::vector<ContentId>{small_});
}

// An archive that lost a folder of blobs lacks 100,000 of them: asked for one by
// one, over a network, they took hours.
TEST_F(FsckHealing, ManyLossesAreAskedForTogether) {
  constexpr int kMany = 2500;
  FakeDonor donor("the donor");
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    std::vector<Archive::Put> puts;
    for (int number = 0; number < kMany; ++number) {
      ArtifactRecord record = sampleRecord("case " + std::to_string(number));
      record.format = ArtifactRecord::Format::kSavedModel;
      puts.push_back({record, content(static_cast<uint64_t>(1000 + number), 60), std::nullopt});
    }
    must(archive.putAll(puts));
    for (const Archive::Put& put : puts) donor.contents[contentHash(put.bytes)] = put.bytes;
  }
  sql("DELETE FROM blob_content WHERE blob > 3");
  FsckOptions options;
  options.repair = true;
  FakeDonor away("the other");
  away.failsAfter = 0;
  options.donors = {away};
  EXPECT_EQ(check(options).healed, 0);
  EXPECT_EQ(away.asked.size(), 1u);  // Each attempt to reach it may take minutes.
  options.donors = {away, donor};
  const FsckSummary summary = check(options);
  EXPECT_TRUE(summary.whole());
  EXPECT_EQ(summary.healed, kMany);
  EXPECT_EQ(found_.size(), static_cast<size_t>(kMany));
  EXPECT_THAT(found_[7].affected, ElementsAre("case 7 (producer 0)"));  // In their order.
  size_t asked = 0;
  for (const auto& question : donor.asked) asked += question.size();
  EXPECT_EQ(asked, static_cast<size_t>(kMany));
  EXPECT_LE(donor.asked.size(), 3u);
  expectWhole();
}

TEST_F(FsckHealing, ADonorThatGoesAwayIsToldAndNotAskedAgain) {
  FakeDonor leaving("the leaving"), other("the other");
  for (FakeDonor* donor : {&leaving, &other}) donor->contents[small_] = smallBytes_;
  leaving.contents[large_] = largeBytes_;
  leaving.failsAfter = 0;
  std::filesystem::remove(blobPath(large_));
  sql("DELETE FROM blob_content");
  FsckOptions options = reading(true);
  options.donors = {leaving, other};
  EXPECT_EQ(check(options).healed, 1);
  ASSERT_EQ(found_.size(), 3u);
  for (const FsckFinding& finding : found_) {
    EXPECT_EQ(finding.healed, finding.content == small_);
    if (finding.healed) {
      EXPECT_THAT(finding.remedy, HasSubstr("from the other"));
      continue;
    }
    EXPECT_THAT(finding.remedy, HasSubstr("gave up on the leaving: it went away"));
    EXPECT_THAT(finding.remedy, HasSubstr("the other: it has no such content"));
  }
}

}  // namespace
}  // namespace vintage::tests
