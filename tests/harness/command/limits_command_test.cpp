// A program that does not end, or that takes all memory, held `put` for minutes without a word.
// Every verb that executes has limits, and says which one was reached and what sets it.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/endless.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class LimitsOfVerbs : public testing::Test {
 protected:
  std::string compatibilityTest(const std::string& text) const {
    return writeCompatibilityTest(sandbox_, "model", 33, text);
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

TEST_F(LimitsOfVerbs, OfTime) {
  const std::string folder = compatibilityTest(kEndlessText);
  const auto begin = std::chrono::steady_clock::now();
  const Finished put =
      sandbox_.run({"put", folder + "/module.mlirbc", "--archive", sandbox_.path("B"),
                    "--build-date", "2026-01-01", "--timeout", "0.5"});
  EXPECT_EQ(put.status, 0) << put.err;
  EXPECT_THAT(put.out, HasSubstr("within 0.5 s, the limit of --timeout"));
  const Finished imported = sandbox_.run(
      {"import", folder, "--archive", archive_, "--timeout", "0.5", "--format", "json"});
  EXPECT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(json::parse(imported.out)["taken"][0].value("not_measured", ""),
              HasSubstr("--timeout"));
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
           {"run", "model"}, {"replay"}, {"diff", "model", "--build", "vintage-engine"}}) {
    std::vector<std::string> words = verb;
    words.insert(words.end(), {"--archive", archive_, "--timeout", "0.5"});
    if (verb.front() == "diff") {
      const Finished added =
          sandbox_.run({"builds", "add", "--archive", archive_, "--name", "vintage-engine",
                        "--date", "2025-07-01", "--", VINTAGE_BINARY "/bin/vintage-worker"});
      ASSERT_EQ(added.status, 0) << added.err;
    }
    const Finished ran = sandbox_.run(words);
    EXPECT_EQ(ran.status, 1) << verb.front() << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("the limit of --timeout")) << verb.front();
  }
  const Finished conform =
      sandbox_.run({"conform", sandbox_.write("endless.mlir", kEndlessCheck), "--timeout", "1"});
  EXPECT_EQ(conform.status, 1) << conform.err;
  EXPECT_THAT(conform.out, HasSubstr("takes more than 1 s; --timeout and --memory are its limits"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(LimitsOfVerbs, OfMemory) {
  const std::string large = R"(module @large {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<1000000000xf32>
    %1 = stablehlo.add %0, %0 : tensor<1000000000xf32>
    %2 = stablehlo.slice %1 [0:3] : (tensor<1000000000xf32>) -> tensor<3xf32>
    return %2 : tensor<3xf32>
  }
}
)";
  const std::string folder = compatibilityTest(large);
  const std::string file = folder + "/module.mlirbc";
  const Finished put = sandbox_.run(
      {"put", file, "--archive", archive_, "--build-date", "2026-01-01", "--memory", "1"});
  EXPECT_EQ(put.status, 0) << put.err;
  EXPECT_THAT(put.out, HasSubstr("--memory"));
  sandbox_.write("large.mlir", large);
  EXPECT_THAT(sandbox_.run({"conform", "--help"}).out, HasSubstr("--memory"));
}

// A program is refused at once if planning it would take for ever, or more stack than there is.
TEST_F(LimitsOfVerbs, OfPlanning) {
  std::string shape, brackets, closing;
  for (int i = 0; i < 10'000; ++i) shape += "1x";
  for (int i = 0; i < 100'000; ++i) {
    brackets += "[";
    closing += "]";
  }
  const std::string rank = "module { func.func public @main(%arg0: tensor<" + shape +
                           "f32>) -> tensor<" + shape +
                           "f32> { %0 = stablehlo.add %arg0, %arg0 : tensor<" + shape +
                           "f32> return %0 : tensor<" + shape + "f32> } }\n";
  const std::string nested = "module attributes {a = " + brackets + closing +
                             "} { func.func public @main(%arg0: tensor<f32>) -> tensor<f32> { "
                             "return %arg0 : tensor<f32> } }\n";
  for (const auto& [name, text] : {std::pair{"rank.mlir", rank}, {"nested.mlir", nested}}) {
    const std::string file = sandbox_.write(name, text);
    const auto begin = std::chrono::steady_clock::now();
    for (const std::vector<std::string>& verb :
         std::vector<std::vector<std::string>>{{"show", file}, {"conform", file}}) {
      const Finished shown = sandbox_.run(verb);
      EXPECT_LT(shown.status, 128) << verb.front() << " " << name;
      if (shown.status != 0) {
        EXPECT_THAT(shown.out + shown.err, HasSubstr(name));
      }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60)) << name;
  }
}

}  // namespace
}  // namespace vintage::tests::command
