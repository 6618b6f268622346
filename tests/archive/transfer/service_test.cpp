// Pushing to and pulling from the real service, over connections that break,
// with processes that are killed.
#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/transfer/mirror.h"
#include "archive/transfer/place.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/cutting_proxy.h"
#include "tests/archive/transfer/real_service.h"

namespace vintage::tests {
using namespace archive;

namespace {

using testing::HasSubstr;
using namespace tests::transfer;
using tests::command::Finished;

class Service : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return sandbox_.path(name); }

  static PlaceOptions quick() {
    PlaceOptions options;
    if (const char* token = std::getenv("VINTAGE_TOKEN")) options.token = token;
    options.retry.first = std::chrono::milliseconds(5);
    options.retry.longest = std::chrono::milliseconds(100);
    options.retry.attempts = 30;
    return options;
  }

  static MirrorSummary copy(const std::string& from, const std::string& to,
                            const PlaceOptions& options, MirrorOptions mirrorOptions = {}) {
    auto source = must(openPlace(from, PlaceUse::kRead, options));
    auto destination = must(openPlace(to, PlaceUse::kWrite, options));
    return must(mirror(*source, destination.get(), mirrorOptions));
  }

  tests::command::Sandbox sandbox_;
};

TEST_F(Service, PushedAndPulledIsTheSame) {
  fillArchive(path("A"), 1, 300);
  RealService service(sandbox_, path("S"));
  ASSERT_NE(service.url(), "") << service.log();
  const Finished pushed = sandbox_.run({"push", path("A"), service.url(), "--format", "json"});
  ASSERT_EQ(pushed.status, 0) << pushed.err;
  const auto sent = nlohmann::json::parse(pushed.out);
  EXPECT_EQ(sent["artifacts"]["sent"], 300);
  EXPECT_EQ(sent["network"]["retried"], 0);
  EXPECT_LE(sent["network"]["connections"], 16);

  const Finished again =
      sandbox_.run({"push", "--archive", path("A"), service.url(), "--format", "json"});
  const auto nothing = nlohmann::json::parse(again.out);
  EXPECT_EQ(nothing["artifacts"]["sent"], 0);
  EXPECT_EQ(nothing["contents"]["sent"], 0);
  EXPECT_EQ(nothing["outcomes"]["sent"], 0);
  EXPECT_EQ(nothing["runs"]["sent"], 0);

  const Finished pulled =
      sandbox_.run({"pull", service.url(), "--archive", path("B"), "--jobs", "3"});
  ASSERT_EQ(pulled.status, 0) << pulled.err;
  EXPECT_THAT(pulled.out, HasSubstr("300"));
  expectSameArchives(path("A"), path("B"));
  EXPECT_EQ(service.stop(), 0);
  expectSameArchives(path("A"), path("S"));
}

// A service let no token have more than twelve streams, and a pull asks for sixteen at once: each
// had requests refused, and waited a second.
TEST_F(Service, APullWithItsDefaultsIsNotRefused) {
  fillArchive(path("A"), 1, 300);
  RealService service(sandbox_, path("A"));
  const Finished pulled =
      sandbox_.run({"pull", service.url(), "--archive", path("B"), "--format", "json"});
  ASSERT_EQ(pulled.status, 0) << pulled.err;
  EXPECT_EQ(nlohmann::json::parse(pulled.out)["network"]["retried"], 0);
}

TEST_F(Service, AFilterIsTheServicesToApply) {
  fillArchive(path("A"), 2, 150);
  RealService service(sandbox_, path("A"));
  MirrorOptions options;
  options.filter.dtypes = {"bf16"};
  options.filter.names = {"case_2[[]1*"};
  options.filter.builtFrom = day(5);
  copy(service.url(), path("B"), quick(), options);
  Archive all = must(Archive::open(path("A"), Archive::Mode::kReadOnly));
  Archive some = must(Archive::open(path("B"), Archive::Mode::kReadOnly));
  const auto wanted = must(all.list(options.filter));
  ASSERT_FALSE(wanted.empty());
  EXPECT_TRUE(recordTexts(must(some.list({}))) == recordTexts(wanted));
}

