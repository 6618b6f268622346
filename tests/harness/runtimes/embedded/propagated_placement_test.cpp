// A result that nobody annotated had a copy on each device, where XLA lets it lie as the argument
// that it was computed from: programs that split a result of such a program again, or that asked
// where it lay, went another way on the engine.
#include "harness/runtimes/embedded/propagated_placement.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/runtimes/embedded/callable.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

// Main's values over 8 devices, as mesh x=2, y=4.
Placements placementsOf(const std::string& functions, const PlacementObserver& observer = {}) {
  ProgramContext context;
  const auto program =
      context.parseText("sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n" + functions, "test.mlir");
  const ModuleTree tree = program.value().tree().value();
  return annotatedPlacements(tree, *tree.find("main"), 8, observer).value();
}

// For which operations devices exchange pieces.
std::vector<std::string> exchanges(const std::string& functions) {
  std::vector<std::string> texts;
  placementsOf(
      functions, {.seeExchange = [&](const Exchange& exchange) {
        texts.push_back((exchange.isReduction ? "reduce: " : "gather: ") + exchange.operation.name);
      }});
  return texts;
}

// Where each result of main lies.
std::vector<std::string> placed(const std::string& functions) {
  const Placements placements = placementsOf(functions);
  std::vector<std::string> texts;
  for (const DevicePlacement& output : placements.outputs) {
    std::string& text = texts.emplace_back();
    for (const auto& axes : output.axes) {
      text += text.empty() ? "" : " ";
      for (const size_t axis : axes) text += axis == 0 ? "x" : "y";
      if (axes.empty()) text += "-";
    }
  }
  return texts;
}

using testing::ElementsAre;

constexpr std::string_view kSplit = "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}";

std::string mainOf(std::string_view types, std::string_view results, std::string_view body) {
  return fmt::format("func.func public @main(%a: tensor<8x8xf32> {}{}) -> ({}) {{\n{}\n}}\n",
                     kSplit, types, results, body);
}

TEST(PropagatedPlacement, FollowsDimensions) {
  EXPECT_THAT(placed(mainOf("", "tensor<8x8xf32>, tensor<8x8xf32>",
                            "%0 = stablehlo.sine %a : tensor<8x8xf32>\n"
                            "%1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x8xf32>) -> "
                            "tensor<8x8xf32>\n"
                            "return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>")),
              ElementsAre("x y", "y x"));
  EXPECT_THAT(placed(mainOf("", "tensor<3x8x8xf32>",
                            "%0 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : "
                            "(tensor<8x8xf32>) -> tensor<3x8x8xf32>\n"
                            "return %0 : tensor<3x8x8xf32>")),
              ElementsAre("- x y"));
  EXPECT_THAT(placed(mainOf("", "tensor<8xf32>",
                            "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                            "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across "
                            "dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>\n"
                            "return %0 : tensor<8xf32>")),
              ElementsAre("y"));
}

// jax.lax.with_sharding_constraint with a Format lost its placement, and so did jax.device_put
// within a program.
TEST(PropagatedPlacement, FollowsCustomCallsThatGiveTheirOperand) {
  const auto through = [](std::string_view target) {
    return placed(mainOf("", "tensor<8x8xf32>",
                         fmt::format("%0 = stablehlo.custom_call @{}(%a) : "
                                     "(tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                                     "return %0 : tensor<8x8xf32>",
                                     target)));
  };
  for (const char* target : {"LayoutConstraint", "annotate_device_placement", "MoveToHost"})
    EXPECT_THAT(through(target), ElementsAre("x y")) << target;
  EXPECT_THAT(through("xla.sdy.PropagationBarrier"), ElementsAre("- -"));
}

