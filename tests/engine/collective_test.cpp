// Several processes in one: collectives, channels, the host's queues, and
// programs that would hang.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/engine/run_text.h"

namespace vintage::engine_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Rows = std::vector<std::vector<int64_t>>;
using Outputs = Result<std::vector<std::vector<Tensor>>>;

Outputs runOn(const ProcessGrid& grid, std::string_view text,
              const std::vector<std::vector<Tensor>>& inputs,
              ExecutionMode mode = ExecutionMode::kGraph, RunOptions options = {}) {
  auto tree = treeOf(text);
  if (!tree) return tl::unexpected(tree.error());
  auto plan = compile(*tree, {.mode = mode});
  if (!plan) return tl::unexpected(plan.error());
  return plan->runParallel(grid, inputs, options);
}

std::vector<std::vector<Tensor>> inputsOf(const Shape& shape, const Rows& rows) {
  std::vector<std::vector<Tensor>> inputs;
  for (const auto& row : rows) inputs.push_back({tensor<int64_t>(ElementType::kI64, shape, row)});
  return inputs;
}

// The first output of each process, in both modes.
Rows evaluateOn(const ProcessGrid& grid, std::string_view text, const Shape& shape,
                const Rows& rows) {
  Rows outputs;
  const auto inputs = inputsOf(shape, rows);
  for (const ExecutionMode mode : {ExecutionMode::kGraph, ExecutionMode::kEager}) {
    auto results = runOn(grid, text, inputs, mode);
    EXPECT_TRUE(results) << (results ? "" : results.error().message);
    if (!results) return {};
    Rows found;
    for (const auto& tensors : *results) found.push_back(values<int64_t>(tensors.at(0)));
    if (mode == ExecutionMode::kEager) EXPECT_EQ(found, outputs);
    outputs = found;
  }
  return outputs;
}

std::string errorOn(const ProcessGrid& grid, std::string_view text, const Shape& shape,
                    const Rows& rows) {
  auto results = runOn(grid, text, inputsOf(shape, rows));
  EXPECT_FALSE(results);
  return results ? "" : results.error().message;
}

// @main of one operand, whose result is that of the operation.
std::string mainOf(std::string_view operation, std::string_view attributes, std::string_view from,
                   std::string_view to, std::string_view region = "") {
  return fmt::format(R"(func.func @main(%x: {2}) -> {3} {{
      %r = "{0}"(%x) {4} {{{1}}} : ({2}) -> {3}
      return %r : {3}
    }})",
                     operation, attributes, from, to, region);
}

std::string region(std::string_view operation, std::string_view type = "i64") {
  return fmt::format(R"(({{
      ^bb0(%a: tensor<{1}>, %b: tensor<{1}>):
        %c = {0} %a, %b : tensor<{1}>
        stablehlo.return %c : tensor<{1}>
    }}))",
                     operation, type);
}

constexpr const char* kVector = "tensor<4xi64>";
constexpr const char* kChannel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

std::string allReduce(std::string_view attributes, std::string_view operation = "stablehlo.add",
                      std::string_view type = "tensor<1xi64>") {
  return mainOf("stablehlo.all_reduce", attributes, type, type, region(operation));
}

TEST(Collective, AllReduceOfTheSpecification) {
  EXPECT_THAT(evaluateOn({2, 1},
                         allReduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
                                   "stablehlo.add", kVector),
                         {4}, {{1, 2, 3, 4}, {5, 6, 7, 8}}),
              ElementsAre(ElementsAre(6, 8, 10, 12), ElementsAre(6, 8, 10, 12)));
}

// Each process brings a power of ten, so that the sum tells who was there.
TEST(Collective, GroupingsOfTheSpecification) {
  const Rows powers = {{1}, {10}, {100}, {1000}};  // (0,0), (0,1), (1,0), (1,1).
  const std::string groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>";
  EXPECT_THAT(evaluateOn({2, 2}, allReduce(groups), {1}, powers),
              ElementsAre(ElementsAre(101), ElementsAre(1010), ElementsAre(101),
                          ElementsAre(1010)));
  EXPECT_EQ(evaluateOn({2, 2}, allReduce(groups + kChannel), {1}, powers),
            Rows(4, std::vector<int64_t>{1111}));
  EXPECT_THAT(
      evaluateOn({2, 2},
                 allReduce("replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>" +
                           std::string(kChannel)),
                 {1}, powers),
      ElementsAre(ElementsAre(11), ElementsAre(11), ElementsAre(1100), ElementsAre(1100)));
  EXPECT_THAT(
      evaluateOn({2, 2},
                 allReduce("replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>" +
                           std::string(kChannel) + ", use_global_device_ids"),
                 {1}, powers),
      ElementsAre(ElementsAre(1001), ElementsAre(110), ElementsAre(110), ElementsAre(1001)));
}

TEST(Collective, UnevenGroupsArePaddedAndNoGroupsAreAll) {
  EXPECT_THAT(
      evaluateOn({3, 1},
                 allReduce("replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>"), {1},
                 {{1}, {10}, {100}}),
      ElementsAre(ElementsAre(101), ElementsAre(10), ElementsAre(101)));
  EXPECT_EQ(evaluateOn({3, 1}, allReduce("replica_groups = dense<> : tensor<0x0xi64>"), {1},
                       {{1}, {10}, {100}}),
            Rows(3, std::vector<int64_t>{111}));
}

