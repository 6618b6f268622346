#include "golden/base/stablehlo_version.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "golden/dialects/vhlo/vhlo_versions.h"

namespace vintage::tests {
namespace {

TEST(StablehloVersion, ReadsAndPrints) {
  EXPECT_EQ(parseStablehloVersion("0.9.0").value(), (StablehloVersion{0, 9, 0}));
  EXPECT_EQ(parseStablehloVersion("1.20.10").value(), (StablehloVersion{1, 20, 10}));
  EXPECT_EQ(formatStablehloVersion({1, 20, 10}), "1.20.10");
}

TEST(StablehloVersion, RefusesAnythingElse) {
  for (const char* text : {"", "1", "1.2", "1.2.", "1.2.3.4", "v1.2.3", "1.2.3 ", " 1.2.3",
                           "+1.2.3", "-1.2.3", "1..3", "1.2.99999999999", "current"}) {
    auto version = parseStablehloVersion(text);
    ASSERT_FALSE(version) << text;
    EXPECT_EQ(version.error().kind, Error::Kind::kUsage);
    EXPECT_NE(version.error().message.find("1.22.0"), std::string::npos);
  }
}

TEST(StablehloVersion, OrdersByNumber) {
  EXPECT_LT((StablehloVersion{1, 9, 9}), (StablehloVersion{1, 10, 0}));
  EXPECT_LT((StablehloVersion{0, 20, 0}), (StablehloVersion{1, 0, 0}));
}

TEST(StablehloVersion, ChoosesTheBytecode) {
  EXPECT_EQ(mlirBytecodeVersion({0, 9, 5}), 0);
  EXPECT_EQ(mlirBytecodeVersion({0, 10, 0}), 1);
  EXPECT_EQ(mlirBytecodeVersion({0, 11, 8}), 1);
  EXPECT_EQ(mlirBytecodeVersion({0, 12, 0}), 3);
  EXPECT_EQ(mlirBytecodeVersion({0, 14, 19}), 4);
  EXPECT_EQ(mlirBytecodeVersion({0, 15, 0}), 6);
  EXPECT_EQ(mlirBytecodeVersion(kCurrentStablehloVersion), 6);
}

TEST(VhloVersions, NameTheCurrentForm) {
  EXPECT_EQ(mlir::vhlo::currentOperation("gather"), "gather_v2");
  EXPECT_EQ(mlir::vhlo::currentOperation("add"), "add_v1");
  EXPECT_EQ(mlir::vhlo::currentOperation("custom_call"), "custom_call_v2");
}

TEST(VhloVersions, AgreeWithThePublishedRanges) {
  std::ifstream file(VINTAGE_SHARED "/facts/vhlo_1_20.json");
  if (!file) GTEST_SKIP() << "no facts beside the project";
  auto version = [](const std::string& text) {
    return text == "current" ? kCurrentStablehloVersion : parseStablehloVersion(text).value();
  };
  const nlohmann::json facts = nlohmann::json::parse(file);
  size_t count = 0;
  for (const auto& operation : facts["operations"]) {
    const auto range = mlir::vhlo::operationVersions(operation["name"].get<std::string>());
    EXPECT_EQ(range.minimum, version(operation["min_version"])) << operation["name"];
    EXPECT_EQ(range.maximum, version(operation["max_version"])) << operation["name"];
    ++count;
  }
  EXPECT_EQ(count, 145u);
}

}  // namespace
}  // namespace vintage::tests
