// The service as a process: TLS, stopping, several processes, other clients.
#include <fstream>
#include <thread>

#include "tests/archive/service/running_service.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

class Transport : public ServiceTest {
 protected:
  std::string output(const std::string& command) {
    const std::string file = path("output");
    status_ = std::system((command + " >'" + file + "' 2>&1").c_str());
    return fileText(file);
  }
  static bool installed(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
  }
  int status_ = 0;
};

TEST_F(Transport, Tls) {
  if (!installed("openssl")) GTEST_SKIP() << "openssl makes the certificate";
  output(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
      "/CN=localhost "
      "-addext subjectAltName=IP:127.0.0.1 -keyout '" +
      path("key.pem") + "' -out '" + path("cert.pem") + "'");
  ASSERT_EQ(status_, 0);
  const auto bytes = content(1, 600'000, false);
  const ContentId id = must(open().put(sampleRecord("a", 1), bytes, nullptr));
  RunningService service(archive_, {"--certificate", path("cert.pem"), "--key", path("key.pem")});
  ASSERT_TRUE(service.url().starts_with("https://"));
  Client client(service.url(), token(Role::kRead));
  EXPECT_EQ(client.get("/healthz").code, CURLE_PEER_FAILED_VERIFICATION);
  client.trustedCertificate = path("cert.pem");
  EXPECT_TRUE(client.get("/v1/blobs/" + id).body == text(bytes));
  EXPECT_EQ(client.get("/v1/artifacts").status, 200);
  // Plain text on the port of TLS ends the connection, nothing else.
  RawConnection plain(service.port());
  plain.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(plain.readAll().find("HTTP/1.1 200"), std::string::npos);
  EXPECT_EQ(client.get("/healthz").status, 200);
  EXPECT_EQ(service.end(SIGTERM), 0);
}

// It served every address of the machine in plain text, tokens and all, without a word.
TEST_F(Transport, AServiceWithoutTlsThatOthersReachSaysSo) {
  const auto said = [&](const std::string& listen, const std::string& errors) {
    RunningService service(archive_, {"--listen", listen}, path(errors));
    EXPECT_EQ(service.end(SIGTERM), 0);
    return output("cat '" + path(errors) + "'");
  };
  EXPECT_NE(said("0.0.0.0:0", "all").find("there is no TLS"), std::string::npos);
  EXPECT_EQ(said("127.0.0.1:0", "own").find("TLS"), std::string::npos);
}

TEST_F(Transport, WhatCannotBeServedIsRefusedAtTheStart) {
  const std::string serve =
      "'" VINTAGE_BINARY "/bin/vintage' serve --listen 127.0.0.1:0 --archive ";
  const auto listenAt = [&](const std::string& place) {
    return "'" VINTAGE_BINARY "/bin/vintage' serve --archive " + archive_ + " --listen " + place;
  };
  const std::pair<std::string, int> cases[] = {
      {serve + path("nothing"), 2},
      {serve + archive_ + " --certificate " + path("none.pem") + " --key " + path("none.pem"), 3},
      {serve + archive_ + " --certificate " + path("none.pem"), 2},
      {listenAt("127.0.0.1"), 2},
      {listenAt("127.0.0.1:99999"), 2},
      {listenAt("203.0.113.7:80"), 3},  // Nobody's address.
      {serve + archive_ + " --access-log " + path("no/such/folder"), 2},
  };
  for (const auto& [command, expected] : cases) {
    const std::string said = output("timeout 20 " + command);
    EXPECT_EQ(WEXITSTATUS(status_), expected) << command << "\n" << said;
    EXPECT_FALSE(said.empty());
  }
  // An archive of a newer format.
  std::ofstream(archive_ + "/VINTAGE_ARCHIVE") << "vintage archive, format 99\n";
  const std::string said = output("timeout 20 " + serve + archive_);
  EXPECT_EQ(WEXITSTATUS(status_), 3);
  EXPECT_NE(said.find("99"), std::string::npos) << said;
}

// A request that has begun is answered, an idle connection is closed, and no new one is accepted.
TEST_F(Transport, StopsGracefully) {
  RunningService service(archive_);
  RawConnection busy(service.port()), idle(service.port());
  const std::string body(200, 'x');
  busy.write("PUT /v1/blobs/" + contentHash(body) +
             " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
             "Authorization: Bearer " +
             token(Role::kPush) + "\r\nContent-Length: 200\r\n\r\n");
  EXPECT_EQ(busy.readUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  idle.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(idle.readUntil("}\n").find("200 OK"), std::string::npos);
  ::kill(service.process(), SIGTERM);
  EXPECT_EQ(idle.readAll(), "");
  EXPECT_TRUE(idle.closed());
  busy.write(body);
  const std::string answer = busy.readAll();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 201")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  EXPECT_EQ(service.end(SIGTERM), 0);
  EXPECT_TRUE(must(open().missing(std::vector{contentHash(body)})).empty());
}

// While eight clients write: each gets its answer or none, and every answer holds.
TEST_F(Transport, StopsGracefullyUnderLoad) {
  RunningService service(archive_);
  std::mutex mutex;
  std::vector<ContentId> acknowledged;
  std::vector<std::jthread> clients;
  for (uint64_t number = 0; number < 8; ++number)
    clients.emplace_back([&, number] {
      Client client(service.url(), token(Role::kPush));
      for (uint64_t seed = number * 100'000;; ++seed) {
        const std::string body = text(content(seed, 20'000, false));
        const ContentId id = contentHash(body);
        const Reply reply = client.send("PUT", "/v1/blobs/" + id, body);
        if (reply.code != CURLE_OK || reply.status == 503) return;
        EXPECT_EQ(reply.status, 201) << reply.body;
        const std::lock_guard lock(mutex);
        acknowledged.push_back(id);
      }
    });
  for (size_t kept = 0; kept < 100;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::lock_guard lock(mutex);
    kept = acknowledged.size();
  }
  EXPECT_EQ(service.end(SIGTERM), 0);
  clients.clear();
  EXPECT_TRUE(must(open().missing(acknowledged)).empty());
}

TEST_F(Transport, StopsAfterALimitWhoeverWaits) {
  RunningService service(archive_, {"--stop-seconds", "1"});
  RawConnection busy(service.port());
  busy.write("PUT /v1/blobs/" + std::string(64, 'a') +
             " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
             "Authorization: Bearer " +
             token(Role::kPush) + "\r\nContent-Length: 200\r\n\r\n");
  EXPECT_EQ(busy.readUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  busy.write("x");  // And nothing more: it would wait for ever.
  EXPECT_EQ(service.end(SIGTERM), 0);
}

TEST_F(Transport, SeveralProcessesServeOneArchive) {
  RunningService one(archive_), two(archive_);
  Client first(one.url(), token(Role::kPush)), second(two.url(), token(Role::kPush));
  for (int i = 0; i < 10; ++i) {
    const std::string bytes = "content " + std::to_string(i);
    EXPECT_EQ((i % 2 ? first : second).send("PUT", "/v1/blobs/" + contentHash(bytes), bytes).status,
              201);
    EXPECT_EQ((i % 2 ? second : first).get("/v1/blobs/" + contentHash(bytes)).body, bytes);
  }
  // An upload that one began goes on at the other.
  const std::string bytes = "in two parts";
  const Reply begun =
      first.post("/v1/uploads", {{"id", contentHash(bytes)}, {"bytes", bytes.size()}});
  const std::string place = begun.header("location");
  EXPECT_EQ(first.send("PATCH", place, bytes.substr(0, 5), {"Upload-Offset: 0"}).status, 204);
  EXPECT_EQ(second.send("PATCH", place, bytes.substr(5), {"Upload-Offset: 5"}).status, 201);
}

TEST_F(Transport, Curl) {
  if (!installed("curl")) GTEST_SKIP() << "curl is not installed";
  const auto bytes = content(1, 300'000, false);
  const ContentId id = must(open().put(sampleRecord("a", 1), bytes, nullptr));
  RunningService service(archive_);
  const std::string curl =
      "curl -sS --max-time 60 -H 'Authorization: Bearer " + token(Role::kPush) + "' ";
  const std::string blob = service.url() + "/v1/blobs/" + id;
  EXPECT_EQ(output(curl + "-f " + blob), text(bytes));
  // It goes on where a download was cut off.
  std::ofstream(path("part"), std::ios::binary) << text(bytes).substr(0, 123'456);
  output(curl + "-f -C - -o '" + path("part") + "' " + blob);
  EXPECT_EQ(fileText(path("part")), text(bytes));
  // A large body with its 100-continue, chunked, and one that is refused early.
  std::ofstream(path("up"), std::ios::binary) << std::string(3'000'000, 'u');
  const std::string up = service.url() + "/v1/blobs/" + contentHash(std::string(3'000'000, 'u'));
  EXPECT_EQ(output(curl + "-o /dev/null -w '%{http_code}' -T '" + path("up") + "' " + up), "201");
  EXPECT_EQ(
      output(curl + "-o /dev/null -w '%{http_code}' -T - -X PUT " + up + " <'" + path("up") + "'"),
      "200");
  EXPECT_EQ(output("curl -sS -o /dev/null -w '%{http_code}' -T '" + path("up") + "' " + up), "401");
  EXPECT_EQ(output(curl + "-o /dev/null -w '%{http_code} %{num_connects}\\n' " + blob + " " +
                   "-o /dev/null " + blob),
            "200 1\n200 0\n");
  EXPECT_EQ(output(curl + "-0 " + service.url() + "/v1/artifacts").find("\"end\":true") !=
                std::string::npos,
            true);
}

TEST_F(Transport, Wrk) {
  if (!installed("wrk")) GTEST_SKIP() << "wrk is not installed";
  const ContentId id = must(open().put(sampleRecord("a", 1), content(1, 4000), nullptr));
  RunningService service(archive_);
  const std::string said = output("wrk -t2 -c30 -d2s -H 'Authorization: Bearer " +
                                  token(Role::kRead) + "' " + service.url() + "/v1/blobs/" + id);
  EXPECT_NE(said.find("requests in"), std::string::npos) << said;
  EXPECT_EQ(said.find("Non-2xx"), std::string::npos) << said;
  EXPECT_EQ(said.find("Socket errors"), std::string::npos) << said;
}

}  // namespace
}  // namespace vintage::tests::service