TEST(Collective, AnyRegionInTheOrderOfTheGroup) {
  // 100 - 1 - 10: not commutative, and process 2 is first in its group.
  EXPECT_EQ(evaluateOn({3, 1},
                       allReduce("replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>",
                                 "stablehlo.subtract"),
                       {1}, {{1}, {10}, {100}}),
            Rows(3, std::vector<int64_t>{89}));
  // Over more elements than one batch of lanes.
  std::vector<int64_t> low(3000), high(3000), expected(3000);
  for (int64_t i = 0; i < 3000; ++i) {
    low[static_cast<size_t>(i)] = i;
    high[static_cast<size_t>(i)] = 2 * i - 1000;
    expected[static_cast<size_t>(i)] = std::max(i, 2 * i - 1000);
  }
  EXPECT_EQ(evaluateOn({2, 1},
                       allReduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
                                 "stablehlo.maximum", "tensor<3000xi64>"),
                       {3000}, {low, high}),
            Rows(2, expected));
}

TEST(Collective, PromotesToTheTypeOfTheRegion) {
  // In i8 the sum would wrap around.
  const std::string text = mainOf("stablehlo.all_reduce",
                                  "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
                                  "tensor<1xi8>", "tensor<1xi64>", region("stablehlo.add"));
  const Tensor hundred = tensor<int8_t>(ElementType::kI8, {1}, {100});
  auto results = runOn({2, 1}, text, {{hundred}, {hundred}});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int64_t>((*results)[1][0]), ElementsAre(200));
}

TEST(Collective, SeveralOperandsAtOnce) {
  const std::string text = R"(
    func.func @main(%x: tensor<2xi64>, %y: tensor<i64>) -> (tensor<2xi64>, tensor<i64>) {
      %r:2 = "stablehlo.all_reduce"(%x, %y) )" +
                           region("stablehlo.multiply") + R"( {
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
      } : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<i64>)
      return %r#0, %r#1 : tensor<2xi64>, tensor<i64>
    })";
  const auto process = [](int64_t a, int64_t b, int64_t c) {
    return std::vector{tensor<int64_t>(ElementType::kI64, {2}, {a, b}),
                       tensor<int64_t>(ElementType::kI64, {}, {c})};
  };
  auto results = runOn({2, 1}, text, {process(2, 3, 5), process(7, 11, 13)});
  ASSERT_TRUE(results) << results.error().message;
  for (const auto& outputs : *results) {
    EXPECT_THAT(values<int64_t>(outputs[0]), ElementsAre(14, 33));
    EXPECT_THAT(values<int64_t>(outputs[1]), ElementsAre(65));
  }
}

TEST(Collective, AllGatherOfTheSpecification) {
  EXPECT_EQ(evaluateOn({2, 1},
                       mainOf("stablehlo.all_gather",
                              "all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : "
                              "tensor<1x2xi64>",
                              "tensor<2x2xi64>", "tensor<2x4xi64>"),
                       {2, 2}, {{1, 2, 3, 4}, {5, 6, 7, 8}}),
            Rows(2, std::vector<int64_t>{1, 2, 5, 6, 3, 4, 7, 8}));
}

TEST(Collective, AllGatherFollowsTheOrderOfTheGroup) {
  EXPECT_EQ(evaluateOn({2, 2},
                       mainOf("stablehlo.all_gather",
                              "all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : "
                              "tensor<1x2xi64>" + std::string(kChannel),
                              "tensor<1xi64>", "tensor<4xi64>"),
                       {1}, {{1}, {10}, {100}, {1000}}),
            // All replicas of partition 0, then those of partition 1.
            Rows(4, std::vector<int64_t>{1, 100, 10, 1000}));
}

TEST(Collective, AllToAllOfTheSpecification) {
  EXPECT_THAT(evaluateOn({2, 1},
                         mainOf("stablehlo.all_to_all",
                                "split_dimension = 1 : i64, concat_dimension = 0 : i64, "
                                "split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : "
                                "tensor<1x2xi64>",
                                "tensor<2x4xi64>", "tensor<4x2xi64>"),
                         {2, 4}, {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}}),
              ElementsAre(ElementsAre(1, 2, 5, 6, 9, 10, 13, 14),
                          ElementsAre(3, 4, 7, 8, 11, 12, 15, 16)));
}

TEST(Collective, AllToAllTwiceIsTheIdentity) {
  // Over partitions, within each replica; the channel chooses.
  const std::string text = R"(
    func.func @main(%x: tensor<6xi64>) -> tensor<6xi64> {
      %a = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64,
        split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
        : (tensor<6xi64>) -> tensor<6xi64>
      %b = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64,
        split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}
        : (tensor<6xi64>) -> tensor<6xi64>
      return %b : tensor<6xi64>
    })";
  Rows rows;
  for (int64_t process = 0; process < 6; ++process) {
    rows.emplace_back();
    for (int64_t i = 0; i < 6; ++i) rows.back().push_back(10 * process + i);
  }
  EXPECT_EQ(evaluateOn({2, 3}, text, {6}, rows), rows);
}

