// Manual parts without Shardy, as JAX's shard_map exported them up to 0.6.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;
using namespace harness;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One value through a manual part: split as `in`, joined as `out`.
std::string program(int partitions, std::string_view in, std::string_view out,
                    std::string_view whole, std::string_view piece, std::string_view returned,
                    std::string_view result, std::string_view body) {
  return fmt::format(R"(
module @m attributes {{mhlo.num_partitions = {0} : i32, mhlo.num_replicas = 1 : i32}} {{
  func.func public @main(%a: tensor<{3}>) -> tensor<{6}> {{
    %0 = stablehlo.custom_call @Sharding(%a) {{mhlo.sharding = "{1}"}}
      : (tensor<{3}>) -> tensor<{3}>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {{mhlo.sharding = "{{manual}}"}}
      : (tensor<{3}>) -> tensor<{4}>
    %2 = call @body(%1) : (tensor<{4}>) -> tensor<{5}>
    %3 = stablehlo.custom_call @Sharding(%2) {{mhlo.sharding = "{{manual}}"}}
      : (tensor<{5}>) -> tensor<{5}>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {{mhlo.sharding = "{2}"}}
      : (tensor<{5}>) -> tensor<{6}>
    return %4 : tensor<{6}>
  }}
  func.func private @body(%a: tensor<{4}>) -> tensor<{5}> {{
    {7}
  }}
}})",
                     partitions, in, out, whole, piece, returned, result, body);
}

constexpr char kSum[] = R"(
    %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1,
        type = 0>, replica_groups = dense<GROUPS> : tensor<SHAPExi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<i64>, %r: tensor<i64>):
      %1 = stablehlo.add %l, %r : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<PIECE>) -> tensor<PIECE>
    return %0 : tensor<PIECE>)";

std::string sumOver(std::string groups, std::string shape, const std::string& piece) {
  std::string text = kSum;
  const auto put = [&](std::string_view mark, const std::string& what) {
    for (size_t at; (at = text.find(mark)) != std::string::npos;)
      text.replace(at, mark.size(), what);
  };
  put("GROUPS", groups);
  put("SHAPE", shape);
  put("PIECE", piece);
  return text;
}

Tensor counted(Shape shape) {
  std::vector<int64_t> values(static_cast<size_t>(elementCount(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
  return tensor<int64_t>(ElementType::kI64, std::move(shape), values);
}

TEST(ManualParts, ASumOverTheMeshGivesACopyOnEachDevice) {
  const Tensor sum = evaluate(program(2, "{devices=[2]<=[2]}", "{replicated}", "4xi64", "2xi64",
                                      "2xi64", "2xi64", sumOver("[[0, 1]]", "1x2", "2xi64")),
                              {counted({4})});
  EXPECT_THAT(values<int64_t>(sum), ElementsAre(2, 4));
}

// Over a mesh of 2 x 2 split along its second axis: devices 0 and 2 hold rows
// 0 and 1, devices 1 and 3 rows 2 and 3. Summed along the first axis, each row
// counts twice.
TEST(ManualParts, DevicesAreCountedAsTheShardingSays) {
  const std::string sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}";
  const Tensor doubled = evaluate(program(4, sharding, sharding, "4x1xi64", "2x1xi64", "2x1xi64",
                                          "4x1xi64", sumOver("[[0, 2], [1, 3]]", "2x2", "2x1xi64")),
                                  {counted({4, 1})});
  EXPECT_THAT(values<int64_t>(doubled), ElementsAre(0, 2, 4, 6));
}

TEST(ManualParts, EachDeviceKnowsItsNumber) {
  const std::string body = R"(
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    return %2 : tensor<2xi64>)";
  const Tensor numbers = evaluate(program(3, "{devices=[3]2,0,1}", "{devices=[3]2,0,1}", "6xi64",
                                          "2xi64", "2xi64", "6xi64", body),
                                  {counted({6})});
  EXPECT_THAT(values<int64_t>(numbers), ElementsAre(2, 2, 0, 0, 1, 1));
}

// A shard_map without arguments enters no manual part, and leaves one. Values from outside its body
// are the same on each device.
TEST(ManualParts, APartMayBeginWithNothing) {
  const Tensor both = evaluate(R"(
module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%a: tensor<i64>) -> tensor<2xi64> {
    %c = stablehlo.constant dense<10> : tensor<i64>
    %0 = call @body(%a, %c) : (tensor<i64>, tensor<i64>) -> tensor<1xi64>
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{manual}"}
      : (tensor<1xi64>) -> tensor<1xi64>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]<=[2]}"}
      : (tensor<1xi64>) -> tensor<2xi64>
    return %2 : tensor<2xi64>
  }
  func.func private @body(%a: tensor<i64>, %b: tensor<i64>) -> tensor<1xi64> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %2 = stablehlo.multiply %1, %b : tensor<i64>
    %3 = stablehlo.add %2, %a : tensor<i64>
    %4 = stablehlo.reshape %3 : (tensor<i64>) -> tensor<1xi64>
    return %4 : tensor<1xi64>
  }
})",
                               {tensor<int64_t>(ElementType::kI64, {}, {3})});
  EXPECT_THAT(values<int64_t>(both), ElementsAre(3, 13));
}