TEST(PropagatedPlacement, FollowsTheRuleOfACustomCall) {
  EXPECT_THAT(
      placed(mainOf("", "tensor<8xf32>, tensor<8x8xf32>",
                    "%0 = stablehlo.custom_call @sums(%a) {sdy.sharding_rule = "
                    "#sdy.op_sharding_rule<([i, j])->([j]) {i=8, j=8} reduction={i}, custom>} : "
                    "(tensor<8x8xf32>) -> tensor<8xf32>\n"
                    "%1 = stablehlo.custom_call @other(%a) : (tensor<8x8xf32>) -> "
                    "tensor<8x8xf32>\n"
                    "return %0, %1 : tensor<8xf32>, tensor<8x8xf32>")),
      ElementsAre("y", "- -"));
}

// One row, as x[3] of JAX takes it: the other dimension stays split.
TEST(PropagatedPlacement, FollowsWholeDimensionsOfSlices) {
  EXPECT_THAT(placed(mainOf("", "tensor<8xf32>",
                            "%i = stablehlo.constant dense<3> : tensor<1xi32>\n"
                            "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = "
                            "#stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], "
                            "start_index_map = [0]>, slice_sizes = array<i64: 1, 8>}> : "
                            "(tensor<8x8xf32>, tensor<1xi32>) -> tensor<8xf32>\n"
                            "return %0 : tensor<8xf32>")),
              ElementsAre("y"));
}

// shard_alike of JAX: whichever of the two comes first.
TEST(PropagatedPlacement, IsTheSameInAGroup) {
  const std::string sine = "%s = stablehlo.sine %a : tensor<8x8xf32>\n";
  const std::string iota = "%i = stablehlo.iota dim = 0 : tensor<8x8xf32>\n";
  const std::string joined = "%c = stablehlo.cosine %i : tensor<8x8xf32>\n";
  const std::string groupOfSine = "sdy.sharding_group %s group_id=3 : tensor<8x8xf32>\n";
  const std::string groupOfIota = "sdy.sharding_group %i group_id=3 : tensor<8x8xf32>\n";
  for (const std::string& body : {sine + groupOfSine + iota + groupOfIota + joined,
                                  iota + groupOfIota + joined + sine + groupOfSine})
    EXPECT_THAT(placed(mainOf("", "tensor<8x8xf32>", body + "return %c : tensor<8x8xf32>")),
                ElementsAre("x y"));
}

// As the one that is split most, wherever it stands.
TEST(PropagatedPlacement, AGroupLiesAsItsFinestValue) {
  const std::string half =
      "%h = sdy.sharding_constraint %a <@mesh, [{\"x\"}, {}]> : "
      "tensor<8x8xf32>\nsdy.sharding_group %h group_id=3 : tensor<8x8xf32>\n";
  const std::string whole =
      "%w = stablehlo.sine %a : tensor<8x8xf32>\n"
      "sdy.sharding_group %w group_id=3 : tensor<8x8xf32>\n";
  for (const std::string& body : {half + whole, whole + half})
    EXPECT_THAT(placed(mainOf("", "tensor<8x8xf32>, tensor<8x8xf32>",
                              body + "return %h, %w : tensor<8x8xf32>, tensor<8x8xf32>")),
                ElementsAre("x y", "x y"));
}

TEST(PropagatedPlacement, SplitsAndMergesByTheMajorDimension) {
  EXPECT_THAT(placed(mainOf("", "tensor<64xf32>, tensor<2x4x1x8xf32>, tensor<1x8x8xf32>",
                            "%0 = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<64xf32>\n"
                            "%1 = stablehlo.reshape %a : (tensor<8x8xf32>) -> "
                            "tensor<2x4x1x8xf32>\n"
                            "%2 = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<1x8x8xf32>\n"
                            "return %0, %1, %2 : tensor<64xf32>, tensor<2x4x1x8xf32>, "
                            "tensor<1x8x8xf32>")),
              ElementsAre("x", "x - - y", "- x y"));
}