// Connections break at random places: both directions end with the same archive, and bytes that
// had arrived are not sent again.
TEST_F(Service, BrokenConnectionsOnlyCostTime) {
  fillArchive(path("A"), 3, 300);
  RealService service(sandbox_, path("S"));
  CuttingProxy pushing(service.port(), 1'000'000, 1);
  const MirrorSummary pushed = copy(path("A"), pushing.url(), quick());
  EXPECT_EQ(pushed.artifacts.sent, 300u);
  EXPECT_GE(pushing.cuts(), 3);
  CuttingProxy pulling(service.port(), 1'000'000, 2);
  copy(pulling.url(), path("B"), quick());
  EXPECT_GE(pulling.cuts(), 3);
  expectSameArchives(path("A"), path("B"));
}

TEST_F(Service, AnUploadContinuesWhereItStood) {
  const Bytes large = content(5, 20'000'000, false);
  {
    Archive source = must(Archive::open(path("A"), Archive::Mode::kCreate));
    must(source.put(sampleRecord("large"), large, nullptr));
  }
  RealService service(sandbox_, path("S"));
  CuttingProxy proxy(service.port(), 6'000'000, 3);
  copy(path("A"), proxy.url(), quick());
  EXPECT_GE(proxy.cuts(), 2);
  // A cut costs the chunk that it fell into, and the one before where the service was asked while
  // it still took that one. From the beginning nothing would ever arrive: a connection lasts for
  // less than a third of it.
  const uint64_t chunk = 2 << 20, lines = 100'000;
  EXPECT_LT(proxy.bytesToServer(),
            large.size() + static_cast<uint64_t>(proxy.cuts()) * 2 * chunk + lines)
      << "it began anew rather than continued";
  Archive served = must(Archive::open(path("S"), Archive::Mode::kReadOnly));
  EXPECT_TRUE(must(served.read(contentHash(large))) == large);
}

TEST_F(Service, AKilledPushOrPullIsCompletedByTheNext) {
  fillArchive(path("A"), 4, 600);
  RealService service(sandbox_, path("S"));
  CuttingProxy proxy(service.port(), 0, 1);  // That cuts nothing, and counts.
  for (const bool pull : {false, true}) {
    const std::vector<std::string> command =
        pull ? std::vector<std::string>{"pull", proxy.url(), path("B")}
             : std::vector<std::string>{"push", path("A"), proxy.url()};
    int killed = 0;
    for (const uint64_t bytes : {1, 5'000, 50'000, 100'000, 200'000}) {
      std::vector<std::string> whole{VINTAGE_BINARY "/bin/vintage"};
      whole.insert(whole.end(), command.begin(), command.end());
      ChildProcess process(whole, path("killed.log"));
      if (pull)
        proxy.waitForBytesToClient(proxy.bytesToClient() + bytes, process);
      else
        proxy.waitForBytesToServer(proxy.bytesToServer() + bytes, process);
      killed += process.running();
      process.stop(SIGKILL);
    }
    EXPECT_GE(killed, 1);
    const Finished finished = sandbox_.run(command);
    EXPECT_EQ(finished.status, 0) << finished.err;
  }
  expectSameArchives(path("A"), path("B"));
}

