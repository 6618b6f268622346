// Random requests, a full disk and locked or damaged databases, in process.
#include <random>

#include <sqlite3.h>
#include <sys/resource.h>

#include "tests/archive/service/in_process.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

class InProcess : public ServiceTest {
 protected:
  std::unique_ptr<Application> application(ArchiveEnvironment environment = {}) {
    ApplicationOptions options;
    options.folder = archive_;
    options.environment = environment;
    options.anonymous = Role::kPush;
    return must(Application::open(options));
  }
  static std::string request(const std::string& method, const std::string& path,
                             const std::string& body) {
    return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + typeLine(method, path) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
};

// Pieces of requests in random order and with random damage: every answer is a
// status that the API knows, and an error always says what to do.
TEST_F(InProcess, RandomRequests) {
  const auto bytes = content(1, 400);
  const ContentId id = must(open().put(sampleRecord("a", 1), bytes, nullptr));
  auto service = application();
  std::mt19937_64 random(20261121);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  const auto pick = [&](const std::vector<std::string>& from) { return from[below(from.size())]; };
  std::vector<std::string> paths,
      methods{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "get", ""};
  for (const Route& route : routes()) {
    std::string path(route.path);
    if (const size_t brace = path.find('{'); brace != std::string::npos)
      path.replace(brace, path.find('}') - brace + 1, below(4) ? id : "x");
    paths.push_back(path);
  }
  const std::vector<std::string> queries{
      "", "", "?name=*", "?id=" + id.substr(0, 6), "?a=%", "?latest=false", "?lease=q", "?&&="};
  const std::vector<std::string> headers{"Range: bytes=0-9",
                                         "Range: bytes=9-0",
                                         "If-None-Match: *",
                                         "If-None-Match: \"" + id + "\"",
                                         "Content-Digest: sha-256=:" + std::string(43, 'A') + "=:",
                                         "Upload-Offset: 0",
                                         "Expect: 100-continue",
                                         "Content-Type: application/json",
                                         "Content-Type: text/html",
                                         "Authorization: Bearer x",
                                         "If-Range: \"" + id + "\"",
                                         "Connection: close",
                                         "Transfer-Encoding: chunked"};
  const std::vector<std::string> bodies{
      "",
      "{}",
      "[]",
      "{\"ids\":[\"" + id + "\"]}",
      "{\"nonce\":\"" + std::string(32, 'a') + "\",\"ids\":[\"" + id + "\"]}",
      "{\"id\":\"" + id + "\",\"bytes\":400}",
      "{\"id\":\"" + id + "\",\"name\":\"n\",\"producer\":\"p\"}",
      "{\"type\":\"end\"}\n",
      "{\"type\":\"content\",\"id\":\"" + id + "\",\"bytes\":400}\n" + text(bytes) +
          "{\"type\":\"end\",\"contents\":1}\n",
      "{\"type\":\"build\",\"record\":{\"name\":\"b\"}}\n{\"type\":\"end\",\"builds\":1}\n",
      "0\r\n\r\n",
      std::string(3000, '{')};
  size_t answered = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string input;
    for (size_t requests = 1 + below(3); requests > 0; --requests) {
      const std::string body = pick(bodies);
      input +=
          pick(methods) + " " + pick(paths) + pick(queries) + " HTTP/1.1\r\nHost: localhost\r\n";
      for (size_t more = below(3); more > 0; --more) input += pick(headers) + "\r\n";
      if (below(4))
        input += "Content-Length: " + std::to_string(below(8) ? body.size() : below(5000)) + "\r\n";
      input += "\r\n" + body;
    }
    for (size_t flips = below(4) ? 0 : below(6); flips > 0; --flips)
      input[below(input.size())] = static_cast<char>(random());
    if (below(6) == 0) input.resize(below(input.size()));
    for (const Response& response : answerBytes(*service, input)) {
      ++answered;
      EXPECT_EQ(responseHead({response, "", ""}).find("unknown"), std::string::npos);
      EXPECT_NE(response.status, 500) << input << response.text;
      if (response.status < 400) continue;
      const json body = json::parse(response.text, nullptr, false);
      ASSERT_TRUE(body.is_object()) << input;
      EXPECT_FALSE(body["error"]["message"].get<std::string>().empty());
      EXPECT_FALSE(body["error"]["next"].get<std::string>().empty());
    }
  }
  EXPECT_GT(answered, 1000u);
  EXPECT_TRUE(must(open().read(id)) == bytes);
}

