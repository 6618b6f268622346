#include "primitives/catalogue/export.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/primitives/catalogue/case_of.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;

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
  for (std::string_view id : {"add_f32[10,9],f32[10,9]", "cholesky_c64[4,4]", "erf_f16[8,8]",
                              "sort_f32[100]_dimension=0_keys=1_stable"}) {
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

// Platforms share a written program where it is the same; where it differs (a solver, random bits,
// a derivative), each platform has its own.
TEST(Export, WhatIsKeptForTheNextPlatformChangesNoByte) {
  ProgramContext context;
  for (std::string_view id : {"add_f32[10,9],f32[10,9]", "cholesky_f64[3,3]",
                              "neg_f32[8,8],f32[8,8]_vjp", "erf_f16[8,8]"}) {
    WrittenModules written;
    for (const std::string& platform : caseOf(id).platforms) {
      const auto alone = exportCase(context, caseOf(id), platform, kProducer);
      const auto kept = exportCase(context, caseOf(id), platform, kProducer, &written);
      ASSERT_TRUE(alone && kept) << id << " " << platform;
      EXPECT_EQ(*writeExported(*kept), *writeExported(*alone)) << id << " " << platform;
    }
    EXPECT_GT(written.size(), id.starts_with("cholesky") || id.ends_with("vjp") ? 1u : 0u) << id;
    if (id.starts_with("add")) EXPECT_EQ(written.size(), 1u);
  }
}

// The form of CHLO functions in each release's module: called, named or written out.
TEST(Export, ProfilesWriteFunctionsAsTheirReleasesDo) {
  const auto textOf = [](std::string_view id, std::string_view profile) {
    ProgramContext context;
    const auto found = findProfile(profile);
    EXPECT_TRUE(found);
    const auto exported = exportCase(context, caseOf(id), "cpu", {.profile = *found});
    EXPECT_TRUE(exported) << exported.error().message;
    const auto program = context.readPortableArtifact(exported->module, "memory");
    EXPECT_TRUE(program) << program.error().message;
    return program->print();
  };
  using testing::HasSubstr;
  using testing::Not;
  EXPECT_THAT(textOf("erf_f32[8,8]", "jax-0.12"), HasSubstr("stablehlo.composite \"chlo.erf\""));
  EXPECT_THAT(textOf("erf_f32[8,8]", "jax-0.8"), HasSubstr("custom_call @mhlo.erf"));
  EXPECT_THAT(textOf("erf_f32[8,8]", "jax-0.4.30"), HasSubstr("custom_call @mhlo.erf"));
  EXPECT_THAT(textOf("acos_f32[8,8]", "jax-0.8"), HasSubstr("custom_call @mhlo.acos"));
  EXPECT_THAT(textOf("top_k_f32[15]_k=5", "jax-0.8"),
              HasSubstr("custom_call @mhlo.topk(%arg0) {mhlo.attributes = {k = 5 : i64}"));
  for (std::string_view profile : {"jax-0.12", "jax-0.8", "jax-0.4.30"}) {
    EXPECT_THAT(textOf("digamma_f32[8,8]", profile), Not(HasSubstr("mhlo.digamma")));
    EXPECT_THAT(textOf("asin_f32[8,8]", "jax-0.12"), Not(HasSubstr("composite")));
  }
}

TEST(Export, ProfilesSayWhichVersionsTheyWrite) {
  ProgramContext context;
  const auto old =
      exportCase(context, caseOf("sin_f32[8,8]"), "cpu", {.profile = *findProfile("jax-0.4.30")});
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->callingConventionVersion, 9);
  EXPECT_EQ(old->serializationVersion, 2);
  EXPECT_EQ(context.readPortableArtifact(old->module, "memory")->artifactVersion(),
            (StablehloVersion{0, 9, 0}));
  EXPECT_THAT(findProfile("jax-1").error().message, testing::HasSubstr("jax-0.12, jax-0.8"));
}

// JAX refines a module before it compiles it only where the Exported says that global constants
// are passed: every shape-polymorphic artifact failed on real JAX.
TEST(Export, SaysWhetherMainTakesGlobalConstants) {
  const auto uses = [](std::string_view id) {
    ProgramContext context;
    const auto exported = exportCase(context, caseOf(id), "cpu", {});
    EXPECT_TRUE(exported) << exported.error().message;
    return exported->usesGlobalConstants;
  };
  EXPECT_FALSE(uses("tanh_f32[8,8]"));
  EXPECT_TRUE(uses("tanh_f32[3,5]_poly"));
  EXPECT_TRUE(uses("tanh_f32[8,8]_multi_platform"));
  EXPECT_FALSE(uses("tanh_f32[8,8]_effects"));
}

// JAX looks an effect up by str(type), angle brackets included.
TEST(Export, NamesEffectsAsPythonDoes) {
  ProgramContext context;
  const auto exported = exportCase(context, caseOf("tanh_f32[8,8]_effects"), "cpu", {});
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_THAT(exported->orderedEffects,
              testing::ElementsAre("<class 'jax._src.debugging.OrderedDebugEffect'>"));
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