TEST(PropagatedPlacement, ReachesThroughCallsAndLoops) {
  EXPECT_THAT(placed(mainOf("", "tensor<8x8xf32>",
                            "%0 = call @inner(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                            "return %0 : tensor<8x8xf32>") +
                     "func.func private @inner(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
                     "%0 = stablehlo.negate %a : tensor<8x8xf32>\nreturn %0 : tensor<8x8xf32>\n}"),
              ElementsAre("x y"));
}

// A function that calls itself ends.
TEST(PropagatedPlacement, EndsWhereCallsDoNot) {
  EXPECT_THAT(placed(mainOf("", "tensor<8x8xf32>",
                            "%0 = call @again(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                            "return %0 : tensor<8x8xf32>") +
                     "func.func private @again(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
                     "%0 = call @again(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                     "return %0 : tensor<8x8xf32>\n}"),
              ElementsAre("- -"));
}

// No two dimensions are split by one axis, and none unevenly.
TEST(PropagatedPlacement, SplitsEvenlyAndOnce) {
  EXPECT_THAT(
      placed(mainOf(fmt::format(", %b: tensor<8x8xf32> {{sdy.sharding = "
                                "#sdy.sharding<@mesh, [{{\"y\"}}, {{}}]>}}"),
                    "tensor<8x8xf32>, tensor<8x3xf32>",
                    "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : "
                    "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                    "%1 = stablehlo.slice %a [0:8, 0:3] : (tensor<8x8xf32>) -> tensor<8x3xf32>\n"
                    "return %0, %1 : tensor<8x8xf32>, tensor<8x3xf32>")),
      ElementsAre("x y", "x -"));
}

TEST(PropagatedPlacement, AnAnnotationInsideCounts) {
  EXPECT_THAT(placed(mainOf("", "tensor<8x8xf32>",
                            "%0 = sdy.sharding_constraint %a <@mesh, [{}, {\"x\"}]> : "
                            "tensor<8x8xf32>\n%1 = stablehlo.negate %0 : tensor<8x8xf32>\n"
                            "return %1 : tensor<8x8xf32>")),
              ElementsAre("- x"));
}

// Programs with automatic axes leave dimensions open, and those were taken for whole ones.
TEST(PropagatedPlacement, FillsWhatAnAnnotationLeavesOpen) {
  const auto constrained = [](std::string_view sharding) {
    return placed(mainOf("", "tensor<8x8xf32>",
                         fmt::format("%0 = sdy.sharding_constraint %a <@mesh, {}> : "
                                     "tensor<8x8xf32>\nreturn %0 : tensor<8x8xf32>",
                                     sharding)));
  };
  EXPECT_THAT(constrained("[{?}, {?}]"), ElementsAre("x y"));
  EXPECT_THAT(constrained("[{?}, {}]"), ElementsAre("x -"));
  EXPECT_THAT(constrained("[{\"y\", ?}, {?}]"), ElementsAre("y -"));
  EXPECT_THAT(placed(mainOf("", "tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}",
                            "return %a : tensor<8x8xf32>")),
              ElementsAre("- y"));
}

// Open dimensions behind those of the operand were looked for beyond its list.
TEST(PropagatedPlacement, AnAnnotationMayHaveMoreDimensionsThanTheOperand) {
  EXPECT_THAT(placed(mainOf("", "tensor<8x4x2xf32>",
                            "%0 = stablehlo.custom_call @LayoutConstraint(%a) {sdy.sharding = "
                            "#sdy.sharding<@mesh, [{?}, {?}, {?}]>} : (tensor<8x8xf32>) -> "
                            "tensor<8x4x2xf32>\nreturn %0 : tensor<8x4x2xf32>")),
              ElementsAre("x y -"));
}

TEST(PropagatedPlacement, ReachesThroughManualPartsAlongTheOtherAxes) {
  const std::string part = R"(
      %s = stablehlo.sine %a : tensor<8x8xf32>
      %0 = sdy.manual_computation(%s) in_shardings=[<@mesh, [{?}, {?}]>]
          out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"y"} (%b: tensor<8x8xf32>) {
        %1 = stablehlo.negate %b : tensor<8x8xf32>
        sdy.return %1 : tensor<8x8xf32>
      } : (tensor<8x8xf32>) -> tensor<8x8xf32>
      return %0 : tensor<8x8xf32>)";
  EXPECT_THAT(placed(mainOf("", "tensor<8x8xf32>", part)), ElementsAre("x -"));
}

