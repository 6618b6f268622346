// Custom calls whose shapes are known only when they run: JAX passes the shapes
// of their results as further operands, named by indices_of_shape_operands.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/harness/engine/run_text.h"
#include "tests/rooms.h"

namespace vintage::tests::engine_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The factor of each of a batch of any size, and what LAPACK said of each.
constexpr char kPotrf[] = R"(
  func.func public @main(%a: tensor<?x2x2xf32>) -> (tensor<?x2x2xf32>, tensor<?xi32>) {
    %c = stablehlo.constant dense<2> : tensor<1xi32>
    %b = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x2x2xf32>) -> tensor<i32>
    %n = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
    %s = stablehlo.concatenate %n, %c, %c, dim = 0
      : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %r:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a, %s, %n) {
      indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>,
      mhlo.backend_config = {uplo = 76 : ui8},
      operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>,
                         dense<0> : tensor<1xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0],
                                operand_index = 0, operand_tuple_indices = []>],
      result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}
      : (tensor<?x2x2xf32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x2x2xf32>, tensor<?xi32>)
    return %r#0, %r#1 : tensor<?x2x2xf32>, tensor<?xi32>
  })";

TEST(DynamicCustomCall, SolversTakeBatchesOfAnySize) {
  const std::vector<float> one{4, 2, 2, 5}, two{4, 2, 2, 5, 9, 0, 0, -1};
  for (const ExecutionMode mode : {ExecutionMode::kGraph, ExecutionMode::kEager}) {
    auto single = run(kPotrf, {tensor<float>(ElementType::kF32, {1, 2, 2}, one)}, mode);
    ASSERT_TRUE(single) << single.error().message;
    // The strict upper triangle is not touched.
    EXPECT_THAT(values<float>((*single)[0]), ElementsAre(2, 2, 1, 2));
    EXPECT_THAT(values<int32_t>((*single)[1]), ElementsAre(0));
    auto both = run(kPotrf, {tensor<float>(ElementType::kF32, {2, 2, 2}, two)}, mode);
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ((*both)[0].shape(), (Shape{2, 2, 2}));
    EXPECT_THAT(values<int32_t>((*both)[1]), ElementsAre(0, 2));
    auto none = run(kPotrf, {tensor<float>(ElementType::kF32, {0, 2, 2}, {})}, mode);
    ASSERT_TRUE(none) << none.error().message;
    EXPECT_EQ((*none)[0].shape(), (Shape{0, 2, 2}));
  }
}

TEST(DynamicCustomCall, AShapeOperandThatIsNotThereIsAnError) {
  std::string text = kPotrf;
  text.replace(text.find("dense<[1, 2]> : tensor<2xi64>"), 13, "dense<[1, 7]>");
  auto wrong = run(text, {tensor<float>(ElementType::kF32, {1, 2, 2}, {4, 2, 2, 5})});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("indices_of_shape_operands"));
}

// The target took its algorithm from a backend_config, which JAX does not write:
// it gives rng_algorithm beside it. Every algorithm came out as the default one.
TEST(DynamicCustomCall, TheDynamicGeneratorKeepsItsAlgorithm) {
  const Tensor state = tensor<uint64_t>(ElementType::kUi64, {2}, {0x123456789ABCDEF0u, 7});
  std::vector<std::vector<uint32_t>> found;
  for (const char* algorithm : {"THREE_FRY", "PHILOX", "DEFAULT"}) {
    const std::string fixed = fmt::format(R"(
      func.func public @main(%s: tensor<2xui64>) -> (tensor<3x2xui32>, tensor<2xui64>) {{
        %n, %v = stablehlo.rng_bit_generator %s, algorithm = {}
          : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x2xui32>)
        return %v, %n : tensor<3x2xui32>, tensor<2xui64>
      }})",
                                          algorithm);
    const std::string dynamic = fmt::format(R"(
      func.func public @main(%s: tensor<2xui64>) -> (tensor<?x?xui32>, tensor<2xui64>) {{
        %c = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
        %r:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %c) {{
          api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm {}>}}
          : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x?xui32>)
        return %r#1, %r#0 : tensor<?x?xui32>, tensor<2xui64>
      }})",
                                            algorithm);
    auto wanted = run(fixed, {state}), given = run(dynamic, {state});
    ASSERT_TRUE(wanted && given) << (given ? "" : given.error().message);
    EXPECT_TRUE((*given)[0].identical((*wanted)[0])) << algorithm;
    EXPECT_TRUE((*given)[1].identical((*wanted)[1])) << algorithm;
    found.push_back(values<uint32_t>((*given)[0]));
  }
  EXPECT_NE(found[0], found[1]);
  EXPECT_EQ(found[1], found[2]);
}

}  // namespace
}  // namespace vintage::tests::engine_test
