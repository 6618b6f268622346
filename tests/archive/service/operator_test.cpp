// Faults that operators of other services reported: refusals that clients never saw, reasons that
// only they saw, files that stop a server for ever.
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>

#include <gmock/gmock.h>

#include "archive/service/routes.h"
#include "archive/service/upload_store.h"
#include "archive/store/collect.h"
#include "archive/store/record_json.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/service/local_server.h"
#include "tests/archive/service/running_service.h"
#include "tests/archive/service/self_signed.h"
#include "tests/golden/base/texts.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Operator : public ServiceTest {
 protected:
  std::string as(Role role) const { return "Authorization: Bearer " + token(role) + "\r\n"; }
};

// 1 MiB was read of what a refused client went on sending: it saw a reset connection.
TEST_F(Operator, AClientThatSendsAllBeforeItReadsSeesTheRefusal) {
  RunningService service(archive_);
  const std::string body(50 << 20, 'b');
  for (const char* authorization : {"Authorization: Bearer vintage_unknown\r\n", ""}) {
    RawConnection connection(service.port());
    ASSERT_TRUE(connection.write("PUT /v1/blobs/" + contentHash(body) + " HTTP/1.1\r\nHost: x\r\n" +
                                 authorization + "Content-Length: " + std::to_string(body.size()) +
                                 "\r\n\r\n"));
    EXPECT_TRUE(connection.write(body));
    EXPECT_THAT(connection.readAll(), StartsWith("HTTP/1.1 401"));
  }
  // A body that is too large by its stated length, too.
  RawConnection connection(service.port());
  connection.write("PUT /v1/blobs/" + contentHash(body) + " HTTP/1.1\r\nHost: x\r\n" +
                   as(Role::kPush) + "Content-Length: 500000000000\r\n\r\n");
  connection.write(body);
  connection.endWriting();
  EXPECT_THAT(connection.readAll(), StartsWith("HTTP/1.1 413"));
}

