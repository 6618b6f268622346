// Retries, continuation and giving up, against a server that misbehaves on cue.
#include "archive/transfer/http_client.h"

#include <fstream>

#include <gmock/gmock.h>

#include "archive/transfer/content_download.h"
#include "archive/transfer/simple_exchange.h"
#include "golden/content_hash.h"
#include "tests/archive/sample.h"
#include "tests/transfer/scripted_server.h"

namespace vintage {
namespace {

using testing::HasSubstr;
using testing_transfer::ScriptedReply;
using testing_transfer::ScriptedRequest;
using testing_transfer::ScriptedServer;

HttpOptions quickOptions() {
  HttpOptions options;
  options.retry.first = std::chrono::milliseconds(2);
  options.retry.longest = std::chrono::milliseconds(20);
  options.retry.attempts = 5;
  options.stallTimeout = std::chrono::seconds(1);
  return options;
}

Status getOnce(HttpClient& client, const std::string& url, std::string* body = nullptr,
               const std::string& method = "GET", const std::string& sent = "") {
  HttpRequest request;
  request.method = method;
  request.url = url;
  return client.perform(std::make_unique<SimpleExchange>(
      "ask " + url, std::move(request), sent,
      [body](HttpResponse& response) -> Result<HttpExchange::Next> {
        if (response.status != 200) return tl::unexpected(errorOfResponse("ask", response));
        if (body != nullptr) *body = response.body;
        return HttpExchange::Next::kDone;
      }));
}

TEST(HttpClient, TransientStatusesAreRepeatedUntilTheyEnd) {
  for (const int status : {408, 425, 429, 500, 502, 503, 504}) {
    int asked = 0;
    ScriptedServer server([&](const ScriptedRequest&) {
      return ++asked < 4 ? ScriptedReply{status, {}, ""} : ScriptedReply{200, {}, "at last"};
    });
    HttpClient client(quickOptions());
    std::string body;
    const Status outcome = getOnce(client, server.url(), &body);
    ASSERT_TRUE(outcome) << status << ": " << outcome.error().message;
    EXPECT_EQ(body, "at last");
    EXPECT_EQ(asked, 4);
    EXPECT_EQ(client.counts().retries, 3u);
    EXPECT_EQ(server.connections(), 1) << "the connection is kept";
  }
}

TEST(HttpClient, ARefusalIsNotRepeated) {
  const std::pair<int, Error::Kind> cases[] = {
      {400, Error::Kind::kBadInput}, {401, Error::Kind::kUsage},    {403, Error::Kind::kUsage},
      {404, Error::Kind::kNotFound}, {409, Error::Kind::kConflict}, {413, Error::Kind::kResource},
      {501, Error::Kind::kIo},       {507, Error::Kind::kResource}};
  for (const auto& [status, kind] : cases) {
    ScriptedServer server([status = status](const ScriptedRequest&) {
      return ScriptedReply{
          status, {}, R"({"error":{"kind":"x","message":"because of this","next":"do that"}})"};
    });
    HttpClient client(quickOptions());
    const Status outcome = getOnce(client, server.url());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, kind) << status;
    EXPECT_THAT(outcome.error().message, HasSubstr("because of this; do that"));
    EXPECT_EQ(server.requests().size(), 1u) << status;
  }
}

TEST(HttpClient, ItGivesUpAndSaysAfterHowManyAttempts) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedReply{503, {}, "<Error><Code>SlowDown</Code><Message>too fast</Message></Error>"};
  });
  HttpClient client(quickOptions());
  const Status outcome = getOnce(client, server.url());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Error::Kind::kIo);
  EXPECT_THAT(outcome.error().message, HasSubstr("503: SlowDown: too fast"));
  EXPECT_THAT(outcome.error().message, HasSubstr("given up after 5 attempts"));
  EXPECT_EQ(server.requests().size(), 5u);
}

