// Speed with the real program: scripted builds with known differences, and the embedded engine
// beside itself.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMeasured = VINTAGE_BINARY "/bin/vintage_measuring_worker";

// Additions of four sizes, exported on 2025-06-01, and builds of the days after.
class SpeedCommand : public testing::Test {
 protected:
  void SetUp() override {
    for (const int size : {1000, 2000, 4000, 8000}) {
      const std::string type = "tensor<" + std::to_string(size) + "xf32>";
      const std::string text = sandbox_.write(
          "add.mlir", "func.func public @main(%a: " + type + ", %b: " + type + ") -> " + type +
                          " {\n  %0 = stablehlo.add %a, %b : " + type + "\n  return %0 : " + type +
                          "\n}\n");
      ASSERT_EQ(
          sandbox_.run({"convert", text, "--target", "1.0.0", "-o", sandbox_.path("add")}).status,
          0);
      const Finished put = sandbox_.run({"put", sandbox_.path("add"), "--archive", archive_,
                                         "--name", "add_f32_n" + std::to_string(size) + "/cpu",
                                         "--producer", "measured 0", "--build-date", "2025-06-01"});
      ASSERT_EQ(put.status, 0) << put.err;
    }
  }
  void build(const std::string& name, const std::string& date,
             const std::vector<std::string>& script) const {
    std::vector<std::string> arguments{"builds", "add",    "--archive", archive_, "--name",
                                       name,     "--date", date,        "--",     kMeasured};
    arguments.insert(arguments.end(), script.begin(), script.end());
    const Finished added = sandbox_.run(arguments);
    ASSERT_EQ(added.status, 0) << added.err;
  }
  Finished window(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"window", "--archive", archive_, "--today", "2025-07-31",
                                         "--speed", "--scope", "backward"});
    return sandbox_.run(arguments);
  }

  // Three builds that can be judged by the gate, of 80 µs, 240 µs and 2.4 ms.
  void threeBuilds() const {
    build("measured 1", "2025-06-10", {"1e-8", "1", "100000", "1"});
    build("measured 2", "2025-06-20", {"3e-8", "1", "100000", "2"});
    build("measured 3", "2025-06-30", {"3e-7", "1", "100000", "3"});
  }
  Finished gate(const std::string& after, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"gate",  "--archive", archive_,  "--old",      "measured 1",
                                       "--new", after,       "--today", "2025-07-31", "--speed"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox_.run(arguments);
  }
  std::string policy(const std::string& speed) const {
    return sandbox_.write("policy.json",
                          R"({"format": "vintage window policy", "version": 1, "name": "ours",
        "promises": [{"name": "backward", "direction": "backward", "days": 180}],
        "speed": )" + speed + "}");
  }
  // For all sizes of the additions on a build.
  void declare(const std::string& failure, const std::string& build) const {
    const std::string file =
        sandbox_.write("declared.json", R"({"format": "vintage limitations", "version": 1,
        "limitations": [{"id": "slow-sums", "class": ")" +
                                            failure + R"(", "consumers": [")" + build +
                                            R"("], "artifacts": ["add_f32_n*/cpu@measured 0"],
        "description": "they are summed twice", "since": "2025-06-01", "until": "2025-08-31",
        "evidence": {"artifacts": 4, "example": "", "message": ""}}]})");
    const Finished declared = sandbox_.run({"limitations", "declare", file, "--archive", archive_});
    ASSERT_EQ(declared.status, 0) << declared.err;
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

// JAX 0.11.1 made a loop quadratic in its length, and every night said "holds".
TEST_F(SpeedCommand, AnExponentThatChangesIsFoundAndBreaksNothingUnpromised) {
  build("measured 1", "2025-06-10", {"1e-8", "1", "100000"});
  build("measured 2", "2025-06-20", {"1e-10", "2", "100000"});
  const Finished shown = window({});
  EXPECT_EQ(shown.status, 0) << shown.out << shown.err;
  EXPECT_THAT(
      shown.out,
      AllOf(HasSubstr("slower: run of add_f32_n*/cpu (cpu, graph) on measured 2: 80 times"),
            HasSubstr("exponent 1.0 -> 2.0 from 1000 to 8000"),
            HasSubstr("4 artifacts show it; the smallest is add_f32_n1000/cpu"),
            HasSubstr("--build 'measured 1' --build 'measured 2'"), Not(HasSubstr("larger"))));

  // Measured pairs are known; nothing is started for them.
  const json again = json::parse(window({"--no-run", "--format", "json"}).out);
  const json& speed = again["speed"];
  ASSERT_EQ(speed["findings"].size(), 1u);
  EXPECT_EQ(speed["findings"][0]["class"], "slower");
  EXPECT_EQ(speed["counts"]["measured"], 4);
  EXPECT_EQ(speed["counts"]["not_resolved"], 0);
  EXPECT_NEAR(speed["findings"][0]["growth"]["change"].get<double>(), 1, 0.01);

  // The command of a finding measures it again.
  const std::string smallest = speed["findings"][0]["artifact"].get<std::string>().substr(0, 12);
  const Finished repeated =
      sandbox_.run({"run", smallest, "--archive", archive_, "--build", "measured 1", "--build",
                    "measured 2", "--platform", "cpu", "--mode", "graph", "--speed"});
  EXPECT_EQ(repeated.status, 1) << repeated.err;
  EXPECT_THAT(repeated.out, HasSubstr("slower"));
}