TEST_F(Operator, AServerThatStopsDoesNotWaitForARefusedBody) {
  RunningService service(archive_);
  RawConnection connection(service.port());
  connection.write("PUT /v1/blobs/" + contentHash("x") +
                   " HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n");
  connection.readUntil("\r\n\r\n");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(service.end(SIGTERM), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

TEST_F(Operator, HeadAnswersWhereverGetDoes) {
  const auto id = must(open().put(sampleRecord("a", 1), content(1, 400), nullptr));
  RunningService service(archive_);
  Client client(service.url(), token(Role::kAdmin));
  int compared = 0;
  for (const Route& route : routes()) {
    if (route.method != "GET") continue;
    std::string path(route.path);
    for (size_t brace; (brace = path.find('{')) != std::string::npos;)
      path.replace(brace, path.find('}') - brace + 1, id);
    const Reply got = client.get(path), looked = client.send("HEAD", path);
    EXPECT_EQ(looked.status, got.status) << path;
    EXPECT_EQ(looked.body, "") << path;
    EXPECT_EQ(looked.header("content-type"), got.header("content-type")) << path;
    ++compared;
  }
  EXPECT_GT(compared, 20);
  EXPECT_THAT(client.send("DELETE", "/v1/status").header("allow"), HasSubstr("HEAD"));
}

// "/v1/uploads/…" named no upload where a proxy serves the archive at /vintage/.
TEST_F(Operator, LocationsHoldBehindAPrefix) {
  RunningService service(archive_);
  Client client(service.url(), token(Role::kPush));
  const std::string bytes = "twelve bytes";
  const Reply begun =
      client.post("/v1/uploads", {{"id", contentHash(bytes)}, {"bytes", bytes.size()}});
  ASSERT_EQ(begun.status, 201);
  const std::string upload = begun.header("location");
  EXPECT_THAT(upload, StartsWith("/v1/uploads/"));
  EXPECT_EQ(resolved("/vintage/v1/uploads", "uploads/1"), "/vintage/v1/uploads/1");
  // As it is sent.
  RawConnection connection(service.port());
  const std::string body = R"({"id":")" + contentHash("abc") + R"(","bytes":3})";
  connection.write("POST /v1/uploads HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" +
                   as(Role::kPush) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                   body);
  EXPECT_THAT(connection.readAll(), HasSubstr("\r\nLocation: uploads/"));
  const Reply done = client.send("PATCH", upload, bytes, {"Upload-Offset: 0"});
  ASSERT_EQ(done.status, 201) << done.body;
  EXPECT_EQ(done.header("location"), "/v1/blobs/" + contentHash(bytes));
}

// The reason of a 500 was in the client's answer alone.
TEST_F(Operator, ReadsWhyARequestFailedAndOnce) {
  const auto id = must(open().put(sampleRecord("a", 1), content(1, 300'000, false), nullptr));
  std::filesystem::resize_file(archive_ + "/blobs/" + id.substr(0, 2) + "/" + id + ".zst", 1000);
  LocalServer service(archive_);
  Client client(service.url(), token(Role::kRead));
  for (int time = 0; time < 3; ++time) EXPECT_EQ(client.get("/v1/blobs/" + id).status, 500);
  EXPECT_EQ(std::ranges::count_if(service.said(),
                                  [&](const std::string& line) {
                                    return line.find(id) != std::string::npos &&
                                           line.find("GET /v1/blobs/") != std::string::npos;
                                  }),
            1);
  std::ofstream(archive_ + "/service/tokens.json") << "no JSON";
  service.turn(std::chrono::seconds(2));
  EXPECT_EQ(client.get("/v1/status").status, 500);
  EXPECT_THAT(service.said(), Contains(HasSubstr("tokens.json: is not a list of tokens")));
  // A probe said "ok" where no token worked.
  EXPECT_EQ(client.get("/healthz").status, 503);
}

// Restored by an earlier version they were the group's to write.
TEST_F(Operator, TokensThatOthersMayWriteAreNotBelieved) {
  for (const char* name : {"service/tokens.json", "service"}) {
    const std::string place = archive_ + "/" + name;
    struct stat before{};
    ASSERT_EQ(::stat(place.c_str(), &before), 0);
    ASSERT_EQ(::chmod(place.c_str(), before.st_mode | S_IWGRP), 0);
    const auto tokens = readTokens(archive_);
    EXPECT_EQ(refusal(tokens), Error::Kind::kBadInput);
    EXPECT_THAT(tokens.error().message, HasSubstr("others than its owner may write it"));
    ::chmod(place.c_str(), before.st_mode & 07777);
    must(readTokens(archive_));
  }
}

TEST_F(Operator, FifosAndEmptyFilesAreNamedAndStopNobody) {
  const SelfSigned good = SelfSigned::make(1, 60);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
  };
  const auto startWith = [&](const std::string& certificate) {
    ServerOptions options;
    options.tls = {path(certificate), path("key.pem")};
    ApplicationOptions served;
    served.folder = archive_;
    const auto application = must(Application::open(served));
    const auto log = must(AccessLog::open(""));
    const auto server = Server::start(options, *application, *log);
    return server ? std::string("started") : server.error().message;
  };
  write("key.pem", good.key);
  write("empty.pem", "");
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(startWith("fifo"), HasSubstr("fifo: not a regular file"));
  EXPECT_THAT(startWith("empty.pem"), HasSubstr("empty.pem: is empty"));
  EXPECT_THAT(AccessLog::open(path("fifo")).error().message, HasSubstr("FIFO that nobody reads"));
  // One that takes the certificate's place later.
  write("cert.pem", good.certificate);
  RunningService service(archive_, {"--certificate", path("cert.pem"), "--key", path("key.pem")});
  std::filesystem::rename(path("fifo"), path("cert.pem"));
  ::kill(service.process(), SIGHUP);
  EXPECT_EQ(service.end(SIGTERM), 0);
}

TEST_F(Operator, AnAddressOfAnotherMachineIsNoQuestionOfThePort) {
  ApplicationOptions served;
  served.folder = archive_;
  const auto application = must(Application::open(served));
  const auto log = must(AccessLog::open(""));
  ServerOptions options;
  options.address = "192.0.2.1";
  EXPECT_THAT(Server::start(options, *application, *log).error().message,
              HasSubstr("this machine has no such address"));
}

// A content that was uploaded by itself stayed leased for an hour, and nothing could remove it.
TEST_F(Operator, AnUploadIsLeasedUntilItIsRegistered) {
  RunningService service(archive_);
  Client client(service.url(), token(Role::kPush));
  const std::string bytes(300'000, 'u');
  ArtifactRecord record = sampleRecord("uploaded");
  record.id = contentHash(bytes);
  ASSERT_EQ(
      client
          .send("PUT", "/v1/blobs/" + record.id, bytes, {"Content-Type: application/octet-stream"})
          .status,
      201);
  {
    Archive archive = open();
    must(collectGarbage(archive));
    EXPECT_EQ(must(archive.missing(std::span(&record.id, 1))).size(), 0u);
  }
  EXPECT_EQ(client.post("/v1/artifacts", recordJson(record)).status, 200);
  Archive archive = open();
  EXPECT_EQ(must(applyRetention(archive, keepDays(10, 100))).removed, 1);
  EXPECT_EQ(must(collectGarbage(archive)).contents, 1);
}

// Only a running service removed what was left of uploads: gc let it fill the disk.
TEST_F(Operator, GcRemovesWhatIsLeftOfUploads) {
  UploadStore store(archive_);
  const std::string name = store.begin("writer", contentHash("never sent"), 10)->name;
  const auto left = [&] {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(archive_ + "/service/uploads"))
      if (entry.path().filename().string().starts_with(name)) {
        std::filesystem::last_write_time(entry, std::filesystem::file_time_type::clock::now() -
                                                    kUploadKeptFor - std::chrono::hours(1));
        ++files;
      }
    return files;
  };
  ASSERT_GT(left(), 0);
  const tests::command::Sandbox sandbox;
  EXPECT_EQ(sandbox.run({"gc", "--archive", archive_, "--dry-run"}).status, 0);
  ASSERT_GT(left(), 0);
  EXPECT_EQ(sandbox.run({"gc", "--archive", archive_}).status, 0);
  EXPECT_EQ(left(), 0);
}

// 15 MB at 100 kB/s take longer than each limit of time for a client that is silent.
TEST_F(Operator, AnUploadOfMinutesIsTaken) {
  LocalServer service(archive_);
  const std::string second(100'000, 's');
  std::string whole;
  for (int seconds = 0; seconds < 150; ++seconds) whole += second;
  RawConnection connection(service.port());
  connection.write("PUT /v1/blobs/" + contentHash(whole) + " HTTP/1.1\r\nHost: x\r\n" +
                   as(Role::kPush) + "Content-Type: application/octet-stream\r\nContent-Length: " +
                   std::to_string(whole.size()) + "\r\n\r\n");
  for (int seconds = 0; seconds < 150; ++seconds) {
    ASSERT_TRUE(connection.write(second)) << "after " << seconds << " s";
    service.turn(std::chrono::seconds(1));
  }
  EXPECT_THAT(connection.readUntil("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
}

// A server without descriptors took no connection, and no line said so anywhere.
TEST_F(Operator, DescriptorsThatRunOutAreSaidAndComeBack) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{40, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  RunningService service(archive_, {}, path("errors"));
  ::setrlimit(RLIMIT_NOFILE, &before);
  {
    std::vector<std::unique_ptr<RawConnection>> connections;
    for (int number = 0; number < 60; ++number)
      connections.push_back(std::make_unique<RawConnection>(service.port()));
    std::string said;
    for (int tenths = 0; said.empty() && tenths < 200; ++tenths) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      said = fileText(path("errors"));
    }
    EXPECT_THAT(said, HasSubstr("LimitNOFILE="));
  }
  EXPECT_EQ(Client(service.url(), token(Role::kRead)).get("/v1/status").status, 200);
}

// It was "revoked" until the second was over.
TEST_F(Operator, ATokenWorksAtOnce) {
  LocalServer service(archive_);
  EXPECT_EQ(Client(service.url(), token(Role::kRead)).get("/v1/status").status, 200);
  const auto made = must(makeToken(archive_, systemClock(), "new", Role::kRead, 1));
  EXPECT_EQ(Client(service.url(), made.token).get("/v1/status").status, 200);
}

// Usage was written when the next request came, and lost where the server was killed before.
TEST_F(Operator, UsageIsWrittenWithoutAnotherRequest) {
  const auto made =
      must(makeToken(archive_, systemClock(), "counted", Role::kRead, 1, {.requestsPerDay = 100}));
  LocalServer service(archive_);
  EXPECT_EQ(Client(service.url(), made.token).get("/v1/status").status, 200);
  service.turn(std::chrono::seconds(6));
  EXPECT_EQ(usageOf(made.record, must(readUsage(archive_))).requestsOfDay, 1u);
}

}  // namespace
}  // namespace vintage::tests::service
