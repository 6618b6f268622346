// fsck finds what is wrong in the index: records, references, search terms.
#include "tests/archive/integrity/fsck_fixture.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = FsckFinding::Kind;

using FsckIndex = FsckTest;

TEST_F(FsckIndex, SearchTermsAreMadeAnew) {
  sql("DELETE FROM list_term WHERE term = 'target'; UPDATE list_term SET term = 'f99' WHERE term = "
      "'f32'");
  EXPECT_FALSE(check().whole());
  EXPECT_THAT(only(Kind::kSearchTerms).problem,
              HasSubstr("2 entries are missing and 1 belong to no list"));
  FsckOptions options;
  options.repair = true;
  EXPECT_TRUE(check(options).whole());
  expectWhole();
  ArtifactFilter filter;
  filter.customCallTargets = {"target"};
  filter.dtypes = {"f32"};
  EXPECT_EQ(must(must(Archive::open(path("a"), Archive::Mode::kReadOnly)).list(filter)).size(), 3u);
}

// A search found artifacts that do not call the target.
TEST_F(FsckIndex, SearchTermsOfNoRecordAreRemoved) {
  sql("INSERT INTO list_term (term, list) SELECT 'other', targets FROM family WHERE head = (SELECT "
      "id FROM head WHERE text = 'small') AND targets IS NOT NULL");
  EXPECT_FALSE(check().whole());
  EXPECT_THAT(only(Kind::kSearchTerms).problem,
              HasSubstr("0 entries are missing and 1 belong to no list"));
  FsckOptions options;
  options.repair = true;
  EXPECT_TRUE(check(options).whole());
  expectWhole();
}

TEST_F(FsckIndex, RecordsThatCannotBe) {
  const std::string named = " WHERE head = (SELECT id FROM head WHERE text = ";
  sql("INSERT INTO list (texts) VALUES ('x'); INSERT INTO form (suffix, platforms) VALUES ('', "
      "last_insert_rowid()); UPDATE artifact SET form = last_insert_rowid() WHERE id = (SELECT id "
      "FROM artifact_record WHERE name = 'small'); INSERT INTO origin SELECT id + 100, producer, "
      "build_day, 9, calling_convention, serialization, stablehlo FROM origin; UPDATE family SET "
      "origin = last_insert_rowid()" +
      named +
      "'twin'); INSERT INTO kind SELECT id + 100, primitive, "
      "variant, 0, dtypes FROM kind; UPDATE family SET kind = last_insert_rowid()" +
      named + "'large')");
  EXPECT_FALSE(check().whole());
  std::vector<std::string> records;
  for (const FsckFinding& finding : found_) {
    if (finding.kind == Kind::kRecord) records.push_back(finding.affected.at(0));
  }
  EXPECT_THAT(records,
              ElementsAre("small (producer 0)", "twin (producer 0)", "large (producer 0)"));
}

// Format 10 gave up the two indexes by which SQLite refused a second row of a hash, and of a name
// and producer. A query that found one of two rows did not find the other.
TEST_F(FsckIndex, RowsThatAreThereTwice) {
  sql("INSERT INTO blob SELECT 1000, hash, bytes, codec, stored_bytes, in_file, place FROM "
      "blob WHERE in_file = 1");
  EXPECT_FALSE(check().whole());
  const FsckFinding blob = only(Kind::kReference);
  EXPECT_THAT(blob.place, HasSubstr("table blob, row 1000"));
  EXPECT_THAT(blob.problem, HasSubstr("has the same hash"));
  sql("DELETE FROM blob WHERE id = 1000; INSERT INTO origin SELECT id + 100, producer, build_day + "
      "1, format, calling_convention, serialization, stablehlo FROM origin; INSERT INTO family "
      "SELECT 1000, 1, head, tail, last_insert_rowid(), kind, targets, case_id FROM family WHERE "
      "head = (SELECT id FROM head WHERE text = 'small'); INSERT INTO artifact SELECT 1000, blob, "
      "golden, form FROM artifact WHERE id = 1");
  EXPECT_FALSE(check().whole());
  EXPECT_THAT(only(Kind::kRecord).problem, HasSubstr("has the same name and producer"));
}

