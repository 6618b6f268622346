#include "primitives/catalogue/export.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/primitives/catalogue/case_of.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

const ProducerFacts kProducer{.jaxVersion = "0.9.0", .stablehlo = StablehloVersion{1, 12, 0}};

TEST(Export, CarriesTheSignatureAndTheModule) {
  ProgramContext context;
  const Case& entry = caseOf("dot_general_f32[4,3],f32[3,6]_contract=1x0");
  const Result<Exported> exported = exportCase(context, entry, "cpu", kProducer);
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_EQ(exported->functionName, "dot_general");
  EXPECT_THAT(exported->platforms, testing::ElementsAre("cpu"));
  ASSERT_EQ(exported->inputs.size(), 2u);
  EXPECT_EQ(exported->inputs[1].dtype, "f32");
  EXPECT_THAT(exported->inputs[1].shape, testing::ElementsAre("3", "6"));
  EXPECT_THAT(exported->outputs[0].shape, testing::ElementsAre("4", "6"));
  EXPECT_THAT(exported->keptInputs, testing::ElementsAre(0, 1));
  ASSERT_EQ(exported->inputTree.children.size(), 2u);
  EXPECT_EQ(exported->inputTree.children[0].children.size(), 2u);
  EXPECT_EQ(exported->inputTree.children[1].kind, PyTree::Kind::kDict);
  EXPECT_EQ(exported->outputTree.kind, PyTree::Kind::kLeaf);

  const Result<std::vector<std::byte>> bytes = writeExported(*exported);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const Result<Exported> read = readExported(*bytes, "memory");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->jaxVersion, "0.9.0");
  const Result<Program> program = context.readPortableArtifact(read->module, "memory");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(program->print(), testing::HasSubstr("stablehlo.dot_general"));
}

TEST(Export, TheSameArgumentsGiveTheSameBytes) {
  for (std::string_view id : {"add_f32[10,9],f32[10,9]", "cholesky_c64[4,4]",
                              "erf_f16[8,8]", "sort_f32[100]_dimension=0_keys=1_stable"}) {
    std::set<std::vector<std::byte>> seen;
    for (int i = 0; i < 2; ++i) {
      ProgramContext context;
      const Result<Exported> exported = exportCase(context, caseOf(id), "cpu", kProducer);
      ASSERT_TRUE(exported) << exported.error().message;
      const Result<std::vector<std::byte>> bytes = writeExported(*exported);
      ASSERT_TRUE(bytes) << bytes.error().message;
      seen.insert(*bytes);
    }
    EXPECT_EQ(seen.size(), 1u) << id;
  }
}

TEST(Export, OldProducersLeaveOutWhatTheyDidNotKnow) {
  ProgramContext context;
  ProducerFacts old = kProducer;
  old.serialization = 2;
  old.callingConvention = 9;
  old.stablehlo = StablehloVersion{0, 14, 0};
  const Result<Exported> exported =
      exportCase(context, caseOf("add_f32[10,9],f32[10,9]"), "cpu", old);
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_EQ(exported->callingConventionVersion, 9);
  const Result<std::vector<std::byte>> bytes = writeExported(*exported);
  EXPECT_TRUE(bytes) << bytes.error().message;
}

TEST(Export, APlatformWithoutALoweringIsUnsupported) {
  ProgramContext context;
  const auto found = std::ranges::find(catalogue(), "eig", &Case::primitive);
  const Result<Exported> exported = exportCase(context, *found, "tpu", kProducer);
  ASSERT_FALSE(exported);
  EXPECT_EQ(exported.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(exported.error().message,
              testing::AllOf(testing::HasSubstr(found->id), testing::HasSubstr("tpu")));
}

TEST(Export, GoldensAreDeterministic) {
  const Case& entry = caseOf("exp_f32[8,8]");
  const Result<Golden> golden = goldenFor(entry), again = goldenFor(entry);
  ASSERT_TRUE(golden && again);
  EXPECT_EQ(golden->oracle, "mpfr");
  ASSERT_EQ(golden->expected.size(), 1u);
  EXPECT_TRUE(golden->expected[0].identical(again->expected[0]));
  EXPECT_TRUE(golden->inputs[0].identical(again->inputs[0]));
}

TEST(Export, EveryElementTypeHasADtypeOnTheWire) {
  EXPECT_EQ(exportedDtype(ElementType::kI1), "bool");
  EXPECT_EQ(exportedDtype(ElementType::kUi16), "ui16");
  EXPECT_EQ(exportedDtype(ElementType::kBF16), "bf16");
  EXPECT_EQ(exportedDtype(ElementType::kC128), "c128");
  EXPECT_EQ(exportedDtype(ElementType::kF8E4M3FN), "f8_e4m3fn");
  EXPECT_EQ(exportedDtype(ElementType::kF8E8M0FNU), "f8_e8m0fnu");
}

}  // namespace
}  // namespace vintage::tests