// Two parts in a row, the second of two values: what stands between them is whole.
TEST(ManualParts, PartsFollowEachOther) {
  const std::string text = R"(
module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%a: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2]<=[2]}"}
      : (tensor<4xi64>) -> tensor<4xi64>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}
      : (tensor<4xi64>) -> tensor<2xi64>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<2xi64>
    %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[2]<=[2]}"}
      : (tensor<2xi64>) -> tensor<4xi64>
    %4 = stablehlo.add %3, %0 : tensor<4xi64>
    %5 = stablehlo.custom_call @Sharding(%4) {mhlo.sharding = "{devices=[2]<=[2]}"}
      : (tensor<4xi64>) -> tensor<4xi64>
    %6 = stablehlo.custom_call @SPMDFullToShardShape(%5) {mhlo.sharding = "{manual}"}
      : (tensor<4xi64>) -> tensor<2xi64>
    %7 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"}
      : (tensor<4xi64>) -> tensor<4xi64>
    %8 = stablehlo.custom_call @SPMDFullToShardShape(%7) {mhlo.sharding = "{manual}"}
      : (tensor<4xi64>) -> tensor<4xi64>
    %9:2 = call @body(%6, %8) : (tensor<2xi64>, tensor<4xi64>) -> (tensor<2xi64>, tensor<4xi64>)
    %10 = stablehlo.custom_call @SPMDShardToFullShape(%9#0) {
        mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xi64>) -> tensor<4xi64>
    %11 = stablehlo.custom_call @SPMDShardToFullShape(%9#1) {mhlo.sharding = "{replicated}"}
      : (tensor<4xi64>) -> tensor<4xi64>
    return %10, %11 : tensor<4xi64>, tensor<4xi64>
  }
  func.func private @body(%a: tensor<2xi64>, %b: tensor<4xi64>)
      -> (tensor<2xi64>, tensor<4xi64>) {
    %0 = stablehlo.slice %b [0:2] : (tensor<4xi64>) -> tensor<2xi64>
    %1 = stablehlo.add %a, %0 : tensor<2xi64>
    return %1, %b : tensor<2xi64>, tensor<4xi64>
  }
})";
  for (const ExecutionMode mode : {ExecutionMode::kGraph, ExecutionMode::kEager}) {
    auto outputs = run(text, {counted({4})}, mode);
    ASSERT_TRUE(outputs) << outputs.error().message;
    // Reversed by halves 1 0 3 2, with 0 1 2 3 added 1 1 5 5, and 0 1 twice.
    EXPECT_THAT(values<int64_t>((*outputs)[0]), ElementsAre(1, 2, 5, 6));
    EXPECT_THAT(values<int64_t>((*outputs)[1]), ElementsAre(0, 1, 2, 3));
  }
}

