// Every operation, read and printed in its pretty and its generic form.
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/program/program.h"
#include "tests/golden/program/stablehlo/operation_texts.h"

namespace vintage::tests {
using namespace golden;

std::vector<OperationText> allOperationTexts() {
  std::vector<OperationText> all;
  for (const auto* texts :
       {&kElementwiseTexts, &kShapeTexts, &kContractionTexts, &kRegionTexts, &kCommunicationTexts})
    all.insert(all.end(), texts->begin(), texts->end());
  return all;
}

namespace {

Program::PrintOptions generic() {
  Program::PrintOptions options;
  options.generic = true;
  return options;
}

TEST(StablehloText, PrintsWhatItRead) {
  ProgramContext context;
  for (const OperationText& operation : allOperationTexts()) {
    const std::string text = moduleOf(operation);
    auto program = context.parseText(text, "test");
    ASSERT_TRUE(program) << program.error().message << "\n" << text;
    EXPECT_EQ(program->print(), text);
  }
}

TEST(StablehloText, GenericFormHoldsTheSameProgram) {
  ProgramContext context;
  for (const OperationText& operation : allOperationTexts()) {
    auto program = context.parseText(moduleOf(operation), "test");
    ASSERT_TRUE(program) << program.error().message;
    const std::string text = program->print(generic());
    auto again = context.parseText(text, "generic form");
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    EXPECT_EQ(again->print(generic()), text);
  }
}

TEST(StablehloText, CoversEveryOperationOfTheSpecification) {
  const std::string path = std::string(VINTAGE_SHARED) + "/facts/stablehlo_1_20_operations.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  ProgramContext context;
  std::string all;
  for (const OperationText& operation : allOperationTexts())
    all += context.parseText(moduleOf(operation), "test")->print(generic());
  const auto facts = nlohmann::json::parse(std::ifstream(path));
  ASSERT_EQ(facts.at("stablehlo").size(), 118u);
  for (const auto& operation : facts.at("stablehlo")) {
    const std::string name = operation.at("name");
    EXPECT_NE(all.find("\"stablehlo." + name + "\""), std::string::npos) << name;
  }
}

// A truncated text is rejected, or is complete without its end; it never crashes.
TEST(StablehloText, SurvivesTruncation) {
  ProgramContext context;
  size_t refused = 0;
  for (const OperationText& operation : allOperationTexts()) {
    const std::string text = moduleOf(operation);
    for (size_t length = 0; length < text.size(); length += 7)
      refused += !context.parseText(std::string_view(text).substr(0, length), "test");
  }
  EXPECT_GT(refused, 1000u);
}

TEST(StablehloText, SurvivesDamagedCharacters) {
  ProgramContext context;
  std::mt19937 random(20260821);
  constexpr std::string_view kAlphabet = "0123456789-?xif<>[]{}(),:=%@#!\"";
  size_t refused = 0;
  for (const OperationText& operation : allOperationTexts()) {
    for (int round = 0; round < 12; ++round) {
      std::string text = moduleOf(operation);
      text[random() % text.size()] = kAlphabet[random() % kAlphabet.size()];
      auto program = context.parseText(text, "test");
      if (program)
        (void)program->print();
      else
        ++refused;
    }
  }
  EXPECT_GT(refused, 500u);
}

TEST(StablehloText, ReadsHexadecimalElements) {
  ProgramContext context;
  const auto constant = [](const std::string& value) {
    return "func.func @main() {\n  %0 = stablehlo.constant " + value + "\n  return\n}\n";
  };
  // 1.0 and -2.0, little-endian.
  auto floats = context.parseText(constant("dense<\"0x0000803F000000C0\"> : tensor<2xf32>"), "x");
  ASSERT_TRUE(floats) << floats.error().message;
  EXPECT_NE(floats->print().find("dense<[1.000000e+00, -2.000000e+00]>"), std::string::npos);
  // Booleans with a bit each, and with a byte each.
  for (const char* digits : {"0x0B", "0x0101000100000000"}) {
    auto booleans =
        context.parseText(constant("dense<\"" + std::string(digits) + "\"> : tensor<8xi1>"), "x");
    ASSERT_TRUE(booleans) << booleans.error().message;
    EXPECT_NE(
        booleans->print().find("dense<[true, true, false, true, false, false, false, false]>"),
        std::string::npos)
        << booleans->print();
  }
  for (const char* damaged :
       {"dense<\"0x000080\"> : tensor<2xf32>", "dense<\"0x0G\"> : tensor<1xi8>",
        "dense<\"0x00\"> : tensor<?xi8>", "dense<\"0x00\"> : tensor<1xindex",
        "dense<\"0x00\"> : !stablehlo.token"}) {
    auto program = context.parseText(constant(damaged), "x");
    EXPECT_FALSE(program) << damaged;
  }
}

}  // namespace
}  // namespace vintage::tests
