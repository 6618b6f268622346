// Snapshots of an archive, and the archive that comes back from them.
#include <fstream>

#include <sys/stat.h>

#include <gmock/gmock.h>

#include "archive/backup/backup.h"
#include "archive/store/collect.h"
#include "archive/store/database.h"
#include "tests/archive/store/faulty_file_system.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/bucket_fixture.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace tests::transfer;
namespace fs = std::filesystem;

class BackupTest : public FolderTest {
 protected:
  BackupReport backUpTo(const std::string& to, const std::string& archive = "A") {
    Archive opened = must(Archive::open(path(archive), Archive::Mode::kReadWrite));
    const auto store = must(openObjectStore(path(to), {}));
    return must(backUp(opened, *store, {}));
  }
  RestoreReport restore(const std::string& from, const std::string& to,
                        const std::string& snapshot = "") {
    const auto store = must(openObjectStore(path(from), {}));
    RestoreOptions options;
    options.snapshot = snapshot;
    return must(restoreArchive(*store, path(to), options));
  }
  BackupCheck check(const std::string& backup) {
    const auto store = must(openObjectStore(path(backup), {}));
    return must(checkBackup(*store, "", {}));
  }
};

TEST_F(BackupTest, WhatIsRestoredIsTheArchive) {
  fillArchive(path("A"), 1, 120);
  std::ofstream(path("A/limitations.json")) << "[]";
  fs::create_directories(path("A/service"));
  std::ofstream(path("A/service/tokens.json")) << "{}";
  const BackupReport report = backUpTo("B");
  EXPECT_EQ(report.artifacts, 120);
  EXPECT_GT(report.files, 0);
  EXPECT_THAT(report.missing, IsEmpty());
  const RestoreReport restored = restore("B", "R");
  EXPECT_TRUE(restored.check.whole());
  EXPECT_EQ(restored.check.artifacts, 120);
  EXPECT_EQ(restored.check.litter, 0);
  expectSameArchives(path("A"), path("R"));
  EXPECT_TRUE(fs::exists(path("R/limitations.json")));
  EXPECT_TRUE(fs::exists(path("R/service/tokens.json")));
  EXPECT_FALSE(fs::exists(path("R.restoring")));
  // The backup leaves nothing behind in the archive.
  auto index = must(Database::open(path("A/index.sqlite"), {}));
  EXPECT_EQ(must(index->integer("SELECT count(*) FROM lease")), 0);
  EXPECT_TRUE(fs::is_empty(path("A/blobs/incoming")));
}

TEST_F(BackupTest, ASecondSnapshotAddsLittleAndBothCanBeRestored) {
  fillArchive(path("A"), 1, 120);
  const BackupReport first = backUpTo("B");
  fs::copy(path("A"), path("before"), fs::copy_options::recursive);
  fillArchive(path("A"), 2, 5);
  const BackupReport second = backUpTo("B");
  EXPECT_LT(second.newBytes, first.newBytes / 2);
  EXPECT_LT(first.snapshot, second.snapshot);
  restore("B", "R2");
  expectSameArchives(path("A"), path("R2"));
  restore("B", "R1", "000001");
  expectSameArchives(path("before"), path("R1"));
  const auto store = must(openObjectStore(path("B"), {}));
  EXPECT_EQ(refusal(restoreArchive(*store, path("R3"), {.snapshot = "1999"})),
            Error::Kind::kNotFound);
}

TEST_F(BackupTest, DictionariesComeBackWithBothCopies) {
  {
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kCreate));
    std::vector<Archive::Put> puts;
    for (uint64_t number = 0; number < 300; ++number) {
      auto bytes = content(7, 3000);
      const auto own = content(number, 200);
      bytes.insert(bytes.end(), own.begin(), own.end());
      puts.push_back({sampleRecord("case " + std::to_string(number)), bytes, std::nullopt});
      puts.back().record.format = ArtifactRecord::Format::kSavedModel;
    }
    must(archive.putAll(puts));
    EXPECT_TRUE(must(repackSmallContents(archive, {})).trained);
  }
  backUpTo("B");
  EXPECT_TRUE(restore("B", "R").check.whole());
  expectSameArchives(path("A"), path("R"));
}

