// How long the texts of builds, runs and outcomes may be: judged by the archive, so
// that a put, a push and a copy get the same answer.
#include <functional>

#include "archive/store/database.h"
#include "archive/store/frame_stream.h"
#include "archive/store/record_fields.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

constexpr size_t kMiB = size_t{1} << 20;

// One whose texts are all short.
struct Records {
  BuildRecord build = sampleBuild("consumer");
  RunRecord run{"run", "replay", "vintage replay", "2026-11-20T21:50:00Z", "", "", ""};
  Limitation limitation;
  OutcomeRecord outcome;
  Records() {
    limitation.id = "limitation";
    outcome.build = "consumer";
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = "run";
  }
};

class RecordLimits : public ServiceTest {
 protected:
  Status put(Archive& archive, Records records) {
    if (records.outcome.artifact.empty()) records.outcome.artifact = artifact_;
    RETURN_IF_ERROR(archive.putBuild(records.build));
    RETURN_IF_ERROR(archive.putRun(records.run, {&records.limitation, 1}));
    return archive.putOutcomes({&records.outcome, 1});
  }
  void SetUp() override {
    ServiceTest::SetUp();
    artifact_ = must(open().put(sampleRecord("a", 1), content(1, 500), nullptr));
  }
  ContentId artifact_;
};

