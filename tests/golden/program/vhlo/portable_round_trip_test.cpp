// Programs written for a release and read again are the same programs.
#include <gmock/gmock.h>

#include "portable_texts.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

// One function around a line or two of operations.
struct Feature {
  const char* name;
  const char* text;
  StablehloVersion since;
  const char* reason;  // Part of what is said below `since`.
};

void PrintTo(const Feature& feature, std::ostream* out) { *out << feature.name; }

class PortableFeatures : public testing::TestWithParam<Feature> {};

const Feature kFeatures[] = {
    {"ordinary", kOrdinaryProgram, {0, 9, 0}, ""},
    {"f8_fnuz",
     "func.func @f(%a: tensor<2xf8E4M3FNUZ>) -> tensor<2xf8E4M3FNUZ> {"
     " return %a : tensor<2xf8E4M3FNUZ> }",
     {0, 10, 0},
     "f8E4M3FNUZ"},
    {"f8_b11",
     "func.func @f(%a: tensor<2xf8E4M3B11FNUZ>) -> tensor<2xf8E4M3B11FNUZ> {"
     " return %a : tensor<2xf8E4M3B11FNUZ> }",
     {0, 11, 0},
     "f8E4M3B11FNUZ"},
    {"collective_broadcast",
     R"(func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
       %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
       return %0 : tensor<2xf32> })",
     {0, 16, 0},
     "collective_broadcast"},
    {"widening_reduction",
     R"(func.func @f(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<f64> {
       %0 = "stablehlo.reduce"(%a, %b) ({
         ^bb0(%x: tensor<f64>, %y: tensor<f64>):
           %1 = stablehlo.add %x, %y : tensor<f64>
           stablehlo.return %1 : tensor<f64>
       }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
       return %0 : tensor<f64> })",
     {0, 17, 0},
     "result type that differs"},
    {"per_axis_quantization",
     "func.func @f(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-2}>>) -> "
     "tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-2}>> {"
     " return %a : tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-2}>> }",
     {0, 18, 0},
     "quant_per_axis"},
    {"composite",
     R"(func.func @f(%a: tensor<f32>) -> tensor<f32> {
       %0 = stablehlo.composite "my.op" %a {decomposition = @g, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
       return %0 : tensor<f32> }
     func.func private @g(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> })",
     {0, 19, 0},
     "composite"},
    {"gather_batching",
     R"(func.func @f(%a: tensor<3x2x4xi32>, %i: tensor<3x2x1xi64>) -> tensor<3x2x4xi32> {
       %0 = "stablehlo.gather"(%a, %i) {
         dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
         slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x2x4xi32>, tensor<3x2x1xi64>) -> tensor<3x2x4xi32>
       return %0 : tensor<3x2x4xi32> })",
     {1, 1, 0},
     "batching dimensions"},
    {"i2",
     "func.func @f(%a: tensor<2xui2>) -> tensor<2xui2> { return %a : tensor<2xui2> }",
     {1, 2, 0},
     "ui2"},
    {"typed_ffi",
     R"(func.func @f(%a: tensor<f32>) -> tensor<f32> {
       %0 = stablehlo.custom_call @t(%a) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}} : (tensor<f32>) -> tensor<f32>
       return %0 : tensor<f32> })",
     {1, 3, 0},
     "backend_config"},
    {"tan",
     "func.func @f(%a: tensor<f32>) -> tensor<f32> { %0 = stablehlo.tan %a : tensor<f32> "
     "return %0 : tensor<f32> }",
     {1, 4, 0},
     "tan"},
    {"variadic_all_gather",
     R"(func.func @f(%a: tensor<2xf32>, %b: tensor<2xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
       %0:2 = "stablehlo.all_gather"(%a, %b) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<4xi32>)
       return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32> })",
     {1, 5, 0},
     "several operands"},
    {"dot_algorithm",
     R"(func.func @f(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
       %0 = "stablehlo.dot_general"(%a, %a) {
         dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>,
         algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
       } : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
       return %0 : tensor<2x2xf32> })",
     {1, 6, 0},
     "algorithm"},
    {"f8_ieee",
     "func.func @f(%a: tensor<2xf8E3M4>) -> tensor<2xf8E3M4> { return %a : tensor<2xf8E3M4> }",
     {1, 7, 0},
     "f8E3M4"},
    {"f4",
     "func.func @f(%a: tensor<2xf4E2M1FN>) -> tensor<2xf4E2M1FN> {"
     " return %a : tensor<2xf4E2M1FN> }",
     {1, 8, 0},
     "f4E2M1FN"},
    {"exponential_accuracy",
     R"(func.func @f(%a: tensor<f32>) -> tensor<f32> {
       %0 = "stablehlo.exponential"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 0.000000e+00, rtol = 0.000000e+00, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<f32>) -> tensor<f32>
       return %0 : tensor<f32> })",
     {1, 9, 0},
     "accuracy"},
    {"log_accuracy",
     R"(func.func @f(%a: tensor<f32>) -> tensor<f32> {
       %0 = "stablehlo.log"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 0.000000e+00, rtol = 0.000000e+00, ulps = 0, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<f32>) -> tensor<f32>
       return %0 : tensor<f32> })",
     {1, 10, 0},
     "accuracy"},
    {"other_dialect",
     R"(sdy.mesh @mesh = <["x"=2]>
     func.func @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> })",
     {1, 10, 9},
     "another dialect"},
    {"other_dialects_attribute",
     R"(sdy.mesh @mesh = <["x"=2]>
     func.func @f(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2xf32> { return %a : tensor<2xf32> })",
     {1, 10, 9},
     "another dialect"},
    {"send_pairs",
     R"(func.func @f(%a: tensor<f32>, %t: !stablehlo.token) -> !stablehlo.token {
       %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
       return %0 : !stablehlo.token })",
     {1, 12, 0},
     "source-target pairs"},
    {"buffers",
     R"(func.func @f(%a: memref<2xf32>) -> memref<2xf32> {
       %0 = stablehlo.custom_call @t(%a) {api_version = 4 : i32} : (memref<2xf32>) -> memref<2xf32>
       return %0 : memref<2xf32> })",
     {1, 13, 0},
     "buffer"},
    // JAX 0.12 writes none of these for an older target; Vintage wrote the first two.
    {"convolution_of_two_formats",
     R"(func.func @f(%a: tensor<1x4x1xf8E4M3FN>, %b: tensor<2x1x1xf8E5M2>) -> tensor<1x3x1xf32> {
       %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf8E4M3FN>, tensor<2x1x1xf8E5M2>) -> tensor<1x3x1xf32>
       return %0 : tensor<1x3x1xf32> })",
     {1, 20, 0},
     "8-bit float formats"},
    {"algorithm_in_f8",
     R"(func.func @f(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
       %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f8E4M3FN, rhs_precision_type = f8E4M3FN, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
       return %0 : tensor<2x2xf32> })",
     {1, 21, 0},
     "f8E4M3FN"},
    {"weak_order",
     R"(func.func @f(%a: tensor<2xf32>) -> tensor<2xi1> {
       %0 = stablehlo.compare LT, %a, %a, WEAKORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
       return %0 : tensor<2xi1> })",
     {1, 22, 0},
     "WEAKORDER"},
};

