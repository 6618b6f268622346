// The way of an archive to another machine and back: what tonight's run made and
// what JAX keeps of its releases is pushed, pulled into an empty archive, checked
// on both sides, and replayed there with the same verdict; through the service
// and through an S3-compatible server.
//
// VINTAGE_END_TO_END=1 takes the whole generated set and corpus instead of a few
// primitives and programs (many minutes); VINTAGE_PROGRAM=build/release/bin/vintage
// takes another program than the one beside the tests.
#include <cstdlib>
#include <iostream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/rados_gateway.h"
#include "tests/archive/transfer/real_service.h"

namespace vintage::tests {
namespace {

using namespace tests::transfer;
using tests::command::Finished;
namespace fs = std::filesystem;

class EndToEnd : public ::testing::Test {
 protected:
  static bool whole() { return std::getenv("VINTAGE_END_TO_END") != nullptr; }

  std::string path(const std::string& name) const { return sandbox_.path(name); }

  Finished run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{programPath()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    for (const char* file : {"stdout", "stderr"}) fs::remove(path(file));
    Finished finished;
    finished.status = ChildProcess(command, path("stdout"), path("stderr")).wait();
    finished.out = tests::command::Sandbox::read(path("stdout"));
    finished.err = tests::command::Sandbox::read(path("stderr"));
    return finished;
  }

  // Its standard output; fails the test where it ended otherwise. A night that
  // found a broken promise (1) has archived all the same.
  std::string vintage(const std::vector<std::string>& arguments, int worst = 0) {
    const Finished finished = run(arguments);
    EXPECT_LE(finished.status, worst) << arguments[0] << ": " << finished.err << finished.out;
    if (whole()) std::cout << "vintage " << arguments[0] << "\n" << finished.out.substr(0, 2000);
    return finished.out;
  }

  void makeSource() {
    std::vector<std::string> nightly{"nightly", "--archive", path("A"), "--today", "2026-11-20"};
    if (!whole())
      for (const char* primitive : {"cholesky", "tanh"})
        nightly.insert(nightly.end(), {"--primitive", primitive});
    vintage(nightly, 1);
    const fs::path corpus = fs::path(VINTAGE_SHARED) / "corpus" / "jax-backcompat";
    if (!fs::exists(corpus)) return;
    std::vector<std::string> folders;
    for (const auto& entry : fs::directory_iterator(corpus)) {
      const std::string name = entry.path().filename();
      if (whole() || name.starts_with("cpu_cholesky") || name.starts_with("cpu_eigh"))
        folders.push_back(entry.path());
    }
    folders.insert(folders.begin(), "import");
    folders.insert(folders.end(), {"--archive", path("A")});
    vintage(folders);
  }

  // Of each pair: what ran, and what came of it. The run's id, the times and the
  // archive's name differ by nature.
  std::pair<std::set<std::string>, std::string> replay(const std::string& archive) {
    const Finished finished = run({"replay", "--archive", archive, "--today", "2026-11-20",
                                   "--platform", "cpu", "--format", "json"});
    const auto report = nlohmann::json::parse(finished.out, nullptr, false);
    EXPECT_TRUE(report.is_object()) << finished.err;
    if (!report.is_object()) return {};
    std::set<std::string> pairs;
    for (auto pair : report["pairs"]) {
      for (const char* changing : {"seconds", "run", "reproduce", "command"}) pair.erase(changing);
      pairs.insert(pair.dump());
    }
    EXPECT_GT(report["counts"]["ran"].get<size_t>(), 50u);
    return {std::move(pairs), std::to_string(finished.status) + " " + report["verdict"].dump() +
                                  " of " + report["counts"]["ran"].dump()};
  }

  void pushPullAndReplay(const std::string& place) {
    makeSource();
    vintage({"push", path("A"), place});
    vintage({"pull", place, path("B")});
    for (const char* archive : {"A", "B"})
      vintage({"fsck", "--archive", path(archive), "--read-data"});
    EXPECT_EQ(vintage({"list", "--archive", path("A"), "--format", "json"}).size(),
              vintage({"list", "--archive", path("B"), "--format", "json"}).size());
    expectSameArchives(path("A"), path("B"));
    const auto here = replay(path("A")), there = replay(path("B"));
    EXPECT_EQ(here.second, there.second);
    EXPECT_TRUE(here.first == there.first);
  }

  tests::command::Sandbox sandbox_;
};

TEST_F(EndToEnd, ThroughTheService) {
  RealService service(sandbox_, path("S"));
  ASSERT_NE(service.url(), "") << service.log();
  pushPullAndReplay(service.url());
  EXPECT_EQ(service.stop(), 0);
  vintage({"fsck", "--archive", path("S"), "--read-data"});
}

TEST_F(EndToEnd, ThroughAnS3CompatibleServer) {
  if (!RadosGateway::installed()) GTEST_SKIP() << RadosGateway::kHowToInstall;
  RadosGateway& gateway = RadosGateway::shared();
  const std::string bucket = gateway.makeBucket();
  ASSERT_EQ(gateway.problem(), "");
  RadosGateway::setEnvironment(gateway.url());
  pushPullAndReplay("s3://" + bucket + "/nightly");
}

}  // namespace
}  // namespace vintage::tests
