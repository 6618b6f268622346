// A program that is read in place and dismantled has the same tree as one that is copied.
#include <cstring>
#include <random>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;

namespace {

template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::string hexadecimal(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  std::string digits;
  for (size_t i = 0; i < 2 * bytes; ++i) digits += "0123456789ABCDEF"[random() & 15];
  return digits;
}

// Constants above and below the size that is moved, one that two operations share, and forms whose
// layout in the artifact differs from a tensor's: predicates, narrow integers, one value for all
// elements.
std::string manyConstants() {
  std::string text = "module @m { func.func @main() -> tensor<f32> {\n";
  const auto add = [&](const std::string& name, const std::string& type, size_t bytes,
                       uint32_t seed) {
    text += fmt::format("  %{} = stablehlo.constant dense<\"0x{}\"> : tensor<{}>\n", name,
                        hexadecimal(bytes, seed), type);
  };
  add("a", "50021xf32", 4 * 50021, 1);
  add("b", "50021xf32", 4 * 50021, 1);
  add("c", "301x501xi8", 301 * 501, 2);
  add("d", "20003xcomplex<f32>", 8 * 20003, 3);
  add("e", "60001xbf16", 2 * 60001, 4);
  add("f", "12000xi64", 8 * 12000, 5);
  add("g", "100xf64", 8 * 100, 6);
  add("h", "800000xi1", 100000, 7);
  text +=
      "  %i = stablehlo.constant dense<7> : tensor<200000xi4>\n"
      "  %j = stablehlo.constant dense<2.5> : tensor<200000xf32>\n"
      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  return %z : tensor<f32>\n} }\n";
  return text;
}

std::vector<const Tensor*> constantsOf(const ModuleTree& tree) {
  std::vector<const Tensor*> values;
  for (const Operation& operation : tree.find("main")->body.blocks.front().operations)
    if (const auto value = operation.attributes.find("value"); value != operation.attributes.end())
      values.push_back(std::get_if<Tensor>(&value->second.value));
  return values;
}

TEST(InPlace, TheTreeIsTheSame) {
  ProgramContext context;
  const auto bytes = need(need(context.parseText(manyConstants(), "m"))
                              .writePortableArtifact(kCurrentStablehloVersion));
  const ModuleTree copied = need(need(context.readPortableArtifact(bytes, "m")).tree());
  // On any boundary: MLIR does not ask for one, and a module may lie anywhere in its Exported.
  for (const size_t shift : {0u, 1u, 13u, 4096u}) {
    std::vector<std::byte> place(shift + bytes.size());
    std::memcpy(place.data() + shift, bytes.data(), bytes.size());
    Program program = need(context.readInPlace(std::span(place).subspan(shift), "m"));
    EXPECT_EQ(program.artifactVersion(), kCurrentStablehloVersion);
    // Without the elements, before they are taken.
    const std::string text = program.print({.largestConstant = 1000});
    EXPECT_LT(text.size(), 20'000u);
    EXPECT_NE(text.find("stablehlo.constant"), std::string::npos);
    const ModuleTree taken = need(program.tree());
    const ModuleTree again = need(program.tree());
    const auto expected = constantsOf(copied), actual = constantsOf(taken),
               repeated = constantsOf(again);
    ASSERT_EQ(expected.size(), 11u);
    ASSERT_EQ(actual.size(), expected.size());
    ASSERT_EQ(repeated.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NE(expected[i], nullptr) << i;
      ASSERT_NE(actual[i], nullptr) << i;
      EXPECT_TRUE(actual[i]->identical(*expected[i])) << "constant " << i << ", shift " << shift;
      EXPECT_TRUE(repeated[i]->identical(*expected[i])) << "constant " << i << ", a second time";
      EXPECT_EQ(reinterpret_cast<uintptr_t>(actual[i]->bytes().data()) % 16, 0u);
    }
    // It was moved, not copied: the artifact's bytes are gone.
    EXPECT_NE(std::memcmp(place.data() + shift, bytes.data(), bytes.size()), 0);
  }
}

// A truncated artifact gives the same error as elsewhere, wherever it ends.
TEST(InPlace, DamageIsTheSameError) {
  ProgramContext context;
  const auto bytes = need(need(context.parseText(manyConstants(), "m"))
                              .writePortableArtifact(kCurrentStablehloVersion));
  for (const size_t length :
       {size_t{0}, size_t{3}, size_t{20}, bytes.size() / 2, bytes.size() - 1}) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length));
    const auto copied = context.readPortableArtifact(cut, "m");
    const auto inPlace = context.readInPlace(cut, "m");
    ASSERT_FALSE(copied);
    ASSERT_FALSE(inPlace);
    EXPECT_EQ(inPlace.error().message, copied.error().message);
  }
}

}  // namespace
}  // namespace vintage::tests
