// Failures on other products, from pairs of builds and from a table of consumers.
#include <fstream>

#include <gmock/gmock.h>

#include "harness/judge/history/history.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests::history {
using namespace harness;

namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json failureOf(const char* artifact, int64_t bytes, const char* target) {
  return {{"artifact", artifact},
          {"artifacts", 1},
          {"bytes", bytes},
          {"class", nullptr},
          {"outcome", "error"},
          {"stage", "compile"},
          {"message", std::string("No FFI handler registered for ") + target + " [Op:__909]"}};
}

json pairOf(const char* consumer, const char* day, std::vector<json> failures) {
  return {{"producer", "jax-0.11.0"}, {"produced", "2026-07-16"}, {"consumer", consumer},
          {"consumed", day},          {"failures", failures},     {"outcomes", json::object()}};
}

class ReadOthersTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    pairs_["b"] = pairOf("tensorflow-nightly-2.22.0.dev20260719", "2026-07-19",
                         {failureOf("jax:custom_linear_solve_a/cpu", 4736, "lapack_sgetrf_ffi"),
                          failureOf("jax:lu_shape_float32_3_5_/cpu", 3932, "lapack_sgetrf_ffi")});
    pairs_["a"] = pairOf("tensorflow-nightly-2.22.0.dev20260713", "2026-07-13",
                         {failureOf("jax:lu_shape_float32_3_5_/cpu", 3932, "lapack_sgetrf_ffi")});
  }
  Result<json> read(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
    const std::vector<std::string> paths{path(name)};
    return readOthers(paths, json::parse(R"({"reach": [{"kind": "primitive", "name": "lu"},
        {"kind": "primitive", "name": "custom_linear_solve"}, {"kind": "target", "name": "l"}]})"));
  }
  Result<json> read() { return read("forward.json", pairs_.dump()); }
  json pairs_;
};

TEST_F(ReadOthersTest, OneCauseIsOneFailureOnAllItsBuilds) {
  const json others = must(read());
  ASSERT_EQ(others["failures"].size(), 1u);
  const json& one = others["failures"][0];
  EXPECT_EQ(one["on"], "tensorflow-nightly");
  EXPECT_EQ(one["from"], "jax");
  EXPECT_EQ(one["primitives"], json({"custom_linear_solve", "lu"}));
  EXPECT_EQ(one["consumers"][0], "tensorflow-nightly-2.22.0.dev20260713");
  EXPECT_EQ(one["promises"], json({{"backward", 2}, {"forward", 1}}));
  EXPECT_EQ(one["smallest"]["bytes"], 3932);
  EXPECT_EQ(others["measured"][0]["consumers"].size(), 2u);
  EXPECT_EQ(others["days"]["jax-0.11.0"], "2026-07-16");
}

TEST_F(ReadOthersTest, AnIdStaysWhenMoreIsMeasured) {
  const json before = must(read());
  pairs_["c"] = pairOf("tensorflow-nightly-2.22.0.dev20260601", "2026-06-01",
                       {failureOf("jax:lu_shape_float64_1_1_/cpu", 900, "lapack_dgetrf_ffi")});
  const json after = must(read());
  ASSERT_EQ(after["failures"].size(), 1u);
  EXPECT_EQ(after["failures"][0]["id"], before["failures"][0]["id"]);
  EXPECT_EQ(after["failures"][0]["consumers"].size(), 3u);
}

TEST_F(ReadOthersTest, ATableSaysWhatAPrimitiveMeetsWhere) {
  std::ifstream file(VINTAGE_SOURCE "/docs/measured/consumers.md");
  const json others = must(read("consumers.md", std::string(std::istreambuf_iterator(file), {})));
  const auto found = std::ranges::find_if(others["failures"], [](const json& one) {
    return one["on"] == "tensorflow" && one["class"] == "target not registered" &&
           one["primitives"] == json({"eigh"});
  });
  ASSERT_NE(found, others["failures"].end());
  EXPECT_EQ((*found)["consumers"][0], "tensorflow-2.16.2");
  EXPECT_EQ((*found)["dtypes"], json({"complex128", "float32", "float64"}));
  EXPECT_EQ(others["days"]["tensorflow-2.16.2"], "2024-06-28");
}

TEST_F(ReadOthersTest, WhatIsDamagedIsNamed) {
  const auto refusal = [&](const std::string& name, const std::string& text) {
    const auto result = read(name, text);
    return result ? "accepted" : result.error().message;
  };
  pairs_["a"].erase("consumed");
  EXPECT_THAT(refusal("f.json", pairs_.dump()), HasSubstr("f.json: a.consumed: is missing"));
  pairs_["a"]["consumed"] = "2026-07-13";
  pairs_["b"]["failures"][1]["outcome"] = "sulks";
  EXPECT_THAT(refusal("f.json", pairs_.dump()), HasSubstr("b.failures[1].outcome: "));
  EXPECT_THAT(refusal("f.json", "[1]"), HasSubstr("an object of pairs of builds is expected"));
  EXPECT_THAT(refusal("t.md", "# Nothing\n"), HasSubstr("a table of primitives and consumers"));
  EXPECT_THAT(refusal("t.md", "| jax 1 cpu eager | dtypes: primitives |\n"),
              HasSubstr("'jax 1 cpu eager' names none of the consumers"));
}

}  // namespace
}  // namespace vintage::tests::history