TEST(Collective, ReduceScatterOfTheSpecification) {
  const auto text = [](std::string_view more) {
    return mainOf("stablehlo.reduce_scatter",
                  fmt::format("scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : "
                              "tensor<1x2xi64>{}",
                              more),
                  "tensor<2x4xi64>", "tensor<2x2xi64>", region("stablehlo.add"));
  };
  const Rows rows = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}};
  const auto expected =
      ElementsAre(ElementsAre(10, 12, 18, 20), ElementsAre(14, 16, 22, 24));
  EXPECT_THAT(evaluateOn({2, 1}, text(""), {2, 4}, rows), expected);
  // Over two partitions, by the numbers of processes.
  EXPECT_THAT(evaluateOn({1, 2}, text(std::string(kChannel) + ", use_global_device_ids"), {2, 4},
                         rows),
              expected);
}

TEST(Collective, BroadcastOfTheSpecificationLeavesOthersZero) {
  const std::string text = mainOf(
      "stablehlo.collective_broadcast", "replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>",
      "tensor<1x2xi64>", "tensor<1x2xi64>");
  EXPECT_THAT(evaluateOn({4, 1}, text, {1, 2}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}),
              ElementsAre(ElementsAre(0, 0), ElementsAre(5, 6), ElementsAre(5, 6),
                          ElementsAre(0, 0)));
}

TEST(Collective, ReduceToARootThatIsNotTheFirstProcess) {
  const std::string text =
      mainOf("stablehlo.collective_reduce",
             "replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>", "tensor<1xi64>",
             "tensor<1xi64>", region("stablehlo.add"));
  EXPECT_THAT(evaluateOn({4, 1}, text, {1}, {{1}, {10}, {100}, {1000}}),
              ElementsAre(ElementsAre(0), ElementsAre(110), ElementsAre(0), ElementsAre(1001)));
}

TEST(Collective, RootsThatTheRunTells) {
  const std::string text = R"(
    func.func @main(%x: tensor<1xi64>, %root: tensor<1xi32>)
        -> (tensor<1xi64>, tensor<1xi64>) {
      %s = "stablehlo.collective_reduce"(%x, %root) )" +
                           region("stablehlo.add") + R"( {
        replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, has_dynamic_root
      } : (tensor<1xi64>, tensor<1xi32>) -> tensor<1xi64>
      %b = "stablehlo.collective_broadcast"(%x, %root) {
        replica_groups = dense<[[2, 1, 0]]> : tensor<1x3xi64>, has_dynamic_root
      } : (tensor<1xi64>, tensor<1xi32>) -> tensor<1xi64>
      return %s, %b : tensor<1xi64>, tensor<1xi64>
    })";
  const auto inputs = [](int32_t first, int32_t others) {
    std::vector<std::vector<Tensor>> all;
    for (const int64_t value : {1, 10, 100})
      all.push_back({tensor<int64_t>(ElementType::kI64, {1}, {value}),
                     tensor<int32_t>(ElementType::kI32, {1}, {value == 1 ? first : others})});
    return all;
  };
  auto results = runOn({3, 1}, text, inputs(2, 2));
  ASSERT_TRUE(results) << results.error().message;
  Rows sums, copies;
  for (const auto& outputs : *results) {
    sums.push_back(values<int64_t>(outputs[0]));
    copies.push_back(values<int64_t>(outputs[1]));
  }
  EXPECT_EQ(sums, (Rows{{0}, {0}, {111}}));
  EXPECT_EQ(copies, (Rows{{1}, {1}, {1}}));  // Place 2 of [2, 1, 0].
  auto outside = runOn({3, 1}, text, inputs(3, 3));
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().message, HasSubstr("the root is 3"));
  auto different = runOn({3, 1}, text, inputs(0, 1));
  ASSERT_FALSE(different);
  EXPECT_THAT(different.error().message, HasSubstr("disagree about the root"));
}

TEST(Collective, PermuteLeavesZerosWhereNobodySends) {
  const std::string text =
      mainOf("stablehlo.collective_permute",
             "source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>", "tensor<2xi64>",
             "tensor<2xi64>");
  EXPECT_THAT(evaluateOn({3, 1}, text, {2}, {{1, 2}, {3, 4}, {5, 6}}),
              ElementsAre(ElementsAre(0, 0), ElementsAre(1, 2), ElementsAre(3, 4)));
}

TEST(Collective, PermuteInARingOverPartitionsAndToOneself) {
  const std::string text =
      mainOf("stablehlo.collective_permute",
             "source_target_pairs = dense<[[0, 1], [1, 0], [2, 2]]> : tensor<3x2xi64>" +
                 std::string(kChannel),
             "tensor<1xi64>", "tensor<1xi64>");
  EXPECT_THAT(evaluateOn({2, 3}, text, {1}, {{1}, {2}, {3}, {4}, {5}, {6}}),
              ElementsAre(ElementsAre(2), ElementsAre(1), ElementsAre(3), ElementsAre(5),
                          ElementsAre(4), ElementsAre(6)));
}

// What is zero in a quantized type is its zero point.
TEST(Collective, PermuteOfAQuantizedTypeLeavesZeroPoints) {
  const std::string type = "tensor<2x!quant.uniform<i8:f32, 0.5:7>>";
  const std::string text = fmt::format(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> {0}
      %p = "stablehlo.collective_permute"(%q) {{
        source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({0}) -> {0}
      %r = stablehlo.uniform_dequantize %p : ({0}) -> tensor<2xf32>
      return %r : tensor<2xf32>
    }})",
                                       type);
  const Tensor x = tensor<float>(ElementType::kF32, {2}, {1.5f, -2.0f});
  auto results = runOn({2, 1}, text, {{x}, {x}});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<float>((*results)[0][0]), ElementsAre(0.0f, 0.0f));
  EXPECT_THAT(values<float>((*results)[1][0]), ElementsAre(1.5f, -2.0f));
}

