// The registry of builds with the real program and real workers.

#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kWorker = VINTAGE_BINARY "/bin/vintage-worker";
constexpr const char* kFakeWorker = VINTAGE_BINARY "/bin/vintage_misbehaving_worker";

const std::string kIdentityText = R"(module @identity {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
)";

class BuildsCommand : public testing::Test {
 protected:
  Finished builds(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "builds");
    arguments.insert(arguments.end(), {"--archive", archive_});
    return sandbox_.run(arguments);
  }
  // With a worker's command after the --.
  Finished add(std::vector<std::string> options, const std::vector<std::string>& command) const {
    options.insert(options.begin(), {"builds", "add", "--archive", archive_});
    options.emplace_back("--");
    options.insert(options.end(), command.begin(), command.end());
    return sandbox_.run(options);
  }
  nlohmann::json shown(const std::string& build) const {
    return nlohmann::json::parse(builds({"show", build, "--format", "json"}).out);
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

TEST_F(BuildsCommand, AKeptProgramRunsWhenTheOriginalIsGoneAndTheArchiveWasMoved) {
  const std::string original = sandbox_.path("worker-of-old");
  std::filesystem::copy(kWorker, original);
  const Finished added = add({"--keep"}, {original, "--build-date", "2026-03-01"});
  ASSERT_EQ(added.status, 0) << added.err;
  std::filesystem::remove(original);
  const std::string moved = sandbox_.path("moved");
  std::filesystem::rename(archive_, moved);
  const Finished checked = sandbox_.run({"builds", "check", "--archive", moved});
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("starts"));
  // The details list what it loads, for whom it does not start.
  const Finished reported = sandbox_.run(
      {"builds", "show", "vintage-engine 2026-03-01", "--archive", moved, "--format", "json"});
  EXPECT_THAT(nlohmann::json::parse(reported.out)["libraries"].dump(), HasSubstr("libstdc++"));
}

