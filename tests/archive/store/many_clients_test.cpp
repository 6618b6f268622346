// Twenty processes put and upload the same and different artifacts while others
// let go of the old ones and collect: nothing is lost, nothing is doubled.
//
// VINTAGE_CLIENTS_SECONDS=600 says how long; without it a few seconds. The test
// prints what it saw.
#include <cstdlib>

#include <fmt/format.h>

#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/retention/collect.h"
#include "archive/retention/retention.h"
#include "archive/store/database.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/store/spawn.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

constexpr int kClients = 20, kCollectors = 2;
constexpr int kContents = 60;  // So few that most of what is put is there, or just went.
constexpr int kToday = 1000;

std::vector<std::byte> contentOf(uint32_t which) {
  return content(which, which % 4 == 0 ? 120'000 + which : 1'500 + which, which % 4 != 0);
}

struct Item {
  ArtifactRecord record;
  uint32_t content = 0;
  bool stays = false;
};
// The n-th thing that a client does. Some are everybody's: the same name, build
// and bytes.
Item itemOf(int client, uint32_t number) {
  std::mt19937 random(static_cast<uint32_t>(client) * 1'000'003 + number);
  Item item;
  item.stays = random() % 3 == 0;
  const bool shared = random() % 4 == 0;
  // What one name holds is always the same.
  item.content = shared ? number % kContents : static_cast<uint32_t>(random() % kContents);
  item.record = sampleRecord(shared ? "shared " + std::to_string(number)
                                    : fmt::format("client {} item {}", client, number));
  if (shared) item.stays = number % 3 == 0;
  item.record.format = ArtifactRecord::Format::kSavedModel;
  item.record.producer = item.stays ? "new" : "old";
  item.record.buildDate = day(item.stays ? kToday : 0);
  return item;
}

Status putOne(Archive& archive, Item item) {
  const auto bytes = contentOf(item.content);
  RETURN_IF_ERROR(archive.put(item.record, bytes, nullptr));
  return {};
}

// As the service does it.
Status uploadOne(Archive& archive, Item item) {
  const auto bytes = contentOf(item.content);
  item.record.id = contentHash(bytes);
  const auto lease =
      archive.acquireLease(std::span(&item.record.id, 1), "client", std::chrono::minutes(2));
  if (!lease) return tl::unexpected(lease.error());
  ASSIGN_OR_RETURN(const auto missing, archive.missing(std::span(&item.record.id, 1)));
  if (!missing.empty()) {
    RETURN_IF_ERROR(archive.putContent(lease->id, bytes));
  }
  RETURN_IF_ERROR(archive.putRecords(std::span(&item.record, 1)));
  return archive.releaseLease(lease->id);
}

class ManyClientsTest : public FolderTest {
 protected:
  static ArchiveEnvironment patient() {
    ArchiveEnvironment environment;
    environment.busyTimeoutMilliseconds = 240'000;  // The machine may have more to do.
    return environment;
  }
  int complain(const Error& error, int status) const {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return status;
  }
  int client(int which, std::chrono::steady_clock::time_point end, int out) const {
    auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite, patient());
    if (!archive) return complain(archive.error(), 1);
    uint32_t done = 0;
    for (; std::chrono::steady_clock::now() < end; ++done) {
      const Item item = itemOf(which, done);
      const Status status =
          done % 2 == 0 ? putOne(*archive, item) : uploadOne(*archive, item);
      if (!status) return complain(status.error(), 2);
    }
    return ::write(out, &done, sizeof(done)) == sizeof(done) ? 0 : 3;
  }
  int collector(std::chrono::steady_clock::time_point end) const {
    auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite, patient());
    if (!archive) return complain(archive.error(), 1);
    RetentionOptions options;
    options.policy.rules.resize(1);
    options.policy.rules[0].name = "recent";
    options.policy.rules[0].keep = RetentionRule::Keep::kAge;
    options.policy.rules[0].days = 10;
    options.today = day(kToday);
    while (std::chrono::steady_clock::now() < end) {
      if (const auto gone = applyRetention(*archive, options); !gone)
        return complain(gone.error(), 2);
      if (const auto collected = collectGarbage(*archive); !collected)
        return complain(collected.error(), 3);
    }
    return 0;
  }
};

TEST_F(ManyClientsTest, NothingIsLostAndNothingDoubledWhileOthersCollect) {
  const char* wanted = std::getenv("VINTAGE_CLIENTS_SECONDS");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(wanted ? std::atoi(wanted) : 4);
  must(Archive::open(path("archive"), Archive::Mode::kCreate));
  int ends[kClients][2];
  std::vector<pid_t> processes;
  for (int which = 0; which < kClients; ++which) {
    ASSERT_EQ(::pipe(ends[which]), 0);
    processes.push_back(spawn([&, which] { return client(which, end, ends[which][1]); }));
  }
  for (int which = 0; which < kCollectors; ++which)
    processes.push_back(spawn([&] { return collector(end); }));
  for (const pid_t process : processes) EXPECT_EQ(exitStatusOf(process), 0);

  std::map<std::string, ContentId> expected;
  uint64_t puts = 0;
  std::vector<ContentId> ids;
  for (uint32_t which = 0; which < kContents; ++which) ids.push_back(contentHash(contentOf(which)));
  for (int which = 0; which < kClients; ++which) {
    uint32_t done = 0;
    ASSERT_EQ(::read(ends[which][0], &done, sizeof(done)), static_cast<ssize_t>(sizeof(done)));
    puts += done;
    for (uint32_t number = 0; number < done; ++number) {
      const Item item = itemOf(which, number);
      if (item.stays) expected[item.record.name] = ids[item.content];
    }
    ::close(ends[which][0]);
    ::close(ends[which][1]);
  }
  Archive archive = must(Archive::open(path("archive"), Archive::Mode::kReadWrite));
  size_t lost = 0, doubled = 0;
  std::set<std::string> seen;
  must(archive.forEach({}, [&](const ArtifactRecord& record) {
    doubled += !seen.insert(record.name).second;
    const auto found = expected.find(record.name);
    if (record.producer == "new") EXPECT_TRUE(found != expected.end() && found->second == record.id);
    return true;
  }));
  for (const auto& [name, id] : expected) lost += !seen.contains(name);
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(doubled, 0u);
  must(collectGarbage(archive));
  FsckOptions options;
  options.readData = true;
  const auto summary = must(checkArchive(path("archive"), options, [](const FsckFinding& finding) {
    ADD_FAILURE() << finding.place << ": " << finding.problem;
  }));
  EXPECT_LE(summary.blobs, kContents);
  auto removals = must(Database::open(path("archive/index.sqlite"), {.readOnly = true}));
  std::printf("%d clients put %llu artifacts, %zu of them to stay, %lld went; %zu lost, %zu doubled\n",
              kClients, static_cast<unsigned long long>(puts), expected.size(),
              static_cast<long long>(must(removals->integer("SELECT count(*) FROM removal"))), lost,
              doubled);
  EXPECT_GT(expected.size(), static_cast<size_t>(kClients));
}

}  // namespace
}  // namespace vintage::tests
