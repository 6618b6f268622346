// `vintage diff` and `vintage convert`, with the real program.
#include <algorithm>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kSubtractText = R"(module @add {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.subtract %arg0, %arg1 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
)";

// How often a text stands in a file's bytes.
int occurrences(const std::string& content, const std::string& text) {
  int count = 0;
  for (size_t at = content.find(text); at != std::string::npos; at = content.find(text, at + 1))
    ++count;
  return count;
}

class DiffCommand : public testing::Test {
 protected:
  void writeSum(const std::string& name, float third) const {
    sandbox_.write(name, npyOfThree(11, 22, third));
  }
  void put(const std::string& text, const std::string& name, float third) const {
    const std::string source = sandbox_.write(name + ".mlir", text);
    sandbox_.run({"convert", source, "--target", "1.0.0", "-o", sandbox_.path(name)});
    sandbox_.write("x.npy", npyOfThree(1, 2, 3));
    sandbox_.write("y.npy", npyOfThree(10, 20, 30));
    writeSum("sum.npy", third);
    const Finished kept =
        sandbox_.run({"put", sandbox_.path(name), "--archive", archive_, "--inputs",
                      sandbox_.path("x.npy"), sandbox_.path("y.npy"), "--outputs",
                      sandbox_.path("sum.npy"), "--build-date", "2025-06-01"});
    ASSERT_EQ(kept.status, 0) << kept.err;
  }

  // A derivative of the catalogue's, as a file.
  std::string derivative() const {
    const Finished night = sandbox_.run({"nightly", "--archive", archive_, "--primitive", "tanh"});
    EXPECT_EQ(night.status, 0) << night.err;
    const std::string name = "tanh_f32[8,8],f32[8,8]_vjp/cpu";
    const Finished got =
        sandbox_.run({"get", name, "--archive", archive_, "-o", sandbox_.path("derivative")});
    EXPECT_EQ(got.status, 0) << got.err;
    return sandbox_.path("derivative/exported.bin");
  }

  Sandbox sandbox_;
  std::string archive_ = sandbox_.path("A");
};

TEST_F(DiffCommand, NamesOperationsTheFirstLineAndTheLargestDifferences) {
  put(kAddText, "add", 33);
  put(kSubtractText, "subtract", -27);
  const Finished differ = sandbox_.run({"diff", "add", "subtract", "--archive", archive_});
  EXPECT_EQ(differ.status, 1) << differ.err;
  EXPECT_THAT(differ.out,
              AllOf(HasSubstr("stablehlo.add                       1  ->  0\n"),
                    HasSubstr("stablehlo.subtract                  0  ->  1\n"),
                    HasSubstr("the text differs first in line 3\n"),
                    HasSubstr("output 0: f32[3], 1 of 3 elements differ, by 60 at most"),
                    HasSubstr("  [2]: 33 and -27\n"), Not(HasSubstr("input"))));
  const json said = json::parse(
      sandbox_.run({"diff", "add", "subtract", "--archive", archive_, "--format", "json"}).out);
  EXPECT_EQ(said["operations"].size(), 2);
  EXPECT_EQ(said["arrays"][0]["largest_absolute"], 60);
  const Finished same = sandbox_.run({"diff", "add", "add", "--archive", archive_});
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.out, "the same bytes and golden\n");
}

TEST_F(DiffCommand, ComparesWhatABuildGivesWithTheGolden) {
  put(kAddText, "add", 34);
  const std::string worker = VINTAGE_BINARY "/bin/vintage-worker";
  for (const char* name : {"old", "new"})
    sandbox_.run({"builds", "add", "--archive", archive_, "--name", name, "--", worker});
  const Finished golden = sandbox_.run({"diff", "add", "--archive", archive_, "--build", "old"});
  EXPECT_EQ(golden.status, 1) << golden.err;
  EXPECT_THAT(golden.out, AllOf(HasSubstr("old: mismatch"), HasSubstr("  [2]: 34 and 33\n")));
  const Finished builds =
      sandbox_.run({"diff", "add", "--archive", archive_, "--build", "old", "--build", "new"});
  EXPECT_EQ(builds.status, 0) << builds.err;
  EXPECT_THAT(builds.out, HasSubstr("the same values"));
  EXPECT_EQ(sandbox_.run({"diff", "add", "--build", "old"}).status, 2);
}

TEST_F(DiffCommand, ComparesFilesOfArrays) {
  writeSum("a.npy", 33);
  writeSum("b.npy", 33.5);
  const auto diff = [&](const char* a, const char* b) {
    return sandbox_.run({"diff", sandbox_.path(a), sandbox_.path(b)});
  };
  EXPECT_EQ(diff("a.npy", "a.npy").status, 0);
  const Finished other = diff("a.npy", "b.npy");
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, AllOf(HasSubstr("1 of 3 elements differ, by 0.5 at most"),
                               HasSubstr("  [2]: 33 and 33.5\n")));
  const Finished missing = diff("a.npy", "nowhere");
  EXPECT_NE(missing.status, 0);
  EXPECT_EQ(sandbox_.run({"diff", sandbox_.path("a.npy")}).status, 2);
}

