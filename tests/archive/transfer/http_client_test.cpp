// Retries and giving up, against a server that misbehaves on cue.
#include "archive/transfer/http_client.h"

#include <condition_variable>

#include <gmock/gmock.h>

#include "tests/archive/store/reserved_port.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/transfer/quick_http.h"
#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests {
using namespace archive;

namespace {

using testing::HasSubstr;
using tests::transfer::quickOptions;
using tests::transfer::ScriptedReply;
using tests::transfer::ScriptedRequest;
using tests::transfer::ScriptedServer;

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
    return ScriptedReply{
        503, {}, "<Error><Code>SlowDown</Code><Message>too fast</Message></Error>"};
  });
  HttpClient client(quickOptions());
  const Status outcome = getOnce(client, server.url());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Error::Kind::kIo);
  EXPECT_THAT(outcome.error().message, HasSubstr("503: SlowDown: too fast"));
  EXPECT_THAT(outcome.error().message, HasSubstr("gave up after 5 attempts"));
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
  EXPECT_THAT(outcome.error().message, HasSubstr("gave up after 5 attempts"));
}

TEST(HttpClient, NobodyListeningIsRetriedAndThenSaid) {
  const tests::waiting::ReservedPort nobodyListens;
  HttpClient client(quickOptions());
  const Status outcome = getOnce(client, nobodyListens.url());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Error::Kind::kIo);
  EXPECT_EQ(client.counts().retries, 4u);
}

// "Connection refused", and nobody saw that the address was a proxy's. Its password stays out of
// it.
TEST(HttpClient, AProxyOfTheEnvironmentIsNamedByItsVariable) {
  const waiting::ReservedPort proxy;
  ::setenv("http_proxy", ("http://user:password@" + proxy.address()).c_str(), 1);
  HttpClient client(quickOptions());
  const Status asked = getOnce(client, "http://vintage.example.org/");
  ::unsetenv("http_proxy");
  EXPECT_EQ(refusal(asked), Error::Kind::kIo);
  EXPECT_THAT(asked.error().message, HasSubstr("http_proxy in the environment names a proxy"));
  EXPECT_THAT(asked.error().message, testing::Not(HasSubstr("password")));
}

TEST(HttpClient, RetryAfterIsWaitedForByAllTransfers) {
  std::atomic<int> asked = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    return asked++ == 0 ? ScriptedReply{429, {"Retry-After: 1"}, ""} : ScriptedReply{200, {}, "x"};
  });
  TurnedClock clock;
  HttpOptions options = quickOptions();
  options.jobs = 1;
  options.clock = &clock;
  HttpClient client(options);
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
  EXPECT_GE(clock.turned(), std::chrono::seconds(1));
  EXPECT_LT(clock.turned(), std::chrono::seconds(2));
  EXPECT_EQ(asked, 4);
}

TEST(HttpClient, ARetryAfterThatIsTooLongEndsIt) {
  ScriptedServer server(
      [](const ScriptedRequest&) { return ScriptedReply{503, {"Retry-After: 86400"}, ""}; });
  HttpClient client(quickOptions());
  const Status outcome = getOnce(client, server.url());
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("asks for a pause of 86400.0 s"));
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
  HttpOptions options = quickOptions();
  options.stallTimeout = std::chrono::seconds(1);
  HttpClient client(options);
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
  std::mutex mutex;
  std::condition_variable changed;
  int now = 0, most = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    std::unique_lock lock(mutex);
    most = std::max(most, ++now);
    changed.notify_all();
    // The first waits for company.
    changed.wait(lock, [&] { return most >= 2; });
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
    return std::make_unique<SimpleExchange>("ask", std::move(request), "",
                                            [&](HttpResponse&) -> Result<HttpExchange::Next> {
                                              ++done;
                                              return HttpExchange::Next::kDone;
                                            });
  });
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(done, 200);
  EXPECT_LE(server.connections(), 4);
  EXPECT_LE(most, 4);
}

}  // namespace
}  // namespace vintage::tests
