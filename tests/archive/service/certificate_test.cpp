// Certificates are renewed every few weeks: a running service takes the new one, drops no
// connection over it, and keeps the old one where the new files are of no use.
#include <thread>

#include <gmock/gmock.h>

#include "archive/service/tls_context.h"
#include "tests/archive/service/local_server.h"
#include "tests/archive/service/running_service.h"
#include "tests/archive/service/self_signed.h"
#include "tests/archive/store/waiting.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr long kDay = 24;  // Hours.

void writeText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}
class Certificate : public ServiceTest {
 protected:
  void install(const SelfSigned& made) {
    writeText(path("cert.pem"), made.certificate);
    writeText(path("key.pem"), made.key);
  }
  void start(std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--certificate", path("cert.pem"), "--key", path("key.pem")});
    service_.emplace(archive_, options, path("said"));
  }
  ServerOptions withCertificate() const {
    ServerOptions options;
    options.tls = {path("cert.pem"), path("key.pem")};
    return options;
  }
  void hangUp() { ::kill(service_->process(), SIGHUP); }
  std::string said() const { return fileText(path("said")); }
  bool says(const std::string& text) const { return said().find(text) != std::string::npos; }

  // A new connection, which accepts only this certificate.
  CURLcode connect(const SelfSigned& trusted) {
    Client client(service_->url());
    trust(client, trusted.certificate);
    return client.get("/healthz").code;
  }
  void trust(Client& client, const std::string& certificates) {
    client.trustedCertificate = path("trusted" + std::to_string(++trusted_));
    writeText(client.trustedCertificate, certificates);
  }
  // The value of a line of /metrics, asked over a connection that trusts this certificate.
  std::string metric(const SelfSigned& trusted, const std::string& name) {
    Client client(service_->url(), token(Role::kRead));
    trust(client, trusted.certificate);
    const std::string text = "\n" + client.get("/metrics").body;
    const size_t at = text.find("\n" + name + " ");
    if (at == std::string::npos) return "missing";
    const size_t value = at + name.size() + 2;
    return text.substr(value, text.find('\n', value) - value);
  }
  // Asks the service until it holds.
  template <typename Asked>
  static void askUntil(const Asked& holds) {
    while (!holds()) {
    }
  }
  void waitUntilItSays(const std::string& text) const {
    tests::waiting::FolderWatch(folder_).waitUntil([&] { return says(text); },
                                                   {service_->process()});
    EXPECT_TRUE(says(text)) << said();
  }

  const SelfSigned old_ = SelfSigned::make(1, 2 * kDay), new_ = SelfSigned::make(1, 90 * kDay);
  std::optional<RunningService> service_;
  std::atomic<int> trusted_{0};
};

TEST_F(Certificate, AHangupTakesTheNewOneAndOpenConnectionsGoOn) {
  install(old_);
  start();
  Client open(service_->url(), token(Role::kPush));
  trust(open, old_.certificate);
  ASSERT_EQ(open.get("/healthz").status, 200);
  ASSERT_EQ(metric(old_, "vintage_tls_reloads_total"), "0");
  install(new_);
  hangUp();
  askUntil([&] { return connect(new_) == CURLE_OK; });
  EXPECT_EQ(connect(old_), CURLE_PEER_FAILED_VERIFICATION);
  // A second connection of this client would not trust what it got.
  const std::string bytes(3'000'000, 'x');
  EXPECT_EQ(open.send("PUT", "/v1/blobs/" + contentHash(bytes), bytes).status, 201);
  EXPECT_EQ(metric(new_, "vintage_tls_reloads_total"), "1");
  EXPECT_EQ(metric(new_, "vintage_tls_reload_failed"), "0");
  const long left = std::stol(metric(new_, "vintage_tls_certificate_seconds_left"));
  EXPECT_GT(left, 89 * kDay * 3600);
  EXPECT_LE(left, 90 * kDay * 3600);
  waitUntilItSays("new connections get this certificate");
  hangUp();  // The same files again are no news.
  EXPECT_EQ(open.get("/healthz").status, 200);
  EXPECT_EQ(service_->end(SIGTERM), 0);
  EXPECT_EQ(said().find("new connections"), said().rfind("new connections")) << said();
}

