// Twenty processes put and upload the same and different artifacts while others
// let go of the old ones and collect: nothing is lost, nothing is doubled.
//
// VINTAGE_CLIENTS_ITEMS=1000 says how many artifacts each puts; without it some tens.
// The test prints what it saw.
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/retention/retention.h"
#include "archive/store/batch_put.h"
#include "archive/store/collect.h"
#include "archive/store/database.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/store/spawn.h"

namespace vintage::tests {
using namespace archive;

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
  // A shared name always has the same content.
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
  RETURN_IF_ERROR(putBatch(archive, {.records = std::span(&item.record, 1), .together = true}));
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
  int client(int which, uint32_t items) const {
    auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite, patient());
    if (!archive) return complain(archive.error(), 1);
    for (uint32_t done = 0; done < items; ++done) {
      const Item item = itemOf(which, done);
      const Status status = done % 2 == 0 ? putOne(*archive, item) : uploadOne(*archive, item);
      if (!status) return complain(status.error(), 2);
    }
    return 0;
  }
  // Until the clients are done, which this file says.
  std::string done() const { return path("done"); }
  int collector() const {
    auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite, patient());
    if (!archive) return complain(archive.error(), 1);
    RetentionOptions options = keepDays(10, kToday);
    while (!std::filesystem::exists(done())) {
      if (const auto gone = applyRetention(*archive, options); !gone)
        return complain(gone.error(), 2);
      if (const auto collected = collectGarbage(*archive); !collected)
        return complain(collected.error(), 3);
    }
    return 0;
  }
};

TEST_F(ManyClientsTest, NothingIsLostAndNothingDoubledWhileOthersCollect) {
  const char* wanted = std::getenv("VINTAGE_CLIENTS_ITEMS");
  const uint32_t items = wanted ? static_cast<uint32_t>(std::atoi(wanted)) : 40;
  must(Archive::open(path("archive"), Archive::Mode::kCreate));
  std::vector<pid_t> clients, collectors;
  for (int which = 0; which < kClients; ++which)
    clients.push_back(spawn([&, which] { return client(which, items); }));
  for (int which = 0; which < kCollectors; ++which)
    collectors.push_back(spawn([&] { return collector(); }));
  for (const pid_t process : clients) EXPECT_EQ(exitStatusOf(process), 0);
  std::ofstream(done()) << "done\n";
  for (const pid_t process : collectors) EXPECT_EQ(exitStatusOf(process), 0);

  std::map<std::string, ContentId> expected;
  std::vector<ContentId> ids;
  for (uint32_t which = 0; which < kContents; ++which) ids.push_back(contentHash(contentOf(which)));
  for (int which = 0; which < kClients; ++which) {
    for (uint32_t number = 0; number < items; ++number) {
      const Item item = itemOf(which, number);
      if (item.stays) expected[item.record.name] = ids[item.content];
    }
  }
  Archive archive = must(Archive::open(path("archive"), Archive::Mode::kReadWrite));
  size_t lost = 0, doubled = 0;
  std::set<std::string> seen;
  must(archive.forEach({}, [&](const ArtifactRecord& record) {
    doubled += !seen.insert(record.name).second;
    const auto found = expected.find(record.name);
    if (record.producer == "new")
      EXPECT_TRUE(found != expected.end() && found->second == record.id);
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
  std::printf(
      "%d clients put %u artifacts, %zu of them to stay, %lld went; %zu lost, %zu doubled\n",
      kClients, kClients * items, expected.size(),
      static_cast<long long>(must(removals->integer("SELECT count(*) FROM removal"))), lost,
      doubled);
  EXPECT_GT(expected.size(), static_cast<size_t>(kClients));
}

}  // namespace
}  // namespace vintage::tests