INSTANTIATE_TEST_SUITE_P(All, PortableFeatures, testing::ValuesIn(kFeatures),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(PortableFeatures, ComeBackFromEveryReleaseThatHasThem) {
  const Feature& feature = GetParam();
  ProgramContext context;
  Result<Program> program = context.parseText(feature.text, feature.name);
  ASSERT_TRUE(program) << program.error().message;
  const std::string before = printGeneric(*program);
  for (StablehloVersion release : releases()) {
    SCOPED_TRACE(formatStablehloVersion(release));
    Result<std::vector<std::byte>> bytes = program->writePortableArtifact(release);
    if (release < feature.since) {
      ASSERT_FALSE(bytes);
      EXPECT_EQ(bytes.error().kind, Error::Kind::kUnsupported);
      EXPECT_THAT(bytes.error().message, HasSubstr(feature.reason));
      EXPECT_THAT(bytes.error().message, HasSubstr(formatStablehloVersion(feature.since)));
      continue;
    }
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(*bytes, program->writePortableArtifact(release).value()) << "not deterministic";
    Result<Program> again = context.readPortableArtifact(*bytes, feature.name);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(printGeneric(*again), before);
    EXPECT_EQ(again->artifactVersion(), release);
    // Another context has other addresses; the bytes do not depend on them.
    ProgramContext fresh;
    EXPECT_EQ(fresh.parseText(feature.text, feature.name)->writePortableArtifact(release).value(),
              *bytes);
  }
}

TEST_P(PortableFeatures, TellTheLowestVersion) {
  const Feature& feature = GetParam();
  ProgramContext context;
  Result<Program> program = context.parseText(feature.text, feature.name);
  ASSERT_TRUE(program) << program.error().message;
  Result<Program::MinimumVersion> minimum = program->minimumVersion();
  ASSERT_TRUE(minimum) << minimum.error().message;
  EXPECT_EQ(minimum->version, feature.since);
  EXPECT_THAT(minimum->reason, HasSubstr(feature.reason));
}

// Futures came with 1.15.0, and JAX 0.12 writes a custom call that takes one for 1.17.0 or later;
// Vintage wrote it for any version that has futures.
TEST(PortableArtifact, ACallThatTakesAFutureNeedsMoreThanTheFuture) {
  ProgramContext context;
  Result<Program> program = context.parseText(
      R"(func.func @f(%a: !stablehlo.future<tensor<2xf32>>) -> tensor<2xf32> {
       %0 = stablehlo.custom_call @t(%a) {api_version = 4 : i32} : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
       return %0 : tensor<2xf32> })",
      "future");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->minimumVersion()->version, (StablehloVersion{1, 17, 0}));
  EXPECT_TRUE(program->writePortableArtifact({1, 17, 0}));
  const auto bytes = program->writePortableArtifact({1, 16, 0});
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().message, HasSubstr("takes a future, which needs StableHLO 1.17.0"));
}

