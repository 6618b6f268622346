// Twenty clients push the same and different artifacts to a service, by `vintage
// push` and by curl, while retention and garbage collection run in processes of
// their own: nothing is lost, nothing is doubled.
//
// VINTAGE_CLIENTS_ROUNDS=100 says how many pushes each makes; without it a few. The
// test prints what it saw.
#include <atomic>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/database.h"
#include "archive/store/frame_stream.h"
#include "archive/transfer/place.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/real_service.h"

namespace vintage::tests {
using namespace archive;

namespace {

using namespace tests::transfer;
namespace fs = std::filesystem;

constexpr int kClients = 20, kOfThemCurl = 5;
constexpr uint32_t kContents = 60;  // So few that most of what is pushed is there, or just went.
constexpr int kItems = 12;          // Of one push.
constexpr int kToday = 1000;

// Small ones travel in a push, large ones as resumable uploads.
Bytes contentOf(uint32_t which) {
  return content(which, which % 20 == 0 ? 1'200'000 + which : 1'500 + which, which % 4 != 0);
}

struct Item {
  ArtifactRecord record;
  uint32_t content = 0;
  bool stays = false;
};
// The n-th artifact of a client's round. Some are everybody's: the same name,
// build and bytes.
Item itemOf(int client, int round, int number) {
  const bool shared = number % 3 == 0;
  std::mt19937 random(
      static_cast<uint32_t>((shared ? 99 : client) * 1'000'003 + round * 101 + number));
  Item item;
  item.stays = random() % 3 == 0;
  item.content = static_cast<uint32_t>(random() % kContents);
  item.record =
      sampleRecord(shared ? fmt::format("shared {} {}", round, number)
                          : fmt::format("client {} round {} item {}", client, round, number));
  item.record.format = ArtifactRecord::Format::kSavedModel;
  item.record.producer = item.stays ? "new" : "old";
  item.record.buildDate = day(item.stays ? kToday : 0);
  item.record.id = contentHash(contentOf(item.content));
  return item;
}

class BusyService : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return sandbox_.path(name); }

  // A program's exit status, with what it said where that is not 0.
  int run(const std::vector<std::string>& command, const std::string& log) const {
    fs::remove(path(log));
    return ChildProcess(command, path(log)).wait();
  }
  std::string said(const std::string& log) const {
    return tests::command::Sandbox::read(path(log));
  }

  // From an archive of its own, with a run that tells of each artifact.
  void pushByVintage(int client, int round, const std::string& run) const {
    const std::string name = fmt::format("client {}", client), source = path(name);
    {
      Archive archive = must(Archive::open(source, Archive::Mode::kCreate));
      std::vector<Archive::Put> puts;
      for (int number = 0; number < kItems; ++number) {
        const Item item = itemOf(client, round, number);
        puts.push_back({item.record, contentOf(item.content), std::nullopt});
      }
      must(archive.putAll(puts));
      must(archive.putBuild(sampleBuild("consumer")));
      RunRecord record;
      record.id = run;
      record.kind = "replay";
      record.started = "2026-11-20T01:02:03Z";
      must(archive.putRun(record));
      std::vector<OutcomeRecord> outcomes;
      std::set<ContentId> shown;
      for (const Archive::Put& put : puts) {
        OutcomeRecord outcome;
        outcome.artifact = contentHash(put.bytes);
        outcome.build = "consumer";
        outcome.platform = "cpu";
        outcome.mode = "graph";
        outcome.run = run;
        if (shown.insert(outcome.artifact).second) outcomes.push_back(outcome);
      }
      must(archive.putOutcomes(outcomes));
      must(archive.finishRun(run, "{}"));
    }
    EXPECT_EQ(this->run({programPath(), "push", source, url_, "--format", "json", "--jobs", "2"},
                        name + ".log"),
              0)
        << said(name + ".log");
    fs::remove_all(source);
  }

  static std::string authorization() {
    return std::string("Authorization: Bearer ") + std::getenv("VINTAGE_TOKEN");
  }
  // Everything in one request.
  void pushByCurl(int client, int round) const {
    const std::string name = fmt::format("client {}", client);
    std::string body;
    FrameStreamWriter frames(body);
    std::vector<ArtifactRecord> records;
    for (int number = 0; number < kItems; ++number) {
      const Item item = itemOf(client, round, number);
      frames.content(item.record.id, contentOf(item.content));
      records.push_back(item.record);
    }
    for (const ArtifactRecord& record : records) frames.artifact(record);
    frames.end();
    const std::string file = sandbox_.write(name + ".frames", body);
    EXPECT_EQ(run({"curl", "-sS", "--max-time", "300", "-H", authorization(), "-H",
                   std::string("Content-Type: ") + kFramesMediaType, "--data-binary", "@" + file,
                   url_ + "/v1/push"},
                  name + ".log"),
              0);
    const auto answer = nlohmann::json::parse(said(name + ".log"), nullptr, false);
    EXPECT_TRUE(answer.is_object() && answer.value("artifacts", 0) == kItems)
        << said(name + ".log");
  }

