// The catalogue beside the published coverage page of JAX: primitive by
// primitive and dtype by dtype, with at least as many cases of each.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "primitives/catalogue/case.h"
#include "primitives/limitations/limitations.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;
using namespace archive;

namespace {

class Coverage : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path path =
        std::filesystem::path(VINTAGE_SHARED) / "facts/jax_primitive_coverage.json";
    std::ifstream file(path);
    if (!file) GTEST_SKIP() << path << " is not there.";
    facts_ = nlohmann::json::parse(file);
    ASSERT_EQ(facts_["primitives"].size(), 133u);
  }

  nlohmann::json facts_;
};

std::map<std::string, int> staticCases() {
  std::map<std::string, int> counts;
  for (const Case& entry : catalogue()) {
    if (entry.variant == "static") ++counts[entry.primitive];
  }
  return counts;
}

TEST_F(Coverage, AsManyCasesForEachPrimitiveAsThePublishedPage) {
  const std::map<std::string, int> counts = staticCases();
  int published = 0;
  for (const nlohmann::json& row : facts_["primitives"]) {
    const std::string primitive = row["primitive"];
    const int wanted = row["harnesses"];
    published += wanted;
    const auto found = counts.find(primitive);
    ASSERT_NE(found, counts.end()) << primitive << " is published and not in the catalogue";
    EXPECT_GE(found->second, wanted) << primitive;
  }
  EXPECT_EQ(published, facts_["total"].is_number() ? facts_["total"].get<int>() : published);
}

TEST_F(Coverage, AtLeastTwentyPrimitivesBeyondThePublishedOnes) {
  std::set<std::string> published;
  for (const nlohmann::json& row : facts_["primitives"]) published.insert(row["primitive"]);
  std::vector<std::string> more;
  for (const auto& [primitive, count] : staticCases()) {
    if (!published.contains(primitive)) more.push_back(primitive);
  }
  EXPECT_GE(more.size(), 20u) << testing::PrintToString(more);
  for (const char* named :
       {"exp2", "square", "ragged_dot_general", "schur", "hessenberg", "tridiagonal", "split",
        "reduce_xor", "threefry2x32", "cond", "while", "scan", "custom_jvp_call", "custom_vjp_call",
        "psum", "all_gather", "pallas_call"}) {
    EXPECT_THAT(more, testing::Contains(named));
  }
}

TEST_F(Coverage, AsManyStaticCasesOnTheCpuAsThePublishedPage) {
  const auto count = std::ranges::count_if(catalogue(), [](const Case& entry) {
    return entry.variant == "static" && std::ranges::count(entry.platforms, "cpu") > 0;
  });
  EXPECT_GE(count, 7554);
}

// "floating", "inexact", … as the page groups dtypes; a single dtype is itself.
std::vector<std::string> dtypesOf(const std::string& group) {
  const std::map<std::string, std::vector<std::string>> groups = {
      {"bool", {"bool"}},
      {"signed", {"int8", "int16", "int32", "int64"}},
      {"unsigned", {"uint8", "uint16", "uint32", "uint64"}},
      {"integer", {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}},
      {"floating", {"bfloat16", "float16", "float32", "float64"}},
      {"complex", {"complex64", "complex128"}},
      {"inexact", {"bfloat16", "float16", "float32", "float64", "complex64", "complex128"}},
      {"all",
       {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "bfloat16", "float16", "float32", "float64", "complex64", "complex128"}}};
  const auto found = groups.find(group);
  return found == groups.end() ? std::vector<std::string>{group} : found->second;
}

TEST_F(Coverage, EveryPublishedDtypeHasACase) {
  std::map<std::string, std::set<std::string>> have;
  for (const Case& entry : catalogue()) {
    if (entry.variant != "static") continue;
    std::set<std::string>& dtypes = have[entry.primitive];
    for (ElementType type : entry.dtypes) dtypes.insert(std::string(dtypeName(type)));
    // Primitives that make an array have their type only in their outputs.
    if (entry.platforms.empty() || !entry.arguments.empty()) {
      if (entry.primitive.find("random") == std::string::npos &&
          entry.primitive.find("rng") == std::string::npos) {
        continue;
      }
    }
    const Result<LoweredCase> lowered = entry.lower(entry.platforms.front());
    ASSERT_TRUE(lowered) << entry.id;
    for (const TensorType& output : lowered->outputs) {
      dtypes.insert(std::string(dtypeName(output.type)));
    }
  }
  for (const nlohmann::json& row : facts_["primitives"]) {
    const std::string primitive = row["primitive"];
    for (const std::string group : row["dtypes_supported"]) {
      for (const std::string& dtype : dtypesOf(group)) {
        EXPECT_TRUE(have[primitive].contains(dtype)) << primitive << " lacks " << dtype;
      }
    }
  }
}

TEST(CoverageOfSmallTypes, FloatsOfFourAndEightBitsAndIntegersOfFour) {
  std::set<std::pair<std::string, std::string>> have;
  for (const Case& entry : catalogue()) {
    for (ElementType type : entry.dtypes) have.emplace(entry.primitive, dtypeName(type));
  }
  for (const char* dtype :
       {"float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
        "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "int4", "uint4"}) {
    for (const char* primitive : {"add", "sub", "mul", "max", "min", "eq", "lt", "select_n",
                                  "convert_element_type", "dot_general", "reshape", "transpose",
                                  "broadcast_in_dim", "slice", "concatenate", "pad", "rev"}) {
      EXPECT_TRUE(have.contains({primitive, dtype})) << primitive << " lacks " << dtype;
    }
  }
  for (const char* primitive : {"convert_element_type", "bitcast_convert_type", "eq", "reshape"}) {
    EXPECT_TRUE(have.contains({primitive, "float8_e8m0fnu"})) << primitive;
  }
}

// A dtype that neither the page nor the catalogue tests is not a gap. A declared limitation must be
// published, or be newer than the page.
TEST_F(Coverage, NoPublishedDtypeIsDeclaredAwayOnTheCpu) {
  std::map<std::string, std::set<std::string>> works;
  for (const Case& entry : catalogue()) {
    if (entry.variant != "static" || std::ranges::count(entry.platforms, "cpu") == 0) continue;
    if (findLimitation(limitations(), entry, "cpu", "graph")) continue;
    for (ElementType type : entry.dtypes) {
      works[entry.primitive].insert(std::string(dtypeName(type)));
    }
  }
  for (const Limitation& limitation : limitations()) {
    if (!limitation.platforms.empty()) continue;
    for (const std::string& dtype : limitation.dtypes) {
      EXPECT_FALSE(works[limitation.primitive].contains(dtype))
          << limitation.id << " says that " << dtype << " does not work, and it does";
    }
  }
}

}  // namespace
}  // namespace vintage::tests
