// fsck finds each kind of damage, names whom it affects, and heals it.
#include <fstream>

#include <gmock/gmock.h>

#include "archive/database.h"
#include "archive/integrity/fsck.h"
#include "golden/exported/exported.h"
#include "tests/archive/sample.h"

namespace vintage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = FsckFinding::Kind;

class FsckTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    fill("a");
  }
  // Two artifacts that share a small content, one large, one golden, one result.
  void fill(const std::string& name) {
    Archive archive = must(Archive::open(path(name), Archive::Mode::kCreate));
    ArtifactRecord record = sampleRecord("small");
    record.format = ArtifactRecord::Format::kSavedModel;  // Which is not parsed.
    record.customCallTargets = {"target"};
    small_ = must(archive.put(record, smallBytes_, nullptr));
    record.name = "twin";
    must(archive.put(record, smallBytes_, nullptr));
    record.name = "large";
    const Golden golden = sampleGolden(1.5f);
    large_ = must(archive.put(record, largeBytes_, &golden));
    golden_ = must(archive.find("large")).golden;
    must(archive.putBuild(sampleBuild("build")));
    OutcomeRecord outcome;
    outcome.artifact = large_;
    outcome.golden = golden_;
    outcome.build = "build";
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = "run";
    must(archive.putOutcomes(std::span(&outcome, 1)));
  }

  FsckSummary check(FsckOptions options = {}) {
    found_.clear();
    return must(checkArchive(path("a"), options, [&](const FsckFinding& f) { found_.push_back(f); }));
  }
  static FsckOptions reading(bool repair = false) {
    FsckOptions options;
    options.readData = true;
    options.repair = repair;
    return options;
  }
  const FsckFinding& only(Kind kind) {
    EXPECT_EQ(found_.size(), 1u);
    if (found_.empty()) std::abort();
    EXPECT_EQ(findingName(found_[0].kind), findingName(kind)) << found_[0].problem;
    return found_[0];
  }
  void expectWhole() {
    const FsckSummary summary = check(reading());
    EXPECT_TRUE(summary.whole());
    for (const FsckFinding& finding : found_)
      EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
  }
  std::string blobPath(const ContentId& id) {
    return path("a/blobs/" + id.substr(0, 2) + "/" + id + ".zst");
  }
  void sql(const std::string& text, bool keys = false) {
    auto database = must(Database::open(path("a/index.sqlite"), {}));
    if (!keys) must(database->execute("PRAGMA foreign_keys = OFF"));
    must(database->execute(text));
  }

  const std::vector<std::byte> smallBytes_ = content(1, 4000);
  const std::vector<std::byte> largeBytes_ = content(2, 200'000, false);
  ContentId small_, large_, golden_;
  std::vector<FsckFinding> found_;
};

TEST_F(FsckTest, AWholeArchive) {
  const FsckSummary looked = check();
  EXPECT_TRUE(looked.whole());
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_EQ(looked.artifacts, 3);
  EXPECT_EQ(looked.blobs, 3);
  EXPECT_EQ(looked.files, 1);
  EXPECT_EQ(looked.blobsRead, 0);
  const FsckSummary read = check(reading());
  EXPECT_EQ(read.blobsRead, 3);
  EXPECT_GT(read.bytesRead, 204'000);
  EXPECT_THAT(found_, IsEmpty());
}

TEST_F(FsckTest, PartsCoverEverythingOnce) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
  std::vector<Archive::Put> puts;
  for (int number = 0; number < 300; ++number) {
    ArtifactRecord record = sampleRecord("part " + std::to_string(number));
    record.format = ArtifactRecord::Format::kSavedModel;
    puts.push_back({record, content(100 + number, 200), std::nullopt});
  }
  must(archive.putAll(puts));
  int64_t sum = 0;
  FsckOptions options = reading();
  options.parts = 7;
  for (options.part = 1; options.part <= 7; ++options.part) {
    const int64_t read = check(options).blobsRead;
    EXPECT_GT(read, 20);
    sum += read;
  }
  EXPECT_EQ(sum, 303);
  options.part = 8;
  EXPECT_EQ(checkArchive(path("a"), options, [](const FsckFinding&) {}).error().kind,
            Error::Kind::kUsage);
}