TEST_F(InProcess, AFullDiskIs507AndNothingIsKept) {
  auto service = application();
  const std::string bytes = text(content(1, 300'000, false));
  rlimit before;
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100'000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  const std::string begin = request(
      "POST", "/v1/uploads", json{{"id", contentHash(bytes)}, {"bytes", bytes.size()}}.dump());
  const std::string place = "/v1/" + answerBytes(*service, begin).at(0).headers.at(0).second;
  std::string patch = request("PATCH", place, bytes);
  patch.insert(patch.find("\r\n") + 2, "Upload-Offset: 0\r\n");
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto put = answerBytes(*service, request("PUT", "/v1/blobs/" + contentHash(bytes), bytes));
  const auto patched = answerBytes(*service, patch);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(put.at(0).status, 507) << put.at(0).text;
  EXPECT_EQ(patched.at(0).status, 507) << patched.at(0).text;
  EXPECT_EQ(must(open().missing(std::vector{contentHash(bytes)})).size(), 1u);
  // With room again it goes through, from where it stands.
  EXPECT_EQ(answerBytes(*service, patch).at(0).status, 201);
}

TEST_F(InProcess, ALockedDatabaseIs503) {
  ArchiveEnvironment environment;
  environment.busyTimeoutMilliseconds = 50;
  auto service = application(environment);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((archive_ + "/index.sqlite").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto locked = answerBytes(*service, request("PUT", "/v1/blobs/" + contentHash("x"), "x"));
  EXPECT_EQ(locked.at(0).status, 503) << locked.at(0).text;
  EXPECT_EQ(locked.at(0).headers.at(0),
            (std::pair<std::string_view, std::string>("Retry-After", "1")));
  EXPECT_EQ(answerBytes(*service, request("GET", "/healthz", "")).at(0).status, 200);
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  EXPECT_EQ(
      answerBytes(*service, request("PUT", "/v1/blobs/" + contentHash("x"), "x")).at(0).status,
      201);
  // Migrated by a newer Vintage while it was served: new connections refuse it.
  sqlite3_exec(other, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  ApplicationOptions options;
  options.folder = archive_;
  const auto newer = Application::open(options);
  ASSERT_FALSE(newer);
  EXPECT_EQ(Problem(newer.error()).status, 503);
}

// A service that was running while a newer Vintage migrated its archive went on to
// write into it by the rules of the older format, and answered 201.
TEST_F(InProcess, AnArchiveThatWasMigratedMeanwhileIs503) {
  TurnedClock clock;
  ArchiveEnvironment environment;
  environment.clock = &clock;
  auto service = application(environment);
  const std::string put = request("PUT", "/v1/blobs/" + contentHash("x"), "x");
  const std::string list = request("GET", "/v1/artifacts/" + contentHash("y"), "");
  EXPECT_EQ(answerBytes(*service, list).at(0).status, 404);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((archive_ + "/index.sqlite").c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  clock.turn(std::chrono::milliseconds(150));  // It looks now and then.
  for (const std::string& asked : {put, list, request("GET", "/healthz", "")}) {
    const Response refused = answerBytes(*service, asked).at(0);
    EXPECT_EQ(refused.status, 503) << refused.text;
    EXPECT_NE(refused.text.find("\"unavailable\""), std::string::npos) << refused.text;
    EXPECT_NE(refused.text.find("99"), std::string::npos) << refused.text;
  }
}

TEST_F(InProcess, ADamagedDatabaseIs500) {
  must(open().put(sampleRecord("a", 1), content(1, 400), nullptr));
  auto service = application();
  std::FILE* file = std::fopen((archive_ + "/index.sqlite").c_str(), "r+b");
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  for (long at = 4096; at < size; at += 64) {
    std::fseek(file, at, SEEK_SET);
    std::fputs("damage damage damage damage", file);
  }
  std::fclose(file);
  // A second service has read nothing of it before.
  ApplicationOptions options;
  options.folder = archive_;
  options.anonymous = Role::kRead;
  auto fresh = Application::open(options);
  if (!fresh) {
    EXPECT_EQ(fresh.error().kind, Error::Kind::kBadInput);
    return;
  }
  const auto answer =
      answerBytes(**fresh, request("GET", "/v1/artifacts/" + std::string(64, 'a'), ""));
  EXPECT_EQ(answer.at(0).status, 500) << answer.at(0).text;
}

TEST_F(InProcess, AnExpiredTokenSaysSo) {
  TurnedClock clock;
  const std::string ended = must(makeToken(archive_, clock, "short", Role::kRead, 2)).token;
  ApplicationOptions options;
  options.folder = archive_;
  options.environment.clock = &clock;
  auto service = must(Application::open(options));
  const auto ask = [&] {
    return answerBytes(*service, request("GET", "/v1/status", ""), "Bearer " + ended).at(0);
  };
  EXPECT_EQ(ask().status, 200);
  clock.turn(std::chrono::days(2) - std::chrono::seconds(1));
  EXPECT_EQ(ask().status, 200);
  clock.turn(std::chrono::seconds(1));
  EXPECT_EQ(ask().status, 401);
  EXPECT_NE(ask().text.find("ended at 2026-03-03T00:00:00Z"), std::string::npos) << ask().text;
}

}  // namespace
}  // namespace vintage::tests::service
