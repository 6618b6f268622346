// One content, continued after each interruption and checked, from a server that
// misbehaves on cue.
#include "archive/transfer/exchanges.h"

#include <fstream>

#include <gmock/gmock.h>

#include "golden/base/content_hash.h"
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

class Download : public FolderTest {
 protected:
  struct Outcome {
    Bytes bytes;
    std::optional<Error> lost;
  };
  // Downloads a content of `bytes`, and returns what arrives.
  Result<Outcome> download(const std::string& url, const ContentId& id, int64_t bytes,
                           HttpOptions options = quickOptions()) {
    HttpClient client(options);
    Outcome outcome;
    const Status status = client.perform(downloadContent(
        {url, {}, {id, bytes}, path("partial")},
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
    // Sends half of the rest each time, until little is left.
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
  EXPECT_EQ(asked, 3);  // The third answer is the whole, and nothing is before it.
}

// The size of a golden is not known before it is read: if it came from a bucket, a
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
  ScriptedServer endless(
      [&](const ScriptedRequest&) { return ScriptedReply{200, {}, whole + whole}; });
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
  EXPECT_EQ(asked, 3);
}

TEST_F(Download, WhatIsNotThereOrDamagedThereIsLostAtOnce) {
  const std::pair<int, const char*> cases[] = {
      {404, "<Error><Code>NoSuchKey</Code></Error>"},
      {500,
       R"({"error":{"kind":"damaged","message":"blob 12 is damaged","next":"push it again"}})"}};
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
}  // namespace vintage::tests
