// 'vintage prove' with the real program and a real service, whose contents are
// damaged behind its back.
#include <fstream>
#include <mutex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/database.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/real_service.h"
#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests {
using namespace archive;

namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace tests::transfer;
using tests::command::Finished;
using tests::command::Sandbox;

class Proofs : public ::testing::Test {
 protected:
  // A and S with the same 63 artifacts, three of them with contents of their own.
  void SetUp() override {
    fillArchive(path("A"), 1, 60);
    {
      Archive archive = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
      for (const char* name : {"large", "lost", "small"}) {
        const bool small = std::string(name) == "small";
        contents_[name] = must(archive.put(
            recordOf(name), content(std::string(name).size() + small, small ? 900 : 200'000, false),
            nullptr));
      }
    }
    std::filesystem::copy(path("A"), path("S"), std::filesystem::copy_options::recursive);
  }
  static ArtifactRecord recordOf(const std::string& name) {
    ArtifactRecord record = sampleRecord(name);
    record.format = ArtifactRecord::Format::kSavedModel;  // Whose bytes fsck does not parse.
    return record;
  }
  std::string path(const std::string& name) const { return sandbox_.path(name); }
  std::string file(const std::string& archive, const std::string& name) const {
    const ContentId& id = contents_.at(name);
    return path(archive + "/blobs/" + id.substr(0, 2) + "/" + id + ".zst");
  }
  static void flip(const std::string& path) {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(100'000);
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(100'000);
    stream.put(byte);
  }
  Finished prove(const std::string& service, std::vector<std::string> more = {}) const {
    std::vector<std::string> call{"prove",    service, "--archive",  path("A"),
                                  "--format", "json",  "--attempts", "2"};
    call.insert(call.end(), more.begin(), more.end());
    return sandbox_.run(call);
  }
  // "KIND NAME (PRODUCER)", sorted.
  static std::vector<std::string> findings(const Finished& finished) {
    std::vector<std::string> texts;
    const json report = json::parse(finished.out);
    for (const json& finding : report["findings"])
      texts.push_back(finding["kind"].get<std::string>() + " " +
                      finding["affected"].at(0).get<std::string>());
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  Sandbox sandbox_;
  std::map<std::string, ContentId> contents_;
};

TEST_F(Proofs, AllIsProvedInFewRequestsAndWithoutBeingSent) {
  RealService service(sandbox_, path("S"));
  ASSERT_NE(service.url(), "") << service.log();
  const Finished finished = prove(service.url());
  ASSERT_EQ(finished.status, 0) << finished.err << finished.out;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["artifacts"], 63);
  EXPECT_EQ(report["proved"], report["contents"]);
  EXPECT_GT(report["proved_bytes"], 600'000);
  EXPECT_LT(report["bytes_received"], 60'000);
  EXPECT_LE(report["requests"], 5);
  EXPECT_TRUE(report["findings"].empty());

  int sum = 0;
  for (const char* part : {"1/3", "2/3", "3/3"}) {
    const json some = json::parse(prove(service.url(), {"--part", part}).out);
    EXPECT_GT(some["contents"], 5);
    sum += some["contents"].get<int>();
  }
  EXPECT_EQ(sum, report["contents"]);
  const json one = json::parse(prove(service.url(), {"--name", "large"}).out);
  EXPECT_EQ(one["contents"], 1);
  EXPECT_THAT(sandbox_.run({"prove", service.url(), "--archive", path("A")}).out,
              HasSubstr("contents of 63 artifacts"));
}

TEST_F(Proofs, WhatWasDamagedBehindTheServicesBackIsNamed) {
  RealService service(sandbox_, path("S"));
  ASSERT_NE(service.url(), "") << service.log();
  ASSERT_EQ(prove(service.url()).status, 0);
  flip(file("S", "large"));
  std::filesystem::remove(file("S", "lost"));
  must(must(Archive::open(path("A"), Archive::Mode::kReadWrite))
           .put(recordOf("only here"), content(5, 500), nullptr));
  const Finished finished = prove(service.url());
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(findings(finished),
              ElementsAre("damaged large (producer 0)", "damaged lost (producer 0)",
                          "missing only here (producer 0)"));
  EXPECT_EQ(json::parse(finished.out)["wrong"], 3);
  // As the summary advises.
  EXPECT_EQ(
      sandbox_.run({"fsck", "--archive", path("S"), "--read-data", "--repair", "--from", path("A")})
          .status,
      0);
  EXPECT_EQ(sandbox_.run({"push", path("A"), service.url()}).status, 0);
  EXPECT_EQ(prove(service.url()).status, 0);
}

TEST_F(Proofs, DamageHereIsNoFaultOfTheServices) {
  RealService service(sandbox_, path("S"));
  ASSERT_NE(service.url(), "") << service.log();
  flip(file("A", "large"));
  const Finished finished = prove(service.url());
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(findings(finished), ElementsAre("unreadable here large (producer 0)"));
  EXPECT_EQ(json::parse(finished.out)["wrong"], 0);
}

// It answers what was right for another question, leaves one out, and says nothing
// of a third; and each question has a nonce of its own.
TEST_F(Proofs, AServiceThatLies) {
  std::mutex mutex;
  std::set<std::string> nonces;
  const auto answer = [&](const ScriptedRequest& request) -> ScriptedReply {
    if (request.target == "/v1/status")
      return {.body = R"({"service": "vintage", "api": 1, "limits": {"proof_ids": 1}})"};
    const json question = json::parse(request.body);
    const std::lock_guard lock(mutex);
    nonces.insert(question["nonce"].get<std::string>());
    json proofs = json::array();
    const std::string id = question["ids"].at(0);
    if (id == contents_.at("large")) proofs.push_back({{"id", id}, {"proof", id}});
    if (id == contents_.at("small")) proofs.push_back({{"id", id}});
    return {.body = json({{"proofs", proofs}}).dump()};
  };
  ScriptedServer server(answer);
  const Finished finished =
      prove(server.url(), {"--name", "large", "--name", "lost", "--name", "small"});
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(findings(finished),
              ElementsAre("different large (producer 0)", "not proved lost (producer 0)",
                          "not proved small (producer 0)"));
  EXPECT_EQ(nonces.size(), 3u);
  for (const std::string& nonce : nonces) EXPECT_EQ(nonce.size(), 64u);
}

TEST_F(Proofs, CallsThatAreWrong) {
  const std::string token = sandbox_.write("token", "vt_nobody");
  RealService service(sandbox_, path("S"), {});
  ASSERT_NE(service.url(), "") << service.log();
  const tests::waiting::ReservedPort nobodyListens;
  const std::tuple<std::vector<std::string>, int, const char*> cases[] = {
      {{"prove", path("S"), "--archive", path("A")}, 2, "only a service proves"},
      {{"prove", "s3://bucket/x", "--archive", path("A")}, 2, "'vintage mirror' a bucket"},
      {{"prove", service.url()}, 2, "--archive is required"},
      {{"prove", service.url(), "--archive", path("A"), "--part", "4/3"}, 2, "N/T"},
      {{"prove", service.url(), "--archive", path("A"), "--token-file", token}, 2, "401"},
      {{"prove", nobodyListens.url(), "--archive", path("A"), "--attempts", "2"}, 3, "gave up"},
      {{"prove", service.url(), "--archive", path("nowhere")}, 2, "no such folder"}};
  for (const auto& [call, status, said] : cases) {
    const Finished finished = sandbox_.run(call);
    EXPECT_EQ(finished.status, status) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(said));
  }
}

}  // namespace
}  // namespace vintage::tests
