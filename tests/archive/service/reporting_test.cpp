// A token of the role report adds results under its own name, and nothing else.
#include <gmock/gmock.h>

#include "archive/store/record_json.h"
#include "tests/archive/service/in_process.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Reporting : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    Archive archive = open();
    outcome_.artifact = must(archive.put(sampleRecord("a"), content(1, 500), nullptr));
    must(archive.putBuild(sampleBuild("consumer")));
    outcome_.build = "consumer";
    outcome_.platform = "cpu";
    outcome_.mode = "graph";
    outcome_.run = "own";
    must(archive.putOutcomes(std::span(&outcome_, 1)));
  }
  // The answer's status.
  int post(Role role, const std::string& path, const json& body) {
    ApplicationOptions options;
    options.folder = archive_;
    auto service = must(Application::open(options));
    const std::string text = body.dump();
    const auto answers =
        answerBytes(*service,
                    "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + typeLine("POST", path) +
                        "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text,
                    "Bearer " + token(role));
    said_ = answers.at(0).text;
    return answers.at(0).status;
  }

  OutcomeRecord outcome_;
  std::string said_;
};

TEST_F(Reporting, TheServiceNamesTheReporter) {
  RunRecord run;
  run.id = "theirs";
  run.kind = "replay";
  run.label = "try-1";
  run.reporter = "somebody important";
  EXPECT_EQ(post(Role::kReport, "/v1/runs", recordJson(RunWithLimitations{run, {}})), 200) << said_;
  EXPECT_EQ(must(open().run("theirs")).reporter, "report");  // The token's name.
  EXPECT_EQ(must(open().run("theirs")).label, "try-1");
  outcome_.run = "theirs";
  outcome_.outcome = OutcomeKind::kMismatch;
  EXPECT_EQ(post(Role::kReport, "/v1/outcomes", recordJson(outcome_)), 200) << said_;
  EXPECT_EQ(post(Role::kReport, "/v1/builds", recordJson(sampleBuild("their build"))), 200);
  const auto counted = must(open().outcomes({}));
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].run, "own");
  for (const BuildRecord& build : must(open().builds()))
    EXPECT_EQ(build.details.reporter, build.name == "their build" ? "report" : "") << build.name;
}

TEST_F(Reporting, NothingElseIsWritten) {
  EXPECT_EQ(post(Role::kReport, "/v1/artifacts", recordJson(sampleRecord("b"))), 403);
  EXPECT_THAT(said_, HasSubstr("the token 'report' has the role report; this needs push"));
  EXPECT_EQ(post(Role::kReport, "/v1/leases", json::object()), 403);
  EXPECT_EQ(post(Role::kReport, "/v1/holds", json::object()), 403);
  outcome_.mode = "eager";
  EXPECT_EQ(post(Role::kReport, "/v1/outcomes", recordJson(outcome_)), 409);
  EXPECT_THAT(said_, HasSubstr("run 'own' is somebody else's"));
  EXPECT_EQ(must(open().outcomes({})).size(), 1u);
}

// The archive's own machines push as before, and their mirrors carry whose a run is.
TEST_F(Reporting, WhatIsPushedStaysTheArchivesOwn) {
  outcome_.run = "night";
  EXPECT_EQ(post(Role::kPush, "/v1/outcomes", recordJson(outcome_)), 200) << said_;
  EXPECT_EQ(must(open().run("night")).reporter, "");
  RunRecord run;
  run.id = "mirrored";
  run.reporter = "lab";
  EXPECT_EQ(post(Role::kPush, "/v1/runs", recordJson(RunWithLimitations{run, {}})), 200) << said_;
  EXPECT_EQ(must(open().run("mirrored")).reporter, "lab");
}

}  // namespace
}  // namespace vintage::tests::service
