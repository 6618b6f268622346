// Full disks, failing syncs and power cuts during garbage collection, retention,
// repair, packing and migration: nothing that a policy keeps is lost, and the
// next call completes the work.
#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/retention/retention.h"
#include "archive/store/collect.h"
#include "archive/store/database.h"
#include "tests/archive/integrity/fsck_fixture.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/store/faulty_file_system.h"
#include "tests/archive/store/faulty_vfs.h"
#include "tests/archive/store/next_format.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

constexpr int kKept = 4, kOld = 6;

std::vector<std::byte> contentOf(int number) {
  return number % 2 == 0 ? content(static_cast<uint64_t>(number), 120'000, false)
                         : content(static_cast<uint64_t>(number), 800);
}

enum class Task { kRetentionAndCollection, kRepair, kRepack, kMigration };

class MaintenanceFaultTest : public FolderTest, public ::testing::WithParamInterface<Task> {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    vfsFaults() = {};
    environment_.sqliteVfs = faultyVfs();
    environment_.busyTimeoutMilliseconds = 100;
    environment_.fileSystem = &files_;
    prepare(path("model"));
    if (GetParam() == Task::kMigration)
      environment_.schemaSteps = unharmed_.schemaSteps = stepsToNextFormat();
  }
  void TearDown() override {
    vfsFaults() = {};
    FolderTest::TearDown();
  }

  // The archive that each round begins with.
  static void prepare(const std::string& folder) {
    if (GetParam() == Task::kMigration) return makeArchiveToMigrate(folder, 30);
    Archive archive = must(Archive::open(folder, Archive::Mode::kCreate));
    std::vector<Archive::Put> puts;
    for (int number = 0; number < kKept + kOld; ++number) puts.push_back(putOf(number));
    // Enough small ones for a dictionary.
    for (int number = 0; GetParam() == Task::kRepack && number < 220; ++number) {
      puts.push_back(putOf(101 + 2 * number));
      puts.back().record.buildDate = day(100);
    }
    must(archive.putAll(puts));
    if (GetParam() != Task::kRepair) return;
    const ContentId damaged = contentHash(contentOf(0));
    std::filesystem::resize_file(folder + "/blobs/" + damaged.substr(0, 2) + "/" + damaged + ".zst",
                                 1000);
    auto database = must(Database::open(folder + "/index.sqlite", {}));
    must(
        database->execute("UPDATE blob_content SET content = x'00' WHERE blob = 2; DELETE FROM "
                          "list_term; PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  static Archive::Put putOf(int number) {
    ArtifactRecord record =
        sampleRecord("case " + std::to_string(number), number < kKept ? 100 : 0);
    record.format = ArtifactRecord::Format::kSavedModel;
    return {record, contentOf(number), std::nullopt};
  }

  Status work(const std::string& folder) {
    if (GetParam() == Task::kRepair) {
      FsckOptions options;
      options.readData = true;
      options.repair = true;
      FakeDonor donor("the donor");
      for (int number = 0; number < kKept + kOld; ++number)
        donor.contents[contentHash(contentOf(number))] = contentOf(number);
      options.donors = {donor};
      const auto summary = checkArchive(folder, options, [](const FsckFinding&) {}, environment_);
      return summary ? Status() : tl::unexpected(summary.error());
    }
    ASSIGN_OR_RETURN(auto archive, Archive::open(folder, Archive::Mode::kReadWrite, environment_));
    if (GetParam() == Task::kMigration) return {};
    if (GetParam() == Task::kRepack) {
      RETURN_IF_ERROR(repackSmallContents(archive));
      const auto shrunk = shrinkIndex(archive);
      return shrunk ? Status() : tl::unexpected(shrunk.error());
    }
    RetentionOptions options = keepDays(10, 100);
    ASSIGN_OR_RETURN(const auto gone, applyRetention(archive, options));
    const auto collected = collectGarbage(archive);
    return collected ? Status() : tl::unexpected(collected.error());
  }

  // After the fault: everything that has to be there is, whole.
  void expectNothingLost(const std::string& folder) {
    if (GetParam() == Task::kMigration) {
      Archive archive = must(Archive::open(folder, Archive::Mode::kReadWrite, unharmed_));
      const auto records = must(archive.list({}));
      EXPECT_EQ(records.size(), 30u);
      for (const ArtifactRecord& record : records) must(archive.read(record.id));
      return;
    }
    Archive archive = must(Archive::open(folder, Archive::Mode::kReadWrite));
    for (int number = 0; number < kKept; ++number) {
      const auto record = archive.find(putOf(number).record.name);
      ASSERT_TRUE(record) << number;
      if (GetParam() != Task::kRepair) EXPECT_EQ(must(archive.read(record->id)), contentOf(number));
    }
  }
  void expectDone(const std::string& folder) {
    FsckOptions options;
    options.readData = true;
    const auto expectNoDamage = [](const FsckFinding& finding) {
      EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
    };
    const auto summary = must(checkArchive(folder, options, expectNoDamage, unharmed_));
    EXPECT_TRUE(summary.whole());
    if (GetParam() == Task::kRetentionAndCollection) {
      EXPECT_EQ(summary.artifacts, kKept);
      EXPECT_EQ(summary.litter, 0);
    }
  }

  // `failAt` counts the operations of the index, or of the files.
  void round(int failAt, bool forever, bool ofFiles, int& faults, bool& reached) {
    const std::string folder = path("archive");
    std::filesystem::remove_all(folder);
    std::filesystem::copy(path("model"), folder, std::filesystem::copy_options::recursive);
    files_.operations = 0;
    if (ofFiles) {
      files_.failAt = failAt;
      files_.failForever = forever;
    } else {
      vfsFaults() = {0, failAt, forever};
    }
    const Status status = work(folder);
    reached = (ofFiles ? files_.operations : vfsFaults().operations) >= failAt;
    if (!status) EXPECT_FALSE(status.error().message.empty());
    faults += reached;
    vfsFaults() = {};
    if (forever) {
      files_.cutPower();
      cutVfsPower(static_cast<uint32_t>(failAt));
    }
    files_.failAt = 0;
    expectNothingLost(folder);
    if (const Status again = work(folder); !again) ADD_FAILURE() << again.error().message;
    expectDone(folder);
  }

  FaultyFileSystem files_;
  ArchiveEnvironment environment_;
  ArchiveEnvironment unharmed_;  // Looks at the archive after a fault.
};

TEST_P(MaintenanceFaultTest, WhateverFailsNothingIsLostAndTheNextCallCompletesIt) {
  int faults = 0;
  for (const bool ofFiles : {false, true}) {
    for (const bool forever : {false, true}) {
      for (int failAt = 1;; failAt += 1 + failAt / 3) {
        bool reached = false;
        round(failAt, forever, ofFiles, faults, reached);
        if (!reached || HasFailure()) break;
      }
    }
  }
  EXPECT_GT(faults, 10);
}

std::string nameOf(const ::testing::TestParamInfo<Task>& info) {
  switch (info.param) {
    case Task::kRetentionAndCollection:
      return "RetentionAndCollection";
    case Task::kRepair:
      return "Repair";
    case Task::kRepack:
      return "Repack";
    case Task::kMigration:
      return "Migration";
  }
  return "";
}
INSTANTIATE_TEST_SUITE_P(Tasks, MaintenanceFaultTest,
                         ::testing::Values(Task::kRetentionAndCollection, Task::kRepair,
                                           Task::kRepack, Task::kMigration),
                         nameOf);

}  // namespace
}  // namespace vintage::tests