// The message said "the answer is not whole" where the server had said why it is to be
// asked again.
TEST(HttpClient, WhatIsRetriedSaysWhatTheServerSaid) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedReply{
        409, {}, "<Error><Code>OperationAborted</Code><Message>another is at it</Message></Error>"};
  });
  HttpClient client(quickOptions());
  HttpRequest request;
  request.url = server.url();
  const Status outcome = client.perform(std::make_unique<SimpleExchange>(
      "ask", std::move(request), "",
      [](HttpResponse&) -> Result<HttpExchange::Next> { return HttpExchange::Next::kRetry; }));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("409: OperationAborted: another is at it"));
  EXPECT_THAT(outcome.error().message, HasSubstr("given up after 5 attempts"));
}

TEST(HttpClient, NobodyListeningIsRetriedAndThenSaid) {
  int port = 0;
  ::close(testing_transfer::listenAnywhere(port));
  HttpClient client(quickOptions());
  const Status outcome = getOnce(client, "http://127.0.0.1:" + std::to_string(port));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Error::Kind::kIo);
  EXPECT_EQ(client.counts().retries, 4u);
}

TEST(HttpClient, RetryAfterIsWaitedForByAllTransfers) {
  std::atomic<int> asked = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    return asked++ == 0 ? ScriptedReply{429, {"Retry-After: 1"}, ""} : ScriptedReply{200, {}, "x"};
  });
  HttpOptions options = quickOptions();
  options.jobs = 1;
  HttpClient client(options);
  const auto start = std::chrono::steady_clock::now();
  int made = 0;
  const Status outcome = client.perform([&]() -> std::unique_ptr<HttpExchange> {
    if (made++ == 3) return nullptr;
    HttpRequest request;
    request.url = server.url();
    return std::make_unique<SimpleExchange>(
        "ask", std::move(request), "",
        [](HttpResponse&) -> Result<HttpExchange::Next> { return HttpExchange::Next::kDone; });
  });
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(990));
  EXPECT_EQ(asked, 4);
}

TEST(HttpClient, ARetryAfterThatIsTooLongEndsIt) {
  ScriptedServer server(
      [](const ScriptedRequest&) { return ScriptedReply{503, {"Retry-After: 86400"}, ""}; });
  HttpClient client(quickOptions());
  const Status outcome = getOnce(client, server.url());
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("asks to come back in 86400.0 s"));
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(HttpClient, RedirectsAreNotFollowed) {
  ScriptedServer elsewhere([](const ScriptedRequest&) { return ScriptedReply{}; });
  for (const int status : {301, 302, 303, 307, 308}) {
    ScriptedServer server([&](const ScriptedRequest&) {
      return ScriptedReply{status, {"Location: " + elsewhere.url() + "/thief"}, ""};
    });
    HttpOptions options = quickOptions();
    options.headers = {"Authorization: Bearer secret"};
    HttpClient client(options);
    const Status outcome = getOnce(client, server.url());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, Error::Kind::kUsage);
    EXPECT_THAT(outcome.error().message, HasSubstr("/thief"));
  }
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST(HttpClient, ASilentServerIsLeftAndAskedAgain) {
  std::atomic<int> asked = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    ScriptedReply reply{200, {}, "whole"};
    if (asked++ == 0) {
      reply.cutAfter = 2;
      reply.goSilent = true;
    }
    return reply;
  });
  HttpClient client(quickOptions());
  std::string body;
  const Status outcome = getOnce(client, server.url(), &body);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(body, "whole");
}

// The server closes the kept connection at the moment of the next request: the
// body has to be sent again, whole.
TEST(HttpClient, ABodyIsSentAgainWhereTheConnectionWasClosed) {
  const std::string sent(300'000, 'b');
  std::atomic<int> asked = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    ScriptedReply reply{200, {}, "fine"};
    if (++asked % 2 == 0) reply.hangUp = true;
    return reply;
  });
  HttpClient client(quickOptions());
  for (int round = 0; round < 6; ++round) {
    const Status outcome = getOnce(client, server.url(), nullptr, "PUT", sent);
    ASSERT_TRUE(outcome) << outcome.error().message;
  }
  for (const ScriptedRequest& request : server.requests()) EXPECT_EQ(request.body, sent);
}