TEST_F(BackupTest, ContentThatTheArchiveHasLostIsNamed) {
  ContentId lost;
  {
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kCreate));
    ArtifactRecord record = sampleRecord("a");
    record.format = ArtifactRecord::Format::kSavedModel;
    lost = must(archive.put(record, content(1, 300'000, false), nullptr));
    record.name = "b";
    must(archive.put(record, content(2, 300'000, false), nullptr));
  }
  fs::resize_file(path("A/blobs/" + lost.substr(0, 2) + "/" + lost + ".zst"), 1000);
  const BackupReport report = backUpTo("B");
  ASSERT_THAT(report.missing, SizeIs(1));
  EXPECT_THAT(report.missing[0].message, HasSubstr(lost));
  const RestoreReport restored = restore("B", "R");
  EXPECT_FALSE(restored.check.whole());
  EXPECT_EQ(restored.check.damaged, 1);
  EXPECT_TRUE(must(Archive::open(path("R"), Archive::Mode::kReadOnly)).find("b"));
}

// A backup that nobody reads back rots unseen.
TEST_F(BackupTest, CheckFindsWhatTheDestinationLostOrDamaged) {
  fillArchive(path("A"), 3, 60);
  backUpTo("B");
  EXPECT_THAT(check("B").damaged, IsEmpty());
  std::vector<fs::path> objects;
  for (const auto& entry : fs::recursive_directory_iterator(path("B/objects")))
    if (entry.is_regular_file()) objects.push_back(entry.path());
  ASSERT_GT(objects.size(), 3u);
  // Files of the archive, the largest things here.
  std::ranges::sort(objects, std::greater(),
                    [](const fs::path& file) { return fs::file_size(file); });
  fs::remove(objects[0]);
  {
    std::fstream file(objects[1], std::ios::in | std::ios::out | std::ios::binary);
    file.put('!');
  }
  EXPECT_EQ(check("B").damaged.size(), 2u);
  // The next backup writes a missing object again, and a damaged one once it was removed.
  fs::remove(objects[1]);
  backUpTo("B");
  EXPECT_THAT(check("B").damaged, IsEmpty());
  EXPECT_TRUE(restore("B", "R").check.whole());
}

TEST_F(BackupTest, RestoringNeverTouchesWhatIsThereAndGoesOnWhereItWasInterrupted) {
  fillArchive(path("A"), 4, 60);
  backUpTo("B");
  const auto store = must(openObjectStore(path("B"), {}));
  EXPECT_EQ(refusal(restoreArchive(*store, path("A"), {})), Error::Kind::kUsage);
  // As a call leaves it that was killed: some files, one of them not whole, half an index.
  fs::create_directories(path("R.restoring/blobs"));
  fs::copy(path("A/blobs"), path("R.restoring/blobs"),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  for (const auto& entry : fs::recursive_directory_iterator(path("R.restoring/blobs")))
    if (entry.is_regular_file()) {
      fs::resize_file(entry.path(), 100);
      break;
    }
  std::ofstream(path("R.restoring/index.sqlite")) << "half";
  fs::create_directory(path("R"));
  EXPECT_TRUE(must(restoreArchive(*store, path("R"), {})).check.whole());
  expectSameArchives(path("A"), path("R"));
}

// The power may go at any moment: a snapshot that is listed has all its objects.
TEST_F(BackupTest, APowerCutLeavesNoSnapshotThatCannotBeRestored) {
  fillArchive(path("A"), 5, 8);
  must(must(Archive::open(path("A"), Archive::Mode::kReadWrite))
           .put(sampleRecord("large"), content(9, 200'000, false), nullptr));
  int cuts = 0, listed = 0;
  for (int failAt = 1;; ++failAt) {
    FaultyFileSystem files;
    files.failAt = failAt;
    files.failForever = true;
    const std::string folder = path("B" + std::to_string(failAt));
    const auto store = makeFolderObjects(folder, files);
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
    const auto made = backUp(archive, *store, {});
    files.cutPower();
    const auto after = makeFolderObjects(folder, realFileSystem());
    const auto names = must(listSnapshots(*after));
    if (made) EXPECT_THAT(names, SizeIs(1));
    for (const std::string& name : names) {
      ++listed;
      EXPECT_THAT(must(checkBackup(*after, name, {})).damaged, IsEmpty()) << failAt;
    }
    if (made) break;
    ++cuts;
    // The next night's is whole.
    must(backUp(archive, *after, {}));
    EXPECT_THAT(must(checkBackup(*after, "", {})).damaged, IsEmpty()) << failAt;
  }
  EXPECT_GT(cuts, 20);
  EXPECT_GE(listed, 1);
}

TEST_F(BackupTest, ABackupOfANewerFormatIsRefusedByItsNumber) {
  fillArchive(path("A"), 6, 5);
  backUpTo("B");
  const auto store = must(openObjectStore(path("B"), {}));
  Snapshot snapshot = must(readSnapshot(*store, ""));
  snapshot.archiveFormat = 99;
  ++snapshot.number;
  std::vector<StoredObject> objects;
  objects.push_back(writeSnapshot(snapshot));
  must(store->putAll(std::move(objects)));
  const auto restored = restoreArchive(*store, path("R"), {});
  EXPECT_EQ(refusal(restored), Error::Kind::kUnsupported);
  EXPECT_THAT(restored.error().message, HasSubstr("99"));
  EXPECT_FALSE(fs::exists(path("R")));
}

// Restored by the umask: a member of the group made himself an administrator.
TEST_F(BackupTest, SecretsComeBackAsTheirOwnersAlone) {
  fillArchive(path("A"), 8, 5);
  fs::create_directories(path("A/service"));
  std::ofstream(path("A/service/tokens.json")) << "{}";
  backUpTo("B");
  const mode_t before = ::umask(0);
  restore("B", "R");
  ::umask(before);
  EXPECT_EQ(fs::status(path("R/service/tokens.json")).permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(path("R/service")).permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(path("R/index.sqlite")).permissions(), fs::perms(0666));
}

// The newest snapshot was another archive's, and restore gave that one back.
TEST_F(BackupTest, ABackupBelongsToOneArchive) {
  fillArchive(path("A"), 9, 5);
  fillArchive(path("other"), 10, 5);
  backUpTo("B");
  const auto store = must(openObjectStore(path("B"), {}));
  {
    Archive other = must(Archive::open(path("other"), Archive::Mode::kReadWrite));
    const auto refused = backUp(other, *store, {});
    EXPECT_EQ(refusal(refused), Error::Kind::kConflict);
    EXPECT_THAT(refused.error().message, HasSubstr(must(other.identity())));
    EXPECT_EQ(must(readSnapshot(*store, "")).archive,
              must(must(Archive::open(path("A"), Archive::Mode::kReadOnly)).identity()));
  }
  // Also where the newest snapshot cannot be read.
  backUpTo("B");
  const std::string newest = must(listSnapshots(*store)).back();
  fs::resize_file(path("B/snapshots/" + newest + ".json"), 10);
  Archive other = must(Archive::open(path("other"), Archive::Mode::kReadWrite));
  EXPECT_EQ(refusal(backUp(other, *store, {})), Error::Kind::kConflict);
  // The restored archive goes on with its backup.
  restore("B", "R", "000001");
  backUpTo("B", "R");
}

// Snapshots of earlier versions have no identity.
TEST_F(BackupTest, AnOlderBackupGoesOn) {
  fillArchive(path("A"), 11, 5);
  backUpTo("B");
  const auto store = must(openObjectStore(path("B"), {}));
  Snapshot snapshot = must(readSnapshot(*store, ""));
  fs::remove(path("B/snapshots/" + snapshot.name + ".json"));
  snapshot.archive.clear();
  std::vector<StoredObject> objects;
  objects.push_back(writeSnapshot(snapshot));
  must(store->putAll(std::move(objects)));
  backUpTo("B");
  EXPECT_FALSE(must(readSnapshot(*store, "")).archive.empty());
  EXPECT_TRUE(restore("B", "R", "000001").check.whole());
}

// One sector that could not be read, and there was no snapshot at all.
TEST_F(BackupTest, ContentAndTokensThatCannotBeReadAreNamedAndLeftOut) {
  ContentId lost;
  {
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kCreate));
    ArtifactRecord record = sampleRecord("a");
    record.format = ArtifactRecord::Format::kSavedModel;
    lost = must(archive.put(record, content(1, 300'000, false), nullptr));
    record.name = "b";
    must(archive.put(record, content(2, 300'000, false), nullptr));
  }
  // Links to themselves: they are there, and nobody can read them.
  const std::string file = path("A/blobs/" + lost.substr(0, 2) + "/" + lost + ".zst");
  fs::create_directories(path("A/service"));
  fs::remove(file);
  fs::create_symlink(file, file);
  fs::create_symlink(path("A/service/tokens.json"), path("A/service/tokens.json"));
  const BackupReport report = backUpTo("B");
  ASSERT_THAT(report.missing, SizeIs(2));
  EXPECT_THAT(report.missing[0].message, HasSubstr(lost));
  EXPECT_THAT(report.missing[1].message, HasSubstr("tokens.json"));
  const RestoreReport restored = restore("B", "R");
  EXPECT_EQ(restored.check.damaged, 1);
  EXPECT_TRUE(must(Archive::open(path("R"), Archive::Mode::kReadOnly)).find("b"));
  // The other doors: a mirror copies the rest, and the verbs say that something is missing.
  const command::Sandbox sandbox;
  EXPECT_EQ(sandbox.run({"backup", path("B"), "--archive", path("A")}).status, 3);
  const auto mirrored = sandbox.run({"mirror", path("A"), path("M")});
  EXPECT_EQ(mirrored.status, 3) << mirrored.err;
  EXPECT_TRUE(must(Archive::open(path("M"), Archive::Mode::kReadOnly)).find("b"));
  const auto healed = sandbox.run({"fsck", "--archive", path("A"), "--read-data", "--repair"});
  EXPECT_EQ(healed.status, 1);
  EXPECT_THAT(healed.out, HasSubstr(lost));
}

// A token's file that the backup lost kept the archive from coming back.
TEST_F(BackupTest, ALostCompanionDoesNotStopTheRestore) {
  fillArchive(path("A"), 12, 5);
  std::ofstream(path("A/limitations.json")) << "[]";
  backUpTo("B");
  const auto store = must(openObjectStore(path("B"), {}));
  const Snapshot snapshot = must(readSnapshot(*store, ""));
  ASSERT_THAT(snapshot.companions, SizeIs(1));
  fs::remove(path("B/" + objectKey(snapshot.companions[0].object)));
  const RestoreReport restored = restore("B", "R");
  ASSERT_THAT(restored.missing, SizeIs(1));
  EXPECT_THAT(restored.missing[0].message, HasSubstr("limitations.json"));
  expectSameArchives(path("A"), path("R"));
}

TEST_F(BackupTest, AServiceKeepsNoBackups) {
  EXPECT_EQ(refusal(openObjectStore("https://vintage.example.org", {})), Error::Kind::kUsage);
}

using BucketBackup = tests::transfer::BucketFixture;

TEST_F(BucketBackup, IntoABucketAndBack) {
  fillArchive(path("A"), 7, 80);
  const auto made =
      sandbox_.run({"backup", inBucket("backup"), "--archive", path("A"), "--format", "json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const auto again =
      sandbox_.run({"backup", inBucket("backup"), "--archive", path("A"), "--format", "json"});
  const auto first = nlohmann::json::parse(made.out), second = nlohmann::json::parse(again.out);
  EXPECT_GT(first["new_objects"].get<int>(), 5);
  EXPECT_LT(second["new_objects"].get<int>(), first["new_objects"].get<int>() / 2);
  EXPECT_EQ(sandbox_.run({"backup", inBucket("backup"), "--check"}).status, 0);
  const auto restored = sandbox_.run({"restore", inBucket("backup"), path("R")});
  ASSERT_EQ(restored.status, 0) << restored.err;
  expectSameArchives(path("A"), path("R"));
}

}  // namespace
}  // namespace vintage::tests
