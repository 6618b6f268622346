// Several processes on one archive, and processes that are killed.
#include <csignal>
#include <functional>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "tests/archive/store/sample.h"
#include "tests/archive/store/spawn.h"
#include "tests/archive/store/waiting.h"

namespace vintage::tests {
using namespace archive;

namespace {

class ProcessTest : public FolderTest {
 protected:
  // Large and small contents in turn.
  static std::vector<std::byte> contentOf(int number) {
    return content(number, number % 5 == 0 ? 130'000 : 3'000, number % 2 == 0);
  }
  static std::string nameOf(int number) { return "case " + std::to_string(number); }
};

TEST_F(ProcessTest, CreateAndPutAtTheSameTime) {
  constexpr int kProcesses = 6, kShared = 40, kOwn = 40;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(spawn([&] {
      auto archive = Archive::open(path("archive"), Archive::Mode::kCreate);
      if (!archive) {
        fprintf(stderr, "%s\n", archive.error().message.c_str());
        return 1;
      }
      for (int number = 0; number < kShared + kOwn; ++number) {
        const int which = number % 2 ? number / 2 : 1000 * (process + 1) + number / 2;
        const auto id = archive->put(sampleRecord(nameOf(which)), contentOf(which), nullptr);
        if (!id) {
          fprintf(stderr, "%s\n", id.error().message.c_str());
          return 2;
        }
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(exitStatusOf(child), 0);
  Archive archive = must(Archive::open(path("archive"), Archive::Mode::kReadOnly));
  const auto records = must(archive.list({}));
  EXPECT_EQ(records.size(), kShared + kProcesses * kOwn);
  for (const ArtifactRecord& record : records) {
    const int number = std::stoi(record.name.substr(5));
    EXPECT_EQ(must(archive.read(record.id)), contentOf(number));
  }
}

TEST_F(ProcessTest, KilledWritersLoseNothingThatWasAcknowledged) {
  constexpr int kKills = 60;
  std::mt19937 random(11);
  must(Archive::open(path("archive"), Archive::Mode::kCreate));
  std::vector<int> acknowledged;
  int killed = 0, interrupted = 0;
  for (int round = 0; round < kKills; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    tests::waiting::FolderWatch watch(path("archive"));
    const int first = round * 1000;
    const pid_t child = spawn([&] {
      ::close(ends[0]);
      auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite);
      if (!archive) return 1;
      for (int number = first; number < first + 1000; number += 3) {
        std::vector<Archive::Put> puts;  // One, two or three at once.
        for (int which = number; which <= number + number % 3; ++which)
          puts.push_back({sampleRecord(nameOf(which)), contentOf(which), std::nullopt});
        if (!archive->putAll(puts)) return 2;
        const int done[2] = {number, number + number % 3};
        if (::write(ends[1], done, sizeof(done)) != sizeof(done)) return 3;
      }
      return 0;
    });
    ::close(ends[1]);
    // Some are killed while they start; most in the middle of their puts,
    // however slow the machine is.
    if (round % 4 != 0) {
      pollfd acknowledgement{ends[0], POLLIN, 0};
      ::poll(&acknowledgement, 1, -1);
    }
    watch.waitForChanges(static_cast<int>(random() % 40), {child});
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    int done[2];
    const size_t before = acknowledged.size();
    while (::read(ends[0], done, sizeof(done)) == sizeof(done)) {
      for (int number = done[0]; number <= done[1]; ++number) acknowledged.push_back(number);
    }
    ::close(ends[0]);
    interrupted += acknowledged.size() > before;

    Archive archive = must(Archive::open(path("archive"), Archive::Mode::kReadWrite));
    for (size_t index = before; index < acknowledged.size(); ++index) {
      const auto found = archive.find(nameOf(acknowledged[index]));
      ASSERT_TRUE(found) << "round " << round << ": " << found.error().message;
      EXPECT_EQ(must(archive.read(found->id)), contentOf(acknowledged[index]));
    }
  }
  EXPECT_EQ(killed, kKills);
  EXPECT_GE(interrupted, kKills * 3 / 4);
  Archive archive = must(Archive::open(path("archive"), Archive::Mode::kReadOnly));
  std::set<int> kept;
  must(archive.forEach({}, [&](const ArtifactRecord& record) {
    const int number = std::stoi(record.name.substr(5));
    kept.insert(number);
    const auto bytes = archive.read(record.id);
    EXPECT_TRUE(bytes && *bytes == contentOf(number)) << record.name;
    return true;
  }));
  for (const int number : acknowledged) EXPECT_TRUE(kept.contains(number)) << number;
}

TEST_F(ProcessTest, ReadOnlyFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to become another user";
  ContentId id;
  {
    Archive archive = must(Archive::open(path("archive"), Archive::Mode::kCreate));
    id = must(archive.put(sampleRecord("small"), content(1, 100), nullptr));
    must(archive.put(sampleRecord("large"), content(2, 200'000, false), nullptr));
  }
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  const auto readAsNobody = [&] {
    return exitStatusOf(spawn([&] {
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 9;
      if (Archive::open(path("archive"), Archive::Mode::kReadWrite)) {
        // SQLite opens it and finds out on the first write.
        auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite);
        if (archive && archive->put(sampleRecord("new"), content(3, 10), nullptr)) return 1;
      }
      auto archive = Archive::open(path("archive"), Archive::Mode::kReadOnly);
      if (!archive) {
        fprintf(stderr, "%s\n", archive.error().message.c_str());
        return 2;
      }
      ArtifactFilter filter;
      filter.primitives = {"add"};
      const auto records = archive->list(filter);
      if (!records || records->size() != 2) return 3;
      for (const ArtifactRecord& record : *records) {
        if (!archive->read(record.id)) return 4;
      }
      if (archive->put(sampleRecord("new"), content(3, 10), nullptr)) return 5;
      return 0;
    }));
  };
  EXPECT_EQ(readAsNobody(), 0);
  Archive writer = must(Archive::open(path("archive"), Archive::Mode::kReadWrite));
  must(writer.find(id));
  EXPECT_EQ(readAsNobody(), 0);  // Also while another user has it open.
}

}  // namespace
}  // namespace vintage::tests
