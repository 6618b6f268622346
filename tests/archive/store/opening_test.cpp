// Opening, creating and migrating archives, and refusals.
#include <fstream>
#include <functional>

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "archive/store/archive.h"
#include "archive/store/archive_implementation.h"
#include "archive/store/database.h"
#include "tests/archive/store/next_format.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

class OpeningTest : public FolderTest {
 protected:
  void create() {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
    must(archive.put(sampleRecord("kept"), content(1, 100), nullptr));
  }
  void expectRefused(Error::Kind kind, const std::string& words, const std::string& name = "a") {
    for (const auto mode :
         {Archive::Mode::kReadOnly, Archive::Mode::kReadWrite, Archive::Mode::kCreate}) {
      const auto archive = Archive::open(path(name), mode);
      ASSERT_FALSE(archive) << static_cast<int>(mode);
      EXPECT_EQ(archive.error().kind, kind) << archive.error().message;
      EXPECT_THAT(archive.error().message, AllOf(HasSubstr(words), HasSubstr(path(name))));
    }
  }
  void sql(const std::string& text) {
    auto database = must(Database::open(path("a/index.sqlite"), {}));
    must(database->execute(text));
  }
};

TEST_F(OpeningTest, MissingFolderIsCreatedOnlyOnRequest) {
  for (const auto mode : {Archive::Mode::kReadOnly, Archive::Mode::kReadWrite}) {
    const auto archive = Archive::open(path("deep/a"), mode);
    ASSERT_FALSE(archive);
    EXPECT_EQ(archive.error().kind, Error::Kind::kNotFound);
    EXPECT_FALSE(std::filesystem::exists(path("deep")));
  }
  EXPECT_TRUE(Archive::open(path("deep/a/"), Archive::Mode::kCreate));
  EXPECT_TRUE(Archive::open(path("deep/a"), Archive::Mode::kReadOnly));
  EXPECT_EQ(refusal(Archive::open("", Archive::Mode::kCreate)), Error::Kind::kUsage);
}

TEST_F(OpeningTest, AFolderThatIsNotAnArchiveStaysAsItIs) {
  std::filesystem::create_directory(path("a"));
  write(path("a/thesis.tex"), "text");
  expectRefused(Error::Kind::kBadInput, "is not an archive");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("a")), {}), 1);
  write(path("file"), "text");
  expectRefused(Error::Kind::kBadInput, "is a file", "file");
}

TEST_F(OpeningTest, NewerArchivesAreRefusedByName) {
  create();
  const std::string upTo = "this build reads formats up to " + std::to_string(formatVersion());
  write(path("a/VINTAGE_ARCHIVE"), "vintage archive, format 77\n");
  expectRefused(Error::Kind::kUnsupported, "archive format 77; " + upTo);
  const std::string next = std::to_string(formatVersion() + 1);
  write(path("a/VINTAGE_ARCHIVE"), "vintage archive, format " + next + "\n");
  expectRefused(Error::Kind::kUnsupported, "archive format " + next + "; " + upTo);
  write(path("a/VINTAGE_ARCHIVE"), "vintage archive, format 1\n");
  sql("PRAGMA user_version = 78");  // The marker is written after the index.
  expectRefused(Error::Kind::kUnsupported, "archive format 78; " + upTo);
}

TEST_F(OpeningTest, DamagedMarkers) {
  create();
  for (const std::string text : {"", "vintage", "vintage archive, format \n",
                                 "vintage archive, format -1\n", "vintage archive, format 1x\n",
                                 "vintage archive, format 99999999999\n", "\xff\xfe garbage"}) {
    write(path("a/VINTAGE_ARCHIVE"), text);
    expectRefused(Error::Kind::kBadInput, "VINTAGE_ARCHIVE");
  }
  write(path("a/VINTAGE_ARCHIVE"), std::string(100'000, 'x'));
  expectRefused(Error::Kind::kBadInput, "100000 bytes");
  // Without a marker beside an index the creation is taken up again.
  std::filesystem::remove(path("a/VINTAGE_ARCHIVE"));
  EXPECT_FALSE(Archive::open(path("a"), Archive::Mode::kReadOnly));
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  EXPECT_TRUE(archive.find("kept"));
}

TEST_F(OpeningTest, MissingEmptyForeignAndDamagedIndexes) {
  create();
  const std::string index = path("a/index.sqlite");
  std::filesystem::copy_file(index, path("copy"));
  std::filesystem::remove(index);
  expectRefused(Error::Kind::kBadInput, "index is missing");
  write(index, "");
  expectRefused(Error::Kind::kBadInput, "index is empty");
  write(index, std::string(5000, 'x'));
  expectRefused(Error::Kind::kBadInput, "index is damaged");
  std::filesystem::remove(index);
  {
    auto foreign = must(Database::open(index, {.create = true}));
    must(foreign->execute("CREATE TABLE t (x)"));
  }
  expectRefused(Error::Kind::kBadInput, "belongs to another program");
  std::filesystem::copy_file(path("copy"), index,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(Archive::open(path("a"), Archive::Mode::kReadWrite));
}

TEST_F(OpeningTest, ALockedIndexIsToldAfterTheTimeout) {
  create();
  auto holder = must(Database::open(path("a/index.sqlite"), {}));
  must(holder->execute("BEGIN EXCLUSIVE"));
  ArchiveEnvironment environment;
  environment.busyTimeoutMilliseconds = 50;
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite, environment));
  EXPECT_TRUE(archive.find("kept"));  // Readers do not wait for a writer.
  const auto put = archive.put(sampleRecord("new"), content(2, 10), nullptr);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, Error::Kind::kResource);
  EXPECT_THAT(put.error().message, HasSubstr("another process holds the archive"));
  must(holder->execute("ROLLBACK"));
  must(archive.put(sampleRecord("new"), content(2, 10), nullptr));
}

