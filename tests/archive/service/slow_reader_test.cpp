// Clients that take their answers slowly, or ask for what costs much, and everybody else: real
// sockets that are not read, and no clock.
#include <condition_variable>
#include <future>
#include <list>
#include <mutex>
#include <thread>

#include <unistd.h>

#include "archive/service/budget.h"
#include "archive/service/stream_turns.h"
#include "tests/archive/service/in_process.h"
#include "tests/archive/service/local_server.h"
#include "tests/archive/service/running_service.h"
#include "tests/archive/store/faulty_file_system.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

constexpr int kReaders = 16;
constexpr uint64_t kMegabyte = uint64_t{1} << 20;

// Gives one content back when the test lets it, or after a minute.
class HeldDisk : public FaultyFileSystem {
 public:
  explicit HeldDisk(ContentId held) : held_(std::move(held)) {}
  void answer() {
    const std::lock_guard lock(mutex_);
    answers_ = true;
    changed_.notify_all();
  }
  Result<std::vector<std::byte>> read(const std::string& path, uint64_t limit) override {
    hold(path);
    return FaultyFileSystem::read(path, limit);
  }
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override {
    hold(path);
    return realFileSystem().open(path);  // By several threads at once.
  }

 private:
  void hold(const std::string& path) {
    if (path.find(held_) == std::string::npos) return;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::minutes(1), [&] { return answers_; });
  }

  const ContentId held_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool answers_ = false;
};