TEST(HttpClient, ManyTransfersShareFewConnections) {
  std::atomic<int> now = 0, most = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    most = std::max<int>(most, ++now);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --now;
    return ScriptedReply{200, {}, "x"};
  });
  HttpOptions options = quickOptions();
  options.jobs = 4;
  HttpClient client(options);
  int made = 0, done = 0;
  const Status outcome = client.perform([&]() -> std::unique_ptr<HttpExchange> {
    if (made++ == 200) return nullptr;
    HttpRequest request;
    request.url = server.url();
    return std::make_unique<SimpleExchange>(
        "ask", std::move(request), "", [&](HttpResponse&) -> Result<HttpExchange::Next> {
          ++done;
          return HttpExchange::Next::kDone;
        });
  });
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(done, 200);
  EXPECT_LE(server.connections(), 4);
  EXPECT_LE(most, 4);
  EXPECT_GE(most, 2) << "nothing ran at the same time";
}

// ---- ContentDownload

class Download : public FolderTest {
 protected:
  struct Outcome {
    Bytes bytes;
    std::optional<Error> lost;
  };
  // What of a content of `bytes` arrives.
  Result<Outcome> download(const std::string& url, const ContentId& id, int64_t bytes,
                           HttpOptions options = quickOptions()) {
    HttpClient client(options);
    Outcome outcome;
    const Status status = client.perform(std::make_unique<ContentDownload>(
        ContentDownload::Target{url, {}, {id, bytes}, path("partial")},
        [&](const ContentId&, Bytes arrived) -> Status {
          outcome.bytes = std::move(arrived);
          return {};
        },
        [&](const ContentId&, const Error& error) -> Status {
          outcome.lost = error;
          return {};
        }));
    if (!status) return tl::unexpected(status.error());
    return outcome;
  }

  void continueWhatWasLeft(const std::string& whole, int64_t size);

  // A reply as a good server would give it, ranges and all.
  static ScriptedReply serve(const ScriptedRequest& request, const std::string& content) {
    const std::string range = request.header("range");
    if (range.empty()) return {200, {}, content};
    const size_t first = std::stoul(range.substr(6));
    if (first >= content.size()) return {416};
    return {206,
            {"Content-Range: bytes " + std::to_string(first) + "-" +
             std::to_string(content.size() - 1) + "/" + std::to_string(content.size())},
            content.substr(first)};
  }

  static std::string text(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const Bytes content_ = content(7, 3'000'000, false);
  const ContentId id_ = contentHash(content_);
};

TEST_F(Download, ContinuesAfterEachCutAndSendsNothingTwice) {
  const std::string whole = text(content_);
  size_t served = 0;
  ScriptedServer server([&](const ScriptedRequest& request) {
    ScriptedReply reply = serve(request, whole);
    // Whatever is left, half of it at most, until little is left.
    if (reply.body.size() > 10'000) reply.cutAfter = static_cast<long>(reply.body.size() / 2);
    served += reply.cutAfter < 0 ? reply.body.size() : static_cast<size_t>(reply.cutAfter);
    return reply;
  });
  const Outcome outcome = must(download(server.url(), id_, static_cast<int64_t>(whole.size())));
  EXPECT_TRUE(outcome.bytes == content_);
  EXPECT_GE(server.requests().size(), 8u) << "more than the 5 attempts without progress";
  EXPECT_EQ(served, whole.size());
  EXPECT_TRUE(std::filesystem::is_empty(path("partial")));
}

TEST_F(Download, AServerWithoutRangesBeginsAgain) {
  int asked = 0;
  const std::string whole = text(content_);
  ScriptedServer server([&](const ScriptedRequest&) {
    ScriptedReply reply{200, {}, whole};
    if (++asked < 3) reply.cutAfter = 1'000'000;
    return reply;
  });
  EXPECT_TRUE(must(download(server.url(), id_, -1)).bytes == content_);
}

// Of a golden the size is not known before it is read: where it came from a bucket, a
// later run began again.
TEST_F(Download, ALaterRunContinuesWhatAnEarlierOneLeft) {
  const std::string whole = text(content_);
  for (const int64_t size : {static_cast<int64_t>(whole.size()), int64_t{-1}}) {
    SCOPED_TRACE(size);
    continueWhatWasLeft(whole, size);
  }
}

void Download::continueWhatWasLeft(const std::string& whole, int64_t size) {
  {
    ScriptedServer server([&](const ScriptedRequest& request) {
      ScriptedReply reply = serve(request, whole);
      reply.cutAfter = request.header("range").empty() ? 2'000'000 : 0;
      return reply;
    });
    const auto outcome = download(server.url(), id_, size);
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message, HasSubstr("continues where it stopped"));
  }
  ScriptedServer server([&](const ScriptedRequest& request) { return serve(request, whole); });
  EXPECT_TRUE(must(download(server.url(), id_, size)).bytes == content_);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].header("range"), "bytes=2000000-");
}