TEST_F(RecordLimits, EveryTextIsHeldToItsOwn) {
  using Set = std::function<void(Records&, std::string)>;
  const auto list = [](std::vector<std::string>& place, const std::string& text) {
    place = {text.substr(text.size() / 2), text.substr(0, text.size() / 2 - 2)};
  };
  struct Case {
    const char* field;
    size_t longest;
    Set set;
  };
  const Case cases[] = {
      {"name of build", 4096,
       [](Records& r, std::string text) { r.outcome.build = r.build.name = text; }},
      {"version of build", 4096, [](Records& r, std::string text) { r.build.version = text; }},
      {"stablehlo_version of build", 4096,
       [](Records& r, std::string text) { r.build.stablehloVersion = text; }},
      {"kind of build", 4096, [](Records& r, std::string text) { r.build.kind = text; }},
      {"platforms of build", 65'536,
       [&](Records& r, std::string text) { list(r.build.platforms, text); }},
      {"modes of build", 65'536, [&](Records& r, std::string text) { list(r.build.modes, text); }},
      {"custom_call_targets of build", 65'536,
       [&](Records& r, std::string text) { list(r.build.customCallTargets, text); }},
      {"details of build", kMiB,
       [](Records& r, std::string text) {
         const size_t frame = jsonText(detailsJson(r.build.details)).size() +
                              std::string_view(R"(,"program":"")").size();
         r.build.details.program = text.substr(frame);
       }},
      {"id of run", 4096, [](Records& r, std::string text) { r.outcome.run = r.run.id = text; }},
      {"kind of run", 4096, [](Records& r, std::string text) { r.run.kind = text; }},
      {"started of run", 4096, [](Records& r, std::string text) { r.run.started = text; }},
      {"finished of run", 4096, [](Records& r, std::string text) { r.run.finished = text; }},
      {"command_line of run", 8 * kMiB,
       [](Records& r, std::string text) { r.run.commandLine = text; }},
      {"id of limitation", 4096, [](Records& r, std::string text) { r.limitation.id = text; }},
      {"primitive of limitation", 4096,
       [](Records& r, std::string text) { r.limitation.primitive = text; }},
      {"since of limitation", 4096,
       [](Records& r, std::string text) { r.limitation.since = text; }},
      {"until of limitation", 4096,
       [](Records& r, std::string text) { r.limitation.until = text; }},
      {"description of limitation", 65'536,
       [](Records& r, std::string text) { r.limitation.description = text; }},
      {"issue of limitation", 65'536,
       [](Records& r, std::string text) { r.limitation.issue = text; }},
      {"dtypes of limitation", 65'536,
       [&](Records& r, std::string text) { list(r.limitation.dtypes, text); }},
      {"platforms of limitation", 65'536,
       [&](Records& r, std::string text) { list(r.limitation.platforms, text); }},
      {"modes of limitation", 65'536,
       [&](Records& r, std::string text) { list(r.limitation.modes, text); }},
      {"variants of limitation", 65'536,
       [&](Records& r, std::string text) { list(r.limitation.variants, text); }},
      {"platform of the outcome", 4096,
       [](Records& r, std::string text) { r.outcome.platform = text; }},
      {"mode of the outcome", 4096, [](Records& r, std::string text) { r.outcome.mode = text; }},
      {"limitation of the outcome", 4096,
       [](Records& r, std::string text) { r.outcome.limitation = text; }},
      {"detail of the outcome", 16 * kMiB,
       [](Records& r, std::string text) { r.outcome.detail = text; }},
  };
  Archive archive = open();
  for (const auto& [field, longest, set] : cases) {
    Records fits, tooLong;
    set(fits, std::string(longest, 'x'));
    set(tooLong, std::string(longest + 1, 'x'));
    const Status refused = put(archive, tooLong);
    ASSERT_FALSE(refused) << field;
    EXPECT_EQ(refused.error().kind, Error::Kind::kUsage) << field;
    EXPECT_NE(refused.error().message.find("the " + std::string(field)), std::string::npos)
        << refused.error().message.substr(0, 300);
    EXPECT_NE(refused.error().message.find(std::to_string(longest + 1) + " bytes; up to " +
                                           std::to_string(longest)),
              std::string::npos)
        << refused.error().message.substr(0, 300);
    EXPECT_LT(refused.error().message.size(), 400u);
    const Status kept = put(archive, fits);
    EXPECT_TRUE(kept) << field << ": " << (kept ? "" : kept.error().message.substr(0, 300));
  }
}

TEST_F(RecordLimits, OverTheServiceTheyAreTheSame) {
  RunningService service(archive_);
  Client client(service.url(), token(Role::kPush));
  const auto post = [&](const char* path, const nlohmann::json& record) {
    const Reply reply = client.send("POST", path, record.dump());
    return reply.problem() + " " + reply.body.substr(0, 200);
  };
  Records records;
  records.outcome.artifact = artifact_;
  ASSERT_TRUE(post("/v1/builds", recordJson(records.build)).starts_with("200"));
  ASSERT_TRUE(post("/v1/runs", recordJson(records.run)).starts_with("200"));
  ASSERT_TRUE(post("/v1/outcomes", recordJson(records.outcome)).starts_with("200"));

  Records tooLong;
  tooLong.build.name = "other";
  tooLong.build.details.program = std::string(kMiB, 'c');
  tooLong.run.commandLine = std::string(8 * kMiB + 1, 'l');
  tooLong.outcome.artifact = artifact_;
  tooLong.outcome.detail = std::string(16 * kMiB + 1, 'd');
  EXPECT_TRUE(post("/v1/builds", recordJson(tooLong.build)).starts_with("422 invalid"));
  EXPECT_NE(post("/v1/builds", recordJson(tooLong.build)).find("the details of build 'other'"),
            std::string::npos);
  EXPECT_TRUE(post("/v1/runs", recordJson(tooLong.run)).starts_with("422 invalid"));
  EXPECT_TRUE(post("/v1/outcomes", recordJson(tooLong.outcome)).starts_with("422 invalid"));

  // In frames each is refused on its own, and the rest is kept.
  tooLong.build.details.program = "";
  tooLong.build.version = std::string(5'000, 'v');
  records.build.name = "third";
  std::string frames;
  FrameStreamWriter writer(frames);
  writer.build(tooLong.build);
  writer.build(records.build);
  writer.end();
  const Reply pushed = client.send("POST", "/v1/push", frames);
  EXPECT_EQ(pushed.status, 207);
  ASSERT_EQ(pushed.json()["refused"].size(), 1u) << pushed.body;
  EXPECT_EQ(pushed.json()["refused"][0]["name"], "other");
  EXPECT_EQ(pushed.json()["refused"][0]["error"]["kind"], "invalid");

  std::vector<std::string> names;
  for (const BuildRecord& build : must(open().builds())) names.push_back(build.name);
  EXPECT_EQ(names, (std::vector<std::string>{"consumer", "third"}));
  EXPECT_EQ(must(open().run("run")).commandLine, "vintage replay");
  EXPECT_EQ(must(open().outcomes({})).at(0).detail, "");
}

// 18 MB of empty records took 5 GB once they were read, and a token that may push could end the
// service with a few such requests.
TEST_F(RecordLimits, OneRequestBringsSoManyRecords) {
  RunningService service(archive_);
  Client client(service.url(), token(Role::kPush));
  const auto times = [](size_t count, const std::string& text) {
    std::string all;
    for (size_t i = 0; i < count; ++i) all += text;
    return all;
  };
  for (const char* path : {"/v1/artifacts", "/v1/builds", "/v1/runs", "/v1/outcomes"}) {
    const Reply reply = client.send("POST", path, times(50'001, "{}\n"));
    EXPECT_EQ(reply.problem(), "413 too_large") << path << reply.body.substr(0, 300);
  }
  const std::string frame = "{\"type\":\"build\",\"record\":{}}\n";
  EXPECT_EQ(client.send("POST", "/v1/push", times(50'001, frame)).problem(), "413 too_large");
  EXPECT_EQ(client.send("POST", "/v1/outcomes", times(50'000, "{}\n")).problem(), "422 invalid");
  EXPECT_TRUE(must(open().builds()).empty());
  // Many values in one record, and a report that is one text however many it lists.
  const std::string list = "[" + times(2'000'000, "0,") + "0]";
  EXPECT_EQ(client.send("POST", "/v1/runs", "{\"id\":\"r\",\"more\":" + list + "}").problem(),
            "413 too_large");
  EXPECT_EQ(client.send("POST", "/v1/runs", "{\"id\":\"r\",\"verdict\":\"" + list + "\"}").status,
            200);
  EXPECT_EQ(must(open().run("r")).verdict, list);
}

// Limits apply to puts. Records that an archive held before there were limits can be read.
TEST_F(RecordLimits, WhatIsKeptIsRead) {
  Archive archive = open();
  ASSERT_TRUE(put(archive, Records()));
  auto opened = must(Database::open(archive_ + "/index.sqlite", {}));
  Database& database = *opened;
  const std::string text(20 * kMiB, 't');
  for (const char* sql : {"UPDATE build SET details = '{\"program\":\"' || ? || '\"}'",
                          "UPDATE run SET command_line = ?", "UPDATE outcome SET detail = ?"}) {
    auto query = database.query(sql);
    ASSERT_TRUE(query);
    ASSERT_TRUE(query->bind(text).run());
  }
  RunningService service(archive_);
  Client client(service.url(), token(Role::kRead));
  for (const char* path : {"/v1/builds", "/v1/runs", "/v1/outcomes"}) {
    const Reply reply = client.get(path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_NE(reply.body.find(text), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace vintage::tests::service
