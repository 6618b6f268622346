// The shardings that an Exported records did not decide where the pieces of its values lie: they
// were compared with the number of devices, and the module's own in_shardings did the rest. A
// record that contradicted the module went unnoticed.
#include "harness/runtimes/embedded/callable.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::AllOf;
using testing::ElementsAreArray;
using testing::HasSubstr;

using Axes = std::vector<std::optional<std::vector<std::string>>>;

Sharding named(std::vector<uint32_t> sizes, Axes partitions) {
  Sharding sharding;
  sharding.kind = Sharding::Kind::kNamedSharding;
  NamedSharding& by = sharding.named.emplace();
  for (size_t i = 0; i < sizes.size(); ++i) by.mesh.axisNames.push_back(i == 0 ? "x" : "y");
  by.mesh.axisTypes.assign(sizes.size(), AbstractMesh::AxisType::kAuto);
  by.mesh.axisSizes = std::move(sizes);
  by.spec.partitions = std::move(partitions);
  return sharding;
}

// Of a message: tiles [..] over devices counted from 0, the last one of copies.
Sharding tiled(std::initializer_list<int> tiles, int devices, bool lastIsCopied) {
  Sharding sharding;
  sharding.kind = Sharding::Kind::kHloSharding;
  const auto add = [&](int byte) {
    sharding.hloShardingProto.push_back(static_cast<std::byte>(byte));
  };
  for (int byte : {0x08, 3, 0x1a, static_cast<int>(tiles.size())}) add(byte);
  for (int tile : tiles) add(tile);
  for (int byte : {0x4a, 1, devices, 0x52, 1, 0}) add(byte);
  if (lastIsCopied) {
    add(0x30);
    add(1);
  }
  return sharding;
}

struct Artifact {
  std::string text;
  uint32_t devices = 2;
  Sharding input, output;
};

ExecuteReply execute(const Artifact& artifact, const std::string& mode = "graph") {
  ProgramContext context;
  auto program = context.parseText(artifact.text, "test.mlir");
  EXPECT_TRUE(program) << program.error().message;
  Exported exported;
  // XLA's form alone is what versions before 9 hold.
  const bool hlo = artifact.input.kind == Sharding::Kind::kHloSharding;
  exported.serializationVersion = hlo ? 5 : kNewestSerializationVersion;
  exported.functionName = "f";
  exported.platforms = {"cpu"};
  exported.inputTree.kind = PyTree::Kind::kTuple;
  exported.inputTree.children.resize(1);
  exported.inputs.resize(1);
  exported.inputs[0].dtype = "i32";
  exported.inputs[0].shape = {"8", "2"};
  exported.outputs = exported.inputs;
  exported.outputTree = exported.inputTree;
  exported.deviceCount = artifact.devices;
  exported.inputShardings = {artifact.input};
  exported.outputShardings = {artifact.output};
  exported.keptInputs = {0};
  exported.module = *program->writePortableArtifact(kCurrentStablehloVersion);
  auto bytes = writeExported(exported);
  EXPECT_TRUE(bytes) << bytes.error().message;
  ExecuteRequest request;
  request.name = "test";
  request.platform = "cpu";
  request.mode = mode;
  if (bytes) request.artifact = std::move(*bytes);
  Tensor input(ElementType::kI32, {8, 2});
  for (int32_t i = 0; i < 16; ++i) input.mutableValues<int32_t>()[static_cast<size_t>(i)] = i;
  request.inputs = {input};
  return Executor(size_t{1} << 30).execute(request);
}

// `attributes` stand beside the argument and the result of main.
std::string negation(uint32_t devices, const std::string& mesh, const std::string& argument = "",
                     const std::string& result = "") {
  return fmt::format(R"(module attributes {{mhlo.num_partitions = {} : i32}} {{
  {}
  func.func public @main(%a: tensor<8x2xi32> {{{}}}) -> (tensor<8x2xi32> {{{}}}) {{
    %0 = stablehlo.negate %a : tensor<8x2xi32>
    return %0 : tensor<8x2xi32>
  }}
}})",
                     devices, mesh, argument, result);
}

void expectNegated(const ExecuteReply& reply) {
  ASSERT_EQ(reply.outcome, OutcomeKind::kPass) << reply.detail;
  std::vector<int32_t> wanted;
  for (int32_t i = 0; i < 16; ++i) wanted.push_back(-i);
  EXPECT_THAT(reply.outputs.at(0).values<int32_t>(), ElementsAreArray(wanted));
}