TEST_F(FsckTest, DamagedContentNeedsReadingAndADonor) {
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
  fill("donor");
  const Archive donor = must(Archive::open(path("donor"), Archive::Mode::kReadOnly));
  FsckOptions options = reading(true);
  options.healFrom = [&](const ContentId&) -> Result<std::vector<std::byte>> {
    return content(77, 10);  // A donor that lies.
  };
  EXPECT_FALSE(check(options).whole());
  options.healFrom = [&](const ContentId& id) { return donor.read(id); };
  const FsckSummary healed = check(options);
  EXPECT_TRUE(healed.whole());
  EXPECT_EQ(healed.healed, 1);
  EXPECT_TRUE(only(Kind::kDamagedContent).healed);
  expectWhole();
}

TEST_F(FsckTest, MissingContentIsNamedWithItsGoldenAndTwins) {
  std::filesystem::remove(blobPath(large_));
  sql("DELETE FROM blob_content");
  EXPECT_FALSE(check().whole());
  ASSERT_EQ(found_.size(), 3u);
  std::vector<std::string> affected;
  for (const FsckFinding& finding : found_) {
    EXPECT_EQ(finding.kind, Kind::kMissingContent);
    affected.insert(affected.end(), finding.affected.begin(), finding.affected.end());
  }
  EXPECT_THAT(affected, ::testing::UnorderedElementsAre("small (producer 0)", "twin (producer 0)",
                                                        "large (producer 0)",
                                                        "the golden of large (producer 0)"));
  fill("a");  // A push of the same content.
  expectWhole();
}

TEST_F(FsckTest, ARowThatLiesAboutWholeContentIsHealedFromItself) {
  for (const char* damage :
       {"UPDATE blob SET bytes = 5 WHERE in_file = 0", "UPDATE blob SET codec = 0",
        "UPDATE blob SET bytes = -7 WHERE in_file = 1", "UPDATE blob SET codec = 77",
        "UPDATE blob SET stored_bytes = stored_bytes + 1"}) {
    sql(damage);
    const FsckSummary damaged = check(reading());
    EXPECT_FALSE(damaged.whole()) << damage;
    EXPECT_TRUE(check(reading(true)).whole()) << damage;
    expectWhole();
  }
}

TEST_F(FsckTest, SearchTermsAreMadeAnew) {
  sql("DELETE FROM artifact_target; UPDATE artifact_dtype SET term = 'f99' WHERE artifact = 1");
  EXPECT_FALSE(check().whole());
  ASSERT_EQ(found_.size(), 2u);
  EXPECT_EQ(found_[0].kind, Kind::kSearchTerms);
  FsckOptions options;
  options.repair = true;
  EXPECT_TRUE(check(options).whole());
  expectWhole();
  ArtifactFilter filter;
  filter.customCallTargets = {"target"};
  filter.dtypes = {"f32"};
  EXPECT_EQ(must(must(Archive::open(path("a"), Archive::Mode::kReadOnly)).list(filter)).size(), 3u);
}

TEST_F(FsckTest, RecordsThatCannotBe) {
  sql("UPDATE artifact SET dtypes = 'x' WHERE name = 'small'; UPDATE artifact SET format = 9 "
      "WHERE name = 'twin'");
  EXPECT_FALSE(check().whole());
  std::vector<std::string> records;
  for (const FsckFinding& finding : found_) {
    if (finding.kind == Kind::kRecord) records.push_back(finding.affected.at(0));
  }
  EXPECT_THAT(records, ElementsAre("small (producer 0)", "twin (producer 0)"));
}

TEST_F(FsckTest, BrokenReferences) {
  sql("DELETE FROM blob WHERE in_file = 1; INSERT INTO hold VALUES (99, 'why', 1, NULL)");
  EXPECT_FALSE(check().whole());
  bool artifact = false, hold = false;
  for (const FsckFinding& finding : found_) {
    if (finding.kind != Kind::kReference) continue;
    artifact |= finding.place.find("table artifact,") != std::string::npos &&
                finding.affected == std::vector<std::string>{"large (producer 0)"};
    hold |= finding.place.find("table hold,") != std::string::npos;
  }
  EXPECT_TRUE(artifact);
  EXPECT_TRUE(hold);
  FsckOptions options;
  options.repair = true;
  check(options);
  check();
  for (const FsckFinding& finding : found_)
    EXPECT_EQ(finding.place.find("table hold,"), std::string::npos) << finding.place;
}