TEST(Collective, CrossReplicaSum) {
  const std::string text =
      mainOf("stablehlo.cross-replica-sum",
             "replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>", "tensor<2xi64>",
             "tensor<2xi64>");
  EXPECT_THAT(evaluateOn({4, 1}, text, {2}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}),
              ElementsAre(ElementsAre(6, 8), ElementsAre(10, 12), ElementsAre(6, 8),
                          ElementsAre(10, 12)));
}

std::string gatherByMesh(std::string_view groups, std::string_view before = "") {
  return fmt::format("{}\n{}", before,
                     mainOf("stablehlo.all_gather",
                            fmt::format("all_gather_dim = 0 : i64, replica_groups = "
                                        "#stablehlo.replica_group_mesh_axes<{}>",
                                        groups),
                            "tensor<1xi64>", "tensor<2xi64>"));
}

TEST(Collective, GroupsAlongTheAxesOfAMesh) {
  const std::string mesh =
      R"(mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, )"
      R"(#stablehlo.mesh_axis<name = "y", size = 4>]>)";
  const Rows numbers = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  const auto gather = [&](std::string_view axes) {
    return evaluateOn({8, 1}, gatherByMesh(fmt::format("{}, axes = [{}]", mesh, axes)), {1},
                      numbers);
  };
  EXPECT_EQ(gather(R"(#stablehlo.axis_ref<name = "x">)"),
            (Rows{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  // The slower half of y, and its faster half.
  EXPECT_EQ(gather(R"(#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>)"),
            (Rows{{0, 2}, {1, 3}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {4, 6}, {5, 7}}));
  EXPECT_EQ(gather(R"(#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>)"),
            (Rows{{0, 1}, {0, 1}, {2, 3}, {2, 3}, {4, 5}, {4, 5}, {6, 7}, {6, 7}}));
}

TEST(Collective, GroupsAlongTheAxesOfTheModulesMesh) {
  const Rows numbers = {{0}, {1}, {2}, {3}};
  const char* groups = R"(mesh = @mesh, axes = [#stablehlo.axis_ref<name = "b">])";
  EXPECT_EQ(evaluateOn({4, 1}, gatherByMesh(groups, R"(sdy.mesh @mesh = <["a"=2, "b"=2]>)"), {1},
                       numbers),
            (Rows{{0, 1}, {0, 1}, {2, 3}, {2, 3}}));
  EXPECT_EQ(evaluateOn({4, 1},
                       gatherByMesh(groups,
                                    R"(sdy.mesh @mesh = <["a"=2, "b"=2], device_ids=[3, 1, 2, 0]>)"),
                       {1}, numbers),
            (Rows{{2, 0}, {3, 1}, {2, 0}, {3, 1}}));
  EXPECT_THAT(errorOn({4, 1}, gatherByMesh(groups), {1}, numbers), HasSubstr("no mesh @mesh"));
  EXPECT_THAT(errorOn({4, 1}, gatherByMesh(groups, R"(sdy.mesh @mesh = <["a"=4]>)"), {1}, numbers),
              HasSubstr("no axis \"b\""));
}

TEST(Collective, OneProcessIsAGroupByItself) {
  const Tensor x = tensor<int64_t>(ElementType::kI64, {4}, {4, 3, 2, 1});
  const std::string one = "replica_groups = dense<[[0]]> : tensor<1x1xi64>";
  for (const std::string& text : {
           mainOf("stablehlo.all_reduce", one, kVector, kVector, region("stablehlo.subtract")),
           mainOf("stablehlo.all_gather", "all_gather_dim = 0 : i64, " + one, kVector, kVector),
           mainOf("stablehlo.all_to_all",
                  "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, " +
                      one,
                  kVector, kVector),
           mainOf("stablehlo.reduce_scatter", "scatter_dimension = 0 : i64, " + one, kVector,
                  kVector, region("stablehlo.add")),
           mainOf("stablehlo.collective_reduce", one, kVector, kVector, region("stablehlo.add")),
           mainOf("stablehlo.collective_broadcast", one, kVector, kVector),
           mainOf("stablehlo.cross-replica-sum", one, kVector, kVector),
           mainOf("stablehlo.collective_permute",
                  "source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>", kVector, kVector),
       })
    EXPECT_TRUE(evaluate(text, {x}).identical(x)) << text;
}

// What a program for several processes gives on one is never an answer.
TEST(Collective, ProgramForSeveralIsRefusedOnOne) {
  const Tensor x = tensor<int64_t>(ElementType::kI64, {1}, {1});
  auto result = run(allReduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"), {x});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(result.error().message,
              AllOf(HasSubstr("stablehlo.all_reduce"), HasSubstr("replica 1"),
                    HasSubstr("several processes")));
}

TEST(Channel, WaitingForAnotherProcessIsRefusedOnOne) {
  auto result = run(R"(
    func.func @main() -> tensor<i64> {
      %t = stablehlo.create_token : !stablehlo.token
      %r:2 = "stablehlo.recv"(%t) {
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
        : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
      return %r#0 : tensor<i64>
    })");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(result.error().message, HasSubstr("waits for stablehlo.send on channel 1"));
}

TEST(Collective, EachProcessKnowsItsNumbers) {
  const std::string text = R"(
    func.func @main() -> (tensor<ui32>, tensor<ui32>) {
      %r = stablehlo.replica_id : tensor<ui32>
      %p = stablehlo.partition_id : tensor<ui32>
      return %r, %p : tensor<ui32>, tensor<ui32>
    })";
  auto results = runOn({2, 3}, text, std::vector<std::vector<Tensor>>(6));
  ASSERT_TRUE(results) << results.error().message;
  for (uint32_t i = 0; i < 6; ++i) {
    EXPECT_THAT(values<uint32_t>((*results)[i][0]), ElementsAre(i / 3));
    EXPECT_THAT(values<uint32_t>((*results)[i][1]), ElementsAre(i % 3));
  }
}

TEST(Collective, AsynchronousAndInsideOfALoop) {
  const std::string text = R"(
    func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %three = stablehlo.constant dense<3> : tensor<i64>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<1xi64>
        cond {
          %c = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %f = "stablehlo.async_start"(%v) ({
            ^bb0(%w: tensor<1xi64>):
              %s = "stablehlo.all_reduce"(%w) )" +
                           region("stablehlo.add") + R"( {
                replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
              } : (tensor<1xi64>) -> tensor<1xi64>
              stablehlo.return %s : tensor<1xi64>
          }) : (tensor<1xi64>) -> !stablehlo.future<tensor<1xi64>>
          %d = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<1xi64>>) -> tensor<1xi64>
          %n = stablehlo.add %i, %one : tensor<i64>
          stablehlo.return %n, %d : tensor<i64>, tensor<1xi64>
        }
      return %r#1 : tensor<1xi64>
    })";
  EXPECT_EQ(evaluateOn({2, 1}, text, {1}, {{1}, {10}}), (Rows{{44}, {44}}));
}