// A family's row says which artifacts' rows it covers. An artifact that none covers has no facts,
// and one that two cover was listed twice, the second time with the facts of another.
TEST_F(FsckIndex, FamiliesThatCoverTooLittleOrTooMuch) {
  sql("UPDATE family SET span = 2 WHERE id = 2");
  EXPECT_FALSE(check().whole());
  const FsckFinding shared = only(Kind::kReference);
  EXPECT_THAT(shared.place, HasSubstr("table family, row 2"));
  EXPECT_THAT(shared.problem, HasSubstr("row 3 begins among its 2 artifacts"));
  sql("DELETE FROM family WHERE id = 2");
  EXPECT_FALSE(check().whole());
  const FsckFinding lost = only(Kind::kRecord);
  EXPECT_THAT(lost.place, HasSubstr("table artifact, row 2"));
  EXPECT_THAT(lost.problem, HasSubstr("no family covers it"));
}

TEST_F(FsckIndex, BrokenReferences) {
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

// It said to run fsck --repair, which then said the same, and it took away what
// might have been the only copy of content that a record named.
TEST_F(FsckIndex, OnlyRowsThatServeNothingAreRemoved) {
  sql("INSERT INTO lease_content VALUES (zeroblob(32), 'gone'); DELETE FROM blob WHERE in_file = 0 "
      "AND id IN (SELECT blob FROM artifact); INSERT INTO blob_content VALUES (77, x'01')");
  const auto count = [&](const std::string& of) {
    return must(
        must(Database::open(path("a/index.sqlite"), {}))->integer("SELECT count(*) FROM " + of));
  };
  ASSERT_EQ(count("blob_content"), 3);
  FsckOptions options;
  options.repair = true;
  EXPECT_FALSE(check(options).whole());
  EXPECT_EQ(count("lease_content"), 0);
  EXPECT_EQ(count("blob_content WHERE blob = 77"), 0);
  EXPECT_EQ(count("blob_content"), 2);
  int healed = 0;
  for (const FsckFinding& finding : found_) {
    if (finding.kind != Kind::kReference) continue;
    healed += finding.healed;
    if (!finding.healed) EXPECT_EQ(finding.remedy.find("--repair"), std::string::npos);
  }
  EXPECT_EQ(healed, 2);
}

// A record whose content retention had removed passed for whole.
TEST_F(FsckIndex, ARecordNamesContentThatItsRowSaysWasRemoved) {
  sql("UPDATE blob SET codec = 3, stored_bytes = 0 WHERE in_file = 0 AND id IN (SELECT blob FROM "
      "artifact)");
  EXPECT_FALSE(check().whole());
  EXPECT_THAT(only(Kind::kMissingContent).problem, HasSubstr("a record names it"));
  EXPECT_THAT(found_[0].affected, ElementsAre("small (producer 0)", "twin (producer 0)"));
}

// It ended with an error.
TEST_F(FsckIndex, ADictionaryThatItsRowSaysWasLetGo) {
  sql("INSERT INTO dictionary (id, blob, made) SELECT 7, id, 1 FROM blob WHERE in_file = 0 LIMIT "
      "1; "
      "UPDATE blob SET codec = 3 WHERE id IN (SELECT blob FROM dictionary)");
  EXPECT_FALSE(check().whole());
  EXPECT_EQ(found_[0].kind, Kind::kMissingContent);
  EXPECT_THAT(found_[0].affected, Contains("every content that is packed with dictionary 7"));
}

TEST_F(FsckIndex, ADamagedIndexOfTheIndexIsMadeAnew) {
  // An index whose entries are gone while the table has them.
  auto database = must(Database::open(path("a/index.sqlite"), {}));
  const int64_t page =
      must(database->integer("SELECT rootpage FROM sqlite_schema WHERE name = 'family_by_origin'"));
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

TEST_F(FsckIndex, NoFlippedBitOfTheIndexEndsTheProcess) {
  must(
      must(Database::open(path("a/index.sqlite"), {}))->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  std::filesystem::copy_file(path("a/index.sqlite"), path("whole"));
  const uint64_t size = std::filesystem::file_size(path("whole"));
  std::mt19937 random(6);
  int found = 0, refused = 0;
  for (int round = 0; round < 220; ++round) {
    std::filesystem::copy_file(path("whole"), path("a/index.sqlite"),
                               std::filesystem::copy_options::overwrite_existing);
    for (const char* suffix : {"-wal", "-shm"})
      std::filesystem::remove(path("a/index.sqlite") + suffix);
    const uint64_t place =
        round % 2 ? random() % size : random() % (size / 4096) * 4096 + random() % 120;
    {
      std::fstream file(path("a/index.sqlite"), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(place));
      const char value = static_cast<char>(file.get() ^ (1 << random() % 8));
      file.seekp(static_cast<std::streamoff>(place));
      file.put(value);
    }
    for (const bool repair : {false, true}) {
      const auto summary =
          checkArchive(path("a"), reading(repair), [&](const FsckFinding& finding) {
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

}  // namespace
}  // namespace vintage::tests
