// Custom calls whose shapes are known only when they run: JAX passes the shapes
// of their results as further operands, named by indices_of_shape_operands.
#include <complex>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;
using namespace harness;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The factor of each of a batch of any size, and LAPACK's info of each.
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
    auto single = run(kPotrf, {floats({1, 2, 2}, one)}, mode);
    ASSERT_TRUE(single) << single.error().message;
    // The strict upper triangle is not touched.
    EXPECT_THAT(values<float>((*single)[0]), ElementsAre(2, 2, 1, 2));
    EXPECT_THAT(values<int32_t>((*single)[1]), ElementsAre(0));
    auto both = run(kPotrf, {floats({2, 2, 2}, two)}, mode);
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ((*both)[0].shape(), (Shape{2, 2, 2}));
    EXPECT_THAT(values<int32_t>((*both)[1]), ElementsAre(0, 2));
    auto none = run(kPotrf, {floats({0, 2, 2}, {})}, mode);
    ASSERT_TRUE(none) << none.error().message;
    EXPECT_EQ((*none)[0].shape(), (Shape{0, 2, 2}));
  }
}

TEST(DynamicCustomCall, AShapeOperandThatIsNotThereIsAnError) {
  std::string text = kPotrf;
  text.replace(text.find("dense<[1, 2]> : tensor<2xi64>"), 13, "dense<[1, 7]>");
  auto wrong = run(text, {floats({1, 2, 2}, {4, 2, 2, 5})});
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

// The fold of a window whose measures are operands: what every cumulative sum
// and pooling over a symbolic dimension is.
constexpr char kWindow[] = R"(
  func.func public @main(%a: tensor<?xi32>, %w: tensor<1xi32>, %s: tensor<1xi32>,
                         %b: tensor<1xi32>, %d: tensor<1xi32>, %p: tensor<1x2xi32>)
      -> tensor<?xi32> {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%a, %z, %w, %s, %b, %d, %p) {
        api_version = 2 : i32, called_computations = [@fold]}
      : (tensor<?xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>,
         tensor<1x2xi32>) -> tensor<?xi32>
    return %0 : tensor<?xi32>
  }
  func.func private @fold(%l: tensor<i32>, %r: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.OPERATION %l, %r : tensor<i32>
    return %0 : tensor<i32>
  })";

std::string window(std::string operation) {
  std::string text = kWindow;
  return text.replace(text.find("OPERATION"), 9, operation);
}

TEST(DynamicCustomCall, ACumulativeSumHasAWindowOfTheArraysSize) {
  for (const std::vector<int32_t>& given : {std::vector<int32_t>{1, 2, 3, 4}, {5}}) {
    const auto size = static_cast<int32_t>(given.size());
    const Tensor one = ints({1}, {1});
    const Tensor sums = evaluate(window("add"), {ints({size}, given), ints({1}, {size}), one, one,
                                                 one, ints({1, 2}, {size - 1, 0})});
    if (size == 1)
      EXPECT_THAT(values<int32_t>(sums), ElementsAre(5));
    else
      EXPECT_THAT(values<int32_t>(sums), ElementsAre(1, 3, 6, 10));
  }
}

// Padded by one 0 in front: 0 1 2 3 4 5 6; windows of {0, 2}, {2, 4} and {4, 6}.
TEST(DynamicCustomCall, AWindowHasStridesAndDilations) {
  const Tensor two = ints({1}, {2});
  const Tensor largest = evaluate(window("maximum"), {ints({6}, {1, 2, 3, 4, 5, 6}), two, two,
                                                      ints({1}, {1}), two, ints({1, 2}, {1, 0})});
  EXPECT_THAT(values<int32_t>(largest), ElementsAre(2, 4, 6));
  // 1 0 0 2 0 0 3, pairs of neighbours.
  const Tensor spread =
      evaluate(window("add"), {ints({3}, {1, 2, 3}), two, ints({1}, {1}), ints({1}, {3}),
                               ints({1}, {1}), ints({1, 2}, {0, 0})});
  EXPECT_THAT(values<int32_t>(spread), ElementsAre(1, 0, 2, 2, 0, 3));
}