TEST(Channel, SendsInARing) {
  const std::string text = R"(
    func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
      %t = stablehlo.create_token : !stablehlo.token
      %s = "stablehlo.send"(%x, %t) {
        channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>,
        source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>
      } : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
      %r:2 = "stablehlo.recv"(%s) {
        channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>,
        source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>
      } : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
      return %r#0 : tensor<2xi64>
    })";
  const Rows rows = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(evaluateOn({3, 1}, text, {2}, rows), (Rows{{5, 6}, {1, 2}, {3, 4}}));
  EXPECT_EQ(evaluateOn({1, 3}, text, {2}, rows), (Rows{{5, 6}, {1, 2}, {3, 4}}));
}

// Two programs: one sends twice, the other receives in the same order.
constexpr const char* kSendAndReceive = R"(
  func.func @sender(%x: tensor<i64>, %y: tensor<i64>, %t: !stablehlo.token) -> !stablehlo.token {
    %a = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
    %b = "stablehlo.send"(%y, %a) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
    return %b : !stablehlo.token
  }
  func.func @receiver(%t: !stablehlo.token) -> (tensor<i64>, tensor<i64>) {
    %a:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    %b:2 = "stablehlo.recv"(%a#1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    return %a#0, %b#0 : tensor<i64>, tensor<i64>
  })";

TEST(Channel, MessagesKeepTheirOrder) {
  const std::string text = std::string(kSendAndReceive) + R"(
    func.func @main(%x: tensor<i64>, %y: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
      %t = stablehlo.create_token : !stablehlo.token
      %r:3 = "interpreter.run_parallel"(%t, %x, %y, %t) {programs = [[@receiver], [@sender]]}
        : (!stablehlo.token, tensor<i64>, tensor<i64>, !stablehlo.token)
        -> (tensor<i64>, tensor<i64>, !stablehlo.token)
      return %r#0, %r#1 : tensor<i64>, tensor<i64>
    })";
  const auto scalar = [](int64_t value) {
    return tensor<int64_t>(ElementType::kI64, {}, {value});
  };
  auto results = run(text, {scalar(3), scalar(4)});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int64_t>((*results)[0]), ElementsAre(3));
  EXPECT_THAT(values<int64_t>((*results)[1]), ElementsAre(4));
}

TEST(Channel, MessageThatNobodyTakesIsAnError) {
  const std::string text = std::string(kSendAndReceive) + R"(
    func.func @main(%x: tensor<i64>) {
      %t = stablehlo.create_token : !stablehlo.token
      %r = "interpreter.run_parallel"(%x, %x, %t) {programs = [[@sender]]}
        : (tensor<i64>, tensor<i64>, !stablehlo.token) -> !stablehlo.token
      return
    })";
  auto result = run(text, {tensor<int64_t>(ElementType::kI64, {}, {1})});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              HasSubstr("2 messages of stablehlo.send on channel 1 were never received"));
}

// Takes from the infeed and from channel 2, gives to the outfeed and on channel 3.
constexpr const char* kHost = R"(
  func.func @main() -> (tensor<i64>, tensor<2xi64>, tensor<i64>) {
    %t = stablehlo.create_token : !stablehlo.token
    %a:3 = "stablehlo.infeed"(%t) {infeed_config = ""}
      : (!stablehlo.token) -> (tensor<i64>, tensor<2xi64>, !stablehlo.token)
    %b:2 = "stablehlo.recv"(%a#2) {is_host_transfer = true,
        channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>}
      : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    %c = "stablehlo.outfeed"(%a#1, %b#0, %b#1) {outfeed_config = ""}
      : (tensor<2xi64>, tensor<i64>, !stablehlo.token) -> !stablehlo.token
    %d = "stablehlo.send"(%a#0, %c) {is_host_transfer = true,
        channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>}
      : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
    return %a#0, %a#1, %b#0 : tensor<i64>, tensor<2xi64>, tensor<i64>
  })";

