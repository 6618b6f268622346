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
  const auto policy = [&](const std::string& speed) {
    return sandbox_.write("policy.json",
                          R"({"format": "vintage window policy", "version": 1, "name": "ours",
        "promises": [{"name": "backward", "direction": "backward", "days": 180}],
        "speed": )" + speed + "}");
  };
  const Finished broken = window({"--policy", policy(R"({"run": 2.0, "memory": 2.0})")});
  EXPECT_EQ(broken.status, 1) << broken.out << broken.err;
  EXPECT_THAT(broken.out, AllOf(HasSubstr("larger: memory of add_f32_n*/cpu"), HasSubstr("exactly"),
                                HasSubstr("it breaks the policy's bound"),
                                HasSubstr("promise of speed: broken")));
  const Finished holds = window({"--policy", policy(R"({"run": 2.0, "memory": 3.0})")});
  EXPECT_EQ(holds.status, 0) << holds.out;
  EXPECT_THAT(holds.out, HasSubstr("promise of speed: holds"));
  const Finished excepted = window({"--policy", policy(R"({"memory": 2.0, "except": [
      {"function": "add_f32_n*/cpu", "build": "measured 2", "quantity": "memory",
       "reason": "it keeps what it computed"}]})")});
  EXPECT_EQ(excepted.status, 0) << excepted.out;
  EXPECT_THAT(excepted.out, HasSubstr("excepted: it keeps what it computed"));
  const Finished wrong = window({"--policy", policy(R"({"run": 0.5})")});
  EXPECT_EQ(wrong.status, 3) << wrong.out;
  EXPECT_THAT(wrong.err, HasSubstr("a ratio above 1"));
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
