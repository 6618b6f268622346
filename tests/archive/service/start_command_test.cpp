// Four attacks that ran a stranger's program, tried through each door by which an archive's records
// come in:
//
// A token that may only push registered a build with the command `/bin/sh -c …`; a user who then
// ran `window`, `replay` or `nightly` on that archive executed it. `pull --public-key` carried the
// command to a mirror, and `window` there executed it too, while fsck called the mirror whole. A
// web page did the same to a local service without tokens, by a POST without a content type, and
// made itself an admin token.
#include <filesystem>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include "archive/store/database.h"
#include "archive/store/frame_stream.h"
#include "archive/store/record_json.h"
#include "tests/archive/service/running_service.h"
#include "tests/harness/command/artifacts.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kWorker = VINTAGE_BINARY "/bin/vintage-worker";
constexpr const char* kStranger = "vintage-engine 2025-06-10";

class StartCommands : public testing::Test {
 protected:
  StartCommands() {
    const std::string entry = command::writeCompatibilityTest(sandbox_, "three", 33);
    EXPECT_EQ(sandbox_.run({"import", entry, "--archive", archive_}).status, 0);
  }
  // A worker that leaves a mark when it is started.
  std::vector<std::string> marking() const {
    return {
        "/bin/sh", "-c",
        "touch '" + sandbox_.path("mark") + "'; exec '" + kWorker + "' --build-date 2025-06-10"};
  }
  bool wasStarted() const { return fs::exists(sandbox_.path("mark")); }
  static json strangersBuild() {
    return {{"name", kStranger},
            {"build_date", "2025-06-10"},
            {"kind", "command"},
            {"platforms", {"cpu"}},
            {"modes", {"graph"}},
            {"newest_calling_convention", 10},
            {"oldest_calling_convention", 4}};
  }
  json armedBuild() const {
    json build = strangersBuild();
    build["command"] = marking();
    return build;
  }
  // Every verb that runs builds; none of them may start the stranger's program.
  void runEverything(const std::string& archive) const {
    for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
             {"window", "--beyond", "all"},
             {"window", "--beyond", "all", "--shard", "1/1", "--apart", archive + ".part", "--out",
              archive + ".part.json"},
             {"replay", "--build", kStranger},
             {"nightly", "--today", "2025-06-20", "--primitive", "none"},
             {"run", "three", "--build", kStranger},
             {"explain", "three", "--build", kStranger},
             {"bisect", "--artifact", "three"},
             {"builds", "check"},
             {"builds", "describe", kStranger},
             {"doctor"}}) {
      std::vector<std::string> words = verb;
      words.insert(words.end(), {"--archive", archive});
      sandbox_.run(words);
      EXPECT_FALSE(wasStarted()) << verb.front() << " started a stranger's program";
    }
    const command::Finished replayed =
        sandbox_.run({"replay", "--build", kStranger, "--archive", archive});
    EXPECT_EQ(replayed.status, 2);
    EXPECT_THAT(replayed.err, HasSubstr("known by its facts only; bind it to run it"));
  }
  std::string shown(const std::string& archive) const {
    return sandbox_.run({"builds", "list", "--archive", archive, "--format", "json"}).out;
  }
  // As an archive of format 11 had it, whose index a stranger wrote.
  std::string olderArchive() const {
    const std::string older = sandbox_.path("older");
    fs::copy(archive_, older, fs::copy_options::recursive);
    {
      auto archive = must(Archive::open(older, Archive::Mode::kReadWrite));
      must(archive.putBuild(must(buildOfJson(strangersBuild()))));
    }
    auto database = must(Database::open(older + "/index.sqlite", {}));
    must(
        database->execute("DROP TABLE former_command; DROP TABLE identity; ALTER TABLE build ADD "
                          "COLUMN command TEXT NOT NULL DEFAULT '[]'; DROP INDEX run_by_kind; "
                          "ALTER TABLE run DROP COLUMN result; DROP INDEX run_by_reporter; "
                          "ALTER TABLE run DROP COLUMN reporter; ALTER TABLE run DROP COLUMN "
                          "label; ALTER TABLE run_limitation DROP COLUMN failures; "
                          "PRAGMA user_version = 11"));
    const std::string place = sandbox_.path("environment");
    fs::create_directory(place);
    std::ofstream(place + "/environment.json") << "{}";
    Query query = must(database->query("UPDATE build SET command = ?, details = ?"));
    must(query.bind(json(marking()).dump())
             .bind(json{{"environment",
                         {{"producer", marking()}, {"place", place}, {"condition", "warm"}}}}
                       .dump())
             .run());
    std::ofstream(older + "/VINTAGE_ARCHIVE") << "vintage archive, format 11\n";
    return older;
  }
  // Any verb that writes brings an older archive to this format.
  void migrate(const std::string& archive) const {
    EXPECT_EQ(sandbox_.run({"gc", "--archive", archive}).status, 0);
  }
  std::string token(const std::string& role, const std::string& name = "") const {
    return json::parse(sandbox_
                           .run({"token", "add", name.empty() ? role : name, "--role", role,
                                 "--archive", archive_, "--format", "json"})
                           .out)["token"];
  }

  const command::Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

