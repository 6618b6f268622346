// Collectives over several replicas and partitions. Tests that name the
// specification are its examples, with its values.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/run_grid.h"

namespace vintage::tests::engine_test {
using namespace golden;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kVector = "tensor<4xi64>";

TEST(Collective, AllReduceOfTheSpecification) {
  EXPECT_THAT(evaluateOn({2, 1},
                         allReduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
                                   "stablehlo.add", kVector),
                         {4}, {{1, 2, 3, 4}, {5, 6, 7, 8}}),
              ElementsAre(ElementsAre(6, 8, 10, 12), ElementsAre(6, 8, 10, 12)));
}

// Each process brings a power of ten, so that the sum shows which took part.
TEST(Collective, GroupingsOfTheSpecification) {
  const Rows powers = {{1}, {10}, {100}, {1000}};  // (0,0), (0,1), (1,0), (1,1).
  const std::string groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>";
  EXPECT_THAT(
      evaluateOn({2, 2}, allReduce(groups), {1}, powers),
      ElementsAre(ElementsAre(101), ElementsAre(1010), ElementsAre(101), ElementsAre(1010)));
  EXPECT_EQ(evaluateOn({2, 2}, allReduce(groups + kChannel), {1}, powers),
            Rows(4, std::vector<int64_t>{1111}));
  EXPECT_THAT(evaluateOn({2, 2},
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
      evaluateOn({3, 1}, allReduce("replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>"),
                 {1}, {{1}, {10}, {100}}),
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
  const std::string text =
      mainOf("stablehlo.all_reduce", "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
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
                              "tensor<1x2xi64>" +
                                  std::string(kChannel),
                              "tensor<1xi64>", "tensor<4xi64>"),
                       {1}, {{1}, {10}, {100}, {1000}}),
            // All replicas of partition 0, then those of partition 1.
            Rows(4, std::vector<int64_t>{1, 100, 10, 1000}));
}

TEST(Collective, AllToAllOfTheSpecification) {
  EXPECT_THAT(
      evaluateOn({2, 1},
                 mainOf("stablehlo.all_to_all",
                        "split_dimension = 1 : i64, concat_dimension = 0 : i64, "
                        "split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : "
                        "tensor<1x2xi64>",
                        "tensor<2x4xi64>", "tensor<4x2xi64>"),
                 {2, 4}, {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}}),
      ElementsAre(ElementsAre(1, 2, 5, 6, 9, 10, 13, 14), ElementsAre(3, 4, 7, 8, 11, 12, 15, 16)));
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
  const auto expected = ElementsAre(ElementsAre(10, 12, 18, 20), ElementsAre(14, 16, 22, 24));
  EXPECT_THAT(evaluateOn({2, 1}, text(""), {2, 4}, rows), expected);
  // Over two partitions, by the numbers of processes.
  EXPECT_THAT(
      evaluateOn({1, 2}, text(std::string(kChannel) + ", use_global_device_ids"), {2, 4}, rows),
      expected);
}

TEST(Collective, BroadcastOfTheSpecificationLeavesOthersZero) {
  const std::string text =
      mainOf("stablehlo.collective_broadcast", "replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>",
             "tensor<1x2xi64>", "tensor<1x2xi64>");
  EXPECT_THAT(
      evaluateOn({4, 1}, text, {1, 2}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}),
      ElementsAre(ElementsAre(0, 0), ElementsAre(5, 6), ElementsAre(5, 6), ElementsAre(0, 0)));
}

TEST(Collective, ReduceToARootThatIsNotTheFirstProcess) {
  const std::string text = mainOf("stablehlo.collective_reduce",
                                  "replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>",
                                  "tensor<1xi64>", "tensor<1xi64>", region("stablehlo.add"));
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
                     ints({1}, {value == 1 ? first : others})});
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
  const std::string text = mainOf("stablehlo.collective_permute",
                                  "source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>",
                                  "tensor<2xi64>", "tensor<2xi64>");
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

// The zero of a quantized type is its zero point.
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
  const Tensor x = floats({2}, {1.5f, -2.0f});
  auto results = runOn({2, 1}, text, {{x}, {x}});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<float>((*results)[0][0]), ElementsAre(0.0f, 0.0f));
  EXPECT_THAT(values<float>((*results)[1][0]), ElementsAre(1.5f, -2.0f));
}

TEST(Collective, CrossReplicaSum) {
  const std::string text = mainOf("stablehlo.cross-replica-sum",
                                  "replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>",
                                  "tensor<2xi64>", "tensor<2xi64>");
  EXPECT_THAT(
      evaluateOn({4, 1}, text, {2}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}),
      ElementsAre(ElementsAre(6, 8), ElementsAre(10, 12), ElementsAre(6, 8), ElementsAre(10, 12)));
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

// On one process, the outputs of a program for several would be wrong.
TEST(Collective, ProgramForSeveralIsRefusedOnOne) {
  const Tensor x = tensor<int64_t>(ElementType::kI64, {1}, {1});
  auto result = run(allReduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"), {x});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(result.error().message,
              AllOf(HasSubstr("stablehlo.all_reduce"), HasSubstr("replica 1"),
                    HasSubstr("several processes")));
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

}  // namespace
}  // namespace vintage::tests::engine_test