TEST_F(Certificate, ANewOneIsFoundWithoutBeingTold) {
  install(old_);
  LocalServer service(archive_, withCertificate());
  install(new_);
  service.turn(std::chrono::seconds(59));
  EXPECT_THAT(service.said(), ElementsAre());
  service.turn(std::chrono::seconds(1));
  EXPECT_THAT(service.said(), ElementsAre(HasSubstr("new connections get this certificate")));
  Client client(service.url());
  trust(client, new_.certificate);
  EXPECT_EQ(client.get("/healthz").code, CURLE_OK);
}

TEST_F(Certificate, WhatIsOfNoUseLeavesTheOldOneInUse) {
  const SelfSigned ended = SelfSigned::make(20 * kDay, -kDay);
  const std::string chain = new_.certificate + ended.certificate;
  const std::pair<const char*, SelfSigned> cases[] = {
      {"the key of another certificate", {new_.certificate, old_.key}},
      {"the certificate came first", {new_.certificate, ""}},
      {"half a certificate", {new_.certificate.substr(0, new_.certificate.size() / 2), new_.key}},
      {"half a chain", {chain.substr(0, chain.size() - 200), new_.key}},
      {"half a key", {new_.certificate, new_.key.substr(0, new_.key.size() / 2)}},
      {"no certificate", {"hello\n", new_.key}},
      {"an empty file", {"", new_.key}},
      {"it has ended", ended},
      {"it begins later", SelfSigned::make(-kDay, kDay)},
  };
  install(old_);
  start();
  for (const auto& [name, broken] : cases) {
    install(broken);
    hangUp();
    waitUntilItSays("keeps the certificate from before");
    EXPECT_TRUE(says(".pem: ")) << name << said();
    EXPECT_EQ(metric(old_, "vintage_tls_reload_failed"), "1") << name;
    EXPECT_EQ(connect(old_), CURLE_OK) << name;
    // Put back: the files hold what is in use.
    install(old_);
    hangUp();
    askUntil([&] { return metric(old_, "vintage_tls_reload_failed") == "0"; });
    std::filesystem::resize_file(path("said"), 0);
  }
  std::filesystem::remove(path("key.pem"));
  hangUp();
  waitUntilItSays("key.pem: ");
  EXPECT_EQ(metric(old_, "vintage_tls_reload_failed"), "1");
  EXPECT_EQ(metric(old_, "vintage_tls_reloads_total"), "0");
  install(new_);
  hangUp();
  askUntil([&] { return connect(new_) == CURLE_OK; });
  EXPECT_EQ(metric(new_, "vintage_tls_reload_failed"), "0");
}

// Nobody asked for it: the log says it once, not at each look.
TEST_F(Certificate, ABrokenOneIsTriedAgainAndToldOnce) {
  install(old_);
  LocalServer service(archive_, withCertificate());
  writeText(path("key.pem"), new_.key);
  for (int look = 0; look < 4; ++look) service.turn(std::chrono::minutes(1));
  EXPECT_THAT(service.said(), ElementsAre(HasSubstr("keeps the certificate from before")));
  writeText(path("cert.pem"), new_.certificate);
  service.turn(std::chrono::minutes(1));
  EXPECT_THAT(service.said(), ElementsAre(_, HasSubstr("new connections get this certificate")));
}

TEST_F(Certificate, OneThatHasEndedIsServedAtTheStartWithAWarning) {
  install(SelfSigned::make(20 * kDay, -kDay));
  start();
  EXPECT_TRUE(says("cert.pem: the certificate ended at 20")) << said();
  EXPECT_TRUE(says("clients will refuse")) << said();
  install(new_);
  hangUp();
  askUntil([&] { return connect(new_) == CURLE_OK; });
}