TEST_F(Service, AServiceThatDiesAndComesBackIsWaitedFor) {
  fillArchive(path("A"), 5, 600);
  RealService service(sandbox_, path("S"));
  CuttingProxy proxy(service.port(), 0, 1);
  ChildProcess push(
      {VINTAGE_BINARY "/bin/vintage", "push", path("A"), proxy.url(), "--attempts", "30"},
      path("push.log"));
  for (int round = 0; round < 3; ++round) {
    proxy.waitForBytesToServer(proxy.bytesToServer() + 50'000, push);
    EXPECT_TRUE(push.running()) << "it never met a service that died";
    service.stop(SIGKILL);
    service.startAgain();
    ASSERT_NE(service.url(), "") << service.log();
  }
  EXPECT_EQ(push.wait(), 0) << tests::command::Sandbox::read(path("push.log"));
  expectSameArchives(path("A"), path("S"));
}

TEST_F(Service, TokensComeFromAFileOrTheEnvironmentAndNeedTheirRole) {
  fillArchive(path("A"), 6, 20);
  fillArchive(path("S"), 7, 1);
  const auto token = [&](const char* name, const char* role) {
    const Finished made = sandbox_.run(
        {"token", "add", name, "--archive", path("S"), "--role", role, "--format", "json"});
    EXPECT_EQ(made.status, 0) << made.err;
    return nlohmann::json::parse(made.out).at("token").get<std::string>();
  };
  const std::string reader = token("reader", "read"), pusher = token("pusher", "push");
  RealService service(sandbox_, path("S"), {});
  const Finished none = sandbox_.run({"push", path("A"), service.url()});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("401"));
  const Finished wrong = sandbox_.run(
      {"push", path("A"), service.url(), "--token-file", sandbox_.write("reader", reader + "\n")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("403"));
  const Finished right = sandbox_.run(
      {"push", path("A"), service.url(), "--token-file", sandbox_.write("pusher", pusher + "\n")});
  EXPECT_EQ(right.status, 0) << right.err;
  ::setenv("VINTAGE_TOKEN", reader.c_str(), 1);
  const Finished pulled = sandbox_.run({"pull", service.url(), path("B")});
  ::unsetenv("VINTAGE_TOKEN");
  EXPECT_EQ(pulled.status, 0) << pulled.err;
  expectSameArchives(path("S"), path("B"));
  for (const Finished& finished : {none, wrong, right, pulled})
    EXPECT_EQ((finished.out + finished.err).find(reader), std::string::npos);
}

TEST_F(Service, TlsIsVerified) {
  fillArchive(path("A"), 8, 20);
  const std::string certificate = path("cert.pem"), key = path("key.pem");
  ASSERT_EQ(std::system(("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
                         "-addext subjectAltName=IP:127.0.0.1 -keyout '" +
                         key + "' -out '" + certificate + "' 2>/dev/null")
                            .c_str()),
            0);
  RealService service(sandbox_, path("S"), {"--certificate", certificate, "--key", key});
  service.makeToken();
  ASSERT_THAT(service.url(), HasSubstr("https://")) << service.log();
  const Finished unknown = sandbox_.run({"push", path("A"), service.url()});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--ca-certificate"));
  const Finished known =
      sandbox_.run({"push", path("A"), service.url(), "--ca-certificate", certificate});
  EXPECT_EQ(known.status, 0) << known.err;
  service.stop();
  expectSameArchives(path("A"), path("S"));
}

TEST_F(Service, AContradictionIsNamedAndTheRestArrives) {
  fillArchive(path("A"), 9, 30);
  fillArchive(path("S"), 10, 5);
  must(must(Archive::open(path("A"), Archive::Mode::kReadWrite))
           .put(sampleRecord("contested"), content(100, 900), nullptr));
  must(must(Archive::open(path("S"), Archive::Mode::kReadWrite))
           .put(sampleRecord("contested"), content(101, 900), nullptr));
  RealService service(sandbox_, path("S"));
  const Finished pushed = sandbox_.run({"push", path("A"), service.url(), "--format", "json"});
  EXPECT_EQ(pushed.status, 1) << pushed.err;
  const auto summary = nlohmann::json::parse(pushed.out);
  EXPECT_EQ(summary["artifacts"]["sent"], 30);
  ASSERT_EQ(summary["refused"].size(), 1u);
  EXPECT_THAT(summary["refused"][0]["artifact"].get<std::string>(), HasSubstr("contested"));
}

TEST_F(Service, SomethingElseThatAnswersIsNamed) {
  for (const char* body : {"<html>hello</html>", "{}", "[]", R"({"api":2})"}) {
    ScriptedServer server([&](const ScriptedRequest&) { return ScriptedReply{200, {}, body}; });
    PlaceOptions options = quick();
    options.retry.attempts = 2;
    const auto place = openPlace(server.url(), PlaceUse::kRead, options);
    ASSERT_FALSE(place) << body;
    EXPECT_THAT(place.error().message, HasSubstr(server.url()));
  }
}

}  // namespace
}  // namespace vintage::tests