TEST_F(SpeedCommand, APolicyMakesItAPromise) {
  build("measured 1", "2025-06-10", {"1e-8", "1", "100000"});
  build("measured 2", "2025-06-20", {"1e-8", "1", "250000"});
  const Finished broken = window({"--policy", policy(R"({"run": 2.0, "memory": 2.0})")});
  EXPECT_EQ(broken.status, 1) << broken.out << broken.err;
  EXPECT_THAT(broken.out, AllOf(HasSubstr("larger: memory of add_f32_n*/cpu"), HasSubstr("exactly"),
                                HasSubstr("it breaks the policy's bound"),
                                HasSubstr("promise of speed: broken")));
  const Finished holds = window({"--policy", policy(R"({"run": 2.0, "memory": 3.0})")});
  EXPECT_EQ(holds.status, 0) << holds.out;
  EXPECT_THAT(holds.out, HasSubstr("promise of speed: holds"));
  const Finished wrong = window({"--policy", policy(R"({"run": 0.5})")});
  EXPECT_EQ(wrong.status, 3) << wrong.out;
  EXPECT_THAT(wrong.err, HasSubstr("a ratio above 1"));
}

TEST_F(SpeedCommand, ALimitationDeclaresAFindingAndIsNamedWhereItIsUnnecessary) {
  build("measured 1", "2025-06-10", {"1e-8", "1", "100000"});
  build("measured 2", "2025-06-20", {"1e-8", "1", "250000"});
  const std::vector<std::string> promised{"--policy", policy(R"({"run": 2.0, "memory": 2.0})")};
  EXPECT_EQ(window(promised).status, 1);
  declare("larger", "measured 2");
  const Finished declared = window(promised);
  EXPECT_EQ(declared.status, 0) << declared.out << declared.err;
  EXPECT_THAT(declared.out,
              HasSubstr("it fails as declared by limitation slow-sums: they are summed "
                        "twice (until 2025-08-31)"));
  // Another class is not declared, and what is declared is as before.
  declare("slower", "measured 2");
  const Finished other = window(promised);
  EXPECT_EQ(other.status, 1) << other.out;
  EXPECT_THAT(other.out,
              HasSubstr("LIMITATION slow-sums is unnecessary: the run of add_f32_n*/cpu"));
  const Finished needless = sandbox_.run({"limitations", "--propose", "--archive", archive_,
                                          "--build", "measured 2", "--today", "2025-07-31"});
  EXPECT_THAT(needless.out, HasSubstr("unnecessary slow-sums: all that it covers passes (1 pass"))
      << needless.err;
}

TEST_F(SpeedCommand, TheGateAsksForReviewOfWhatBecameSlower) {
  threeBuilds();
  const Finished review =
      gate("measured 2", {"--sarif", sandbox_.path("sarif"), "--junit", sandbox_.path("junit"),
                          "--github-annotations", sandbox_.path("github")});
  EXPECT_EQ(review.status, 5) << review.out << review.err;
  EXPECT_THAT(
      review.out,
      AllOf(HasSubstr("needs review  slower-than-before  run of add_f32_n*/cpu (cpu, graph)"),
            HasSubstr("It is slower on 'measured 2' than on 'measured 1': 3 times"),
            HasSubstr("speed: 4 artifacts measured"), Not(HasSubstr("larger-than"))));
  const json results = json::parse(Sandbox::read(sandbox_.path("sarif")))["runs"][0]["results"];
  EXPECT_THAT(results.dump(), HasSubstr("slower-than-before"));
  EXPECT_THAT(Sandbox::read(sandbox_.path("junit")), HasSubstr("It is slower on"));
  EXPECT_THAT(Sandbox::read(sandbox_.path("github")), HasSubstr("::warning "));
  const Finished forbidden = gate("measured 2", {"--policy", policy(R"({"run": 2.0})")});
  EXPECT_EQ(forbidden.status, 1) << forbidden.out;
  EXPECT_THAT(forbidden.out, HasSubstr("forbidden     slower-than-before"));
  declare("slower", "measured 2");
  const Finished declared = gate("measured 2", {"--policy", policy(R"({"run": 2.0})")});
  EXPECT_EQ(declared.status, 0) << declared.out;
  EXPECT_THAT(declared.out, HasSubstr("waived: limitation slow-sums: they are summed twice"));
}