TEST(RecordedPlacement, CopiesTilesAndBothOverTwoToEightDevices) {
  struct Use {
    std::vector<uint32_t> mesh;
    Axes in, out;
  };
  const Axes copies{std::nullopt, std::nullopt}, rows{{{"x"}}, std::nullopt};
  const Use uses[] = {
      {{2}, rows, rows},
      {{2}, copies, rows},
      {{4}, rows, copies},
      {{8}, rows, rows},
      {{2, 2}, {{{"x"}}, {{"y"}}}, {{{"y"}}, {{"x"}}}},
      {{4, 2}, {{{"x", "y"}}, std::nullopt}, {{{"y", "x"}}, std::nullopt}},
      {{2, 4}, {{{"y"}}, std::nullopt}, {std::nullopt, {{"x"}}}},  // Partly tiled.
      {{2, 3}, rows, copies},
      {{4, 2}, rows, {}},  // Fewer entries than dimensions.
  };
  for (const Use& use : uses) {
    uint32_t devices = 1;
    for (uint32_t size : use.mesh) devices *= size;
    for (const char* mode : {"graph", "eager"})
      expectNegated(execute(
          {negation(devices, ""), devices, named(use.mesh, use.in), named(use.mesh, use.out)},
          mode));
  }
}

TEST(RecordedPlacement, XlasOwnFormDecidesToo) {
  expectNegated(execute({negation(2, ""), 2, tiled({2, 1}, 2, false), tiled({1, 2}, 2, false)}));
  expectNegated(
      execute({negation(8, ""), 8, tiled({4, 1, 2}, 8, true), tiled({2, 2, 2}, 8, true)}));
  expectNegated(execute({negation(4, ""), 4, {}, {}}));  // Left open.
}

TEST(RecordedPlacement, AContradictionWithTheModuleTellsBoth) {
  const std::string mesh = "sdy.mesh @mesh = <[\"x\"=2]>";
  const std::string rows = "sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>";
  const Sharding byRows = named({2}, {{{"x"}}, std::nullopt});
  const Sharding byColumns = named({2}, {std::nullopt, {{"x"}}});
  expectNegated(execute({negation(2, mesh, rows, rows), 2, byRows, byRows}));
  const ExecuteReply input = execute({negation(2, mesh, rows, rows), 2, byColumns, byRows});
  EXPECT_EQ(input.outcome, OutcomeKind::kError);
  EXPECT_THAT(input.detail,
              AllOf(HasSubstr("input 0 is recorded as 1 x 2 pieces, (0, 0) on device 0, (0, 1) on "
                              "device 1, and its module has argument 0 of main as 2 x 1 pieces"),
                    HasSubstr("Export it again")));
  const ExecuteReply output = execute({negation(2, mesh, rows, rows), 2, byRows, byColumns});
  EXPECT_THAT(output.detail, HasSubstr("its module has result 0 of main as 2 x 1 pieces"));
  // The same device order in XLA's text in the module.
  const std::string text = "mhlo.sharding = \"{devices=[2,1]1,0}\"";
  const ExecuteReply order = execute({negation(2, "", text), 2, byRows, byRows});
  EXPECT_THAT(order.detail, HasSubstr("as 2 x 1 pieces, (1, 0) on device 0, (0, 0) on device 1"));
  // The module gives the sharding that the record leaves open.
  expectNegated(execute({negation(2, mesh, rows, rows), 2, {}, {}}));
}

TEST(RecordedPlacement, WhatCannotBePlacedIsNamed) {
  const Axes rows{{{"x"}}, std::nullopt};
  const auto detail = [](uint32_t devices, Sharding input) {
    return execute({negation(devices, ""), devices, std::move(input), {}}).detail;
  };
  EXPECT_THAT(detail(4, named({2}, rows)),
              HasSubstr("the sharding of input 0 is over a mesh of axes 2, and the artifact was "
                        "exported for 4 devices"));
  EXPECT_THAT(detail(3, named({3}, rows)),
              HasSubstr("input 0: dimension 0 of size 8 cannot be split evenly over 3"));
  EXPECT_THAT(detail(2, tiled({2}, 2, false)), HasSubstr("the value has 2 dimensions"));
  Sharding twice = named({2}, {{{"x"}}, {{"x"}}});
  EXPECT_THAT(detail(2, twice), HasSubstr("along axis \"x\" twice"));
  Sharding partial = named({2}, rows);
  partial.named->spec.unreduced = {"y"};
  EXPECT_THAT(detail(2, partial), HasSubstr("a sum that is still to be taken along y"));
  EXPECT_THAT(detail(1u << 20, {}), HasSubstr("it was exported for 1048576 devices"));
}

// Each device gives what only it computed, and the record says that they all
// give the same: nobody would have noticed.
TEST(RecordedPlacement, OutputsThatAreRecordedAsCopiesMustBeCopies) {
  const std::string text = R"(module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x2xi32>) -> tensor<8x2xi32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {}]>]
        out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%b: tensor<8x2xi32>) {
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      sdy.return %3 : tensor<8x2xi32>
    } : (tensor<8x2xi32>) -> tensor<8x2xi32>
    return %0 : tensor<8x2xi32>
  }
})";
  const Sharding copies = named({2}, {std::nullopt, std::nullopt});
  const ExecuteReply reply = execute({text, 2, copies, copies});
  EXPECT_EQ(reply.outcome, OutcomeKind::kError);
  EXPECT_THAT(reply.detail, AllOf(HasSubstr("output 0: devices 0 and 1 hold different values"),
                                  HasSubstr("copies of it")));
}

}  // namespace
}  // namespace vintage::tests