TEST_F(StartCommands, TheRecordsApiRefusesThem) {
  for (const char* role : {"push", "admin"}) {
    const std::string secret = token(role);
    RunningService service(archive_);
    Client client(service.url(), secret);
    const Reply refused = client.send("POST", "/v1/builds", armedBuild().dump());
    EXPECT_EQ(refused.status, 422) << refused.body;
    EXPECT_THAT(refused.body, HasSubstr("never how to start it"));
    json inDetails = strangersBuild();
    inDetails["details"] = {{"environment", {{"producer", marking()}}}};
    EXPECT_EQ(client.send("POST", "/v1/builds", inDetails.dump()).status, 422);
    EXPECT_THAT(shown(archive_), Not(HasSubstr(kStranger)));
  }
  RunningService service(archive_);
  Client client(service.url(), token("push", "another"));
  EXPECT_EQ(client.send("POST", "/v1/builds", strangersBuild().dump()).status, 200);
  runEverything(archive_);
}

TEST_F(StartCommands, APushRefusesThem) {
  const std::string secret = token("push");
  RunningService service(archive_);
  Client client(service.url(), secret);
  std::string frames;
  FrameStreamWriter writer(frames);
  writer.build(must(buildOfJson(strangersBuild())));
  writer.end();
  const std::string key = "\"kind\":\"command\"";
  const size_t at = frames.find(key);
  ASSERT_NE(at, std::string::npos) << frames;
  frames.insert(at, "\"command\":" + json(marking()).dump() + ",");
  const Reply refused = client.send("POST", "/v1/push", frames);
  EXPECT_THAT(refused.body, HasSubstr("never how to start it"));
  EXPECT_THAT(shown(archive_), Not(HasSubstr(kStranger)));
}

// An archive that was given away, with an index that a stranger wrote.
TEST_F(StartCommands, AnOlderArchiveIsReadAndNothingInItIsExecuted) {
  const std::string older = olderArchive();
  migrate(older);
  runEverything(older);
  const command::Finished checked = sandbox_.run({"fsck", "--archive", older});
  EXPECT_EQ(checked.status, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("build 'vintage-engine 2025-06-10' was started by /bin/sh"));
}

TEST_F(StartCommands, NoCopyOfAnArchiveCarriesThem) {
  const std::string older = olderArchive();
  migrate(older);
  const std::string empty = sandbox_.path("copy ");
  std::vector<std::string> copies;
  const auto copy = [&](const char* name, std::vector<std::string> verb) {
    copies.push_back(empty + name);
    for (std::string& word : verb)
      if (word == "TO") word = copies.back();
    const command::Finished done = sandbox_.run(verb);
    EXPECT_EQ(done.status, 0) << name << done.err;
  };
  copy("push", {"push", "--archive", older, "TO"});
  copy("pull", {"pull", "--archive", "TO", older});
  copy("mirror", {"mirror", older, "TO"});
  copy("merge", {"merge", older, "--into", "TO"});
  copy("backup", {"backup", "--archive", older, "TO"});
  const std::string backup = copies.back();
  copies.pop_back();
  copy("restore", {"restore", backup, "TO"});
  for (const std::string& one : copies) {
    EXPECT_THAT(shown(one), HasSubstr(kStranger)) << one;
    runEverything(one);
  }
}

