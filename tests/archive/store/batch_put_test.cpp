// Contents and records that arrive together: kept in one transaction, and each
// record for itself.
#include <atomic>
#include <map>
#include <new>

#include <gtest/gtest.h>

#include "archive/integrity/fsck.h"
#include "archive/store/archive_implementation.h"
#include "archive/store/batch_put.h"
#include "archive/store/collect.h"
#include "golden/base/parallel.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

TEST(InParallel, CallsEachIndexOnce) {
  for (const size_t count : {0u, 1u, 7u, 1000u}) {
    std::vector<std::atomic<int>> calls(count);
    inParallel(count, 2, [&](size_t index) { ++calls[index]; });
    for (const auto& times : calls) EXPECT_EQ(times, 1);
  }
}

TEST(InParallel, ThrowsWhatTheWorkThrows) {
  EXPECT_THROW(inParallel(100, 1,
                          [](size_t index) {
                            if (index == 30) throw std::bad_alloc();
                          }),
               std::bad_alloc);
}

TEST(HashedContents, AreHashedInTheirOrder) {
  std::vector<std::vector<std::byte>> bytes;
  for (uint64_t seed = 0; seed < 200; ++seed) bytes.push_back(content(seed, seed * 5));
  const std::vector<std::span<const std::byte>> views(bytes.begin(), bytes.end());
  const auto hashed = hashContents(views);
  ASSERT_EQ(hashed.size(), bytes.size());
  for (size_t index = 0; index < bytes.size(); ++index) {
    EXPECT_EQ(hashed[index].id(), contentHash(bytes[index]));
    EXPECT_EQ(hashed[index].bytes().data(), views[index].data());
  }
  // Of "abc", by FIPS 180-2.
  const std::string abc = "abc";
  EXPECT_EQ(HashedContent(std::as_bytes(std::span(abc))).id(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

class BatchPutTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("archive"), Archive::Mode::kCreate)));
  }

  // Contents 0, 1, … of some hundred bytes, but for one that becomes a file.
  void make(int count) {
    for (int number = 0; number < count; ++number) {
      const bool large = number == 3;
      bytes_.push_back(content(static_cast<uint64_t>(number), large ? 200'000 : 300, !large));
      records_.push_back(sampleRecord("case " + std::to_string(number)));
      records_.back().id = contentHash(bytes_.back());
      records_.back().format = ArtifactRecord::Format::kSavedModel;  // fsck parses the others.
    }
    for (const auto& each : bytes_) contents_.emplace_back(each);
  }
  ContentBatch batch() const {
    ContentBatch batch;
    batch.contents = contents_;
    batch.records = records_;
    batch.holder = "test";
    batch.duration = std::chrono::hours(1);
    return batch;
  }
  int64_t count(const std::string& table) {
    return must(archive_->implementation().database->integer("SELECT count(*) FROM " + table));
  }
  std::vector<ContentId> ids() const {
    std::vector<ContentId> ids;
    for (const HashedContent& each : contents_) ids.push_back(each.id());
    return ids;
  }
  void expectWhole() {
    FsckOptions options;
    options.readData = true;
    const auto report = [](const FsckFinding& finding) {
      ADD_FAILURE() << finding.place << ": " << finding.problem;
    };
    const auto summary = must(checkArchive(path("archive"), options, report));
    EXPECT_EQ(summary.damaged + summary.litter + summary.inFlight, 0);
  }

  std::optional<Archive> archive_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<ArtifactRecord> records_;
  std::vector<HashedContent> contents_;
};

TEST_F(BatchPutTest, EverythingIsKeptAndNeedsNoLease) {
  make(60);
  const Golden golden = sampleGolden(3);
  const auto goldenBytes = must(writeGolden(golden));
  contents_.emplace_back(goldenBytes);
  records_[5].golden = contents_.back().id();
  const BatchKept kept = must(putBatch(*archive_, batch()));
  ASSERT_EQ(kept.refusals.size(), 60u);
  for (const auto& refusal : kept.refusals) EXPECT_FALSE(refusal) << refusal->message;
  EXPECT_FALSE(kept.lease);
  for (size_t number = 0; number < records_.size(); ++number) {
    const ArtifactRecord found = must(archive_->find(records_[number].name));
    EXPECT_EQ(found.bytes, static_cast<int64_t>(bytes_[number].size()));
    EXPECT_TRUE(must(archive_->read(found.id)) == bytes_[number]);
  }
  EXPECT_TRUE(must(archive_->read(must(archive_->find("case 5")).golden)) == goldenBytes);
  // Nobody's lease is left behind, and nothing is garbage.
  EXPECT_EQ(count("lease"), 0);
  expectWhole();
  // Again changes nothing.
  EXPECT_FALSE(must(putBatch(*archive_, batch())).lease);
  EXPECT_EQ(must(archive_->count({})), 60);
}

TEST_F(BatchPutTest, EachRecordIsRefusedForItself) {
  make(40);
  records_[7].name = records_[6].name;  // Other bytes under a name that is taken.
  records_[8].name = "";
  records_[9].id = ContentId(64, 'd');
  records_[10].golden = ContentId(64, 'e');
  records_[11].id = "../../etc/passwd";
  const BatchKept kept = must(putBatch(*archive_, batch()));
  ASSERT_EQ(kept.refusals.size(), 40u);
  std::map<size_t, Error::Kind> kinds;
  for (size_t number = 0; number < 40; ++number) {
    if (kept.refusals[number]) kinds[number] = kept.refusals[number]->kind;
  }
  using Kind = Error::Kind;
  EXPECT_EQ(kinds, (std::map<size_t, Kind>{{7, Kind::kConflict},
                                           {8, Kind::kUsage},
                                           {9, Kind::kNotFound},
                                           {10, Kind::kNotFound},
                                           {11, Kind::kUsage}}));
  EXPECT_EQ(must(archive_->count({})), 35);
  // Content that no record names is safe from collection for as long as the lease.
  ASSERT_TRUE(kept.lease);
  must(collectGarbage(*archive_, {}));
  EXPECT_TRUE(must(archive_->missing(ids())).empty());
  must(archive_->releaseLease(kept.lease->id));
  must(collectGarbage(*archive_, {}));
  const auto gone = must(archive_->missing(ids()));
  EXPECT_EQ(gone, (std::vector<ContentId>{ids()[7], ids()[8], ids()[9], ids()[10], ids()[11]}));
  expectWhole();
}

TEST_F(BatchPutTest, ANamedLeaseIsJoinedByAllContentsOrNothingIsKept) {
  make(5);
  ContentBatch named = batch();
  named.lease = "0123456789abcdef0123456789abcdef";
  const auto refused = putBatch(*archive_, named);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::kNotFound);
  EXPECT_EQ(must(archive_->count({})), 0);
  EXPECT_EQ(must(archive_->missing(ids())).size(), 5u);

  const Lease lease = must(archive_->acquireLease({}, "test", std::chrono::hours(1)));
  named.lease = lease.id;
  EXPECT_FALSE(must(putBatch(*archive_, named)).lease);
  EXPECT_EQ(count("lease_content WHERE lease = '" + lease.id + "'"), 5);
}

// A row that lost its content must not pass for kept because its hash is known.
TEST_F(BatchPutTest, DamagedContentIsHealed) {
  make(20);
  must(putBatch(*archive_, batch()));
  must(archive_->implementation().database->execute(
      "UPDATE blob_content SET content = x'00' WHERE blob = 2"));
  EXPECT_FALSE(archive_->read(ids()[1]));
  must(putBatch(*archive_, batch()));
  EXPECT_TRUE(must(archive_->read(ids()[1])) == bytes_[1]);
  expectWhole();
}

TEST_F(BatchPutTest, AReadOnlyArchiveTakesNone) {
  make(2);
  Archive reader = must(Archive::open(path("archive"), Archive::Mode::kReadOnly));
  const auto refused = putBatch(reader, batch());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::kUsage);
}

}  // namespace
}  // namespace vintage::tests