TEST(DynamicCustomCall, AnImpossibleWindowIsAnError) {
  const Tensor one = ints({1}, {1}), none = ints({1, 2}, {0, 0});
  auto wrong = run(window("add"), {ints({2}, {1, 2}), ints({1}, {0}), one, one, one, none});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              AllOf(HasSubstr("dynamic_reduce_window"), HasSubstr("window_dimensions")));
  std::string itself = window("add");
  itself.replace(itself.find("[@fold]"), 7, "[@main]");
  wrong = run(itself, {ints({2}, {1, 2}), one, one, one, one, none});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("calls itself"));
  std::string without = window("add");
  without.replace(without.find(", called_computations = [@fold]"), 31, "");
  wrong = run(without, {ints({2}, {1, 2}), one, one, one, one, none});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("0 regions"));
}

// The descriptor that JAX kept in its compatibility test of June 2023, here with
// another kind of transform and direction: both are single bytes of it.
std::string fourier(int kind, bool forward, std::string_view from, std::string_view to) {
  return fmt::format(R"(
  func.func public @main(%a: tensor<?x4x{2}>, %n: tensor<2xi32>, %s: tensor<1xf64>,
                         %r: tensor<2xi32>) -> tensor<?x?x{3}> {{
    %d = stablehlo.constant dense<[20, 0, 0, 0, 0, 0, 14, 0, 16, 0, 8, 0, 0, 0, 6, 0, 12, 0, 7, 0,
        14, 0, 0, 0, 0, 0, {0}, {1}, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]>
      : tensor<44xui8>
    %0 = stablehlo.custom_call @dynamic_ducc_fft(%d, %a, %n, %n, %n, %s, %r) {{
        api_version = 2 : i32, indices_of_shape_operands = dense<6> : tensor<1xi64>}}
      : (tensor<44xui8>, tensor<?x4x{2}>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>,
         tensor<1xf64>, tensor<2xi32>) -> tensor<?x?x{3}>
    return %0 : tensor<?x?x{3}>
  }})",
                     kind, forward ? 1 : 0, from, to);
}

using Complex64 = std::complex<float>;

TEST(DynamicCustomCall, FourierTransformsTakeShapesAsOperands) {
  std::vector<Complex64> counted;
  for (int i = 0; i < 12; ++i) counted.emplace_back(i, 0);
  const Tensor one = tensor<double>(ElementType::kF64, {1}, {1});
  const Tensor spectra = evaluate(fourier(0, true, "complex<f32>", "complex<f32>"),
                                  {tensor<Complex64>(ElementType::kC64, {3, 4}, counted),
                                   ints({2}, {3, 4}), one, ints({2}, {3, 4})});
  std::vector<Complex64> wanted;
  for (const float first : {6.f, 22.f, 38.f})
    for (const Complex64 each : {Complex64(first, 0), {-2, 2}, {-2, 0}, {-2, -2}})
      wanted.push_back(each);
  EXPECT_EQ(values<Complex64>(spectra), wanted);

  const Tensor half =
      evaluate(fourier(2, true, "f32", "complex<f32>"),
               {floats({1, 4}, {1, 2, 3, 4}), ints({2}, {1, 4}), one, ints({2}, {1, 3})});
  EXPECT_THAT(values<Complex64>(half),
              ElementsAre(Complex64(10, 0), Complex64(-2, 2), Complex64(-2, 0)));
}

// The shape operand of an inverse real transform is that of its result, and its
// scale is 1 / length.
TEST(DynamicCustomCall, AnInverseRealTransformHasTheLengthOfItsResult) {
  const Tensor spectrum = tensor<Complex64>(
      ElementType::kC64, {1, 4}, {{21, 0}, {-3, 5.19615242f}, {-3, 1.73205081f}, {-3, 0}});
  const Tensor back =
      evaluate(fourier(1, false, "complex<f32>", "f32"),
               {spectrum, ints({2}, {1, 6}), tensor<double>(ElementType::kF64, {1}, {1. / 6}),
                ints({2}, {1, 6})});
  EXPECT_THAT(values<float>(back),
              testing::Pointwise(testing::FloatNear(1e-6f), std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(DynamicCustomCall, ADescriptorThatIsDamagedIsAnError) {
  std::string text = fourier(0, true, "complex<f32>", "complex<f32>");
  text.replace(text.find("dense<[20,"), 10, "dense<[99,");
  auto wrong = run(text, {Tensor(ElementType::kC64, {1, 4}), ints({2}, {1, 4}),
                          tensor<double>(ElementType::kF64, {1}, {1}), ints({2}, {1, 4})});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("dynamic_ducc_fft"), HasSubstr("damaged")));
}

}  // namespace
}  // namespace vintage::tests::engine_test