TEST_F(Download, WhatAnEarlierRunLeftMayBeWrongOrWhole) {
  const std::string whole = text(content_);
  for (const size_t left : {size_t{10}, whole.size() - 1, whole.size(), whole.size() + 500}) {
    for (const int64_t size : {static_cast<int64_t>(whole.size()), int64_t{-1}}) {
      std::filesystem::create_directories(path("partial"));
      std::ofstream(path("partial") + "/" + id_ + ".part") << std::string(left, '?');
      ScriptedServer server([&](const ScriptedRequest& request) { return serve(request, whole); });
      EXPECT_TRUE(must(download(server.url(), id_, size)).bytes == content_) << left;
    }
  }
}

TEST_F(Download, WrongBytesAreAskedForAgainAndNeverTaken) {
  const std::string whole = text(content_);
  for (const int wrong : {1, 2, 1000}) {
    int asked = 0;
    ScriptedServer server([&](const ScriptedRequest& request) {
      ScriptedReply reply = serve(request, whole);
      if (++asked <= wrong) reply.body[reply.body.size() / 2] ^= 1;
      return reply;
    });
    const Outcome outcome = must(download(server.url(), id_, static_cast<int64_t>(whole.size())));
    if (wrong < 3) {
      EXPECT_TRUE(outcome.bytes == content_);
    } else {
      EXPECT_TRUE(outcome.bytes.empty());
      ASSERT_TRUE(outcome.lost);
      EXPECT_THAT(outcome.lost->message, HasSubstr("hash to"));
      EXPECT_EQ(asked, 3);
    }
  }
}

TEST_F(Download, MoreThanTheWholeOrAnotherRangeIsNotTaken) {
  const std::string whole = text(content_);
  ScriptedServer endless([&](const ScriptedRequest&) {
    return ScriptedReply{200, {}, whole + whole};
  });
  EXPECT_FALSE(download(endless.url(), id_, static_cast<int64_t>(whole.size())));
  int asked = 0;
  ScriptedServer confused([&](const ScriptedRequest& request) {
    ScriptedReply reply = serve(request, whole);
    if (++asked == 1) reply.cutAfter = 1'500'000;
    if (asked == 2) reply.headers = {"Content-Range: bytes 7-2999999/3000000"};
    return reply;
  });
  EXPECT_TRUE(must(download(confused.url(), id_, static_cast<int64_t>(whole.size()))).bytes ==
              content_);
}

TEST_F(Download, WhatIsNotThereOrDamagedThereIsLostAtOnce) {
  const std::pair<int, const char*> cases[] = {
      {404, "<Error><Code>NoSuchKey</Code></Error>"},
      {500, R"({"error":{"kind":"damaged","message":"blob 12 is damaged","next":"push it again"}})"}};
  for (const auto& [status, body] : cases) {
    ScriptedServer server([status = status, body = body](const ScriptedRequest&) {
      return ScriptedReply{status, {}, body};
    });
    const Outcome outcome = must(download(server.url(), id_, -1));
    EXPECT_TRUE(outcome.lost) << status;
    EXPECT_EQ(server.requests().size(), 1u);
  }
}

}  // namespace
}  // namespace vintage