TEST_F(BuildsCommand, ADamagedProgramIsNotStarted) {
  ASSERT_EQ(add({"--keep", "--name", "mine"}, {kFakeWorker}).status, 0);
  const std::string program = shown("mine")["command"][0];
  {
    std::fstream file(program, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\x7f');
  }
  const Finished checked = builds({"check"});
  EXPECT_EQ(checked.status, 3) << checked.out;
  EXPECT_THAT(checked.out, AllOf(HasSubstr("damaged"), HasSubstr(program)));
  // Keeping the same content again heals it.
  ASSERT_EQ(add({"--keep", "--name", "mine"}, {kFakeWorker}).status, 0);
  EXPECT_EQ(builds({"check"}).status, 0);
}

TEST_F(BuildsCommand, LibrariesCanBeKeptWithTheProgram) {
  ASSERT_EQ(add({"--keep-libraries", "--name", "whole"}, {kFakeWorker}).status, 0);
  const nlohmann::json build = shown("whole");
  const auto& libraries = build["libraries"];
  ASSERT_GT(libraries.size(), 3u);
  for (const auto& library : libraries) EXPECT_TRUE(library["kept"]) << library;
  EXPECT_EQ(builds({"check"}).status, 0);
  // Without one of them the message names what is missing.
  for (const auto& library : libraries)
    if (library["name"].get<std::string>().starts_with("libfmt"))
      std::filesystem::remove(library["file"].get<std::string>());
  const Finished checked = builds({"check"});
  EXPECT_EQ(checked.status, 3);
  EXPECT_THAT(checked.out, HasSubstr("libfmt"));
}

TEST_F(BuildsCommand, ABuildDescribesWhatItRegisters) {
  ASSERT_EQ(add({}, {kWorker, "--build-date", "2026-03-01"}).status, 0);
  const Finished described =
      builds({"describe", "--build", "vintage-engine 2026-03-01", "--format", "json"});
  ASSERT_EQ(described.status, 0) << described.err;
  const auto runtime = nlohmann::json::parse(described.out);
  EXPECT_EQ(runtime["format"], "vintage runtime");
  EXPECT_EQ(runtime["build_date"], "2026-03-01");
  EXPECT_THAT(runtime["serialization_schema"].get<std::string>(), HasSubstr("table Exported"));
  bool found = false;
  for (const auto& target : runtime["targets"])
    if (target["name"] == "lapack_spotrf_ffi") {
      found = true;
      EXPECT_EQ(target["aliases"], nlohmann::json::parse(R"([{"result": 0, "operand": 0}])"));
      EXPECT_EQ(target["operands"].size(), 1u);
      EXPECT_EQ(target["results"].size(), 2u);
    }
  EXPECT_TRUE(found);
  // A worker from before that could be asked.
  ASSERT_EQ(add({}, {kFakeWorker}).status, 0);
  const Finished silent = builds({"describe", "misbehaving"});
  EXPECT_EQ(silent.status, 3);
  EXPECT_THAT(silent.err, HasSubstr("describe"));
}

TEST_F(BuildsCommand, AWorkerInPythonIsAConsumer) {
  if (std::system("python3 -c pass 2>/dev/null") != 0) GTEST_SKIP() << "python3 is not there";
  const std::string script = VINTAGE_SOURCE "/docs/examples/worker.py";
  ASSERT_EQ(sandbox_
                .run({"import", writeCompatibilityTest(sandbox_, "kept", 3, kIdentityText),
                      writeCompatibilityTest(sandbox_, "wrong", 33), "--archive", archive_})
                .status,
            0);
  std::filesystem::create_directory(sandbox_.path("same"));
  const Finished added = add({"--name", "echo"}, {"python3", script, "--echo"});
  ASSERT_EQ(added.status, 0) << added.err;
  const Finished replayed =
      sandbox_.run({"replay", "--archive", archive_, "--build", "echo", "--format", "json"});
  const auto report = nlohmann::json::parse(replayed.out);
  ASSERT_EQ(report["pairs"].size(), 2u) << replayed.out << replayed.err;
  for (const auto& pair : report["pairs"]) {
    // It ran, and gave its input back: as the program of "kept" does, whose golden is of another.
    EXPECT_EQ(pair["outcome"], pair["name"] == "kept" ? "not comparable" : "mismatch") << pair;
    EXPECT_THAT(pair["detail"].get<std::string>(), Not(HasSubstr("Error")));
  }
  // Without --echo it says why it does not execute a portable artifact.
  ASSERT_EQ(add({"--name", "python"}, {"python3", script}).status, 0);
  const Finished unsupported =
      sandbox_.run({"replay", "--archive", archive_, "--build", "python", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(unsupported.out)["pairs"][0]["outcome"], "unsupported");
}

TEST_F(BuildsCommand, FactsPairsAndRemoval) {
  const std::string facts = sandbox_.write("releases.json", R"({"releases": [
    {"tag": "jax-v0.4.30", "date": "2024-06-18", "minimum_jaxlib_version": "0.4.27"},
    {"tag": "jaxlib-v0.4.26", "date": "2024-04-03", "minimum_jaxlib_version": "0.4.20"},
    {"tag": "jaxlib-v0.4.28", "date": "2024-05-09", "minimum_jaxlib_version": "0.4.20"}]})");
  ASSERT_EQ(builds({"import", facts}).status, 0);
  EXPECT_THAT(builds({"import", facts}).out, HasSubstr("3 releases known by facts, 0 new"));
  const auto pairs =
      nlohmann::json::parse(builds({"check", "--pairs", "--format", "json"}).out)["pairs"];
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0]["answer"], "forbidden");
  EXPECT_EQ(pairs[1]["answer"], "allowed");
  const std::vector<std::string> versions{"check", "--jax", "0.4.30", "--jaxlib"};
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), versions.begin(), versions.end());
    return builds(more).status;
  };
  EXPECT_EQ(check({"0.4.27"}), 0);
  EXPECT_EQ(check({"0.4.26"}), 1);
  EXPECT_EQ(check({"0.4.31"}), 1);
  EXPECT_EQ(check({"0.4.28", "--needs-extension", "20", "--extension", "19"}), 1);
  EXPECT_EQ(check({"0.4.28", "--needs-extension", "20"}), 3);
  EXPECT_EQ(check({"nonsense"}), 2);

  EXPECT_EQ(builds({"remove", "jaxlib 0.4.26"}).status, 0);
  EXPECT_EQ(builds({"remove", "jaxlib 0.4.26"}).status, 2);
  const Finished refused = builds({"add"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(builds({"add", "--from-git", "HEAD", "--repo", sandbox_.path("none")}).status, 2);
  EXPECT_EQ(add({}, {kFakeWorker, "--exit-at-start"}).status, 3);
  EXPECT_EQ(add({}, {kFakeWorker, "--garbage-hello"}).status, 3);
}

// 0.4.30.0 was looked up as the registered 0.4.30, which it is to the package index, and allowed:
// JAX refuses it as newer than itself.
TEST_F(BuildsCommand, AVersionIsPairedAsItWasTyped) {
  const std::string facts = sandbox_.write("releases.json", R"({"releases": [
    {"tag": "jax-v0.4.30", "date": "2024-06-18", "minimum_jaxlib_version": "0.4.27"},
    {"tag": "jaxlib-v0.4.30", "date": "2024-06-18"}]})");
  ASSERT_EQ(builds({"import", facts}).status, 0);
  EXPECT_EQ(builds({"check", "--jax", "0.4.30", "--jaxlib", "0.4.30"}).status, 0);
  const Finished newer = builds({"check", "--jax", "0.4.30", "--jaxlib", "0.4.30.0"});
  EXPECT_EQ(newer.status, 1);
  EXPECT_THAT(newer.out, HasSubstr("0.4.30.0 is newer than jax 0.4.30"));
}

TEST_F(BuildsCommand, ABuildWithOutcomesIsNotForgottenByTheWay) {
  ASSERT_EQ(add({"--keep", "--date", "2025-07-01", "--name", "mine"}, {kFakeWorker}).status, 0);
  ASSERT_EQ(
      sandbox_.run({"import", writeCompatibilityTest(sandbox_, "good", 33), "--archive", archive_})
          .status,
      0);
  sandbox_.run({"replay", "--archive", archive_, "--build", "mine"});
  const Finished refused = builds({"remove", "mine"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("1 outcome of build"));
  EXPECT_EQ(builds({"remove", "mine", "--with-outcomes"}).status, 0);
}

// Takes minutes: builds a worker from the commit that is named in
// VINTAGE_TEST_FROM_GIT, of this project's own repository.
TEST_F(BuildsCommand, FromGit) {
  const char* revision = std::getenv("VINTAGE_TEST_FROM_GIT");
  if (!revision) GTEST_SKIP() << "set VINTAGE_TEST_FROM_GIT to a revision to build it";
  const Finished added = builds({"add", "--from-git", revision, "--repo", VINTAGE_SOURCE,
                                 "--preset", "dev", "--scratch", sandbox_.path("scratch")});
  ASSERT_EQ(added.status, 0) << added.err;
  EXPECT_EQ(builds({"check"}).status, 0);
}

}  // namespace
}  // namespace vintage::tests::command