  // Step by step: a lease, each content, the records, the lease's end.
  void uploadByCurl(int client, int round) const {
    const std::string name = fmt::format("client {}", client);
    const auto curl = [&](std::vector<std::string> more) {
      more.insert(more.begin(), {"curl", "-sS", "--fail-with-body", "--max-time", "300", "-H",
                                 authorization(), "-H", "Content-Type:"});
      EXPECT_EQ(run(more, name + ".log"), 0) << said(name + ".log");
      return nlohmann::json::parse(said(name + ".log"), nullptr, false);
    };
    const auto lease =
        curl({"-d", R"({"seconds":600})", url_ + "/v1/leases"}).value("lease", std::string());
    std::string lines;
    for (int number = 0; number < kItems; ++number) {
      const Item item = itemOf(client, round, number);
      const Bytes bytes = contentOf(item.content);
      const std::string file = sandbox_.write(
          name + ".bytes", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      curl({"-T", file, url_ + "/v1/blobs/" + item.record.id + "?lease=" + lease});
      lines += jsonText(recordJson(item.record)) + "\n";
    }
    const std::string file = sandbox_.write(name + ".lines", lines);
    EXPECT_EQ(curl({"--data-binary", "@" + file, url_ + "/v1/artifacts"}).value("refused", -1), 0);
    curl({"-X", "DELETE", url_ + "/v1/leases/" + lease});
  }

  tests::command::Sandbox sandbox_;
  std::string url_;
};

TEST_F(BusyService, NothingIsLostAndNothingDoubledWhileOthersCollect) {
  const char* wanted = std::getenv("VINTAGE_CLIENTS_ROUNDS");
  const int most = wanted ? std::atoi(wanted) : 2;
  RealService service(sandbox_, path("S"));
  ASSERT_NE(service.url(), "") << service.log();
  url_ = service.url();
  const std::string policy = sandbox_.write(
      "policy.json",
      R"({"vintage_retention":1,"wait_days":0,"rules":[{"name":"recent","keep":"age","days":10}]})");

  std::vector<int> rounds(kClients, 0);
  std::atomic<int> collections{0}, clientsAtWork{kClients};
  std::vector<std::thread> threads;
  for (int client = 0; client < kClients; ++client) {
    threads.emplace_back([&, client] {
      for (int round = 0; round < most && !HasFailure(); ++round) {
        if (client >= kOfThemCurl)
          pushByVintage(client, round, fmt::format("run {} {}", client, round));
        else if (client % 2 == 0)
          pushByCurl(client, round);
        else
          uploadByCurl(client, round);
        rounds[static_cast<size_t>(client)] = round + 1;
      }
      --clientsAtWork;
    });
  }
  for (const bool gcOnly : {false, true}) {
    threads.emplace_back([&, gcOnly] {
      const std::string log = gcOnly ? "gc.log" : "retention.log";
      for (; clientsAtWork > 0 && !HasFailure(); ++collections) {
        std::vector<std::string> command{programPath(), "gc", "--archive", path("S")};
        if (!gcOnly)
          command = {programPath(), "retention", "--archive", path("S"),
                     "--policy",    policy,      "--today",   formatDate(day(kToday))};
        const int status = run(command, log);
        EXPECT_TRUE(status == 0 || (!gcOnly && status == 4)) << status << said(log);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::map<std::string, ContentId> expected;
  std::set<std::string> runs;
  size_t pushes = 0;
  for (int client = 0; client < kClients; ++client) {
    for (int round = 0; round < rounds[static_cast<size_t>(client)]; ++round, ++pushes) {
      if (client >= kOfThemCurl) runs.insert(fmt::format("run {} {}", client, round));
      for (int number = 0; number < kItems; ++number) {
        const Item item = itemOf(client, round, number);
        if (item.stays) expected[item.record.name] = item.record.id;
      }
    }
  }
  EXPECT_EQ(service.stop(), 0);
  Archive archive = must(Archive::open(path("S"), Archive::Mode::kReadWrite));
  size_t lost = 0, doubled = 0;
  std::set<std::string> seen;
  must(archive.forEach({}, [&](const ArtifactRecord& record) {
    if (record.producer != "new") return true;
    doubled += !seen.insert(record.name).second;
    const auto found = expected.find(record.name);
    EXPECT_TRUE(found != expected.end() && found->second == record.id) << record.name;
    return true;
  }));
  for (const auto& [name, id] : expected) lost += !seen.contains(name);
  for (uint32_t which = 0; which < kContents; ++which) {
    const Bytes bytes = contentOf(which);
    const auto kept = archive.read(contentHash(bytes));
    EXPECT_TRUE(!kept || *kept == bytes);
  }
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(doubled, 0u);
  std::set<std::string> keptRuns;
  for (const RunRecord& run : must(archive.runs())) {
    EXPECT_FALSE(run.finished.empty()) << run.id;
    EXPECT_TRUE(keptRuns.insert(run.id).second) << run.id;
  }
  EXPECT_EQ(keptRuns, runs);
  EXPECT_EQ(run({programPath(), "gc", "--archive", path("S")}, "gc.log"), 0);
  EXPECT_EQ(run({programPath(), "fsck", "--archive", path("S"), "--read-data"}, "fsck.log"), 0)
      << said("fsck.log");
  auto index = must(Database::open(path("S/index.sqlite"), {.readOnly = true}));
  const auto count = [&](const std::string& query) { return must(index->integer(query.c_str())); };
  const int64_t went = count("SELECT count(*) FROM removal");
  const int64_t blobs = count("SELECT count(*) FROM blob");
  EXPECT_LE(blobs, kContents + count("SELECT count(*) FROM dictionary"));
  std::printf(
      "%d clients made %zu pushes of %d artifacts during %d collections, %zu artifacts to "
      "stay, %lld went; %zu lost, %zu doubled; %lld contents\n",
      kClients, pushes, kItems, collections.load(), expected.size(), static_cast<long long>(went),
      lost, doubled, static_cast<long long>(blobs));
}

}  // namespace
}  // namespace vintage::tests
