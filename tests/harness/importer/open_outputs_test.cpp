// Outputs that the specification leaves open, found by following the data.
#include "harness/importer/open_outputs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Open = RecordedOutput::Open;

std::vector<std::vector<Open>> openOf(std::string_view text) {
  ProgramContext context;
  auto program = context.parseText(text, "<test>");
  EXPECT_TRUE(program) << (program ? "" : program.error().message);
  if (!program) return {};
  auto tree = program->tree();
  EXPECT_TRUE(tree) << (tree ? "" : tree.error().message);
  return tree ? openOutputsOf(*tree) : std::vector<std::vector<Open>>();
}

// "stablehlo.rng" where the output is what it gave, "from stablehlo.rng" where it was computed.
std::vector<std::vector<std::string>> namesOf(std::string_view text) {
  std::vector<std::vector<std::string>> names;
  for (const std::vector<Open>& output : openOf(text)) {
    auto& list = names.emplace_back();
    for (const Open& open : output)
      list.push_back((open.values.direct ? "" : "from ") + open.values.operation);
  }
  return names;
}

TEST(OpenOutputs, AProgramWithoutOpenOperationsHasNone) {
  EXPECT_THAT(openOf(R"(
  func.func public @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %a : tensor<f32>
    return %0 : tensor<f32>
  })"),
              IsEmpty());
}

TEST(OpenOutputs, RandomNumbersAreFollowedToTheOutputsThatTheyReach) {
  const auto outputs = openOf(R"(
  func.func public @main(%a: tensor<f32>, %x: tensor<4xf32>)
      -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>) {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %shape = stablehlo.constant dense<4> : tensor<1xi64>
    %r = stablehlo.rng %a, %one, %shape, distribution = UNIFORM
      : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %m = stablehlo.reshape %r : (tensor<4xf32>) -> tensor<2x2xf32>
    %s = stablehlo.add %r, %x : tensor<4xf32>
    %y = stablehlo.multiply %x, %x : tensor<4xf32>
    return %r, %m, %s, %y : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
  })");
  ASSERT_EQ(outputs.size(), 4u);
  for (const size_t whole : {0u, 1u}) {
    ASSERT_EQ(outputs[whole].size(), 1u);
    EXPECT_TRUE(outputs[whole][0].values.direct);
    EXPECT_EQ(outputs[whole][0].lowInput, 0u);
    EXPECT_EQ(outputs[whole][0].values.high, 1.0);
  }
  ASSERT_EQ(outputs[2].size(), 1u);
  EXPECT_FALSE(outputs[2][0].values.direct);
  EXPECT_FALSE(outputs[2][0].values.high);
  EXPECT_THAT(outputs[3], IsEmpty());
}

