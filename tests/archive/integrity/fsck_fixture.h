// An archive that fsck's tests damage.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/store/database.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {

// Gives what a test gave it.
struct FakeDonor final : archive::ContentDonor {
  explicit FakeDonor(std::string name)
      : ContentDonor{std::move(name), std::bind_front(&FakeDonor::give, this)} {}
  FakeDonor(const FakeDonor&) = delete;

  Status give(std::span<const archive::ContentId> wanted, const Take& take, const Lost& lost) {
    asked.emplace_back(wanted.begin(), wanted.end());
    for (const archive::ContentId& id : wanted) {
      if (failsAfter-- == 0) return failure(Error::Kind::kIo, "it went away");
      const auto found = contents.find(id);
      const Status status = found != contents.end()
                                ? take(id, found->second)
                                : lost(id, {Error::Kind::kNotFound, "it has no such content"});
      if (!status) return status;
    }
    return {};
  }

  std::map<archive::ContentId, std::vector<std::byte>> contents;  // By what they are asked for.
  int failsAfter = -1;                                            // Contents; -1: never.
  std::vector<std::vector<archive::ContentId>> asked;             // Each question.
};

class FsckTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    fill("a");
  }
  // Two artifacts that share a small content, one large, one golden, one result.
  void fill(const std::string& name) {
    archive::Archive archive =
        must(archive::Archive::open(path(name), archive::Archive::Mode::kCreate));
    archive::ArtifactRecord record = sampleRecord("small");
    record.format = archive::ArtifactRecord::Format::kSavedModel;  // Which is not parsed.
    record.customCallTargets = {"target"};
    small_ = must(archive.put(record, smallBytes_, nullptr));
    record.name = "twin";
    must(archive.put(record, smallBytes_, nullptr));
    record.name = "large";
    const golden::Golden golden = sampleGolden(1.5f);
    large_ = must(archive.put(record, largeBytes_, &golden));
    golden_ = must(archive.find("large")).golden;
    must(archive.putBuild(sampleBuild("build")));
    archive::OutcomeRecord outcome;
    outcome.artifact = large_;
    outcome.golden = golden_;
    outcome.build = "build";
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = "run";
    must(archive.putOutcomes(std::span(&outcome, 1)));
  }

  archive::FsckSummary check(archive::FsckOptions options = {}) {
    found_.clear();
    return must(archive::checkArchive(path("a"), options,
                                      [&](const archive::FsckFinding& f) { found_.push_back(f); }));
  }
  static archive::FsckOptions reading(bool repair = false) {
    archive::FsckOptions options;
    options.readData = true;
    options.repair = repair;
    return options;
  }
  const archive::FsckFinding& only(archive::FsckFinding::Kind kind) {
    EXPECT_EQ(found_.size(), 1u);
    if (found_.empty()) std::abort();
    EXPECT_EQ(archive::findingName(found_[0].kind), archive::findingName(kind))
        << found_[0].problem;
    return found_[0];
  }
  void expectWhole() {
    const archive::FsckSummary summary = check(reading());
    EXPECT_TRUE(summary.whole());
    for (const archive::FsckFinding& finding : found_)
      EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
  }
  std::string blobPath(const archive::ContentId& id) {
    return path("a/blobs/" + id.substr(0, 2) + "/" + id + ".zst");
  }
  void sql(const std::string& text, bool keys = false) {
    auto database = must(archive::Database::open(path("a/index.sqlite"), {}));
    if (!keys) must(database->execute("PRAGMA foreign_keys = OFF"));
    must(database->execute(text));
  }

  const std::vector<std::byte> smallBytes_ = content(1, 4000);
  const std::vector<std::byte> largeBytes_ = content(2, 200'000, false);
  archive::ContentId small_, large_, golden_;
  std::vector<archive::FsckFinding> found_;
};

}  // namespace vintage::tests