TEST_F(SpeedCommand, AWaiverOfTheGateCoversNoLargerRatio) {
  threeBuilds();
  const std::string file = sandbox_.path("waivers.json");
  EXPECT_EQ(gate("measured 2", {"--write-waivers", file}).status, 5);
  json waivers = json::parse(Sandbox::read(file));
  ASSERT_EQ(waivers["waivers"].size(), 1u);
  EXPECT_NEAR(waivers["waivers"][0]["times"].get<double>(), 3, 0.05);
  waivers["waivers"][0]["reason"] = "it sums more precisely";
  sandbox_.write("waivers.json", waivers.dump());
  const Finished waived = gate("measured 2", {"--waivers", file});
  EXPECT_EQ(waived.status, 0) << waived.out;
  EXPECT_THAT(waived.out, HasSubstr("waived: it sums more precisely"));
  const Finished slower = gate("measured 3", {"--waivers", file});
  EXPECT_EQ(slower.status, 5) << slower.out;
  EXPECT_THAT(slower.out,
              AllOf(HasSubstr("A waiver covers up to 3"), HasSubstr("now it is 30 times or more")));
}

TEST_F(SpeedCommand, TheGateMeasuresOnlyBuildsThatCanBeStarted) {
  threeBuilds();
  const Finished described = sandbox_.run({"gate", "--archive", archive_, "--old", "measured 1",
                                           "--new", "python:/nowhere/python", "--speed"});
  EXPECT_NE(described.status, 0);
  const Finished facts = sandbox_.run({"gate", "--archive", archive_, "--history", "h", "--speed"});
  EXPECT_EQ(facts.status, 2);
  EXPECT_THAT(facts.err, HasSubstr("--speed measures two builds"));
}

// Registered releases are measured by the night as well; the engine has no night before. The
// verdict cannot tell: without an artifact of a primitive there are no tables.
TEST_F(SpeedCommand, TheNightMeasuresReleases) {
  threeBuilds();
  const Finished seen = sandbox_.run(
      {"window", "--archive", archive_, "--today", "2025-07-31", "--scope", "backward"});
  ASSERT_EQ(seen.status, 0) << seen.out;
  const Finished night = sandbox_.run({"nightly", "--archive", archive_, "--no-export", "--speed",
                                       "--scope", "backward", "cpu", "--today", "2025-07-31"});
  EXPECT_EQ(night.status, 3) << night.out << night.err;
  EXPECT_THAT(
      night.out,
      AllOf(HasSubstr("out of scope: speed of the engine: there is no earlier night"),
            HasSubstr("slower: run of add_f32_n*/cpu (cpu, graph) on measured 2: 3 times"),
            HasSubstr("slower: run of add_f32_n*/cpu (cpu, graph) on measured 3: 10 times")));
  const std::string reports = archive_ + "/reports/2025-07-31/";
  EXPECT_EQ(json::parse(Sandbox::read(reports + "report.json"))["speed"]["findings"].size(), 2u);
  EXPECT_THAT(Sandbox::read(reports + "junit.xml"),
              HasSubstr("speed of measured 2 beside measured 1"));
  const Finished broken = sandbox_.run({"nightly", "--archive", archive_, "--no-export", "--speed",
                                        "--scope", "backward", "cpu", "--today", "2025-07-31",
                                        "--policy", policy(R"({"run": 5.0})")});
  EXPECT_EQ(broken.status, 1) << broken.out;
  EXPECT_THAT(broken.out,
              AllOf(HasSubstr("promise of speed: broken"), HasSubstr("verdict: broken")));
}

TEST_F(SpeedCommand, ABisectFindsTheSlowPart) {
  threeBuilds();
  const Finished found =
      sandbox_.run({"bisect", "--archive", archive_, "--artifact", "add_f32_n8000/cpu", "--good",
                    "measured 1", "--slower", "5", "--localize"});
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("the first bad build is measured 3"),
                               HasSubstr("the smallest part that shows it: stablehlo.add"),
                               HasSubstr("localized: measured 3 against measured 2")));
}

// Real processes with real clocks, on a machine with other work beside them.
TEST_F(SpeedCommand, TheEngineIsAsFastAsItself) {
  for (const char* name : {"twin 1", "twin 2"})
    ASSERT_EQ(sandbox_
                  .run({"builds", "add", "--archive", archive_, "--name", name, "--date",
                        "2025-06-10", "--", VINTAGE_BINARY "/bin/vintage-worker"})
                  .status,
              0);
  const Finished shown = sandbox_.run({"run", "add_f32_n8000/cpu", "--archive", archive_, "--build",
                                       "twin 1", "--build", "twin 2", "--speed"});
  EXPECT_EQ(shown.status, 0) << shown.out << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("no difference seen"));
}

TEST_F(SpeedCommand, WrongCallsSayWhatIsMissing) {
  const Finished one = sandbox_.run(
      {"run", "add_f32_n1000/cpu", "--archive", archive_, "--build", "measured 1", "--speed"});
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err, HasSubstr("name two builds or more"));
  build("measured 1", "2025-06-10", {"1e-8", "1", "100000"});
  const Finished two = sandbox_.run({"run", "add_f32_n1000/cpu", "--archive", archive_, "--build",
                                     "measured 1", "--build", "measured 1"});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("with --speed two or more"));
}

}  // namespace
}  // namespace vintage::tests::command