// The numbers of a function that is called twice have no interval that holds for both.
TEST(OpenOutputs, CallsPassOnWhatReachesTheirOperands) {
  constexpr char kTwice[] = R"(
  func.func public @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %r = call @draw(%one) : (tensor<f32>) -> tensor<4xf32>
    %s = call @draw(%two) : (tensor<f32>) -> tensor<4xf32>
    %y = call @same(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %r, %s, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @draw(%high: tensor<f32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %shape = stablehlo.constant dense<4> : tensor<1xi64>
    %r = stablehlo.rng %zero, %high, %shape, distribution = UNIFORM
      : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %s = call @same(%r) : (tensor<4xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
  func.func private @same(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  })";
  EXPECT_THAT(namesOf(kTwice),
              ElementsAre(ElementsAre("stablehlo.rng"), ElementsAre("stablehlo.rng"), IsEmpty()));
  const auto outputs = openOf(kTwice);
  EXPECT_EQ(outputs[0][0].values.low, 0.0);
  EXPECT_FALSE(outputs[0][0].values.high);
}

// The carried values of a loop become open by turns: the second one only in the second turn.
TEST(OpenOutputs, LoopsAndBranchesAreFollowed) {
  EXPECT_THAT(namesOf(R"(
  func.func public @main(%n: tensor<i32>, %s: tensor<2xui64>, %p: tensor<i1>)
      -> (tensor<i32>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>) {
    %r:4 = stablehlo.while(%i = %n, %a = %s, %b = %s, %c = %s)
        : tensor<i32>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>
     cond {
      %ten = stablehlo.constant dense<10> : tensor<i32>
      %less = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %state, %bits = stablehlo.rng_bit_generator %s, algorithm = DEFAULT
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
      stablehlo.return %next, %bits, %a, %c : tensor<i32>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>
    }
    %d = "stablehlo.if"(%p) ({
      stablehlo.return %r#1 : tensor<2xui64>
    }, {
      stablehlo.return %s : tensor<2xui64>
    }) : (tensor<i1>) -> tensor<2xui64>
    return %r#0, %r#1, %r#2, %r#3, %d
      : tensor<i32>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>
  })"),
              ElementsAre(IsEmpty(), ElementsAre("from stablehlo.rng_bit_generator"),
                          ElementsAre("from stablehlo.rng_bit_generator"), IsEmpty(),
                          ElementsAre("from stablehlo.rng_bit_generator")));
}

// An open condition makes everything open that the loop or the branch decides.
TEST(OpenOutputs, OpenPredicatesOpenWhatTheyDecide) {
  EXPECT_THAT(namesOf(R"(
  func.func public @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %shape = stablehlo.constant dense<> : tensor<0xi64>
    %r = stablehlo.rng %zero, %one, %shape, distribution = UNIFORM
      : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
    %p = stablehlo.compare LT, %r, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %d = "stablehlo.if"(%p) ({
      stablehlo.return %x : tensor<f32>
    }, {
      stablehlo.return %y : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %d, %x : tensor<f32>, tensor<f32>
  })"),
              ElementsAre(ElementsAre("from stablehlo.rng"), IsEmpty()));
}

// An open operation that stands in a region, and one whose result a region takes from outside.
TEST(OpenOutputs, RegionsAreFollowed) {
  EXPECT_THAT(namesOf(R"(
  func.func public @main(%x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %shape = stablehlo.constant dense<> : tensor<0xi64>
    %r = stablehlo.rng %zero, %one, %shape, distribution = UNIFORM
      : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
    %a = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%l: tensor<f32>, %m: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %b = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%l: tensor<f32>, %m: tensor<f32>):
      %s = stablehlo.add %l, %m : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %a, %b : tensor<f32>, tensor<f32>
  })"),
              ElementsAre(ElementsAre("from stablehlo.rng"), IsEmpty()));
}

TEST(OpenOutputs, OnlyTheFormsThatLeaveSomethingOpen) {
  // With a mantissa NaN stays NaN; bits of a wider type are several numbers; a product without an
  // algorithm has the precision of its types.
  EXPECT_THAT(namesOf(R"(
  func.func public @main(%x: tensor<2x2xf32>, %n: tensor<2x2xi32>)
      -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xi32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %a = stablehlo.reduce_precision %x, format = e5m0 : tensor<2x2xf32>
    %b = stablehlo.reduce_precision %x, format = e5m2 : tensor<2x2xf32>
    %c = stablehlo.bitcast_convert %x : (tensor<2x2xf32>) -> tensor<2x2xi32>
    %d = stablehlo.bitcast_convert %n : (tensor<2x2xi32>) -> tensor<2x2xf32>
    %e = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %a, %b, %c, %d, %e
      : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xi32>, tensor<2x2xf32>, tensor<2x2xf32>
  })"),
              ElementsAre(ElementsAre("stablehlo.reduce_precision"), IsEmpty(),
                          ElementsAre("stablehlo.bitcast_convert"), IsEmpty(), IsEmpty()));
}

// The operands are rounded to bf16, 2^-7 apart at 1; three components of it come to 2^-21.
TEST(OpenOutputs, AlgorithmsSayHowExactTheyAre) {
  const auto product = [](int components, int operations) {
    return openOf(fmt::format(R"(
  func.func public @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {{
    %e = "stablehlo.dot_general"(%x, %x) <{{
      dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1],
                                             rhs_contracting_dimensions = [0]>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16,
        accumulation_type = f32, lhs_component_count = {0}, rhs_component_count = {0},
        num_primitive_operations = {1}, allow_imprecise_accumulation = false>}}>
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %e : tensor<2x2xf32>
  }})",
                              components, operations));
  };
  const auto once = product(1, 1), thrice = product(3, 6);
  ASSERT_EQ(once.size(), 1u);
  ASSERT_EQ(once[0].size(), 1u);
  EXPECT_EQ(once[0][0].values.epsilon, 0x1p-7);
  EXPECT_EQ(thrice[0][0].values.epsilon, 0x1p-21);
}

TEST(OpenOutputs, AScatterIsOpenWhereItsOperandsAreInputs) {
  const auto scatter = [](std::string_view operand) {
    return openOf(fmt::format(R"(
  func.func public @main(%x: tensor<4xf32>, %i: tensor<1xi32>, %u: tensor<2xf32>) -> tensor<4xf32> {{
    %n = stablehlo.negate %x : tensor<4xf32>
    %r = "stablehlo.scatter"({}, %i, %u) <{{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}}> ({{
    ^bb0(%l: tensor<f32>, %m: tensor<f32>):
      stablehlo.return %m : tensor<f32>
    }}) : (tensor<4xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }})",
                              operand));
  };
  const auto open = scatter("%x");
  ASSERT_EQ(open.size(), 1u);
  ASSERT_EQ(open[0].size(), 1u);
  ASSERT_TRUE(open[0][0].values.windows);
  EXPECT_EQ(open[0][0].values.windows->computation, "replace");
  EXPECT_EQ(open[0][0].values.windows->updates, 2u);
  EXPECT_THAT(open[0][0].values.windows->updateWindowDims, ElementsAre(0));
  EXPECT_THAT(scatter("%n")[0], IsEmpty());
}

}  // namespace
}  // namespace vintage::tests