// A manual part wants its operand as it sees it; an annotation is stronger.
TEST(PropagatedPlacement, AValueBeforeAManualPartLiesAsThatWantsIt) {
  const auto before = [](std::string_view operand) {
    constexpr std::string_view kPart = R"(
      %h = sdy.sharding_constraint %a <@mesh, [{{"x"}}, {{}}]> : tensor<8x8xf32>
      %s = stablehlo.sine %h : tensor<8x8xf32>
      %p = sdy.manual_computation({0}) in_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>]
          out_shardings=[<@mesh, [{{}}, {{"y"}}]>] manual_axes={{"x", "y"}} (%b: tensor<4x2xf32>) {{
        sdy.return %b : tensor<4x2xf32>
      }} : (tensor<8x8xf32>) -> tensor<4x8xf32>
      return {0} : tensor<8x8xf32>)";
    return placed(mainOf("", "tensor<8x8xf32>", fmt::format(kPart, operand)));
  };
  EXPECT_THAT(before("%s"), ElementsAre("x y"));
  EXPECT_THAT(before("%h"), ElementsAre("x -"));
}

// A gather and a scatter over a batch lost the batch's placement.
TEST(PropagatedPlacement, FollowsBatchesOfGathersAndScatters) {
  EXPECT_THAT(placed(mainOf("", "tensor<8x3xf32>, tensor<8x8xf32>", R"(
      %i = stablehlo.constant dense<0> : tensor<8x3x1xi32>
      %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<
          collapsed_slice_dims = [1], operand_batching_dims = [0],
          start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
          slice_sizes = array<i64: 1, 1>}> : (tensor<8x8xf32>, tensor<8x3x1xi32>) -> tensor<8x3xf32>
      %z = stablehlo.constant dense<0.0> : tensor<8x8xf32>
      %1 = "stablehlo.scatter"(%z, %i, %0) <{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [1], input_batching_dims = [0],
          scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1],
          index_vector_dim = 2>}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        stablehlo.return %r : tensor<f32>
      }) : (tensor<8x8xf32>, tensor<8x3x1xi32>, tensor<8x3xf32>) -> tensor<8x8xf32>
      return %0, %1 : tensor<8x3xf32>, tensor<8x8xf32>)")),
              ElementsAre("x -", "x -"));
}

TEST(PropagatedPlacement, DevicesExchangeWhereASplitEnds) {
  EXPECT_THAT(exchanges(mainOf("", "tensor<8x8xf32>",
                               "%0 = stablehlo.negate %a : tensor<8x8xf32>\n"
                               "return %0 : tensor<8x8xf32>")),
              testing::IsEmpty());
  EXPECT_THAT(exchanges(mainOf("", "tensor<8xf32>, tensor<16x8xf32>, tensor<8x8xf32>", R"(
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]
          : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
      %1 = stablehlo.concatenate %a, %a, dim = 0
          : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
      %2 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0]
          : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      return %0, %1, %2 : tensor<8xf32>, tensor<16x8xf32>, tensor<8x8xf32>)")),
              ElementsAre("reduce: stablehlo.reduce", "gather: stablehlo.concatenate",
                          "reduce: stablehlo.dot_general"));
  // The axis of one operand's contracted dimension splits the other operand's rows.
  EXPECT_THAT(exchanges(mainOf(", %b: tensor<8x8xf32> {sdy.sharding = "
                               "#sdy.sharding<@mesh, [{\"x\"}, {}]>}",
                               "tensor<8x8xf32>", R"(
      %c = sdy.sharding_constraint %b <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
      %0 = stablehlo.dot_general %c, %b, contracting_dims = [1] x [0]
          : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      return %0 : tensor<8x8xf32>)")),
              ElementsAre("gather: stablehlo.dot_general"));
}

}  // namespace
}  // namespace vintage::tests