// The derivative inside of an Exported stayed at the version that it was written in.
TEST_F(DiffCommand, ConvertTakesDerivativesWithIt) {
  const std::string model = derivative(), converted = sandbox_.path("converted");
  const Finished done = sandbox_.run({"convert", model, "--target", "1.9.0", "-o", converted});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("exported of "));
  EXPECT_EQ(occurrences(Sandbox::read(model), "StableHLO_v1.18.0"), 2);
  EXPECT_EQ(occurrences(Sandbox::read(converted), "StableHLO_v1.18.0"), 0);
  EXPECT_EQ(occurrences(Sandbox::read(converted), "StableHLO_v1.9.0"), 2);
  const Finished differ = sandbox_.run({"diff", model, converted});
  EXPECT_EQ(differ.out, "stablehlo_version                   1.18.0  ->  1.9.0\n");
}

// The help promised a portable artifact, and an Exported was written.
TEST_F(DiffCommand, ConvertGivesTheModuleAloneWhereThatIsAskedFor) {
  const std::string model = derivative(), module = sandbox_.path("module");
  const Finished done =
      sandbox_.run({"convert", model, "--target", "1.9.0", "--to", "portable", "-o", module});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(Sandbox::read(module), StartsWith("ML\xefR"));
  const Finished back =
      sandbox_.run({"convert", module, "--target", "1.9.0", "--to", "exported", "-o", model});
  EXPECT_EQ(back.status, 2);
  EXPECT_THAT(back.err, HasSubstr("is a module"));
}

// A file was named twice in the message, and the attribute that needs a newer version by a part
// of it that no one can read ("#sdy.dim_mappingi").
TEST_F(DiffCommand, ConvertNamesTheWholeAttributeThatStandsInTheWay) {
  const std::string text = R"(module @f {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @f(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}, custom>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)";
  const std::string source = sandbox_.write("f.mlir", text);
  const Finished done =
      sandbox_.run({"convert", source, "--target", "1.0.0", "-o", sandbox_.path("f")});
  EXPECT_EQ(done.status, 3);
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("#sdy.op_sharding_rule<([i])->([i]) {i=4}, custom>"),
                    Not(HasSubstr("dim_mapping")), Not(HasSubstr(source + ": " + source))));
}

TEST_F(DiffCommand, TwoNightsAreCompared) {
  std::vector<std::string> runs;
  for (const char* today : {"2026-11-20", "2026-11-21"}) {
    const std::string label = "night-" + std::to_string(runs.size());
    const Finished night = sandbox_.run({"nightly", "--archive", archive_, "--primitive", "tanh",
                                         "--today", today, "--label", label, "--format", "json"});
    ASSERT_EQ(night.status, 0) << night.err;
    EXPECT_EQ(json::parse(night.out)["label"], label);
    runs.push_back(json::parse(night.out)["run"]);
  }
  const std::vector<std::string> diff{"diff",  "--archive", archive_,   "--run", runs[0],
                                      "--run", runs[1],     "--format", "json"};
  const Finished same = sandbox_.run(diff);
  EXPECT_EQ(same.status, 0) << same.err;
  const json found = json::parse(same.out);
  EXPECT_GT(found["in_both"], 0);
  EXPECT_EQ(found["only_before"], 0);
  EXPECT_EQ(found["broken"], 0);
  EXPECT_EQ(found["builds"][0], json({{"before", "vintage-engine 2026-11-20"},
                                      {"after", "vintage-engine 2026-11-21"}}));
  const Finished labelled = sandbox_.run(
      {"diff", "--archive", archive_, "--run", "night-0", "--run", "night-1", "--format", "json"});
  EXPECT_EQ(labelled.out, same.out) << labelled.err;
  const Finished unlabelled =
      sandbox_.run({"replay", "--archive", archive_, "--label", "two words"});
  EXPECT_EQ(unlabelled.status, 2);
  EXPECT_THAT(unlabelled.err, HasSubstr("'two words' is not a label for a run"));
  // One run, the newest night, is compared with the one before it.
  const Finished newest =
      sandbox_.run({"diff", "--archive", archive_, "--run", "nightly", "--format", "json"});
  EXPECT_EQ(newest.out, same.out) << newest.err;
  const Finished first = sandbox_.run({"diff", "--archive", archive_, "--run", runs[0]});
  EXPECT_EQ(first.status, 2);
  EXPECT_THAT(first.err,
              HasSubstr("before run '" + runs[0] + "' the archive has none of the kind"));
  const Finished three =
      sandbox_.run({"diff", "--archive", archive_, "--run", "a", "--run", "b", "--run", "c"});
  EXPECT_EQ(three.status, 2);
  EXPECT_THAT(three.err, HasSubstr("give it once or twice"));
  const Finished none =
      sandbox_.run({"diff", "--archive", archive_, "--run", "yesterday", "--run", runs[1]});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(
      none.err,
      HasSubstr("no run 'yesterday', and none with that label or of that kind; its newest is '" +
                runs[1] + "', and labels are: night-0, night-1;"));
}

}  // namespace
}  // namespace vintage::tests::command
