// `vintage report --html`: what it prints and how it ends.
#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::command {
using namespace archive;

namespace {

using ::testing::HasSubstr;

TEST(ReportCommand, WritesAFolderThatItWritesAgainAndNoOther) {
  const Sandbox sandbox;
  const std::string archive = sandbox.path("A"), report = sandbox.path("report");
  ASSERT_TRUE(Archive::open(archive, Archive::Mode::kCreate));
  for (int round = 0; round < 2; ++round) {
    const auto written = sandbox.run({"report", "--archive", archive, "--html", report});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_THAT(written.out, HasSubstr("open " + report + "/index.html"));
    EXPECT_TRUE(std::filesystem::exists(report + "/index.html"));
  }
  const auto json = nlohmann::json::parse(
      sandbox.run({"report", "--archive", archive, "--html", report, "--format", "json"}).out);
  EXPECT_EQ(json["index"], report + "/index.html");
  EXPECT_EQ(json["pairs"], 0);
  EXPECT_GT(json["files"], 5);

  // Ctrl-C left a folder that the same command refused.
  std::filesystem::remove_all(report + "/data");
  std::filesystem::remove(report + "/dashboard/dashboard.js");
  EXPECT_EQ(sandbox.run({"report", "--archive", archive, "--html", report}).status, 0);
  EXPECT_TRUE(std::filesystem::exists(report + "/data/overview.js"));

  const auto elsewhere = sandbox.run({"report", "--archive", archive, "--html", archive});
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_THAT(elsewhere.err, HasSubstr("something else than an earlier report"));
  EXPECT_EQ(sandbox.run({"report", "--archive", archive}).status, 2);
  EXPECT_EQ(sandbox.run({"report", "--archive", report, "--html", sandbox.path("r")}).status, 3);
}

}  // namespace
}  // namespace vintage::tests::command
