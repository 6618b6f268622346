// Whole programs over logical devices, from pieces to pieces.
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

using Rows = std::vector<std::vector<int64_t>>;

DevicePlacement along(std::vector<int64_t> sizes, std::vector<std::vector<size_t>> axes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  DevicePlacement placement = copiesOn(count, axes.size());
  placement.mesh.sizes = std::move(sizes);
  placement.axes = std::move(axes);
  return placement;
}

// Of one operand and one result; what each device is given and gives.
Result<Rows> onDevices(std::string_view text, const Placements& placements, const Shape& piece,
                       const Rows& given, ExecutionMode mode = ExecutionMode::kGraph) {
  ASSIGN_OR_RETURN(auto tree, treeOf(text));
  ASSIGN_OR_RETURN(auto plan, compile(tree, {.mode = mode}));
  std::vector<std::vector<Tensor>> pieces;
  for (const auto& each : given)
    pieces.push_back({tensor<int64_t>(ElementType::kI64, piece, each)});
  ASSIGN_OR_RETURN(auto results, plan.runOnDevices(placements, pieces, {}));
  Rows rows;
  for (const auto& tensors : results) rows.push_back(values<int64_t>(tensors.at(0)));
  return rows;
}

// Each device negates its piece, of a mesh whose devices are counted backwards.
constexpr char kManual[] = R"(
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  func.func public @main(%a: tensor<4xi64>) -> tensor<4xi64> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
        out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xi64>) {
      %1 = stablehlo.negate %b : tensor<2xi64>
      sdy.return %1 : tensor<2xi64>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %0 : tensor<4xi64>
  })";

TEST(RunOnDevices, EachGetsItsPieceAndGivesIt) {
  DevicePlacement backwards = along({2}, {{0}});
  backwards.mesh.devices = {1, 0};
  for (const ExecutionMode mode : {ExecutionMode::kGraph, ExecutionMode::kEager}) {
    const auto rows = onDevices(kManual, {{backwards}, {backwards}}, {2}, {{3, 4}, {1, 2}}, mode);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_EQ(*rows, (Rows{{-3, -4}, {-1, -2}}));
  }
}

TEST(RunOnDevices, ValuesThatLieOtherwiseAreMoved) {
  const DevicePlacement forwards = along({2}, {{0}}), copies = copiesOn(2, 1);
  const auto moved = onDevices(kManual, {{forwards}, {copies}}, {2}, {{1, 2}, {3, 4}});
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(*moved, (Rows{{-1, -2, -3, -4}, {-1, -2, -3, -4}}));
}

// JAX's test_partial_auto_axis_index: the part inside ran on devices of its own, and each got the
// number of the first of them.
TEST(RunOnDevices, APartWithinAPartIsOnTheSameDevices) {
  constexpr char kNested[] = R"(
    sdy.mesh @mesh = <["i"=2, "j"=2]>
    func.func public @main(%a: tensor<2x2xi64>) -> tensor<2x2xi64> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"i"}, {}]>]
          out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%b: tensor<1x2xi64>) {
        %1 = sdy.manual_computation(%b) in_shardings=[<@mesh, [{}, {"j"}]>]
            out_shardings=[<@mesh, [{}, {"j"}]>] manual_axes={"j"} (%c: tensor<1x1xi64>) {
          %2 = stablehlo.partition_id : tensor<ui32>
          %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i64>
          %4 = stablehlo.reshape %3 : (tensor<i64>) -> tensor<1x1xi64>
          %5 = stablehlo.add %c, %4 : tensor<1x1xi64>
          %6 = "stablehlo.all_reduce"(%5) ({
          ^bb0(%x: tensor<i64>, %y: tensor<i64>):
            %7 = stablehlo.add %x, %y : tensor<i64>
            stablehlo.return %7 : tensor<i64>
          }) {replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>,
              channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
              use_global_device_ids} : (tensor<1x1xi64>) -> tensor<1x1xi64>
          sdy.return %6 : tensor<1x1xi64>
        } : (tensor<1x2xi64>) -> tensor<1x2xi64>
        sdy.return %1 : tensor<1x2xi64>
      } : (tensor<2x2xi64>) -> tensor<2x2xi64>
      return %0 : tensor<2x2xi64>
    })";
  const DevicePlacement both = along({2, 2}, {{0}, {1}});
  const auto rows = onDevices(kNested, {{both}, {both}}, {1, 1}, {{10}, {20}, {30}, {40}});
  ASSERT_TRUE(rows) << rows.error().message;
  // Devices 0 and 2 hold 10 + 0 and 30 + 2, devices 1 and 3 hold 20 + 1 and 40 + 3.
  EXPECT_EQ(*rows, (Rows{{42}, {64}, {42}, {64}}));
}