TEST(PortableArtifact, KeepsLocationsWhenAskedTo) {
  ProgramContext context;
  Result<Program> program = context.parseText(
      "func.func @f(%a: tensor<f32>) -> tensor<f32> {"
      " %0 = stablehlo.abs %a : tensor<f32> loc(\"model.py\":7:3)\n"
      " return %0 : tensor<f32> }",
      "text");
  ASSERT_TRUE(program) << program.error().message;
  Program::PrintOptions print;
  print.locations = true;
  for (StablehloVersion release : releases()) {
    Program::WriteOptions write;
    EXPECT_THAT(
        context
            .readPortableArtifact(program->writePortableArtifact(release, write).value(), "without")
            ->print(print),
        testing::Not(HasSubstr("model.py")));
    write.locations = true;
    EXPECT_THAT(
        context
            .readPortableArtifact(program->writePortableArtifact(release, write).value(), "with")
            ->print(print),
        HasSubstr("model.py"));
  }
}

TEST(PortableArtifact, RefusesTargetsBeyondItsRange) {
  ProgramContext context;
  Result<Program> program = context.parseText(kOrdinaryProgram, "text");
  ASSERT_TRUE(program);
  for (StablehloVersion target :
       {StablehloVersion{0, 8, 9}, StablehloVersion{1, 22, 1}, StablehloVersion{2, 0, 0}}) {
    auto bytes = program->writePortableArtifact(target);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().kind, Error::Kind::kUsage);
    EXPECT_THAT(bytes.error().message, HasSubstr(formatStablehloVersion(target)));
  }
}

TEST(PortableArtifact, LeavesTheProgramAsItWas) {
  ProgramContext context;
  Result<Program> program = context.parseText(kOrdinaryProgram, "text");
  ASSERT_TRUE(program);
  const std::string before = program->print();
  ASSERT_TRUE(program->writePortableArtifact({0, 9, 0}));
  EXPECT_EQ(program->print(), before);
}

}  // namespace
}  // namespace vintage::tests