TEST_F(FsckTest, ADamagedIndexOfTheIndexIsMadeAnew) {
  // An index whose entries are gone while the table has them.
  auto database = must(Database::open(path("a/index.sqlite"), {}));
  const int64_t page =
      must(database->integer("SELECT rootpage FROM sqlite_schema WHERE name = 'artifact_by_variant'"));
  const int64_t size = must(database->integer("PRAGMA page_size"));
  must(database->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  database.reset();
  {
    // Its page becomes an empty leaf.
    std::fstream file(path("a/index.sqlite"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp((page - 1) * size);
    const std::string empty{"\x0a\x00\x00\x00\x00\x00\x00\x00", 8};
    file.write(empty.data(), static_cast<std::streamsize>(empty.size()));
  }
  EXPECT_FALSE(check().whole());
  EXPECT_EQ(found_[0].kind, Kind::kIndex);
  FsckOptions options;
  options.repair = true;
  EXPECT_TRUE(check(options).whole());
  expectWhole();
}

TEST_F(FsckTest, TheMarker) {
  for (const std::string text : {"", "garbage"}) {
    std::ofstream(path("a/VINTAGE_ARCHIVE")) << text;
    EXPECT_FALSE(check().whole());
    only(Kind::kMarker);
    EXPECT_TRUE(check(reading(true)).whole());
    expectWhole();
  }
  std::filesystem::remove(path("a/VINTAGE_ARCHIVE"));
  EXPECT_TRUE(check(reading(true)).whole());
  expectWhole();
}

TEST_F(FsckTest, LitterHarmsNothing) {
  const ContentId orphan = contentHash(content(50, 10));
  std::filesystem::create_directories(path("a/blobs/" + orphan.substr(0, 2)));
  std::ofstream(blobPath(orphan)) << "left behind";
  std::ofstream(path("a/blobs/" + large_.substr(0, 2) + "/notes.txt")) << "whatever";
  std::filesystem::create_directories(path("a/blobs/incoming"));
  std::ofstream(path("a/blobs/incoming/0123456789abcdef0123456789abcdef.00.00.tmp")) << "half";
  sql("UPDATE artifact SET golden = NULL; DELETE FROM outcome");
  const FsckSummary summary = check(reading());
  EXPECT_TRUE(summary.whole());
  EXPECT_EQ(summary.litter, 4);
  std::map<Kind, int> kinds;
  for (const FsckFinding& finding : found_) ++kinds[finding.kind];
  EXPECT_EQ(kinds[Kind::kStrayFile], 2);
  EXPECT_EQ(kinds[Kind::kTemporary], 1);
  EXPECT_EQ(kinds[Kind::kUnreferenced], 1);
}

TEST_F(FsckTest, WhatALeaseProtectsIsInFlight) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
  const auto file = content(60, 10);
  const ContentId id = contentHash(file);
  const Lease lease =
      must(archive.acquireLease(std::span(&id, 1), "test", std::chrono::hours(1)));
  must(archive.putContent(lease.id, content(61, 300)));
  std::filesystem::create_directories(path("a/blobs/" + id.substr(0, 2)));
  std::ofstream(blobPath(id)) << "settled, not inserted";
  std::filesystem::create_directories(path("a/blobs/incoming"));
  std::ofstream(path("a/blobs/incoming/" + lease.id + ".00.00.tmp")) << "being written";
  FsckSummary summary = check(reading());
  EXPECT_EQ(summary.inFlight, 3);
  EXPECT_EQ(summary.litter, 0);
  EXPECT_TRUE(summary.whole());
  must(archive.releaseLease(lease.id));
  summary = check(reading());
  EXPECT_EQ(summary.inFlight, 0);
  EXPECT_EQ(summary.litter, 3);
}

TEST_F(FsckTest, ContentThatItsReaderRefuses) {
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    ArtifactRecord record = sampleRecord("not exported");
    record.format = ArtifactRecord::Format::kExported;
    must(archive.put(record, content(70, 900), nullptr));
    record = sampleRecord("portable");
    record.format = ArtifactRecord::Format::kPortableArtifact;
    must(archive.put(record, content(71, 900), nullptr));
    sql("UPDATE artifact SET golden = blob WHERE name = 'portable'");
  }
  EXPECT_FALSE(check(reading()).whole());
  std::map<std::string, std::vector<std::string>> affected;
  for (const FsckFinding& finding : found_) {
    EXPECT_EQ(finding.kind, Kind::kStructure);
    affected[finding.content] = finding.affected;
  }
  EXPECT_THAT(affected, ::testing::UnorderedElementsAre(
                            ::testing::Pair(contentHash(content(70, 900)),
                                            ElementsAre("not exported (producer 0)")),
                            ::testing::Pair(contentHash(content(71, 900)),
                                            ElementsAre("portable (producer 0)",
                                                        "the golden of portable (producer 0)"))));
}

TEST_F(FsckTest, PortableArtifactsAreCheckedByTheCallersReader) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
  ArtifactRecord record = sampleRecord("portable");
  record.format = ArtifactRecord::Format::kPortableArtifact;
  must(archive.put(record, content(71, 900), nullptr));
  FsckOptions options = reading();
  std::vector<size_t> asked;
  auto kind = Error::Kind::kUnsupported;
  options.checkPortableArtifact = [&](std::span<const std::byte> bytes, std::string_view) -> Status {
    asked.push_back(bytes.size());
    return failure(kind, "refused");
  };
  EXPECT_TRUE(check(options).whole());  // What is newer is no damage.
  EXPECT_THAT(asked, ElementsAre(900));
  kind = Error::Kind::kBadInput;
  EXPECT_FALSE(check(options).whole());
  EXPECT_THAT(only(Kind::kStructure).affected, ElementsAre("portable (producer 0)"));
}