TEST(Host, QueuesOfARun) {
  const Tensor one = tensor<int64_t>(ElementType::kI64, {}, {1});
  const Tensor pair = tensor<int64_t>(ElementType::kI64, {2}, {2, 3});
  const Tensor four = tensor<int64_t>(ElementType::kI64, {}, {4});
  HostQueues host;
  host.infeed.push_back({one, pair});
  host.channels[2].push_back({four});
  RunOptions options;
  options.host = &host;
  auto results = run(kHost, {}, ExecutionMode::kGraph, options);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_TRUE((*results)[0].identical(one));
  EXPECT_TRUE((*results)[1].identical(pair));
  EXPECT_TRUE((*results)[2].identical(four));
  EXPECT_TRUE(host.infeed.empty());
  ASSERT_EQ(host.outfeed.size(), 2u);
  EXPECT_FALSE(host.outfeed[0].channel);
  ASSERT_EQ(host.outfeed[0].values.size(), 2u);
  EXPECT_TRUE(host.outfeed[0].values[0].identical(pair));
  EXPECT_TRUE(host.outfeed[0].values[1].identical(four));
  EXPECT_EQ(host.outfeed[1].channel, 3);
  EXPECT_TRUE(host.outfeed[1].values.at(0).identical(one));
}

TEST(Host, WrongOrMissingDataIsToldAndNothingHangs) {
  HostQueues host;
  RunOptions options;
  options.host = &host;
  auto empty = run(kHost, {}, ExecutionMode::kGraph, options);
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, AllOf(HasSubstr("stablehlo.infeed"), HasSubstr("empty")));
  host.infeed.push_back({tensor<int64_t>(ElementType::kI64, {}, {1})});
  auto few = run(kHost, {}, ExecutionMode::kGraph, options);
  ASSERT_FALSE(few);
  EXPECT_THAT(few.error().message, HasSubstr("takes 2 inputs and was given 1"));
  host.infeed.push_back({tensor<int64_t>(ElementType::kI64, {}, {1}),
                         tensor<int64_t>(ElementType::kI64, {3}, {1, 2, 3})});
  auto wrong = run(kHost, {}, ExecutionMode::kGraph, options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("i64[3]"));
}

TEST(RunParallel, InfeedFunctionsAreTakenOneAfterTheOther) {
  auto results = run(R"(
    func.func @take(%t: !stablehlo.token) -> (tensor<i64>, tensor<i64>) {
      %a:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
      %b:2 = "stablehlo.infeed"(%a#1) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
      return %a#0, %b#0 : tensor<i64>, tensor<i64>
    }
    func.func @first() -> tensor<i64> {
      %c = stablehlo.constant dense<11> : tensor<i64>
      return %c : tensor<i64>
    }
    func.func @second() -> tensor<i64> {
      %c = stablehlo.constant dense<22> : tensor<i64>
      return %c : tensor<i64>
    }
    func.func @main() -> (tensor<i64>, tensor<i64>) {
      %t = stablehlo.create_token : !stablehlo.token
      %r:2 = "interpreter.run_parallel"(%t) {infeed = [@second, @first], programs = [[@take]]}
        : (!stablehlo.token) -> (tensor<i64>, tensor<i64>)
      return %r#0, %r#1 : tensor<i64>, tensor<i64>
    })");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int64_t>((*results)[0]), ElementsAre(22));
  EXPECT_THAT(values<int64_t>((*results)[1]), ElementsAre(11));
}

// Processes 0 and 1 run @f and @g side by side as two replicas.
std::string sideBySide(std::string_view f, std::string_view g) {
  return fmt::format(R"(
    func.func @f(%x: tensor<1xi64>) -> tensor<1xi64> {{ {} return %r : tensor<1xi64> }}
    func.func @g(%x: tensor<1xi64>) -> tensor<1xi64> {{ {} return %r : tensor<1xi64> }}
    func.func @main(%x: tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>) {{
      %y:2 = "interpreter.run_parallel"(%x, %x) {{programs = [[@f], [@g]]}}
        : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>)
      return %y#0, %y#1 : tensor<1xi64>, tensor<1xi64>
    }})",
                     f, g);
}

std::string reduceStep(std::string_view result = "%r", std::string_view operand = "%x") {
  return fmt::format(R"({} = "stablehlo.all_reduce"({}) {} {{
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<1xi64>) -> tensor<1xi64>
    )",
                     result, operand, region("stablehlo.add"));
}

std::string gatherStep(std::string_view result) {
  return fmt::format(R"({} = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<1xi64>) -> tensor<2xi64>
    )",
                     result);
}

std::string errorOf(std::string_view text) {
  auto result = run(text, {tensor<int64_t>(ElementType::kI64, {1}, {1})});
  EXPECT_FALSE(result);
  if (!result) EXPECT_EQ(result.error().kind, Error::Kind::kBadInput);
  return result ? "" : result.error().message;
}

TEST(RunParallel, DifferentProgramsMeet) {
  auto results = run(sideBySide(reduceStep(), "%y = stablehlo.add %x, %x : tensor<1xi64>\n" +
                                                  reduceStep("%r", "%y")),
                     {tensor<int64_t>(ElementType::kI64, {1}, {5})});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int64_t>((*results)[0]), ElementsAre(15));
  EXPECT_THAT(values<int64_t>((*results)[1]), ElementsAre(15));
}

