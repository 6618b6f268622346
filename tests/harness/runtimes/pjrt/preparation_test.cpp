// The preparation of an artifact for a plugin, and when the artifact stays as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "harness/runtimes/pjrt/preparation/artifact_preparer.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Tensor floats(Shape shape) { return Tensor(ElementType::kF32, std::move(shape)); }

std::vector<std::byte> portable(const std::string& text, StablehloVersion version = {1, 9, 0}) {
  ProgramContext context;
  auto program = context.parseText(text, "test.mlir");
  EXPECT_TRUE(program) << program.error().message;
  return *program->writePortableArtifact(version);
}

// A function of arrays, each of f32.
struct Use {
  std::string text;
  std::vector<std::vector<std::string>> inputs, outputs;
  std::vector<uint16_t> kept;
  std::vector<std::string> platforms{"cpu"};
  std::vector<std::string> orderedEffects{};
  uint32_t devices = 1;
};

ExecuteRequest exportedRequest(const Use& use, std::vector<Tensor> inputs) {
  Exported exported;
  exported.functionName = "f";
  exported.platforms = use.platforms;
  exported.orderedEffects = use.orderedEffects;
  exported.inputTree.kind = exported.outputTree.kind = PyTree::Kind::kTuple;
  exported.inputTree.children.resize(use.inputs.size());
  exported.outputTree.children.resize(use.outputs.size());
  for (const auto& shape : use.inputs) exported.inputs.push_back({false, "f32", shape, {}});
  for (const auto& shape : use.outputs) exported.outputs.push_back({false, "f32", shape, {}});
  exported.inputShardings.resize(use.inputs.size());
  exported.outputShardings.resize(use.outputs.size());
  exported.deviceCount = use.devices;
  exported.keptInputs = use.kept;
  exported.module =
      portable(use.text, use.devices > 1 ? StablehloVersion{1, 10, 9} : StablehloVersion{1, 9, 0});
  auto bytes = writeExported(exported);
  EXPECT_TRUE(bytes) << bytes.error().message;
  ExecuteRequest request;
  request.name = "test";
  request.platform = use.platforms.back();
  request.mode = "compiled";
  request.artifact = std::move(*bytes);
  request.inputs = std::move(inputs);
  return request;
}

PreparedProgram prepared(const ExecuteRequest& request,
                         std::optional<StablehloVersion> version = std::nullopt) {
  PreparationAnswer answer = ArtifactPreparer(version).prepare(request);
  if (const auto* refused = std::get_if<ExecuteReply>(&answer)) {
    ADD_FAILURE() << refused->detail;
    return {};
  }
  return std::get<Preparation>(answer).front();
}

std::string textOf(const PreparedProgram& program) {
  ProgramContext context;
  auto read = context.readPortableArtifact(program.module, "prepared");
  return read ? read->print() : read.error().message;
}

const Use kStatic{R"(
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                  {{"3"}, {"2"}},
                  {{"2"}},
                  {1}};

TEST(ArtifactPreparation, AStaticArtifactGoesAsItIsArchivedWithTheInputsThatAreKept) {
  const ExecuteRequest request = exportedRequest(kStatic, {floats({3}), floats({2})});
  const PreparedProgram program = prepared(request);
  EXPECT_EQ(program.form, kAsArchived);
  EXPECT_EQ(program.module, portable(kStatic.text));
  ASSERT_EQ(program.arguments.size(), 1u);
  ASSERT_EQ(program.arguments[0].size(), 1u);
  EXPECT_EQ(program.arguments[0][0].shape(), Shape{2});
}

TEST(ArtifactPreparation, AVersionIsWrittenWhereItIsAskedFor) {
  const ExecuteRequest request = exportedRequest(kStatic, {floats({3}), floats({2})});
  const PreparedProgram program = prepared(request, StablehloVersion{1, 0, 0});
  EXPECT_EQ(program.form, "written at StableHLO 1.0.0");
  EXPECT_EQ(program.module, portable(kStatic.text, {1, 0, 0}));
  EXPECT_EQ(prepared(request, StablehloVersion{1, 9, 0}).form, kAsArchived);
}

TEST(ArtifactPreparation, DimensionVariablesGetTheSizesOfTheInputs) {
  const Use use{R"(
module attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%a: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
    %1 = stablehlo.constant dense<2> : tensor<1xi32>
    %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.concatenate %2, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %4 = stablehlo.constant dense<1.0> : tensor<f32>
    %5 = stablehlo.dynamic_broadcast_in_dim %4, %3, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
    %6 = stablehlo.add %a, %5 : tensor<?x2xf32>
    return %6 : tensor<?x2xf32>
  }
})",
                {{"b", "2"}},
                {{"b", "2"}},
                {0}};
  const PreparedProgram program = prepared(exportedRequest(use, {floats({5, 2})}));
  EXPECT_EQ(program.form, "refined, written at StableHLO 1.9.0");
  EXPECT_THAT(textOf(program),
              testing::AllOf(HasSubstr("@main(%arg0: tensor<5x2xf32>)"), Not(HasSubstr("?"))));
}

