// The answers to bad requests: the status, the kind, a message and what to do next. Afterwards the
// archive is unchanged.

#include "archive/service/request_values.h"
#include "tests/archive/service/local_server.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

class BadInput : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    id_ = must(open().put(sampleRecord("kept", 1), content(1, 500), nullptr));
  }
  ContentId id_;
};

TEST_F(BadInput, Table) {
  RunningService service(archive_, {"--largest-push", "100000", "--largest-upload", "1000000"});
  const std::string none(64, '0');
  const std::string lines = "Content-Type: application/x-ndjson";
  struct Case {
    Role role;
    const char* method;
    std::string path;
    std::optional<std::string> body;
    std::vector<std::string> headers;
    const char* problem;
  };
  const auto kNobody = Role::kNone, kRead = Role::kRead, kPush = Role::kPush, kAdmin = Role::kAdmin;
  const std::optional<std::string> no;
  const auto bearer = [](const std::string& token) {
    return std::vector<std::string>{"Authorization: Bearer " + token};
  };
  const Case cases[] = {
      // The caller's identity.
      {kNobody, "GET", "/v1/artifacts", no, {}, "401 unauthorized"},
      {kNobody, "GET", "/v1/artifacts", no, bearer("vintage_wrong"), "401 unauthorized"},
      {kNobody, "GET", "/v1/artifacts", no, {"Authorization: Basic eDp5"}, "401 unauthorized"},
      {kNobody, "GET", "/v1/artifacts", no, {"Authorization: Bearer"}, "401 unauthorized"},
      {kNobody, "GET", "/metrics", no, {}, "401 unauthorized"},
      {kRead, "PUT", "/v1/blobs/" + none, "x", {}, "403 forbidden"},
      {kRead, "POST", "/v1/push", "x", {}, "403 forbidden"},
      {kRead, "POST", "/v1/have", R"({"ids":[],"lease":"x"})", {}, "403 forbidden"},
      {kPush, "GET", "/v1/tokens", no, {}, "403 forbidden"},
      // Paths.
      {kAdmin, "POST", "/", no, {}, "405 method_not_allowed"},
      {kAdmin, "GET", "//", no, {}, "404 not_found"},
      {kAdmin, "GET", "/dashboard/none.js", no, {}, "404 not_found"},
      {kRead, "GET", "/v1/dashboard/none", no, {}, "404 not_found"},
      {kRead, "GET", "/v1/dashboard/column", no, {}, "400 bad_request"},
      {kRead, "GET", "/v1/dashboard/column?build=none", no, {}, "404 not_found"},
      {kRead, "GET", "/v1/dashboard/overview?build=none", no, {}, "400 bad_request"},
      {kAdmin, "GET", "/v2/artifacts", no, {}, "404 not_found"},
      {kAdmin, "GET", "/v1/blobs/", no, {}, "404 not_found"},
      {kAdmin, "GET", "/v1/artifacts/", no, {}, "404 not_found"},
      {kAdmin, "GET", "/v1/blobs/" + none, no, {}, "404 not_found"},
      {kAdmin, "GET", "/v1/blobs/" + none + "/..", no, {}, "404 not_found"},
      {kAdmin, "GET", "/v1/../../../etc/passwd", no, {}, "404 not_found"},
      {kAdmin, "GET", "/v1/blobs/..%2f..%2findex.sqlite", no, {}, "400 bad_request"},
      {kAdmin, "GET", "/v1/blobs/%00" + none, no, {}, "400 bad_request"},
      {kAdmin, "GET", "/v1/blobs/" + std::string(64, 'A'), no, {}, "400 bad_request"},
      {kAdmin, "GET", "/v1/blobs/" + std::string(63, 'a'), no, {}, "400 bad_request"},
      {kAdmin, "GET", "/v1/blobs/%", no, {}, "400 bad_request"},
      {kAdmin, "GET", "/v1/blobs/%zz", no, {}, "400 bad_request"},
      {kAdmin, "GET", "/v1/uploads/..", no, {}, "404 not_found"},
      {kAdmin, "GET", "/v1/uploads/%2e%2e%2ftokens", no, {}, "404 not_found"},
      {kAdmin, "GET", "/v1/runs/none", no, {}, "404 not_found"},
      {kAdmin, "DELETE", "/v1/artifacts", no, {}, "405 method_not_allowed"},
      {kAdmin, "BREW", "/v1/artifacts", no, {}, "405 method_not_allowed"},
      {kAdmin, "GET", "/v1/artifacts?name=" + std::string(9000, 'x'), no, {}, "414 uri_too_long"},
      // Parameters.
      {kRead, "GET", "/v1/artifacts?primitve=add", no, {}, "400 bad_request"},
      {kRead, "GET", "/v1/artifacts?built_from=2026-02-30", no, {}, "400 bad_request"},
      {kRead, "GET", "/v1/artifacts?oldest_calling_convention=-1", no, {}, "400 bad_request"},
      {kRead, "GET", "/v1/artifacts?id=ab", no, {}, "400 bad_request"},
      {kRead, "GET", "/v1/artifacts?id=zzzz", no, {}, "400 bad_request"},
      {kRead, "GET", "/v1/outcomes?outcome=good", no, {}, "400 bad_request"},
      {kRead, "GET", "/v1/outcomes?latest=maybe", no, {}, "400 bad_request"},
      {kRead, "GET", "/v1/outcomes?artifact=abcd", no, {}, "400 bad_request"},
      // Bodies.
      {kPush, "PUT", "/v1/blobs/" + none, "x", {}, "422 checksum_mismatch"},
      {kPush, "PUT", "/v1/blobs/" + std::string("x"), "x", {}, "400 bad_request"},
      {kPush, "PUT", "/v1/blobs/" + contentHash("x") + "?lease=none", "x", {}, "404 not_found"},
      {kPush,
       "PUT",
       "/v1/blobs/" + contentHash("x"),
       "x",
       {"Content-Digest: sha-256=:AAAA:"},
       "400 bad_request"},
      {kPush,
       "PUT",
       "/v1/blobs/" + contentHash("x"),
       "x",
       {"Content-Digest: " + digestField(none)},
       "422 checksum_mismatch"},
      {kPush,
       "PUT",
       "/v1/blobs/" + contentHash("x"),
       "x",
       {"Content-Type: text/plain"},
       "415 unsupported_media_type"},
      {kPush,
       "PUT",
       "/v1/blobs/" + contentHash("x"),
       "x",
       {"Expect: a miracle"},
       "417 expectation_failed"},
      {kPush, "PUT", "/v1/blobs/" + none, std::string(100'001, 'x'), {}, "413 too_large"},
      {kPush,
       "PUT",
       "/v1/blobs/" + none,
       std::string(100'001, 'x'),
       {"Transfer-Encoding: chunked"},
       "413 too_large"},
      {kPush, "GET", "/v1/blobs/" + none, "x", {}, "400 bad_request"},
      {kPush, "POST", "/v1/uploads", R"({"id":"..","bytes":1})", {}, "400 bad_request"},
      {kPush, "POST", "/v1/uploads", "{\"id\":\"" + none + "\"}", {}, "422 invalid"},
      {kPush, "POST", "/v1/uploads", "{\"id\":\"" + none + "\",\"bytes\":-1}", {}, "422 invalid"},
      {kPush,
       "POST",
       "/v1/uploads",
       "{\"id\":\"" + none + "\",\"bytes\":1000001}",
       {},
       "413 too_large"},
      {kPush,
       "POST",
       "/v1/uploads",
       "{\"id\":\"" + none + "\",\"bytes\":18446744073709551615}",
       {},
       "422 invalid"},
      {kPush,
       "POST",
       "/v1/uploads",
       "{\"id\":\"" + none + "\",\"bytes\":1,\"lease\":\"gone\"}",
       {},
       "404 not_found"},
      {kPush, "PATCH", "/v1/uploads/" + none, "x", {"Upload-Offset: 0"}, "404 not_found"},
      {kPush, "PATCH", "/v1/uploads/" + none, "x", {"Upload-Offset: -1"}, "400 bad_request"},
      {kPush,
       "PATCH",
       "/v1/uploads/" + none,
       "x",
       {"Upload-Offset: 0", "Transfer-Encoding: chunked"},
       "411 length_required"},
      {kRead, "POST", "/v1/have", "", {}, "200"},
      {kRead, "POST", "/v1/have", "[]", {}, "400 bad_request"},
      {kRead, "POST", "/v1/have", "{", {}, "400 bad_request"},
      {kRead, "POST", "/v1/have", std::string(200'000, '['), {}, "400 bad_request"},
      {kRead, "POST", "/v1/have", "{\"ids\":\"x\"}", {}, "422 invalid"},
      {kRead, "POST", "/v1/have", "{\"ids\":[1]}", {}, "422 invalid"},
      {kRead, "POST", "/v1/have", "{\"ids\":[\"\\u0000\"]}", {}, "400 bad_request"},
      {kRead, "POST", "/v1/proofs", "{\"nonce\":\"00\",\"ids\":[]}", {}, "422 invalid"},
      {kRead,
       "POST",
       "/v1/proofs",
       "{\"nonce\":\"" + std::string(32, 'Z') + "\",\"ids\":[]}",
       {},
       "422 invalid"},
      {kPush, "POST", "/v1/leases", "{\"seconds\":0}", {}, "422 invalid"},
      {kPush, "POST", "/v1/leases", "{\"seconds\":1e3}", {}, "422 invalid"},
      {kPush, "PUT", "/v1/leases/none", "{}", {}, "404 not_found"},
      {kPush, "POST", "/v1/artifacts", "", {lines}, "400 bad_request"},
      {kPush, "POST", "/v1/artifacts", "{}\nx", {lines}, "400 bad_request"},
      {kPush,
       "POST",
       "/v1/artifacts",
       "{\"id\":\"" + none + "\",\"name\":\"n\",\"producer\":\"p\"}",
       {lines},
       "409 missing_content"},
      {kPush,
       "POST",
       "/v1/artifacts",
       "{\"id\":\"x\",\"name\":\"n\",\"producer\":\"p\"}",
       {lines},
       "422 invalid"},
      {kPush,
       "POST",
       "/v1/artifacts",
       "{\"id\":\"" + id_ + "\",\"name\":\"" + std::string(5000, 'n') + "\",\"producer\":\"p\"}",
       {lines},
       "422 invalid"},
      {kPush,
       "POST",
       "/v1/artifacts",
       "{\"id\":\"" + id_ + "\",\"name\":\"a\\nb\",\"producer\":\"p\"}",
       {lines},
       "422 invalid"},
      {kPush,
       "POST",
       "/v1/artifacts",
       "{\"id\":\"" + id_ + "\",\"device_count\":99999999999}",
       {lines},
       "422 invalid"},
      {kPush, "POST", "/v1/artifacts", "{\"dtypes\":\"f32\"}", {lines}, "422 invalid"},
      {kPush, "POST", "/v1/artifacts", "{\"build_date\":\"tomorrow\"}", {lines}, "422 invalid"},
      {kPush, "POST", "/v1/artifacts", "{\"name\":\"\xff\"}", {lines}, "400 bad_request"},
      {kPush, "POST", "/v1/builds", "{\"version\":\"1\"}", {lines}, "422 invalid"},
      {kPush, "POST", "/v1/runs", "{\"verdict\":\"no json\"}", {lines}, "422 invalid"},
      {kPush, "POST", "/v1/outcomes", "{\"outcome\":\"fine\"}", {lines}, "422 invalid"},
      {kPush, "POST", "/v1/artifacts", std::string(5 << 20, ' '), {lines}, "413 too_large"},
      {kAdmin, "POST", "/v1/tokens", R"({"name":"../x","role":"read"})", {}, "422 invalid"},
      {kAdmin, "POST", "/v1/tokens", R"({"name":"x","role":"king"})", {}, "422 invalid"},
      {kAdmin, "POST", "/v1/tokens", R"({"name":"read","role":"read"})", {}, "409 conflict"},
      {kAdmin, "POST", "/v1/tokens", R"({"name":"x","role":"read","days":0})", {}, "422 invalid"},
      {kAdmin, "DELETE", "/v1/tokens/nobody", no, {}, "404 not_found"},
  };
  for (const Case& each : cases) {
    Client client(service.url(), each.role == kNobody ? "" : token(each.role));
    const Reply reply = client.send(each.method, each.path, each.body, each.headers);
    EXPECT_EQ(reply.problem(), each.problem) << each.method << " " << each.path.substr(0, 100)
                                             << " " << each.body.value_or("").substr(0, 80) << "\n"
                                             << reply.body.substr(0, 300);
    EXPECT_EQ(reply.status >= 400, reply.json().contains("error"));
  }
  Archive archive = open();
  EXPECT_EQ(must(archive.list({})).size(), 1u);
  EXPECT_TRUE(must(archive.builds()).empty());
  EXPECT_TRUE(must(archive.runs()).empty());
  EXPECT_EQ(must(archive.missing(std::vector{contentHash("x")})).size(), 1u);
  EXPECT_EQ(must(readTokens(archive_)).size(), 4u);
}

// Requests that no library would send.
TEST_F(BadInput, Wire) {
  RunningService service(archive_);
  const std::string auth = "Authorization: Bearer " + token(Role::kPush) + "\r\n";
  const std::string put = "PUT /v1/blobs/" + contentHash("abc") + " HTTP/1.1\r\nHost: x\r\n" + auth;
  const std::pair<std::string, const char*> cases[] = {
      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "HTTP/1.1 400"},
      {"GET /healthz\r\n\r\n", "HTTP/1.1 400"},
      {"GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n", "HTTP/1.1 400"},
      {"GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 400"},  // No Host.
      {"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400"},
      {"GET healthz HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400"},
      {"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n", "HTTP/1.1 400"},
      {"GET /healthz HTTP/1.1\r\nHost: x\r\nBad\x01Name: y\r\n\r\n", "HTTP/1.1 400"},
      {"GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + std::string(20'000, 'a') + "\r\n\r\n",
       "HTTP/1.1 431"},
      {"GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 431"},
      {put + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "HTTP/1.1 400"},
      {put + "Content-Length: -3\r\n\r\nabc", "HTTP/1.1 400"},
      {put + "Content-Length: 99999999999999999999\r\n\r\nabc", "HTTP/1.1 400"},
      {put + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
       "HTTP/1.1 400"},
      {put + "Transfer-Encoding: gzip\r\n\r\nabc", "HTTP/1.1 400"},
      {put + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n", "HTTP/1.1 400"},
      {put + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc", "HTTP/1.1 400"},
      {put + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "HTTP/1.1 201"},
      {put + "Content-Length: 5\r\n\r\nabc", "HTTP/1.1 400"},  // Cut short.
      {put + "Content-Length: 3\r\n\r\nabcGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
       "HTTP/1.1 200"},
      {"GET /healthz HTTP/1.0\r\n\r\n", "HTTP/1.1 200"},
      {"GET http://anything/healthz HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200"},
  };
  for (const auto& [bytes, expected] : cases) {
    RawConnection connection(service.port());
    connection.write(bytes);
    connection.endWriting();
    const std::string answer = connection.readAll();
    EXPECT_TRUE(answer.starts_with(expected))
        << bytes.substr(0, 120) << "\n-> " << answer.substr(0, 200);
  }
  EXPECT_EQ(Client(service.url()).get("/healthz").status, 200);
}

TEST_F(BadInput, WhoIsSlowIsCutOff) {
  using std::chrono::seconds;
  LocalServer service(archive_);
  RawConnection head(service.port()), body(service.port()), idle(service.port());
  head.write("GET /healthz HTTP/1.1\r\nHo");
  body.write("PUT /v1/blobs/" + contentHash("abc") +
             " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token(Role::kPush) +
             "\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(body.readUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  body.write("a");
  // A byte now and then does not help. None comes close to the end of the patience: what arrives at
  // a socket that the service has closed resets the connection, and under load took the answer with
  // it.
  for (seconds turned{0}; turned < ServerOptions().graceTime / 2; ++turned) {
    head.write("x");
    service.turn(seconds(1));
  }
  while (!head.readable()) service.turn(seconds(1));
  EXPECT_TRUE(head.readAll().starts_with("HTTP/1.1 408"));
  while (!body.readable()) service.turn(seconds(1));
  EXPECT_TRUE(body.readAll().starts_with("HTTP/1.1 408"));
  while (!idle.readable()) service.turn(seconds(1));
  EXPECT_EQ(idle.readAll(), "");
  EXPECT_TRUE(idle.closed());
  EXPECT_EQ(Client(service.url()).get("/healthz").status, 200);
}

TEST_F(BadInput, TooManyRequestsOfAToken) {
  Limits limits;
  limits.requestsPerSecond = 1;
  LocalServer service(archive_, {}, limits);
  Client client(service.url(), token(Role::kRead)), other(service.url(), token(Role::kPush));
  int refused = 0;
  Reply last;
  for (int i = 0; i < 30; ++i) {
    const Reply reply = client.get("/v1/status");
    if (reply.status == 429) {
      ++refused;
      last = reply;
    }
  }
  EXPECT_EQ(refused, 20);  // Ten are allowed at once.
  EXPECT_EQ(last.problem(), "429 too_many_requests");
  EXPECT_EQ(last.header("retry-after"), "2");
  service.turn(std::chrono::seconds(2));
  EXPECT_EQ(client.get("/v1/status").status, 200);
  EXPECT_EQ(other.get("/v1/status").status, 200);
  EXPECT_EQ(client.get("/healthz").status, 200);
}

TEST_F(BadInput, TokensThatAreRevokedOrBroken) {
  LocalServer service(archive_);
  Client client(service.url(), token(Role::kRead));
  EXPECT_EQ(client.get("/v1/status").status, 200);
  Client admin(service.url(), token(Role::kAdmin));
  const json made =
      admin.post("/v1/tokens", {{"name", "new"}, {"role", "read"}, {"days", 1}}).json();
  EXPECT_EQ(admin.send("DELETE", "/v1/tokens/read").status, 204);
  EXPECT_EQ(admin.get("/v1/tokens").body.find(made["token"]), std::string::npos);
  service.turn(std::chrono::seconds(1));
  EXPECT_EQ(client.get("/v1/status").problem(), "401 unauthorized");
  EXPECT_EQ(Client(service.url(), made["token"]).get("/v1/status").status, 200);
  // A list that cannot be read lets nobody in.
  std::filesystem::resize_file(archive_ + "/service/tokens.json", 20);
  service.turn(std::chrono::seconds(1));
  EXPECT_EQ(admin.get("/v1/status").status, 500);
  // It said that the service was well, while every token got 500.
  EXPECT_EQ(admin.get("/healthz").status, 503);
  EXPECT_EQ(admin.get("/readyz").status, 503);
  EXPECT_EQ(admin.get("/livez").status, 200);
}

}  // namespace
}  // namespace vintage::tests::service