// A page of the web can send a POST without a content type to any local address.
TEST_F(StartCommands, AServiceWithoutTokensIsReadableAtMost) {
  for (const char* role : {"push", "admin"}) {
    const command::Finished refused = sandbox_.run(
        {"serve", "--archive", archive_, "--listen", "127.0.0.1:0", "--anonymous", role});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("--anonymous"));
  }
  RunningService service(archive_, {"--anonymous", "read"});
  Client page(service.url());
  EXPECT_EQ(page.send("POST", "/v1/builds", strangersBuild().dump()).status, 401);
  EXPECT_EQ(page.send("POST", "/v1/tokens", R"({"name": "me", "role": "admin"})").status, 401);
  EXPECT_THAT(shown(archive_), Not(HasSubstr(kStranger)));
}

TEST_F(StartCommands, ItsUserBindsABuildAndThenItRuns) {
  const std::string older = olderArchive();
  migrate(older);
  const std::vector<std::string> bind{"builds", "bind", kStranger, "--archive", older, "--"};
  const auto bound = [&](const std::vector<std::string>& worker) {
    std::vector<std::string> words = bind;
    words.insert(words.end(), worker.begin(), worker.end());
    return sandbox_.run(words);
  };
  const std::string program = sandbox_.path("worker");
  fs::copy(kWorker, program);
  const command::Finished other = bound({program, "--build-date", "2025-06-11"});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("it says that it is vintage-engine 2025-06-11"));
  EXPECT_EQ(bound({program, "--build-date", "2025-06-10"}).status, 0);
  EXPECT_EQ(sandbox_.run({"replay", "--build", kStranger, "--archive", older}).status, 0);
  EXPECT_FALSE(wasStarted());

  // The user's commands still count after the archive is moved; no other user may read or write
  // them.
  const std::string moved = sandbox_.path("moved");
  fs::rename(older, moved);
  EXPECT_EQ(sandbox_.run({"builds", "check", kStranger, "--archive", moved}).status, 0);
  const std::string identity =
      must(must(Archive::open(moved, Archive::Mode::kReadOnly)).identity());
  const fs::path state = fs::path(std::getenv("XDG_STATE_HOME")) / "vintage/builds" / identity;
  struct stat status{};
  ASSERT_EQ(::stat(state.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (const auto& file : fs::directory_iterator(state)) {
    ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
    if (file.is_regular_file()) EXPECT_EQ(status.st_mode & 0777, 0600u);
  }

  // Only the bound program is started.
  fs::remove(program);
  fs::copy(VINTAGE_BINARY "/bin/vintage_misbehaving_worker", program);
  const command::Finished changed =
      sandbox_.run({"replay", "--build", kStranger, "--archive", moved});
  EXPECT_NE(changed.status, 0);
  EXPECT_THAT(changed.err, HasSubstr("changed since it was bound"));

  // A folder that others may write says nothing.
  fs::permissions(state, fs::perms::all);
  const command::Finished open = sandbox_.run({"builds", "list", "--archive", moved});
  EXPECT_EQ(open.status, 3);
  EXPECT_THAT(open.err, HasSubstr("another user owns it or may write it"));
  fs::permissions(state, fs::perms::owner_all);
}

TEST_F(StartCommands, CommandsOfAnOlderArchiveAreItsUsersToTakeOrToForget) {
  const std::string older = olderArchive();
  migrate(older);
  const auto former = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"builds", "former", "--archive", older});
    return sandbox_.run(options);
  };
  EXPECT_THAT(former({}).out, HasSubstr("vintage-engine 2025-06-10: /bin/sh -c touch"));
  EXPECT_EQ(former({"nobody"}).status, 2);
  EXPECT_EQ(former({kStranger, "--bind"}).status, 0);
  EXPECT_THAT(former({}).out, HasSubstr("0 of an older format"));
  // In the sandbox of a recipe's workers it would leave no mark.
  const command::Finished replayed =
      sandbox_.run({"replay", "--build", kStranger, "--archive", older, "--no-sandbox"});
  EXPECT_TRUE(wasStarted()) << replayed.out << replayed.err;
}

}  // namespace
}  // namespace vintage::tests::service