TEST(ArtifactPreparation, ThePlatformThatRunsIsChosen) {
  const Use use{R"(
func.func public @main(%i: tensor<i32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.custom_call @of_the_tpu(%a) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                {{"2"}},
                {{"2"}},
                {0},
                {"tpu", "cpu"}};
  const PreparedProgram program = prepared(exportedRequest(use, {floats({2})}));
  EXPECT_THAT(textOf(program), Not(HasSubstr("of_the_tpu")));
  ASSERT_EQ(program.arguments[0].size(), 2u);
  EXPECT_THAT(program.arguments[0][0].values<int32_t>(), ElementsAre(1));
}

TEST(ArtifactPreparation, TokensAreMadeInside) {
  const Use use{R"(
func.func public @main(%t: !stablehlo.token, %a: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
  return %t, %a : !stablehlo.token, tensor<2xf32>
})", {{"2"}}, {{"2"}}, {0}, {"cpu"}, {"<class 'an effect'>"}};
  const PreparedProgram program = prepared(exportedRequest(use, {floats({2})}));
  EXPECT_EQ(program.form, "with its tokens inside, written at StableHLO 1.9.0");
  EXPECT_THAT(textOf(program), HasSubstr("@main(%arg0: tensor<2xf32>) -> tensor<2xf32>"));
  EXPECT_EQ(program.arguments[0].size(), 1u);
}

// A plugin took the row-major bytes of an argument for the column-major ones that JAX's annotation
// asks for: a sound model had wrong values.
TEST(ArtifactPreparation, ArraysAreRowMajorWhateverAnArtifactAsksFor) {
  const auto form = [](const std::string& argument, const std::string& result) {
    const Use use{R"(
func.func public @main(%a: tensor<2x3xf32> {mhlo.layout_mode = ")" +
                      argument + R"("})
    -> (tensor<2x3xf32> {mhlo.layout_mode = ")" +
                      result + R"("}) {
  return %a : tensor<2x3xf32>
})",
                  {{"2", "3"}},
                  {{"2", "3"}},
                  {0}};
    const PreparedProgram program = prepared(exportedRequest(use, {floats({2, 3})}));
    if (program.form != kAsArchived) EXPECT_THAT(textOf(program), Not(HasSubstr("layout_mode")));
    return program.form;
  };
  EXPECT_EQ(form("default", "default"), kAsArchived);
  EXPECT_EQ(form("{0,1}", "default"), "without layouts, written at StableHLO 1.9.0");
  EXPECT_EQ(form("default", "auto"), "without layouts, written at StableHLO 1.9.0");
}

// XLA puts the pieces of an output where it likes if nobody says otherwise, and no function
// of the API tells a client where.
TEST(ArtifactPreparation, OutputsOverSeveralDevicesHaveAPlace) {
  const Use use{R"(
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
      -> (tensor<4xf32>, tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    return %a, %a : tensor<4xf32>, tensor<4xf32>
  }
})", {{"4"}}, {{"4"}, {"4"}}, {0}, {"cpu"}, {}, 2};
  const PreparedProgram program = prepared(exportedRequest(use, {floats({4})}));
  EXPECT_EQ(program.devices, 2u);
  EXPECT_TRUE(program.shardy);
  EXPECT_EQ(program.form, "with whole results, written at StableHLO 1.10.9");
  ASSERT_EQ(program.arguments.size(), 2u);
  EXPECT_EQ(program.arguments[1].at(0).shape(), Shape{2});
  ASSERT_EQ(program.outputs.size(), 2u);
  EXPECT_THAT(program.outputs[0].starts, ElementsAre(Shape{0}, Shape{0}));
  EXPECT_THAT(program.outputs[1].starts, ElementsAre(Shape{0}, Shape{2}));
}

TEST(ArtifactPreparation, WhatIsWrongIsARefusalWithItsStage) {
  ExecuteRequest request = exportedRequest(kStatic, {floats({3})});
  const PreparationAnswer answer = ArtifactPreparer(std::nullopt).prepare(request);
  const auto* refused = std::get_if<ExecuteReply>(&answer);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->outcome, OutcomeKind::kError);
  EXPECT_EQ(refused->stage, Stage::kVerify);
  EXPECT_THAT(refused->detail, HasSubstr("1 inputs were given"));
}

}  // namespace
}  // namespace vintage::tests