// JAX's tests of unreduced axes: their parts counted as copies, and values were wrong.
TEST(RunOnDevices, PartsOfASumAreAddedUp) {
  constexpr char kUnreduced[] = R"(
    sdy.mesh @mesh = <["x"=2, "y"=2]>
    func.func public @main(%a: tensor<4xi64>) -> tensor<2xi64> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
          out_shardings=[<@mesh, [{}], unreduced={"x"}>] manual_axes={"x", "y"}
          (%b: tensor<2xi64>) {
        sdy.return %b : tensor<2xi64>
      } : (tensor<4xi64>) -> tensor<2xi64>
      return %0 : tensor<2xi64>
    })";
  const DevicePlacement split = along({2, 2}, {{0}});
  DevicePlacement sum = along({2, 2}, {{}});
  const Rows given{{1, 2}, {1, 2}, {3, 4}, {3, 4}};
  const auto whole = onDevices(kUnreduced, {{split}, {sum}}, {2}, given);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(*whole, (Rows{{4, 6}, {4, 6}, {4, 6}, {4, 6}}));
  sum.summed = {0};
  const auto parts = onDevices(kUnreduced, {{split}, {sum}}, {2}, given);
  ASSERT_TRUE(parts) << parts.error().message;
  EXPECT_EQ(*parts, given);
  constexpr char kNegated[] = R"(
    func.func public @main(%a: tensor<2xi64>) -> tensor<2xi64> {
      %0 = stablehlo.negate %a : tensor<2xi64>
      return %0 : tensor<2xi64>
    })";
  const auto negated = onDevices(kNegated, {{sum}, {sum}}, {2}, given);
  ASSERT_TRUE(negated) << negated.error().message;
  EXPECT_EQ(*negated, (Rows{{-4, -6}, {-4, -6}, {0, 0}, {0, 0}}));
}

// JAX's test_unreduced_replicated_bitcast: JAX annotates what a manual part takes and gives once
// more, and the first device got the whole sum.
TEST(RunOnDevices, AnnotatedPartsOfASumStayWhereTheyAre) {
  constexpr std::string_view kAnnotated = R"(
    sdy.mesh @mesh = <["x"=2]>
    func.func public @main(%a: tensor<2xi64>) -> tensor<2xi64> {{
      %0 = sdy.sharding_constraint %a <@mesh, [{{}}]{}> : tensor<2xi64>
      %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{{}}], unreduced={{"x"}}>]
          out_shardings=[<@mesh, [{{}}], unreduced={{"x"}}>] manual_axes={{"x"}}
          (%b: tensor<2xi64>) {{
        sdy.return %b : tensor<2xi64>
      }} : (tensor<2xi64>) -> tensor<2xi64>
      %2 = sdy.sharding_constraint %1 <@mesh, [{{}}], unreduced={{"x"}}> : tensor<2xi64>
      return %2 : tensor<2xi64>
    }})";
  DevicePlacement sum = along({2}, {{}});
  sum.summed = {0};
  const Rows given{{1, 2}, {3, 4}};
  for (const ExecutionMode mode : {ExecutionMode::kGraph, ExecutionMode::kEager}) {
    const auto parts = onDevices(fmt::format(kAnnotated, R"(, unreduced={"x"})"), {{sum}, {sum}},
                                 {2}, given, mode);
    ASSERT_TRUE(parts) << parts.error().message;
    EXPECT_EQ(*parts, given);
    // An annotation without parts asks for the sum.
    const auto whole = onDevices(fmt::format(kAnnotated, ""), {{sum}, {sum}}, {2}, given, mode);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(*whole, (Rows{{4, 6}, {0, 0}}));
  }
}