// Connections begin while the certificate is replaced, again and again: each gets
// the one or the other, whole.
TEST_F(Certificate, ConnectionsBeginWhileItIsReplaced) {
  install(old_);
  start();
  std::atomic<bool> done{false};
  std::atomic<int> connected{0}, failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!done) {
        Client client(service_->url());
        trust(client, old_.certificate + new_.certificate);
        ++(client.get("/healthz").status == 200 ? connected : failed);
      }
    });
  for (int round = 0; round < 60 || connected < 100; ++round) {
    install(round % 2 ? old_ : new_);
    hangUp();
    const int before = connected + failed;  // At least one comes between.
    while (connected + failed == before) std::this_thread::yield();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(service_->end(SIGTERM), 0);
}

TEST_F(Certificate, AKeyWithAPassphraseAsksNobody) {
  install(SelfSigned::make(1, kDay, "secret"));
  Metrics metrics({});
  const auto opened = TlsContext::open({path("cert.pem"), path("key.pem")}, realFileSystem(),
                                       systemClock(), metrics);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("without a passphrase"), std::string::npos);
}

// A pair that is installed ahead of its time is taken when its time has come.
TEST_F(Certificate, OneThatBeginsLaterWaitsForItsTime) {
  TurnedClock clock(systemClock().now());
  Metrics metrics({});
  install(old_);
  const auto tls =
      must(TlsContext::open({path("cert.pem"), path("key.pem")}, realFileSystem(), clock, metrics));
  const TlsContext::Context first = tls->current();
  install(SelfSigned::make(-kDay, 90 * kDay));
  EXPECT_FALSE(tls->look());
  EXPECT_TRUE(metrics.certificateRefused);
  EXPECT_EQ(tls->current(), first);
  clock.turn(std::chrono::hours(kDay + 1));
  EXPECT_TRUE(must(tls->look()));
  EXPECT_FALSE(metrics.certificateRefused);
  EXPECT_NE(tls->current(), first);
  EXPECT_EQ(tls->doubt(), "");
  EXPECT_FALSE(must(tls->look()));
  clock.turn(std::chrono::hours(90 * kDay));
  EXPECT_NE(tls->doubt().find("ended at"), std::string::npos);
}

class HangUp : public ServiceTest {};

TEST_F(HangUp, TheAccessLogGoesOnInANewFile) {
  RunningService service(archive_);
  Client client(service.url());
  const std::string log = service.accessLog(), moved = path("moved.log");
  // A line is written behind the answer: on a busy machine the file was moved before it came.
  do client.get("/first");
  while (fileText(log).find("/first") == std::string::npos);
  std::filesystem::rename(log, moved);
  ::kill(service.process(), SIGHUP);
  // The new file is there a moment before the service writes to it.
  for (int request = 0; request < 10'000 && fileText(log).find("/second") == std::string::npos;
       ++request)
    client.get("/second");
  EXPECT_EQ(service.end(SIGTERM), 0);
  EXPECT_NE(fileText(moved).find("/first"), std::string::npos);
  EXPECT_EQ(fileText(log).find("/first"), std::string::npos);
  EXPECT_NE(fileText(log).find("/second"), std::string::npos);
}

TEST_F(HangUp, ALogThatCannotBeOpenedGoesOnWhereItWas) {
  std::filesystem::create_directory(path("logs"));
  const std::string log = path("logs/access");
  RunningService service(archive_, {"--access-log", log}, path("said"));
  Client client(service.url());
  std::filesystem::rename(path("logs"), path("elsewhere"));
  tests::waiting::FolderWatch watch(folder_);
  ::kill(service.process(), SIGHUP);
  EXPECT_TRUE(watch.waitUntil(
      [&] {
        return fileText(path("said")).find("continues in the open file") != std::string::npos;
      },
      {service.process()}));
  EXPECT_EQ(client.get("/after").status, 404);
  EXPECT_EQ(service.end(SIGTERM), 0);
  EXPECT_NE(fileText(path("elsewhere/access")).find("/after"), std::string::npos);
}

}  // namespace
}  // namespace vintage::tests::service