TEST_F(OpeningTest, ReadOnlyRefusesToWrite) {
  create();
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadOnly));
  EXPECT_EQ(refusal(archive.put(sampleRecord("b"), content(2, 10), nullptr)), Error::Kind::kUsage);
  EXPECT_EQ(refusal(archive.putBuild(sampleBuild("b"))), Error::Kind::kUsage);
  EXPECT_EQ(archive.putOutcomes({}).error().kind, Error::Kind::kUsage);
  EXPECT_EQ(archive.putRun({}).error().kind, Error::Kind::kUsage);
  EXPECT_EQ(archive.finishRun("x", "{}").error().kind, Error::Kind::kUsage);
}

TEST_F(OpeningTest, MigrationAppliesTheMissingStepsOrNone) {
  auto database = must(Database::open(path("index"), {.create = true}));
  const std::string_view one[] = {"CREATE TABLE t (x); INSERT INTO t VALUES (1);"};
  must(migrateIndex(*database, one));
  must(migrateIndex(*database, one));  // Nothing is missing.
  EXPECT_EQ(must(database->integer("SELECT count(*) FROM t")), 1);
  must(checkIndexIdentity(*database, kOldestFormat));

  const std::string_view broken[] = {one[0], "INSERT INTO t VALUES (2);",
                                     "INSERT INTO t VALUES (3); INSERT INTO missing VALUES (1);"};
  const Status failed = migrateIndex(*database, broken);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("migrating from archive format 12 to 13"));
  EXPECT_EQ(must(database->integer("SELECT count(*) FROM t")), 1);
  EXPECT_EQ(must(database->integer("PRAGMA user_version")), kOldestFormat);

  const std::string_view three[] = {one[0], broken[1], "ALTER TABLE t ADD COLUMN y;"};
  must(migrateIndex(*database, three));
  EXPECT_EQ(must(database->integer("SELECT count(*) FROM t WHERE y IS NULL")), 2);
  EXPECT_EQ(must(database->integer("PRAGMA user_version")), kOldestFormat + 2);
  EXPECT_EQ(refusal(checkIndexIdentity(*database, kOldestFormat + 1)), Error::Kind::kUnsupported);
  must(migrateIndex(*database, one));  // A newer index is left alone.
  EXPECT_EQ(must(database->integer("PRAGMA user_version")), kOldestFormat + 2);
}

// Formats before the first release had steps of their own; none is kept.
TEST_F(OpeningTest, ArchivesFromBeforeTheOldestFormatAreRefusedByName) {
  create();
  sql("PRAGMA user_version = 10");
  expectRefused(Error::Kind::kUnsupported,
                "archive format 10; this build reads formats from 11 on");
}

TEST_F(OpeningTest, TheNextFormatIsMigratedToOnlyByThoseWhoWrite) {
  create();
  ArchiveEnvironment next;
  next.schemaSteps = stepsToNextFormat();
  const auto reader = Archive::open(path("a"), Archive::Mode::kReadOnly, next);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(reader.error().message, HasSubstr("may not migrate what it only reads"));
  EXPECT_TRUE(must(Archive::open(path("a"), Archive::Mode::kReadWrite, next)).find("kept"));
  EXPECT_TRUE(must(Archive::open(path("a"), Archive::Mode::kReadOnly, next)).find("kept"));
  expectRefused(Error::Kind::kUnsupported, "use a newer Vintage");
}

