// A conversation with a worker that is only played.
#include "harness/runtimes/conversation.h"

#include <gmock/gmock.h>

#include "tests/harness/runtimes/wire.h"

namespace vintage::tests {
using namespace harness;

namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

struct Played {
  size_t room = 0;  // Bytes that its input takes.
  std::vector<std::byte> said;
  bool isClosed = false;
  std::optional<ProcessEnd> end;
  bool wasKilled = false;
};

class PlayedWorker final : public Process {
 public:
  explicit PlayedWorker(Played& played) : played_(played) {}
  size_t write(std::span<const std::byte> bytes) override {
    const size_t count = std::min(bytes.size(), played_.room);
    played_.room -= count;
    return count;
  }
  std::vector<std::byte> read() override { return std::exchange(played_.said, {}); }
  bool outputEnded() const override { return played_.isClosed && played_.said.empty(); }
  void kill() override { played_.wasKilled = true; }
  std::optional<ProcessEnd> end() override { return played_.end; }
  std::string errorTail() override { return "last words\n"; }

 private:
  Played& played_;
};

class PlayedClock final : public ProcessHost {
 public:
  explicit PlayedClock(Played& played) : played_(played) {}
  Result<std::unique_ptr<Process>> start(const ProcessOptions&) override {
    return std::make_unique<PlayedWorker>(played_);
  }
  void wait(std::span<const Interest>, Clock::time_point deadline) override { now_ = deadline; }
  Clock::time_point now() override { return now_; }

 private:
  Played& played_;
  Clock::time_point now_{std::chrono::seconds(1000)};
};

// A worker may answer before it has read all of a request; what it has not read is still written
// from where the request has it.
TEST(Conversation, KeepsAMessageUntilItIsWritten) {
  Played played;
  PlayedClock host(played);
  auto conversation = Conversation::start({{"played"}, 0}, host);
  ASSERT_TRUE(conversation);
  auto request = std::make_shared<ExecuteRequest>();
  request->artifact.resize(size_t{1} << 20);
  const std::weak_ptr<const ExecuteRequest> kept = request;
  conversation->send(std::shared_ptr<const ExecuteRequest>(std::move(request)));
  for (int i = 0; i < 3; ++i) {
    played.room = 300'000;
    conversation->write();
    EXPECT_FALSE(kept.expired());
    EXPECT_TRUE(conversation->interest().wantsToWrite);
  }
  played.room = 300'000;
  conversation->write();
  EXPECT_TRUE(kept.expired());
  EXPECT_FALSE(conversation->interest().wantsToWrite);
}

TEST(Conversation, HearsAGreeting) {
  Played played;
  PlayedClock host(played);
  HelloMessage hello;
  hello.build.name = "played";
  played.said = wireForm(hello);
  auto conversation = Conversation::start({{"played"}, 0}, host);
  ASSERT_TRUE(conversation);
  const auto heard = conversation->greeting(milliseconds(1));
  ASSERT_TRUE(heard) << heard.error().message;
  EXPECT_EQ(heard->build.name, "played");
  EXPECT_FALSE(played.wasKilled);
}

TEST(Conversation, SaysHowItsWorkerFailed) {
  struct Failure {
    std::vector<std::byte> said;
    bool isClosed;
    std::optional<ProcessEnd> end;
    const char* says;
  };
  const Failure failures[] = {
      {{}, false, {}, "the worker said nothing within 0.5 s; it wrote last: last words"},
      {std::vector<std::byte>(64, std::byte{0xee}), false, {}, "not a message"},
      {wireForm(ExecuteReply{}), false, {}, "its greeting was wrong"},
      {{}, true, {}, "the worker closed its output; it wrote last: last words"},
      {{}, true, ProcessEnd{true, 11}, "the worker was killed by signal 11"},
  };
  for (const Failure& failure : failures) {
    Played played;
    played.said = failure.said;
    played.isClosed = failure.isClosed;
    played.end = failure.end;
    PlayedClock host(played);
    auto conversation = Conversation::start({{"played"}, 0}, host);
    ASSERT_TRUE(conversation);
    const auto heard = conversation->greeting(milliseconds(500));
    ASSERT_FALSE(heard);
    EXPECT_THAT(heard.error().message, HasSubstr(failure.says));
    EXPECT_TRUE(played.wasKilled);
  }
}

}  // namespace
}  // namespace vintage::tests