class SlowReaders : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    // More than the buffers of a connection take.
    large_ = must(open().put(sampleRecord("large", 1), content(1, 16 * kMegabyte, false), nullptr));
    small_ = must(open().put(sampleRecord("small", 2), content(2, 1000), nullptr));
  }
  std::string request(Role role, const std::string& line, const std::string& body = "") const {
    return line + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token(role) +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  // Reads the status of each answer and not a byte more. How many were taken.
  int startReading(const LocalServer& server, const std::string& request, int readers = kReaders) {
    int taken = 0;
    for (int reader = 0; reader < readers; ++reader) {
      readers_.emplace_back(server.port());
      EXPECT_TRUE(readers_.back().write(request));
      const std::string status = readers_.back().readUntil("\r\n");
      if (status.starts_with("HTTP/1.1 200")) {
        ++taken;
      } else {
        EXPECT_TRUE(status.starts_with("HTTP/1.1 503")) << status;
      }
    }
    return taken;
  }
  void expectHealthAndWrites(const LocalServer& server) {
    EXPECT_EQ(Client(server.url()).get("/healthz").status, 200);
    Client writer(server.url(), token(Role::kPush));
    const auto bytes = content(3, 900'000, false);
    const Reply put = writer.send("PUT", "/v1/blobs/" + contentHash(bytes), text(bytes));
    EXPECT_EQ(put.status, 201) << put.body;
    const std::string upload = text(content(4, 2'000'000, false));
    const json announcement = {{"id", contentHash(upload)}, {"bytes", upload.size()}};
    const std::string place = writer.post("/v1/uploads", announcement).header("location");
    const Reply sent = writer.send("PATCH", place, upload, {"Upload-Offset: 0"});
    EXPECT_EQ(sent.status, 201) << sent.body;
  }
  std::string metric(const LocalServer& server, const std::string& name) {
    const std::string metrics = Client(server.url(), token(Role::kRead)).get("/metrics").body;
    const size_t at = metrics.find("\n" + name + " ");
    if (at == std::string::npos) return "missing in " + metrics;
    const size_t value = at + name.size() + 2;
    return metrics.substr(value, metrics.find('\n', value) - value);
  }

  ContentId large_, small_;
  std::list<RawConnection> readers_;
};

// Sixteen slow readers of a large content held all of the memory that a service gives to bodies:
// every write was refused, as long as they liked. And the content of each was read
// before it was counted.
TEST_F(SlowReaders, OfContentsLeaveMemoryToOthers) {
  Limits limits;
  limits.memoryBytes = 80 * kMegabyte;  // 40 for responses, 30 of them for one token.
  LocalServer server(archive_, {}, limits);
  EXPECT_EQ(startReading(server, request(Role::kRead, "GET /v1/blobs/" + large_)), 1);
  EXPECT_EQ(metric(server, "vintage_http_body_bytes"), std::to_string(16 * kMegabyte));
  expectHealthAndWrites(server);
  // Other readers are served as well.
  Client other(server.url(), token(Role::kPush));
  EXPECT_EQ(contentHash(other.get("/v1/blobs/" + large_).body), large_);
  EXPECT_EQ(other.get("/v1/blobs/" + small_).status, 200);
  // With the readers their memory comes back.
  readers_.clear();
  const std::string first = other.get("/v1/blobs/" + large_).body;
  EXPECT_EQ(contentHash(first), large_);
}

// Two tokens of slow readers held the memory for responses between them, three quarters and the
// rest, and a third one was refused as long as they liked.
TEST_F(SlowReaders, OfTwoTokensLeaveMemoryToAThird) {
  const auto half =
      must(open().put(sampleRecord("half", 3), content(5, 8 * kMegabyte, false), nullptr));
  Limits limits;
  limits.memoryBytes = 256 * kMegabyte;  // 128 for responses.
  LocalServer server(archive_, {}, limits);
  const std::string get = "GET /v1/blobs/" + large_;
  EXPECT_EQ(startReading(server, request(Role::kRead, get)), 6);
  EXPECT_EQ(startReading(server, request(Role::kPush, get)), 1);
  Client third(server.url(), token(Role::kAdmin));
  const Reply reply = third.get("/v1/blobs/" + half);
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(contentHash(reply.body), half);
  readers_.clear();  // The server waits for them when it stops.
}

// Slow readers of streams held all threads for them, and nobody could pull.
TEST_F(SlowReaders, OfStreamsLeaveStreamsToOthers) {
  LocalServer server(archive_);
  EXPECT_EQ(startReading(server, request(Role::kRead, "GET /v1/pull"), 24), 18);
  expectHealthAndWrites(server);
  Client other(server.url(), token(Role::kPush));
  const Reply pulled = other.get("/v1/pull");
  EXPECT_EQ(pulled.status, 200);
  EXPECT_GT(pulled.body.size(), 16 * kMegabyte);
  readers_.clear();  // The server waits for its streams when it stops.
}

// Two tokens of slow readers held all streams between them: a third one waited as long as they
// liked. The first to ask must not have more than a later one.
TEST_F(SlowReaders, OfTwoTokensLeaveStreamsToAThird) {
  LocalServer server(archive_);
  const std::string pull = "GET /v1/pull";
  EXPECT_EQ(startReading(server, request(Role::kRead, pull), 18), 18);
  // All of their readers ask; half of the streams are theirs.
  EXPECT_EQ(startReading(server, request(Role::kPush, pull), 12), 12);
  std::list<RawConnection> waiting;
  for (int reader = 0; reader < 6; ++reader) {
    waiting.emplace_back(server.port());
    EXPECT_TRUE(waiting.back().write(request(Role::kPush, pull)));
  }
  RawConnection third(server.port());
  EXPECT_TRUE(third.write(request(Role::kAdmin, pull)));
  EXPECT_TRUE(third.readUntil("\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(third.readUntil("\"type\":\"content\"").ends_with("content\""));
  Client other(server.url(), token(Role::kAdmin));
  const Reply pulled = other.get("/v1/pull");
  EXPECT_EQ(pulled.status, 200);
  EXPECT_GT(pulled.body.size(), 16 * kMegabyte);
  expectHealthAndWrites(server);
  waiting.clear();
  readers_.clear();  // The server waits for its streams when it stops.
}

// A content in a stream was in memory while it was sent, and counted for nobody.
TEST_F(SlowReaders, LargeContentsInStreamsAreCounted) {
  ApplicationOptions options;
  options.folder = archive_;
  options.anonymous = Role::kPush;
  auto service = must(Application::open(options));
  const auto bytesOf = [&](const ContentId& id) {
    const std::string body = json({{"ids", json::array({id})}}).dump();
    return answerBytes(*service,
                       "POST /v1/contents HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                       "application/json\r\nContent-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n" + body)
        .at(0)
        .text.size();
  };
  {
    BudgetShare others(service->responses, "others");
    ASSERT_TRUE(others.grow(uint64_t{1} << 40));
    EXPECT_EQ(bytesOf(large_), 0u);  // The stream is cut off, and the client asks again.
    EXPECT_GT(bytesOf(small_), 1000u);
  }
  EXPECT_GT(bytesOf(large_), 16 * kMegabyte);
}

// A line of a request had the service read what its thousand contents have: the same large one a
// thousand times, for example.
TEST_F(SlowReaders, AnAnswerWithProofsHasABound) {
  Limits limits;
  limits.proofBytes = 20'000'000;
  LocalServer server(archive_, {}, limits);
  Client client(server.url(), token(Role::kRead));
  EXPECT_EQ(client.get("/v1/status").json()["limits"]["proof_bytes"], 20'000'000);
  const auto ask = [&](const std::vector<ContentId>& ids) {
    return client.post("/v1/proofs", {{"nonce", std::string(64, 'a')}, {"ids", ids}});
  };
  const Reply refused = ask(std::vector<ContentId>(1000, large_));
  EXPECT_EQ(refused.problem(), "413 too_large");
  EXPECT_EQ(ask({large_, large_, large_}).problem(), "413 too_large");
  // The largest does not count, so that each can be asked for, also with others.
  EXPECT_EQ(ask({large_, small_}).json()["proofs"].size(), 2U);
  EXPECT_EQ(ask({large_, large_}).json()["proofs"].size(), 2U);
  EXPECT_EQ(ask({ContentId(64, '0')}).json()["proofs"][0]["error"]["kind"], "not_found");
}

// Four requests for proofs took the four workers of a service, and nobody could write while they
// computed. The disk under this one answers when the test lets it.
TEST_F(SlowReaders, ProofsLeaveTheWorkersToOthers) {
  HeldDisk disk(large_);
  ServerOptions options;
  options.provers = 2;  // 16 under way or waiting; 12 of them of one token.
  LocalServer server(archive_, options, {}, &disk);
  const std::string body = json{{"nonce", std::string(64, 'a')}, {"ids", {large_}}}.dump();
  for (int asked = 0; asked < kReaders; ++asked) {
    readers_.emplace_back(server.port());
    EXPECT_TRUE(readers_.back().write(request(Role::kRead, "POST /v1/proofs", body)));
  }
  // The service refuses the four that are too many; then the others are under way.
  int refused = 0;
  std::list<RawConnection*> waiting;
  for (RawConnection& reader : readers_) waiting.push_back(&reader);
  while (refused < 4 && !::testing::Test::HasFailure())
    for (auto reader = waiting.begin(); reader != waiting.end();) {
      if (!(*reader)->readable()) {
        ++reader;
        continue;
      }
      EXPECT_TRUE((*reader)->readUntil("\r\n").starts_with("HTTP/1.1 503"));
      ++refused;
      reader = waiting.erase(reader);
    }
  expectHealthAndWrites(server);
  for (const RawConnection* reader : waiting) EXPECT_FALSE(reader->readable());
  disk.answer();
  for (RawConnection* reader : waiting)
    EXPECT_TRUE(reader->readUntil("\r\n").starts_with("HTTP/1.1 200"));
}

// A whole upload that finds no memory to be checked in is refused for now, and the client sends
// nothing of it again.
TEST_F(SlowReaders, AnUploadThatFindsNoMemoryGoesOnAtItsEnd) {
  HeldDisk disk(large_);
  Limits limits;
  limits.memoryBytes = 8 * kMegabyte;  // Two for what is checked; what is alone may have more.
  LocalServer server(archive_, {}, limits, &disk);
  RawConnection prover(server.port());
  const std::string body = json{{"nonce", std::string(64, 'a')}, {"ids", {large_}}}.dump();
  EXPECT_TRUE(prover.write(request(Role::kRead, "POST /v1/proofs", body)));
  // The request itself counts too.
  while (std::stoull(metric(server, "vintage_http_body_bytes")) < 16 * kMegabyte)
    ASSERT_FALSE(prover.readable());
  Client writer(server.url(), token(Role::kPush));
  const std::string upload = text(content(4, 500'000, false));
  const json announcement = {{"id", contentHash(upload)}, {"bytes", upload.size()}};
  const std::string place = writer.post("/v1/uploads", announcement).header("location");
  const Reply refused = writer.send("PATCH", place, upload, {"Upload-Offset: 0"});
  EXPECT_EQ(refused.problem(), "503 busy");
  EXPECT_FALSE(refused.header("retry-after").empty());
  EXPECT_EQ(writer.send("HEAD", place).header("upload-offset"), "500000");
  disk.answer();
  EXPECT_TRUE(prover.readUntil("\r\n").starts_with("HTTP/1.1 200"));
  const Reply done = writer.send("PATCH", place, "", {"Upload-Offset: 500000"});
  EXPECT_EQ(done.status, 201) << done.body;
}

TEST(StreamTurns, AreEquallyManyForAllWhoAsk) {
  StreamTurns turns(6, 5);
  int told = 0;
  const auto take = [&](const std::string& who) { return turns.take(who, [&] { ++told; }); };
  std::vector<std::unique_ptr<StreamTurns::Turn>> a, b;
  for (int count = 0; count < 5; ++count) a.push_back(take("a"));
  EXPECT_EQ(take("a"), nullptr);
  EXPECT_TRUE(a.back()->hasBegun());
  b.push_back(take("b"));
  EXPECT_EQ(told, 6);
  a[0]->moved();
  // a has 5 and b has 1: a loses the one that moved longest ago.
  b.push_back(take("b"));
  EXPECT_TRUE(b.back()->hasBegun());
  EXPECT_FALSE(a[0]->hasEnded());
  EXPECT_TRUE(a[1]->hasEnded());
  b.push_back(take("b"));
  EXPECT_TRUE(a[2]->hasEnded());
  // Now each of the tokens that ask has 3.
  const auto waits = take("b");
  EXPECT_FALSE(waits->hasBegun());
  const auto first = take("c"), second = take("c");
  EXPECT_TRUE(first->hasBegun() && second->hasBegun());
  EXPECT_FALSE(waits->hasBegun());
  const auto third = take("c");  // 2, 2 and 2.
  EXPECT_FALSE(third->hasBegun());
  // The token with the fewest turns is next, not the first to ask.
  b.clear();
  EXPECT_TRUE(waits->hasBegun() && third->hasBegun());
  EXPECT_EQ(told, 16);  // Twelve began, and four of them ended.
}
// As many tokens as turns: each keeps its one turn.
TEST(StreamTurns, NobodyLosesHisOnlyOne) {
  StreamTurns turns(2, 2);
  const auto a = turns.take("a", [] {}), more = turns.take("a", [] {});
  const auto b = turns.take("b", [] {}), c = turns.take("c", [] {});
  EXPECT_NE(a->hasEnded(), more->hasEnded());
  EXPECT_TRUE(b->hasBegun());
  EXPECT_FALSE(b->hasEnded());
  EXPECT_FALSE(c->hasBegun());
}

TEST(Budget, NobodyTakesTheLastQuarterOfWhatTheOthersLeave) {
  std::atomic<int64_t> gauge{0};
  Budget budget(100, &gauge);
  {
    BudgetShare a(budget, "a"), again(budget, "a"), b(budget, "b"), c(budget, "c");
    EXPECT_TRUE(a.grow(70));
    EXPECT_FALSE(again.grow(10));
    EXPECT_TRUE(again.grow(5));
    EXPECT_FALSE(b.grow(19));
    EXPECT_TRUE(b.grow(18));
    EXPECT_FALSE(again.grow(1));
    EXPECT_FALSE(c.grow(6));
    EXPECT_TRUE(c.grow(5));
    EXPECT_EQ(gauge, 98);
  }
  EXPECT_EQ(gauge, 0);
}
TEST(Budget, WhatIsAloneIsLetThrough) {
  Budget budget(100);
  BudgetShare alone(budget, "a"), other(budget, "b");
  EXPECT_TRUE(alone.grow(90));
  EXPECT_TRUE(alone.grow(900));
  EXPECT_FALSE(other.grow(1));
}
// With few turns a quarter is less than one: the last one is for a client with none.
TEST(Budget, TheLastOneIsForWhoHasNone) {
  Budget budget(4);
  BudgetShare a(budget, "a"), again(budget, "a"), b(budget, "b"), c(budget, "c");
  EXPECT_TRUE(a.grow(3));
  EXPECT_FALSE(again.grow(1));
  EXPECT_TRUE(b.grow(1));
  EXPECT_FALSE(c.grow(1));
}

}  // namespace
}  // namespace vintage::tests::service