TEST_F(OpeningTest, OneOfManyWhoOpenAtOnceAppliesTheStep) {
  create();
  const pid_t self = ::getpid();
  std::vector<pid_t> children;
  for (int number = 0; number < 6; ++number) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    ArchiveEnvironment next;
    next.schemaSteps = stepsToNextFormat();
    const auto archive = Archive::open(path("a"), Archive::Mode::kReadWrite, next);
    ::_exit(archive && archive->find("kept") ? 0 : 1);
  }
  ASSERT_EQ(::getpid(), self);
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto database = must(Database::open(path("a/index.sqlite"), {}));
  EXPECT_EQ(must(database->integer("SELECT count(*) FROM next_format")), 1);
}

// Verdicts stood in the runs' own rows. A night's report takes megabytes, and
// each recorded outcome looks its run up: once the first night was kept, the
// second one's replay took eight times as long.
TEST_F(OpeningTest, FindingARunDoesNotWalkPastReports) {
  create();
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    RunRecord run;
    run.verdict = "\"";
    for (const std::byte byte : content(7, 2 << 20))
      run.verdict += static_cast<char>('a' + (static_cast<int>(byte) & 15));
    run.verdict += "\"";
    must(archive.putRun(run));
    EXPECT_EQ(must(archive.run(must(archive.runs()).at(0).id)).verdict, run.verdict);
  }
  auto database = must(Database::open(path("a/index.sqlite"), {}));
  EXPECT_LT(must(database->integer("SELECT sum(pgsize) FROM dbstat WHERE name = 'run'")), 1 << 16);
  EXPECT_GT(must(database->integer("SELECT sum(pgsize) FROM dbstat")), 1 << 19);
}

// An index in a folder that a reader cannot write is opened as immutable: without locks, since
// SQLite could not make the files for them. When its owner began to write meanwhile, the reader
// went on with old pages beside new ones: rows vanished from one table and not from the other, or
// SQLite spoke of damage.
TEST_F(OpeningTest, AnImmutableIndexThatChangesIsToldAndNotReadOn) {
  create();
  Database::Options options;
  options.readOnly = options.immutable = true;
  const auto reader = must(Database::open(path("a/index.sqlite"), options));
  EXPECT_EQ(must(reader->integer("SELECT count(*) FROM artifact")), 1);
  const auto refused = [&] {
    const auto counted = reader->integer("SELECT count(*) FROM artifact");
    ASSERT_FALSE(counted) << *counted;
    EXPECT_EQ(counted.error().kind, Error::Kind::kResource);
    EXPECT_THAT(counted.error().message, HasSubstr("another process began to write it"));
  };
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    must(archive.put(sampleRecord("new"), content(2, 100), nullptr));
    refused();
  }
  // The writer is gone, and what it wrote is in the file.
  EXPECT_FALSE(std::filesystem::exists(path("a/index.sqlite-wal")));
  refused();
  const auto again = must(Database::open(path("a/index.sqlite"), options));
  EXPECT_EQ(must(again->integer("SELECT count(*) FROM artifact")), 2);
}

// A query that is under way when the pages below it change ends with an error, not with rows of
// two states.
TEST_F(OpeningTest, AQueryOverAnImmutableIndexThatChangesEnds) {
  create();
  Database::Options options;
  options.readOnly = options.immutable = true;
  const auto reader = must(Database::open(path("a/index.sqlite"), options));
  auto query =
      must(reader->query("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                         "WHERE i < 5) SELECT i, name FROM n, artifact_record"));
  EXPECT_TRUE(must(query.step()));
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    must(archive.put(sampleRecord("new"), content(2, 100), nullptr));
  }
  EXPECT_EQ(refusal(query.step()), Error::Kind::kResource);
}

// A user who may read an index and not write it, in a folder that both users may write, made SQLite
// create the log's files there as this user: from then on the owner could not write.
TEST_F(OpeningTest, AReaderOfAnotherUserLocksNoOwnerOut) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to become other users";
  create();
  constexpr uid_t kOwner = 61001, kReader = 61002;
  std::filesystem::permissions(folder_, std::filesystem::perms::all);
  std::filesystem::permissions(path("a"), std::filesystem::perms::all);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("a")))
    ASSERT_EQ(::chown(entry.path().c_str(), kOwner, kOwner), 0);
  const auto as = [](uid_t user, const std::function<bool()>& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::setgid(user) == 0 && ::setuid(user) == 0 && work() ? 0 : 1);
    int status = -1;
    return ::waitpid(child, &status, 0) == child && status == 0;
  };
  EXPECT_TRUE(as(kReader, [&] {
    const auto archive = Archive::open(path("a"), Archive::Mode::kReadOnly);
    return archive && archive->find("kept").has_value();
  }));
  EXPECT_TRUE(as(kOwner, [&] {
    auto archive = Archive::open(path("a"), Archive::Mode::kReadWrite);
    return archive && archive->put(sampleRecord("new"), content(2, 100), nullptr).has_value();
  }));
}

}  // namespace
}  // namespace vintage::tests
