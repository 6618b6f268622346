#include "archive/records/dtype_sets.h"

#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> compressed(const std::vector<std::string>& dtypes) {
  return compressDtypes(expandDtypes(dtypes));
}

TEST(DtypeSets, SpellsAsJax) {
  EXPECT_EQ(jaxDtype("i1"), "bool");
  EXPECT_EQ(jaxDtype("ui8"), "uint8");
  EXPECT_EQ(jaxDtype("complex<f32>"), "complex64");
  EXPECT_EQ(jaxDtype("bf16"), "bfloat16");
  EXPECT_EQ(jaxDtype("float16"), "float16");
  EXPECT_EQ(jaxDtype("key<fry>"), "key<fry>");
}

TEST(DtypeSets, TheFewestNames) {
  EXPECT_THAT(compressed({}), IsEmpty());
  EXPECT_THAT(compressed({"f32", "f64"}), ElementsAre("float32", "float64"));
  EXPECT_THAT(compressed({"f16", "bf16", "f32", "f64"}), ElementsAre("floating"));
  EXPECT_THAT(compressed({"f16", "bf16", "f32", "f64", "complex<f32>"}),
              ElementsAre("complex64", "floating"));
  EXPECT_THAT(compressed({"floating", "complex64", "complex128", "int8"}),
              ElementsAre("inexact", "int8"));
  EXPECT_THAT(compressed({"integer", "inexact", "bool"}), ElementsAre("all"));
  EXPECT_THAT(compressed({"all", "i4", "f8E4M3FN"}), ElementsAre("all", "float8_e4m3fn", "int4"));
  EXPECT_EQ(allDtypes().size(), 15u);
}

TEST(DtypeSets, CompressingLosesNothing) {
  std::mt19937 random(6);
  const std::vector<std::string> all(allDtypes().begin(), allDtypes().end());
  for (int round = 0; round < 2000; ++round) {
    std::set<std::string> chosen;
    for (const std::string& dtype : all) {
      if (random() % 4 != 0) chosen.insert(dtype);
    }
    EXPECT_EQ(expandDtypes(compressDtypes(chosen)), chosen);
  }
}

// Every set of dtypes on JAX's own coverage page is what ours would be.
TEST(DtypeSets, AgreesWithJaxsCoveragePage) {
  const std::string path = std::string(VINTAGE_SHARED) + "/facts/jax_primitive_coverage.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  std::ifstream file(path);
  const nlohmann::json page = nlohmann::json::parse(file);
  int checked = 0;
  const auto check = [&](const nlohmann::json& list) {
    const auto names = list.get<std::vector<std::string>>();
    EXPECT_EQ(compressDtypes(expandDtypes(names)), names);
    ++checked;
  };
  for (const auto& primitive : page.at("primitives")) {
    check(primitive.at("dtypes_supported"));
    check(primitive.at("dtypes_not_tested"));
  }
  for (const auto& limitation : page.at("limitations")) check(limitation.at("dtypes"));
  EXPECT_GT(checked, 266);
}

}  // namespace
}  // namespace vintage::tests
