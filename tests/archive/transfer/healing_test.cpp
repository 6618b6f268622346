// 'vintage fsck --repair --from' takes content from a folder, a service or a
// bucket, with the real program and real servers. It took folders only.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/database.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/rados_gateway.h"
#include "tests/archive/transfer/real_service.h"
#include "tests/archive/transfer/recording_proxy.h"

namespace vintage::tests {
using namespace archive;

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using namespace tests::transfer;
using tests::command::Finished;
using tests::command::Sandbox;

class HealingFrom : public ::testing::Test {
 protected:
  // A with 150 artifacts, and D, which has the same.
  void SetUp() override {
    fillArchive(path("A"), 1, 150);
    std::filesystem::copy(path("A"), path("D"), std::filesystem::copy_options::recursive);
  }
  std::string path(const std::string& name) const { return sandbox_.path(name); }

  void sql(const std::string& archive, const std::string& text) const {
    must(must(Database::open(path(archive + "/index.sqlite"), {}))->execute(text));
  }
  // All files of large contents are gone, two of three small contents are gone
  // or others.
  void damage(const std::string& archive) const {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(path(archive + "/blobs"))) {
      if (entry.is_regular_file()) std::filesystem::remove(entry.path());
    }
    sql(archive,
        "DELETE FROM blob_content WHERE blob % 3 = 0; UPDATE blob_content SET content = "
        "zeroblob(length(content)) WHERE blob % 3 = 1");
  }
  Finished heal(std::vector<std::string> more) const {
    std::vector<std::string> call{"fsck",        "--archive",  path("A"),
                                  "--read-data", "--repair",   "--format",
                                  "json",        "--attempts", "2"};
    call.insert(call.end(), more.begin(), more.end());
    return sandbox_.run(call);
  }
  void expectHealed(const Finished& finished, int64_t atLeast) const {
    ASSERT_EQ(finished.status, 0) << finished.out.substr(0, 2000) << finished.err;
    const json report = json::parse(finished.out);
    EXPECT_EQ(report["whole"], true);
    EXPECT_GE(report["healed"], atLeast);
    EXPECT_EQ(report["healed"], report["damaged"]);
    expectSameArchives(path("A"), path("D"));
    EXPECT_EQ(sandbox_.run({"fsck", "--archive", path("A"), "--read-data"}).status, 0);
  }
  static std::vector<json> notHealed(const Finished& finished) {
    std::vector<json> left;
    const json report = json::parse(finished.out);
    for (const json& finding : report["findings"]) {
      if (finding["damage"] == true && finding["healed"] == false) left.push_back(finding);
    }
    return left;
  }

  Sandbox sandbox_;
};

TEST_F(HealingFrom, AFolder) {
  damage("A");
  expectHealed(heal({"--from", path("D")}), 80);
}

TEST_F(HealingFrom, AServiceThatAsksForATokenInFewRequests) {
  const auto token = [&](const char* role) {
    const Finished made = sandbox_.run(
        {"token", "add", role, "--archive", path("D"), "--role", role, "--format", "json"});
    return sandbox_.write(role, json::parse(made.out).at("token").get<std::string>() + "\n");
  };
  const std::string reader = token("read");
  RealService service(sandbox_, path("D"), {});
  ASSERT_NE(service.url(), "") << service.log();
  damage("A");

  // Refused before anything is checked.
  for (const std::string& wrong :
       {sandbox_.write("wrong", "vt_nobody"), sandbox_.write("none", "")}) {
    const Finished refused = heal({"--from", service.url(), "--token-file", wrong});
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("--from"), HasSubstr("401")));
  }

  int questions = 0;
  RecordingProxy proxy([&](const ScriptedRequest& request, int, const std::string&) {
    questions += request.target != "/v1/status";
  });
  proxy.lead(service.port());
  expectHealed(heal({"--from", proxy.url(), "--token-file", reader, "--jobs", "4"}), 80);
  EXPECT_GT(questions, 0);
  EXPECT_LE(questions, 20);
  EXPECT_EQ(service.stop(), 0);
}

TEST_F(HealingFrom, WhatTheServiceHasDamagedOrNotAtAllIsToldAndAnotherIsAsked) {
  std::filesystem::copy(path("D"), path("S"), std::filesystem::copy_options::recursive);
  damage("A");
  damage("S");
  RealService service(sandbox_, path("S"));
  ASSERT_NE(service.url(), "") << service.log();
  const Finished alone = heal({"--from", service.url()});
  EXPECT_EQ(alone.status, 1);
  const auto left = notHealed(alone);
  ASSERT_GE(left.size(), 80u);
  for (const json& finding : left) {
    EXPECT_THAT(finding["remedy"].get<std::string>(),
                AllOf(HasSubstr("not healed"), HasSubstr(service.url()), HasSubstr("is damaged")));
    EXPECT_FALSE(finding["affected"].empty());
  }
  expectHealed(heal({"--from", service.url(), "--from", path("D")}), 80);
}

// It answered when it was opened, and refuses every later request.
TEST_F(HealingFrom, AServiceThatGoesAwayIsTold) {
  damage("A");
  ScriptedServer server([](const ScriptedRequest& request) -> ScriptedReply {
    if (request.target == "/v1/status")
      return {.body = R"({"service": "vintage", "api": 1, "limits": {"ids": 1000}})"};
    return {.status = 401,
            .body = R"({"error": {"kind": "unauthorized", "message": "the token has expired"}})"};
  });
  const Finished finished = heal({"--from", server.url()});
  EXPECT_EQ(finished.status, 1) << finished.err;
  const auto left = notHealed(finished);
  ASSERT_GE(left.size(), 80u);
  for (const json& finding : left)
    EXPECT_THAT(finding["remedy"].get<std::string>(),
                AllOf(HasSubstr("gave up on " + server.url()), HasSubstr("401")));
  EXPECT_LE(server.requests().size(), 20u);
}

TEST_F(HealingFrom, AWrongPlaceIsSaidAtOnce) {
  damage("A");
  const tests::waiting::ReservedPort nobodyListens;
  const std::tuple<std::string, int, const char*> cases[] = {
      {path("nowhere"), 2, "no such folder"},
      {path("A"), 2, "is the archive to heal"},
      {"ftp://host", 2, "does not know ftp://"},
      {nobodyListens.url(), 3, "gave up after 2 attempts"},
      {sandbox_.write("file", "text"), 3, "is a file"}};
  for (const auto& [from, status, said] : cases) {
    const Finished finished = heal({"--from", from});
    EXPECT_EQ(finished.status, status) << from << finished.err;
    EXPECT_THAT(finished.err, AllOf(HasSubstr("--from"), HasSubstr(said)));
    EXPECT_EQ(json::parse(finished.out).contains("findings"), false);
  }
}

TEST_F(HealingFrom, ABucket) {
  if (!RadosGateway::installed()) GTEST_SKIP() << RadosGateway::kHowToInstall;
  RadosGateway& gateway = RadosGateway::shared();
  const std::string bucket = "s3://" + gateway.makeBucket();
  ASSERT_EQ(gateway.problem(), "");
  RadosGateway::setEnvironment(gateway.url());
  ASSERT_EQ(sandbox_.run({"push", path("D"), bucket + "/backup"}).status, 0);
  damage("A");
  const Finished none = heal({"--from", bucket + "/nothing"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("--from"), HasSubstr("there is no archive")));
  expectHealed(heal({"--from", bucket + "/backup"}), 80);
}

}  // namespace
}  // namespace vintage::tests
