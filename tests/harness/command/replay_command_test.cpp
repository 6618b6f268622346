// Import, list, show and replay with the real programs.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using testing::HasSubstr;

TEST(ReplayCommand, AnArtifactThatHoldsExitsWithZero) {
  const Sandbox sandbox;
  const std::string folder = writeCompatibilityTest(sandbox, "good", 33);
  const std::string archive = sandbox.path("A");
  const Finished imported = sandbox.run({"import", folder, "--archive", archive});
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("1 artifact taken (1 new"));
  const Finished again = sandbox.run({"import", folder, "--archive", archive});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("0 new, 1 already there"));

  for (const char* mode : {"graph", "eager"}) {
    const Finished replayed = sandbox.run({"replay", "--archive", archive, "--mode", mode});
    EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
  }
  const Finished listed = sandbox.run({"list", "--archive", archive, "--format", "json"});
  const auto records = nlohmann::json::parse(listed.out);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0]["name"], "good");
  EXPECT_EQ(records[0]["build_date"], "2025-06-01");
  EXPECT_EQ(records[0]["dtypes"], nlohmann::json({"f32"}));
  EXPECT_EQ(records[0]["stablehlo_version"], "1.0.0");
  EXPECT_EQ(records[0]["calling_convention_version"], 9);
}

TEST(ReplayCommand, AMismatchExitsWithOneAndSaysWhereAndHowToRepeatIt) {
  const Sandbox sandbox;
  const std::string archive = sandbox.path("A");
  sandbox.run({"import", writeCompatibilityTest(sandbox, "good", 33),
               writeCompatibilityTest(sandbox, "bad", 34), "--archive", archive});
  const Finished replayed = sandbox.run({"replay", "--archive", archive});
  EXPECT_EQ(replayed.status, 1) << replayed.out;
  EXPECT_THAT(replayed.out, HasSubstr("bad"));
  EXPECT_THAT(replayed.out, HasSubstr("34"));
  EXPECT_THAT(replayed.out, HasSubstr("vintage replay --archive"));
  // Only what did not pass runs again.
  const Finished rerun =
      sandbox.run({"replay", "--archive", archive, "--rerun", "--format", "json"});
  const auto report = nlohmann::json::parse(rerun.out);
  ASSERT_EQ(report["pairs"].size(), 1u);
  EXPECT_EQ(report["pairs"][0]["name"], "bad");
}

// A build's name travels with its archive, and the printed command put it between plain quotes: a
// name with a quote ended them, and a person who pasted the command ran what followed.
TEST(ReplayCommand, ABuildsNameIsOneWordOfThePrintedCommand) {
  const Sandbox sandbox;
  const std::string archive = sandbox.path("A my");
  sandbox.run({"import", writeCompatibilityTest(sandbox, "bad", 34), "--archive", archive});
  const std::string name = "x'; touch owned; 'y";
  const Finished added =
      sandbox.run({"builds", "add", "--archive", archive, "--name", name, "--date", "2025-06-02",
                   "--", VINTAGE_BINARY "/bin/vintage-worker"});
  ASSERT_EQ(added.status, 0) << added.err;
  const std::string command = R"(--build 'x'\''; touch owned; '\''y')";
  const Finished replayed = sandbox.run({"replay", "--archive", archive, "--build", name});
  EXPECT_EQ(replayed.status, 1) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, testing::AllOf(HasSubstr(command), HasSubstr("A my' --id")));
  const Finished explained = sandbox.run({"explain", "bad", "--build", name, "--archive", archive});
  EXPECT_THAT(explained.out, HasSubstr(command));
}

TEST(ReplayCommand, NothingRanIsNotAPass) {
  const Sandbox sandbox;
  const std::string archive = sandbox.path("A");
  sandbox.run({"import", writeCompatibilityTest(sandbox, "good", 33), "--archive", archive});
  EXPECT_EQ(sandbox.run({"replay", "--archive", archive, "--primitive", "nothing"}).status, 4);
  EXPECT_EQ(sandbox.run({"replay", "--archive", archive, "--platform", "tpu"}).status, 4);
}

TEST(ReplayCommand, AnUnregisteredTargetAndWrongInputsAreNamed) {
  const Sandbox sandbox;
  const std::string archive = sandbox.path("A");
  const std::string calling = R"(module @call {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @nobody_knows_this(%arg0, %arg1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
)";
  std::string wider = kAddText;
  for (size_t at; (at = wider.find("3xf32")) != std::string::npos;) wider.replace(at, 1, "4");
  sandbox.run({"import", writeCompatibilityTest(sandbox, "target", 33, calling),
               writeCompatibilityTest(sandbox, "shape", 33, wider), "--archive", archive});
  const Finished replayed = sandbox.run({"replay", "--archive", archive});
  EXPECT_EQ(replayed.status, 1);
  EXPECT_THAT(replayed.out, HasSubstr("nobody_knows_this"));
  EXPECT_THAT(replayed.out, HasSubstr("[4]"));
}

TEST(ReplayCommand, TheConvertedArtifactShowsTheSameText) {
  const Sandbox sandbox;
  const std::string folder = writeCompatibilityTest(sandbox, "good", 33);
  const Finished shown = sandbox.run({"show", folder + "/module.mlirbc"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("%0 = stablehlo.add %arg0, %arg1 : tensor<3xf32>"));
  const Finished json = sandbox.run({"show", folder + "/module.mlirbc", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["stablehlo_version"], "1.0.0");
  const Finished minimum = sandbox.run({"show", folder + "/module.mlirbc", "--minimum-version"});
  EXPECT_EQ(minimum.out, "0.9.0\n");
}

}  // namespace
}  // namespace vintage::tests::command
