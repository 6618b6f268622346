// Quotas of a token's bytes and requests. A token of the role push could fill the disk.
#include <gmock/gmock.h>

#include "archive/service/token_store.h"
#include "tests/archive/service/in_process.h"
#include "tests/archive/service/running_service.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;
using testing::HasSubstr;

class Quotas : public ServiceTest {
 protected:
  void serve() {
    service_.reset();
    ApplicationOptions options;
    options.folder = archive_;
    options.environment.clock = &clock_;
    service_ = must(Application::open(options));
  }
  std::string newToken(const std::string& name, const Quota& quota) {
    return must(makeToken(archive_, clock_, name, Role::kPush, std::nullopt, quota)).token;
  }
  Response put(const std::string& token, uint64_t seed, size_t size) {
    const std::string body = text(content(seed, size, false));
    return ask(token, "PUT", "/v1/blobs/" + contentHash(body), body,
               "Content-Type: application/octet-stream\r\n");
  }
  Response ask(const std::string& token, const std::string& method, const std::string& path,
               const std::string& body = "", const std::string& headers = "") {
    return std::move(answerBytes(*service_,
                                 method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + headers +
                                     "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                     body,
                                 "Bearer " + token)
                         .at(0));
  }
  static std::string header(const Response& response, const std::string& name) {
    for (const auto& [key, value] : response.headers)
      if (key == name) return value;
    return "";
  }

  TurnedClock clock_;
  std::unique_ptr<Application> service_;
};

TEST_F(Quotas, OfADayEndWithIt) {
  const std::string token = newToken("daily", {.bytesPerDay = 10'000});
  const std::string other = newToken("free", {});
  serve();
  EXPECT_EQ(put(token, 1, 6000).status, 201);
  const Response over = put(token, 2, 6000);
  EXPECT_EQ(over.status, 429);
  EXPECT_THAT(over.text, HasSubstr("may send bytes: 10000 a day (UTC); today it has 6000"));
  EXPECT_GT(std::stoi(header(over, "Retry-After")), 3600);
  EXPECT_EQ(put(token, 3, 4000).status, 201);  // A content within the quota is still accepted.
  EXPECT_EQ(put(other, 4, 20'000).status, 201);
  EXPECT_EQ(ask(token, "GET", "/v1/status").status, 200);  // Reading costs nothing.
  clock_.turn(std::chrono::days(1));
  EXPECT_EQ(put(token, 2, 6000).status, 201);
}

TEST_F(Quotas, InAllDoNotComeBack) {
  const std::string token = newToken("small", {.bytes = 10'000});
  serve();
  EXPECT_EQ(put(token, 1, 9000).status, 201);
  clock_.turn(std::chrono::days(400));
  const Response over = put(token, 2, 2000);
  EXPECT_EQ(over.status, 507);
  EXPECT_THAT(over.text, HasSubstr("may send 10000 bytes in all; it has sent 9000"));
  // Not by a new process either, nor by one beside it.
  serve();
  EXPECT_EQ(put(token, 2, 2000).status, 507);
  // A new token of that name begins anew.
  must(revokeToken(archive_, "small"));
  const std::string again = newToken("small", {.bytes = 10'000});
  serve();
  EXPECT_EQ(put(again, 2, 2000).status, 201);
}

TEST_F(Quotas, OfRequestsCountAllOfThem) {
  const std::string token = newToken("curious", {.requestsPerDay = 3});
  serve();
  for (int request = 0; request < 3; ++request)
    EXPECT_EQ(ask(token, "GET", "/v1/status").status, 200);
  EXPECT_EQ(ask(token, "GET", "/v1/status").status, 429);
  EXPECT_EQ(ask(token, "GET", "/healthz").status, 200);
}

// A file of a day that has not come, as a clock leaves it that was wrong once, was never that of
// today again: what the day had sent was added to nothing, and each flush forgot it.
TEST_F(Quotas, ADayThatHasNotComeEndsAtARestart) {
  const std::string token = newToken("daily", {.bytesPerDay = 10'000});
  serve();
  clock_.turn(std::chrono::days(400));
  EXPECT_EQ(put(token, 1, 4000).status, 201);
  must(service_->usage.flush());
  clock_.turn(-std::chrono::days(400));
  serve();
  EXPECT_EQ(put(token, 2, 6000).status, 201);
  must(service_->usage.flush());
  EXPECT_EQ(put(token, 3, 6000).status, 429);
  serve();
  EXPECT_EQ(put(token, 3, 6000).status, 429);
}

TEST_F(Quotas, TwoProcessesShareThem) {
  const std::string token = newToken("shared", {.bytes = 10'000});
  serve();
  EXPECT_EQ(put(token, 1, 6000).status, 201);
  must(service_->usage.flush());
  auto first = std::exchange(service_, nullptr);
  serve();
  EXPECT_EQ(put(token, 2, 6000).status, 507);
  EXPECT_EQ(put(token, 3, 3000).status, 201);
  must(service_->usage.flush());
  service_ = std::move(first);
  EXPECT_EQ(put(token, 4, 500).status, 201);
  must(service_->usage.flush());
  EXPECT_EQ(put(token, 5, 1000).status, 507);
}

// With the real program: a body without a length, uploads, and what the list of tokens says.
TEST_F(Quotas, AreShownAndHoldForEveryWayIn) {
  const tests::command::Sandbox sandbox;
  tests::command::Finished made =
      sandbox.run({"token", "add", "team", "--archive", archive_, "--role", "push",
                   "--bytes-per-day", "100000", "--bytes", "1MiB", "--requests-per-day", "1000"});
  ASSERT_EQ(made.status, 0) << made.err;
  while (made.out.ends_with('\n')) made.out.pop_back();
  RunningService service(archive_);
  Client client(service.url(), made.out);
  const std::string body = text(content(1, 60'000, false));
  EXPECT_EQ(client.send("PUT", "/v1/blobs/" + contentHash(body), body).status, 201);
  const std::string upload = text(content(2, 60'000, false));
  const std::string place =
      client.post("/v1/uploads", {{"id", contentHash(upload)}, {"bytes", upload.size()}})
          .header("location");
  ASSERT_NE(place, "");
  const Reply over = client.send("PATCH", place, upload,
                                 {"Upload-Offset: 0", "Content-Type: application/octet-stream"});
  EXPECT_EQ(over.status, 429) << over.body;
  const std::string push = std::string(50'000, 'x');
  EXPECT_EQ(
      client
          .send("POST", "/v1/push", push,
                {"Content-Type: application/vnd.vintage.frames", "Transfer-Encoding: chunked"})
          .status,
      429);
  service.end(SIGTERM);
  const auto listed = sandbox.run({"token", "list", "--archive", archive_});
  EXPECT_THAT(listed.out, HasSubstr("of 100000 bytes on "));
  EXPECT_THAT(listed.out, HasSubstr("of 1048576 bytes in all"));
  EXPECT_THAT(listed.out, HasSubstr("3 of 1000 requests on "));
}

}  // namespace
}  // namespace vintage::tests::service
