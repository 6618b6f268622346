// Rights of a token over kept results: push adds, admin replaces, and the log names the author.
#include "archive/store/change_log.h"
#include "archive/store/record_json.h"
#include "tests/archive/service/in_process.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

class AppendOnly : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    Archive archive = open();
    id_ = must(archive.put(sampleRecord("a"), content(1, 500), nullptr));
    must(archive.putBuild(sampleBuild("consumer")));
    must(archive.putOutcomes(std::vector{outcome(OutcomeKind::kMismatch)}));
    RunRecord run;
    run.id = "run";
    run.kind = "nightly";
    must(archive.putRun(run));
    must(archive.finishRun("run", R"({"verdict": "broken"})"));
  }
  OutcomeRecord outcome(OutcomeKind kind) const {
    OutcomeRecord outcome;
    outcome.artifact = id_;
    outcome.build = "consumer";
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = "run";
    outcome.outcome = kind;
    return outcome;
  }
  // As the role does it; the answer's status.
  int post(Role role, const std::string& path, const json& body) {
    ApplicationOptions options;
    options.folder = archive_;
    options.anonymous = role;
    auto service = must(Application::open(options));
    const std::string text = body.dump();
    const auto answers = answerBytes(
        *service, "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + typeLine("POST", path) +
                      "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    said_ = answers.at(0).text;
    return answers.at(0).status;
  }
  OutcomeKind kept() { return must(open().outcomes({})).at(0).outcome; }

  ContentId id_;
  std::string said_;
};

// A token of the role push could turn a recorded mismatch into a pass, and nobody could see it.
TEST_F(AppendOnly, APushTokenReplacesNoOutcome) {
  EXPECT_EQ(post(Role::kPush, "/v1/outcomes", recordJson(outcome(OutcomeKind::kPass))), 409);
  EXPECT_NE(said_.find("is kept already, and differs"), std::string::npos) << said_;
  EXPECT_EQ(kept(), OutcomeKind::kMismatch);
  // The same again is no change, and another run adds.
  EXPECT_EQ(post(Role::kPush, "/v1/outcomes", recordJson(outcome(OutcomeKind::kMismatch))), 200);
  OutcomeRecord later = outcome(OutcomeKind::kPass);
  later.run = "run 2";
  EXPECT_EQ(post(Role::kPush, "/v1/outcomes", recordJson(later)), 200);
  EXPECT_TRUE(must(recordedChanges(open(), 10)).empty());

  EXPECT_EQ(post(Role::kAdmin, "/v1/outcomes", recordJson(outcome(OutcomeKind::kPass))), 200);
  const auto changes = must(recordedChanges(open(), 10));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].what, "outcome replaced");
  EXPECT_EQ(changes[0].who, "anonymous");
  EXPECT_EQ(changes[0].before, R"({"outcome":"mismatch"})");
  EXPECT_EQ(changes[0].after, R"({"outcome":"pass"})");
}

TEST_F(AppendOnly, APushTokenRewritesNoFinishedRun) {
  RunRecord run = must(open().run("run"));
  run.verdict = R"({"verdict": "holds"})";
  EXPECT_EQ(post(Role::kPush, "/v1/runs", recordJson(RunWithLimitations{run, {}})), 409) << said_;
  EXPECT_NE(said_.find("another 'verdict'"), std::string::npos) << said_;
  Limitation limitation;
  limitation.id = "later excuse";
  EXPECT_EQ(post(Role::kPush, "/v1/runs", recordJson(RunWithLimitations{run, {limitation}})), 409);
  EXPECT_EQ(must(open().limitations("run")).size(), 0u);
  EXPECT_EQ(post(Role::kAdmin, "/v1/runs", recordJson(RunWithLimitations{run, {}})), 200);
  EXPECT_EQ(must(recordedChanges(open(), 10)).at(0).what, "run replaced");
}

// A run is begun and then finished: that fills it in, and replaces nothing.
TEST_F(AppendOnly, APushTokenFinishesARunThatItBegan) {
  RunRecord run;
  run.id = "run 3";
  run.kind = "nightly";
  run.started = "2026-11-20T00:00:00Z";
  EXPECT_EQ(post(Role::kPush, "/v1/runs", recordJson(RunWithLimitations{run, {}})), 200) << said_;
  run.finished = "2026-11-20T01:00:00Z";
  run.verdict = R"({"verdict": "holds"})";
  EXPECT_EQ(post(Role::kPush, "/v1/runs", recordJson(RunWithLimitations{run, {}})), 200) << said_;
  EXPECT_EQ(must(open().run("run 3")).verdict, run.verdict);
  EXPECT_TRUE(must(recordedChanges(open(), 10)).empty());
}

// A build's details decide which outcomes count for it.
TEST_F(AppendOnly, APushTokenDoesNotChangeWhatIsKnownOfABuild) {
  BuildRecord build = sampleBuild("consumer");
  build.details.program = "other";
  EXPECT_EQ(post(Role::kPush, "/v1/builds", recordJson(build)), 409) << said_;
  EXPECT_EQ(must(open().builds()).at(0).details, sampleBuild("consumer").details);
  EXPECT_EQ(post(Role::kPush, "/v1/builds", recordJson(sampleBuild("consumer"))), 200) << said_;
  EXPECT_EQ(post(Role::kAdmin, "/v1/builds", recordJson(build)), 200) << said_;
  EXPECT_EQ(must(recordedChanges(open(), 10)).at(0).subject, "consumer");
}

}  // namespace
}  // namespace vintage::tests::service
