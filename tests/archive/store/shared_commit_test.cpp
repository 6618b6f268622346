// Batches of small contents pushed at the same time each had a transaction and a sync of their
// own, and waited for SQLite's one writer by polling: a thousand clients got 170 batches a second.
#include <atomic>
#include <optional>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "archive/integrity/fsck.h"
#include "archive/store/archive_implementation.h"
#include "archive/store/batch_put.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

constexpr int kThreads = 8, kBatches = 40;

class SharedCommitTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    must(Archive::open(path("archive"), Archive::Mode::kCreate));
    writer_.emplace(open());
  }
  Archive open() { return must(Archive::open(path("archive"), Archive::Mode::kReadWrite)); }
  void onEachThread(const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int which = 0; which < kThreads; ++which) threads.emplace_back(work, which);
    for (std::thread& thread : threads) thread.join();
  }

  // As the service puts a push.
  Result<BatchKept> putTogether(Archive& archive, const ContentBatch& batch) {
    ASSIGN_OR_RETURN(auto prepared, PreparedBatch::prepare(archive, batch));
    RETURN_IF_ERROR(
        commits_.run([&](BatchTransaction& transaction) { return prepared.keep(transaction); }));
    return prepared.take();
  }

  std::optional<Archive> writer_;
  SharedCommit commits_{[this](const auto& use) { return use(*writer_); }};
};

TEST_F(SharedCommitTest, ABatchThatFailsTakesNoOtherWithIt) {
  onEachThread([&](int which) {
    Archive archive = open();
    archive.actAs("token " + std::to_string(which), false);
    std::mt19937 random(static_cast<uint32_t>(which));
    for (int number = 0; number < kBatches; ++number) {
      const uint64_t seed = static_cast<uint64_t>(which * kBatches + number);
      const bool fails = random() % 4 == 0;
      const auto bytes = content(seed, 700);
      const auto hashed = hashContents(std::vector<std::span<const std::byte>>{bytes});
      ArtifactRecord record = sampleRecord("case " + std::to_string(seed));
      record.format = ArtifactRecord::Format::kSavedModel;  // Whose bytes fsck does not parse.
      record.producer = fails ? "fails" : "kept";
      record.id = hashed.front().id();
      const auto put =
          putTogether(archive, {hashed, std::span(&record, 1), fails ? "no such lease" : "",
                                "holder", std::chrono::minutes(1)});
      EXPECT_EQ(put.has_value(), !fails);
      if (fails) EXPECT_EQ(put.error().kind, Error::Kind::kNotFound);
    }
  });
  Archive archive = open();
  int kept = 0;
  for (int which = 0; which < kThreads; ++which) {
    std::mt19937 random(static_cast<uint32_t>(which));
    for (int number = 0; number < kBatches; ++number) {
      const uint64_t seed = static_cast<uint64_t>(which * kBatches + number);
      const bool fails = random() % 4 == 0;
      const auto bytes = content(seed, 700);
      const auto read = archive.read(contentHash(bytes));
      ASSERT_EQ(read.has_value(), !fails) << seed;
      if (!fails) EXPECT_EQ(*read, bytes);
      kept += !fails;
    }
  }
  EXPECT_EQ(must(archive.list({})).size(), static_cast<size_t>(kept));
  FsckOptions options;
  options.readData = true;
  must(checkArchive(path("archive"), options, [](const FsckFinding& finding) {
    EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
  }));
}

TEST_F(SharedCommitTest, WhoWaitsIsWrittenWithOthers) {
  std::atomic<int> byAnother{0};
  // Whether somebody waits already when a write ends is up to the scheduler: once is enough.
  for (int round = 0; round < 1000 && byAnother == 0; ++round) {
    std::atomic<int> arrived{0};
    onEachThread([&](int) {
      ++arrived;
      const auto own = std::this_thread::get_id();
      must(commits_.run([&](BatchTransaction&) {
        while (arrived < kThreads) std::this_thread::yield();
        byAnother += std::this_thread::get_id() != own;
        return Status();
      }));
    });
  }
  EXPECT_GT(byAnother, 0);
}

// The commit waits for announced work, and not for withdrawn work.
TEST_F(SharedCommitTest, WhatComesSoonIsWrittenTogether) {
  int done = 0, written = 0;
  const auto handOver = [&](SharedCommit::Coming* coming) {
    commits_.handOver(
        [&](BatchTransaction&) {
          ++written;
          return Status();
        },
        [&](const Status& status) { done += status.has_value(); }, 1, coming);
  };
  {
    SharedCommit::Coming first(commits_), second(commits_), third(commits_);
    handOver(&first);
    handOver(&second);
    EXPECT_EQ(written, 0);
  }
  EXPECT_EQ(written, 2);
  EXPECT_EQ(done, 2);
  // Not for ever: many do not wait.
  SharedCommit::Coming slow(commits_);
  for (int count = 0; count < 64; ++count) handOver(nullptr);
  EXPECT_EQ(done, 66);
}

// The transaction is what fails here, not what was written in it.
TEST_F(SharedCommitTest, ATransactionThatFailsFailsForAll) {
  writer_.emplace(must(Archive::open(path("archive"), Archive::Mode::kReadOnly)));
  onEachThread([&](int) {
    const Status status = commits_.run([](BatchTransaction&) { return Status(); });
    EXPECT_FALSE(status.has_value());
  });
}

}  // namespace
}  // namespace vintage::tests