TEST(RunParallel, WaitingForAProcessThatEndedIsAnError) {
  EXPECT_THAT(errorOf(sideBySide(reduceStep(), "%r = stablehlo.add %x, %x : tensor<1xi64>")),
              AllOf(HasSubstr("no process can go on"),
                    HasSubstr("replica 0, partition 0 waits for stablehlo.all_reduce of i64[1]"),
                    HasSubstr("replica 1, partition 0 has ended")));
}

TEST(RunParallel, DifferentOperationsAreAMismatch) {
  EXPECT_THAT(errorOf(sideBySide(reduceStep(), gatherStep("%q") + reduceStep())),
              AllOf(HasSubstr("different things"), HasSubstr("stablehlo.all_reduce of i64[1]"),
                    HasSubstr("stablehlo.all_gather of i64[1]")));
}

TEST(RunParallel, WaitingForEachOtherOnTwoChannelsIsAnError) {
  const auto receive = [](int channel) {
    return fmt::format(R"(%t = stablehlo.create_token : !stablehlo.token
      %q:2 = "stablehlo.recv"(%t) {{
        channel_handle = #stablehlo.channel_handle<handle = {}, type = 1>}}
        : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
      %r = stablehlo.add %q#0, %x : tensor<1xi64>
      )",
                       channel);
  };
  EXPECT_THAT(errorOf(sideBySide(receive(1), receive(2))),
              AllOf(HasSubstr("no process can go on"), HasSubstr("channel 1"),
                    HasSubstr("channel 2")));
}

TEST(RunParallel, AnErrorInOneProcessEndsAll) {
  // Process 1 has no infeed to take from, while process 0 waits for it.
  EXPECT_THAT(errorOf(sideBySide(reduceStep(), R"(
      %t = stablehlo.create_token : !stablehlo.token
      %q:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
      %r = stablehlo.add %q#0, %x : tensor<1xi64>
      )")),
              AllOf(HasSubstr("replica 1, partition 0: stablehlo.infeed"), HasSubstr("empty")));
  // And while process 0 computes for ever.
  EXPECT_THAT(errorOf(sideBySide(R"(
      %r = stablehlo.while(%i = %x) : tensor<1xi64>
        cond {
          %c = stablehlo.constant dense<true> : tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do { stablehlo.return %i : tensor<1xi64> }
      )",
                                 R"(
      %t = stablehlo.create_token : !stablehlo.token
      %q:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
      %r = stablehlo.add %q#0, %x : tensor<1xi64>
      )")),
              HasSubstr("replica 1, partition 0: stablehlo.infeed"));
}

TEST(RunParallel, GroupsThatDoNotFitTheProcesses) {
  const Rows two = {{1}, {2}};
  EXPECT_THAT(errorOn({2, 1},
                      allReduce("replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>"), {1}, two),
              HasSubstr("name replica 2; the program runs on 2 replicas and 1 partitions"));
  EXPECT_THAT(errorOn({2, 1}, allReduce("replica_groups = dense<[[0]]> : tensor<1x1xi64>"), {1},
                      two),
              HasSubstr("replica 1, partition 0 is in none of its groups"));
  EXPECT_THAT(errorOn({2, 1},
                      mainOf("stablehlo.collective_permute",
                             "source_target_pairs = dense<[[0, 5]]> : tensor<1x2xi64>",
                             "tensor<1xi64>", "tensor<1xi64>"),
                      {1}, two),
              HasSubstr("replica 5"));
}

TEST(RunParallel, ProgramsThatDoNotFitTheOperation) {
  const auto text = [](std::string_view programs) {
    return fmt::format(R"(
      func.func @f(%x: tensor<1xi64>) -> tensor<1xi64> {{ return %x : tensor<1xi64> }}
      func.func @h(%x: tensor<2xi64>) -> tensor<1xi64> {{
        %r = stablehlo.constant dense<0> : tensor<1xi64>
        return %r : tensor<1xi64>
      }}
      func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {{
        %r = "interpreter.run_parallel"(%x) {{programs = [{}]}} : (tensor<1xi64>) -> tensor<1xi64>
        return %r : tensor<1xi64>
      }})",
                       programs);
  };
  EXPECT_THAT(errorOf(text("[@missing]")), HasSubstr("no function @missing"));
  EXPECT_THAT(errorOf(text("[@h]")), HasSubstr("input 0 does not fit @h"));
  EXPECT_THAT(errorOf(text("[@f], [@f]")), HasSubstr("input 1 does not fit @f"));
  EXPECT_THAT(errorOf(text("[@f], [@f, @f]")), HasSubstr("not equally long"));
  EXPECT_THAT(errorOf(text("[]")), HasSubstr("at least one of each"));
  EXPECT_THAT(errorOf(text("[@main]")), HasSubstr("recursion"));
}

TEST(RunParallel, GridsAndInputsAreChecked) {
  const std::string text = allReduce("replica_groups = dense<> : tensor<0x0xi64>");
  EXPECT_THAT(errorOn({0, 1}, text, {1}, {}), HasSubstr("at least one of each"));
  EXPECT_THAT(errorOn({int64_t{1} << 40, int64_t{1} << 40}, text, {1}, {}),
              HasSubstr("more than 1024 processes"));
  EXPECT_THAT(errorOn({2, 1}, text, {1}, {{1}}), HasSubstr("given the inputs of 1"));
  auto wrong = runOn({2, 1}, text,
                     {{tensor<int64_t>(ElementType::kI64, {1}, {1})},
                      {tensor<int64_t>(ElementType::kI64, {}, {1})}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("replica 1, partition 0: argument 0 is i64[]"));
}

// Trees need not come from text that was verified.
TEST(RunParallel, HostileAttributesAreRefusedOrRun) {
  const std::string one = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>" +
                          std::string(kChannel);
  const std::vector<std::string> texts = {
      allReduce(one),
      mainOf("stablehlo.all_gather", "all_gather_dim = 0 : i64, " + one, "tensor<1xi64>",
             "tensor<2xi64>"),
      mainOf("stablehlo.all_to_all",
             "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, " + one,
             "tensor<2xi64>", "tensor<2xi64>"),
      mainOf("stablehlo.reduce_scatter", "scatter_dimension = 0 : i64, " + one, "tensor<2xi64>",
             "tensor<1xi64>", region("stablehlo.add")),
      mainOf("stablehlo.collective_permute",
             "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>" + std::string(kChannel),
             "tensor<1xi64>", "tensor<1xi64>"),
      gatherByMesh(R"(mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, )"
                   R"(axes = [#stablehlo.axis_ref<name = "x">])"),
  };
  const std::vector<Attribute> hostile = {
      {std::monostate(), {}},
      {true, {}},
      {int64_t{-1}, {}},
      {int64_t{1} << 62, {}},
      {std::string("x"), {}},
      {std::vector<int64_t>{1, 0, -7, INT64_MAX}, {}},
      {Tensor(ElementType::kF32, {2, 2}), {}},
      {Tensor(ElementType::kI64, {0, 3}), {}},
      {Tensor(ElementType::kI64, {1, 2, 1}), {}},
      {AttributeList{{int64_t{0}, {}}}, {}},
      {AttributeMap{{"handle", {std::string("1"), {}}}, {"mesh", {AttributeMap{}, {}}}}, {}},
      {AttributeMap{{"mesh",
                     {AttributeMap{{"axes", {AttributeList{{AttributeMap{{"name", {std::string("x"), {}}},
                                                                        {"size", {INT64_MAX, {}}}},
                                                           {}}},
                                             {}}}},
                      {}}},
                    {"axes", {AttributeList{}, {}}}},
       {}},
  };
  int runs = 0;
  for (const std::string& text : texts) {
    auto tree = treeOf(text);
    ASSERT_TRUE(tree) << tree.error().message;
    const Shape shape = tree->functions[0].argumentTypes[0].shape;
    const Rows rows(4, std::vector<int64_t>(static_cast<size_t>(shape[0]), 1));
    const AttributeMap original = tree->functions[0].body.blocks[0].operations[0].attributes;
    for (const auto& [name, value] : original) {
      for (const Attribute& other : hostile) {
        AttributeMap& attributes = tree->functions[0].body.blocks[0].operations[0].attributes;
        attributes = original;
        attributes[name] = other;
        auto plan = compile(*tree, {});
        if (!plan) continue;
        ++runs;
        auto result = plan->runParallel({2, 2}, inputsOf(shape, rows), {});
        if (!result) EXPECT_FALSE(result.error().message.empty());
      }
    }
  }
  EXPECT_GT(runs, 0);
}

// Many processes that meet often: what is lost or mixed up shows in the sum.
TEST(RunParallel, ManyProcessesMeetManyTimes) {
  const std::string text = R"(
    func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %turns = stablehlo.constant dense<200> : tensor<i64>
      %modulus = stablehlo.constant dense<1000003> : tensor<1xi64>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<1xi64>
        cond {
          %c = stablehlo.compare LT, %i, %turns : (tensor<i64>, tensor<i64>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %s = "stablehlo.all_reduce"(%v) )" +
                           region("stablehlo.add") + R"( {
            replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>
          } : (tensor<1xi64>) -> tensor<1xi64>
          %p = "stablehlo.collective_permute"(%v) {
            source_target_pairs = dense<[[0, 5], [1, 6], [2, 7], [3, 4], [4, 0], [5, 1], [6, 2],
                                         [7, 3]]> : tensor<8x2xi64>
          } : (tensor<1xi64>) -> tensor<1xi64>
          %a = stablehlo.add %s, %p : tensor<1xi64>
          %m = stablehlo.remainder %a, %modulus : tensor<1xi64>
          %n = stablehlo.add %i, %one : tensor<i64>
          stablehlo.return %n, %m : tensor<i64>, tensor<1xi64>
        }
      return %r#1 : tensor<1xi64>
    })";
  std::vector<int64_t> state = {1, 2, 3, 4, 5, 6, 7, 8};
  Rows rows;
  for (const int64_t value : state) rows.push_back({value});
  const size_t source[] = {4, 5, 6, 7, 3, 0, 1, 2};
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<int64_t> next(8);
    for (size_t i = 0; i < 8; ++i) {
      const size_t first = i < 4 ? 0 : 4;
      next[i] = (state[first] + state[first + 1] + state[first + 2] + state[first + 3] +
                 state[source[i]]) %
                1000003;
    }
    state = next;
  }
  Rows expected;
  for (const int64_t value : state) expected.push_back({value});
  EXPECT_EQ(evaluateOn({8, 1}, text, {1}, rows), expected);
}

}  // namespace
}  // namespace vintage::engine_test
