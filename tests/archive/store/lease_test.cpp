// Content that comes before its record.
#include <gmock/gmock.h>

#include "archive/store/batch_put.h"
#include "golden/base/clock.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LeaseTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    ArchiveEnvironment environment;
    environment.clock = &clock_;
    archive_.emplace(must(Archive::open(path("archive"), Archive::Mode::kCreate, environment)));
  }
  TurnedClock clock_;
  std::optional<Archive> archive_;
};

TEST_F(LeaseTest, ContentThenRecordThenRelease) {
  const auto small = content(1, 500), large = content(2, 300'000, false);
  const std::vector<ContentId> ids{contentHash(small), contentHash(large)};
  const Lease lease = must(archive_->acquireLease(ids, "test", hours(1)));
  EXPECT_EQ(lease.id.size(), 32u);
  EXPECT_THAT(must(archive_->missing(ids)), ElementsAre(ids[0], ids[1]));

  ArtifactRecord record = sampleRecord("a");
  record.id = ids[1];
  record.golden = ids[0];
  const auto early = putBatch(*archive_, {.records = std::span(&record, 1), .together = true});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().kind, Error::Kind::kNotFound);
  EXPECT_THAT(early.error().message, HasSubstr(ids[1]));
  EXPECT_TRUE(must(archive_->list({})).empty());

  EXPECT_EQ(must(archive_->putContent(lease.id, small)), ids[0]);
  EXPECT_THAT(must(archive_->missing(ids)), ElementsAre(ids[1]));
  EXPECT_EQ(must(archive_->putContent(lease.id, large)), ids[1]);
  EXPECT_TRUE(must(archive_->missing(ids)).empty());
  must(putBatch(*archive_, {.records = std::span(&record, 1), .together = true}));
  must(archive_->releaseLease(lease.id));
  must(archive_->releaseLease(lease.id));
  const ArtifactRecord kept = must(archive_->find("a"));
  EXPECT_EQ(kept.id, ids[1]);
  EXPECT_EQ(kept.golden, ids[0]);
  EXPECT_EQ(kept.bytes, 300'000);
  EXPECT_EQ(must(archive_->read(kept.id)), large);
  EXPECT_EQ(refusal(archive_->renewLease(lease.id, hours(1))), Error::Kind::kNotFound);
}

TEST_F(LeaseTest, RecordsAreAllOrNoneAndKeepTheRulesOfPut) {
  const Lease lease = must(archive_->acquireLease({}, "test", hours(1)));
  const ContentId id = must(archive_->putContent(lease.id, content(1, 100)));
  std::vector<ArtifactRecord> records{sampleRecord("a"), sampleRecord("b")};
  records[0].id = id;
  records[1].id = std::string(64, 'e');
  EXPECT_EQ(refusal(putBatch(*archive_, {.records = records, .together = true})),
            Error::Kind::kNotFound);
  EXPECT_TRUE(must(archive_->list({})).empty());
  records[1].id = "../../etc/passwd";
  EXPECT_EQ(refusal(putBatch(*archive_, {.records = records, .together = true})),
            Error::Kind::kUsage);
  records[1].id = id;
  must(putBatch(*archive_, {.records = records, .together = true}));
  must(putBatch(*archive_, {.records = records, .together = true}));
  EXPECT_EQ(must(archive_->list({})).size(), 2u);
  records[0].id = must(archive_->putContent(lease.id, content(2, 100)));
  EXPECT_EQ(refusal(putBatch(*archive_, {.records = records, .together = true})),
            Error::Kind::kConflict);
}

TEST_F(LeaseTest, RenewsAndRefuses) {
  const Lease lease = must(archive_->acquireLease({}, "alice", hours(1)));
  EXPECT_EQ(lease.expires, clock_.now() + hours(1));
  clock_.turn(std::chrono::minutes(30));
  const Lease renewed = must(archive_->renewLease(lease.id, hours(3)));
  EXPECT_EQ(renewed.holder, "alice");
  EXPECT_EQ(renewed.expires, clock_.now() + hours(3));
  for (const seconds bad : {seconds(0), seconds(-5), kLongestLease + seconds(1)}) {
    EXPECT_EQ(refusal(archive_->renewLease(lease.id, bad)), Error::Kind::kUsage);
    EXPECT_EQ(archive_->acquireLease({}, "x", bad).error().kind, Error::Kind::kUsage);
  }
  for (const ContentId& bad : {std::string(), std::string(64, 'G'), std::string(63, 'a')}) {
    EXPECT_EQ(refusal(archive_->extendLease(lease.id, std::span(&bad, 1))), Error::Kind::kUsage);
    EXPECT_EQ(refusal(archive_->acquireLease(std::span(&bad, 1), "x", hours(1))),
              Error::Kind::kUsage);
  }
  EXPECT_EQ(refusal(archive_->putContent("unknown", content(1, 10))), Error::Kind::kNotFound);
  EXPECT_FALSE(archive_->read(contentHash(content(1, 10))));
}

TEST_F(LeaseTest, HealsDamagedContent) {
  const auto bytes = content(5, 400'000, false);
  const ContentId id = must(archive_->put(sampleRecord("a"), bytes, nullptr));
  std::filesystem::resize_file(path("archive/blobs/" + id.substr(0, 2) + "/" + id + ".zst"), 1000);
  EXPECT_FALSE(archive_->read(id));
  const Lease lease = must(archive_->acquireLease(std::span(&id, 1), "healer", hours(1)));
  EXPECT_EQ(must(archive_->putContent(lease.id, bytes)), id);
  EXPECT_EQ(must(archive_->read(id)), bytes);
}

}  // namespace
}  // namespace vintage::tests