// A program that is one manual part takes and gives pieces as they lie.
TEST(ManualParts, APlacedProgramIsNotJoined) {
  auto tree = treeOf(program(2, "{devices=[2]<=[2]}", "{devices=[2]<=[2]}", "4xi64", "2xi64",
                             "2xi64", "4xi64", sumOver("[[0, 1]]", "1x2", "2xi64")));
  ASSERT_TRUE(tree) << tree.error().message;
  auto plan = compile(*tree, {});
  ASSERT_TRUE(plan) << plan.error().message;
  DevicePlacement halves = copiesOn(2, 1);
  halves.axes = {{0}};
  const std::vector<std::vector<Tensor>> pieces{
      {tensor<int64_t>(ElementType::kI64, {2}, {1, 2})},
      {tensor<int64_t>(ElementType::kI64, {2}, {10, 20})}};
  auto results = plan->runOnDevices({{halves}, {halves}}, pieces, {});
  ASSERT_TRUE(results) << results.error().message;
  for (const auto& each : *results) EXPECT_THAT(values<int64_t>(each[0]), ElementsAre(11, 22));
}

// An ordered effect in a shard_map passes its token through the part, which takes tensors only.
TEST(ManualParts, ATokenPassesThrough) {
  const auto results = run(R"(
module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4xi64>) -> tensor<4xi64> {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = sdy.manual_computation(%t, %a) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>]
        out_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] manual_axes={"x"}
        (%u: !stablehlo.token, %b: tensor<2xi64>) {
      %1 = stablehlo.after_all %u : !stablehlo.token
      %2 = stablehlo.add %b, %b : tensor<2xi64>
      sdy.return %1, %2 : !stablehlo.token, tensor<2xi64>
    } : (!stablehlo.token, tensor<4xi64>) -> (!stablehlo.token, tensor<4xi64>)
    %3 = stablehlo.after_all %0#0 : !stablehlo.token
    return %0#1 : tensor<4xi64>
  }
})",
                           {tensor<int64_t>(ElementType::kI64, {4}, {1, 2, 3, 4})});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int64_t>((*results)[0]), ElementsAre(2, 4, 6, 8));
}

// JAX's Pallas for GPUs in interpret mode is such a part of a program that takes and gives a token.
// Each device had the result of the first one, which need not be the same.
TEST(ManualParts, APlacedProgramWithATokenIsNotJoined) {
  auto tree = treeOf(R"(
module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%t: !stablehlo.token, %a: tensor<2xui32>)
      -> (!stablehlo.token, tensor<ui32>) {
    %0:2 = sdy.manual_computation(%t, %a) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>]
        out_shardings=[<@mesh, []>, <@mesh, []>] manual_axes={"x"}
        (%u: !stablehlo.token, %b: tensor<1xui32>) {
      %1 = stablehlo.partition_id : tensor<ui32>
      sdy.return %u, %1 : !stablehlo.token, tensor<ui32>
    } : (!stablehlo.token, tensor<2xui32>) -> (!stablehlo.token, tensor<ui32>)
    return %0#0, %0#1 : !stablehlo.token, tensor<ui32>
  }
})");
  ASSERT_TRUE(tree) << tree.error().message;
  auto plan = compile(*tree, {});
  ASSERT_TRUE(plan) << plan.error().message;
  DevicePlacement halves = copiesOn(2, 1);
  halves.axes = {{0}};
  const std::vector<std::vector<Tensor>> pieces{{tensor<uint32_t>(ElementType::kUi32, {1}, {1})},
                                                {tensor<uint32_t>(ElementType::kUi32, {1}, {2})}};
  const auto results = plan->runOnDevices({{halves}, {copiesOn(2, 0)}}, pieces, {});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<uint32_t>((*results)[0][0]), ElementsAre(0));
  EXPECT_THAT(values<uint32_t>((*results)[1][0]), ElementsAre(1));
}

TEST(ManualParts, AnImpossibleSplitIsAnError) {
  const std::string body = "return %a : tensor<2xi64>";
  auto wrong = run(
      program(2, "{replicated}", "{devices=[2]<=[2]}", "4xi64", "2xi64", "2xi64", "4xi64", body),
      {counted({4})});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("value 0 of tensor<4xi64> is tensor<2xi64>"));
  wrong = run(program(2, "{devices=[2]<=[3]}", "{devices=[2]<=[2]}", "4xi64", "2xi64", "2xi64",
                      "4xi64", body),
              {counted({4})});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              AllOf(HasSubstr("SPMDFullToShardShape"), HasSubstr("devices")));
  wrong = run(program(100000, "{devices=[2]<=[2]}", "{replicated}", "4xi64", "2xi64", "2xi64",
                      "4xi64", body),
              {counted({4})});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("100000 partitions"));
}

}  // namespace
}  // namespace vintage::tests::engine_test