// Deterministic: the same bits each time.
TEST_F(FsckTest, EveryFlippedBitOfAFileIsFoundAndNamed) {
  const uint64_t size = std::filesystem::file_size(blobPath(large_));
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    // The frame's header, its end, and anywhere.
    const uint64_t place = round < 12 ? round : round < 20 ? size - 1 - (round - 12) : random() % size;
    const auto flip = [&](int bit) {
      std::fstream file(blobPath(large_), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(place));
      const char value = static_cast<char>(file.get() ^ (1 << bit));
      file.seekp(static_cast<std::streamoff>(place));
      file.put(value);
    };
    flip(round % 8);
    EXPECT_FALSE(check(reading()).whole()) << place;
    EXPECT_EQ(only(Kind::kDamagedContent).content, large_) << place;
    EXPECT_THAT(found_[0].affected, ElementsAre("large (producer 0)"));
    flip(round % 8);
  }
  expectWhole();
}

TEST_F(FsckTest, NoFlippedBitOfTheIndexEndsTheProcess) {
  must(must(Database::open(path("a/index.sqlite"), {}))->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  std::filesystem::copy_file(path("a/index.sqlite"), path("whole"));
  const uint64_t size = std::filesystem::file_size(path("whole"));
  std::mt19937 random(6);
  int found = 0, refused = 0;
  for (int round = 0; round < 150; ++round) {
    std::filesystem::copy_file(path("whole"), path("a/index.sqlite"),
                               std::filesystem::copy_options::overwrite_existing);
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path("a/index.sqlite") + suffix);
    const uint64_t place = round % 2 ? random() % size : random() % (size / 4096) * 4096 + random() % 120;
    {
      std::fstream file(path("a/index.sqlite"), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(place));
      const char value = static_cast<char>(file.get() ^ (1 << random() % 8));
      file.seekp(static_cast<std::streamoff>(place));
      file.put(value);
    }
    for (const bool repair : {false, true}) {
      const auto summary = checkArchive(path("a"), reading(repair), [&](const FsckFinding& finding) {
        EXPECT_FALSE(finding.problem.empty());
        EXPECT_THAT(finding.place, HasSubstr(path("a")));
      });
      if (summary) found += !summary->whole();
      if (summary) continue;
      ++refused;
      EXPECT_THAT(summary.error().message, HasSubstr(path("a")));
    }
  }
  EXPECT_GT(found, 10);
  EXPECT_GT(refused, 3);
}

TEST_F(FsckTest, WhatIsNoArchiveIsAnError) {
  const auto missing = checkArchive(path("nowhere"), {}, [](const FsckFinding&) {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::kNotFound);
  std::ofstream(path("a/index.sqlite")) << std::string(9000, 'x');
  const auto damaged = checkArchive(path("a"), {}, [](const FsckFinding&) {});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(damaged.error().message, HasSubstr(path("a")));
}

}  // namespace
}  // namespace vintage