// Sums along both dimensions, wherever their pieces lie.
TEST(RunOnDevices, WholeProgramsTakeEveryPlacement) {
  constexpr char kReverse[] = R"(
    func.func public @main(%a: tensor<4x2xi64>) -> tensor<4x2xi64> {
      %0 = stablehlo.reverse %a, dims = [0] : tensor<4x2xi64>
      return %0 : tensor<4x2xi64>
    })";
  // 2 x 2 devices, the first dimension along y and copies along x.
  const DevicePlacement partly = along({2, 2}, {{1}, {}});
  const Rows halves{{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}};
  const auto rows = onDevices(kReverse, {{partly}, {partly}}, {2, 2}, halves);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(*rows, (Rows{{6, 7, 4, 5}, {2, 3, 0, 1}, {6, 7, 4, 5}, {2, 3, 0, 1}}));
  // 8 devices: y is major in the first dimension, x splits the second one.
  const DevicePlacement both = along({2, 4}, {{1}, {0}});
  Rows eight;
  for (int64_t x : {0, 1})
    for (int64_t y : {0, 1, 2, 3}) eight.push_back({2 * y + x});
  const auto singles = onDevices(kReverse, {{both}, {both}}, {1, 1}, eight);
  ASSERT_TRUE(singles) << singles.error().message;
  EXPECT_EQ(*singles, (Rows{{6}, {4}, {2}, {0}, {7}, {5}, {3}, {1}}));
}

TEST(RunOnDevices, CopiesMustAgree) {
  // The body says that its results are the same everywhere; they are not.
  std::string text = kManual;
  text.replace(text.find("out_shardings=[<@mesh, [{\"x\"}]>]"), 32,
               "out_shardings=[<@mesh, [{}]>]");
  for (size_t at = text.find("-> tensor<4xi64>"); at != std::string::npos;
       at = text.find("-> tensor<4xi64>"))
    text.replace(at, 16, "-> tensor<2xi64>");
  text.replace(text.find("return %0 : tensor<4xi64>"), 25, "return %0 : tensor<2xi64>");
  DevicePlacement backwards = along({2}, {{0}}), copies = copiesOn(2, 1);
  backwards.mesh.devices = {1, 0};
  const auto rows = onDevices(text, {{backwards}, {copies}}, {2}, {{3, 4}, {1, 2}});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(*rows, (Rows{{-3, -4}, {-1, -2}}));
  const std::vector<Tensor> given{tensor<int64_t>(ElementType::kI64, {2}, (*rows)[0]),
                                  tensor<int64_t>(ElementType::kI64, {2}, (*rows)[1])};
  const auto joined = joinPieces(copies, given, Copies::kMustAgree);
  ASSERT_FALSE(joined);
  EXPECT_THAT(joined.error().message,
              AllOf(HasSubstr("devices 0 and 1"), HasSubstr("different values")));
  const auto first = joinPieces(copies, given, Copies::kFirstIsTaken);
  ASSERT_TRUE(first);
  EXPECT_THAT(values<int64_t>(*first), ElementsAre(-3, -4));
}

TEST(RunOnDevices, PiecesThatDoNotFitAreNamed) {
  const DevicePlacement forwards = along({2}, {{0}});
  const auto wrong = onDevices(kManual, {{forwards}, {forwards}}, {3}, {{1, 2, 3}, {4, 5, 6}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              AllOf(HasSubstr("device 0 holds i64[3] of argument 0"), HasSubstr("i64[4]"),
                    HasSubstr("2 pieces, (0) on device 0, (1) on device 1")));
  EXPECT_FALSE(onDevices(kManual, {{forwards}, {forwards}}, {2}, {{1, 2}}));
  const auto uneven = splitOver(forwards, tensor<int64_t>(ElementType::kI64, {3}, {1, 2, 3}));
  ASSERT_FALSE(uneven);
  EXPECT_THAT(uneven.error().message, HasSubstr("size 3 cannot be split evenly over 2"));
}

TEST(DevicePlacement, IsTheSameWhereEveryDeviceHoldsTheSamePiece) {
  // One dimension along x and y is the same as along one axis of their product.
  EXPECT_TRUE(samePlacement(along({2, 2}, {{0, 1}}), along({4}, {{0}})));
  EXPECT_FALSE(samePlacement(along({2, 2}, {{1, 0}}), along({4}, {{0}})));
  EXPECT_TRUE(samePlacement(along({2, 2}, {{}}), copiesOn(4, 1)));
  EXPECT_FALSE(samePlacement(along({2}, {{0}}), along({4}, {{0}})));
  EXPECT_EQ(describe(copiesOn(3, 2)), "a copy on each device");
}

}  // namespace
}  // namespace vintage::tests::engine_test
