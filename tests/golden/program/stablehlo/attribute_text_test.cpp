// Structured attributes, in all accepted spellings and in the printed one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

std::string withAttribute(const std::string& attribute) {
  return "module attributes {test.a = " + attribute + "} {\n}\n";
}

TEST(StablehloAttributeText, PrintsOneSpelling) {
  ProgramContext context;
  const std::pair<const char*, const char*> kCases[] = {
      {"#stablehlo<comparison_direction NE>", nullptr},
      {"#stablehlo<comparison_type TOTALORDER>", nullptr},
      {"#stablehlo<comparison_type WEAKORDER>", nullptr},
      {"#stablehlo<precision HIGH>", nullptr},
      {"#stablehlo<fft_type IRFFT>", nullptr},
      {"#stablehlo<transpose NO_TRANSPOSE>", nullptr},
      {"#stablehlo<rng_distribution UNIFORM>", nullptr},
      {"#stablehlo<rng_algorithm PHILOX>", nullptr},
      {"#stablehlo.result_accuracy_mode<HIGHEST>", nullptr},
      {"#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>", nullptr},
      {"#stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 0, mode = <TOLERANCE>>",
       "#stablehlo.result_accuracy<atol = 1.000000e+00, mode = "
       "#stablehlo.result_accuracy_mode<TOLERANCE>>"},
      {"#stablehlo.channel_handle<handle = 3, type = 1>", nullptr},
      {"#stablehlo.bounds<16, ?>", nullptr},
      {"#stablehlo.type_extensions<bounds = [16, ?]>", "#stablehlo.bounds<16, ?>"},
      {"#stablehlo.bounds<>", nullptr},
      {"#stablehlo.dot<>", nullptr},
      {"#stablehlo.dot<rhs_contracting_dimensions = [0], lhs_contracting_dimensions = [1]>",
       "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>"},
      {"#stablehlo.gather<index_vector_dim = 0, offset_dims = [], start_index_map = [1]>",
       "#stablehlo.gather<start_index_map = [1]>"},
      {"#stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = "
       "[1], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 3>",
       nullptr},
      {"#stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], "
       "input_batching_dims = [1], scatter_indices_batching_dims = [0], "
       "scatter_dims_to_operand_dims = [2], index_vector_dim = 3>",
       nullptr},
      {"#stablehlo.conv<[b, 1, 0, f]x[0, i, 1, o]->[f, 0, 1, b]>", nullptr},
      {"#stablehlo.conv<[b, ?, 0, f]x[0, i, o]->[b, 0, f]>", nullptr},
      {"#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>]>", nullptr},
      {"#stablehlo.mesh<axes = [<name = \"x\", size = 2>], device_ids = dense<[1, 0]> : "
       "tensor<2xi64>>",
       "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>], device_ids = "
       "dense<[1, 0]> : tensor<2xi64>>"},
      {"#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
       "[#stablehlo.mesh_axis<name = \"x\", size = 2>]>, axes = [#stablehlo.axis_ref<name = "
       "\"x\">]>",
       nullptr},
      {"#stablehlo.axis_ref<name = \"x\", sub_axis_info = (2)4>", nullptr},
  };
  for (auto [text, printed] : kCases) {
    auto program = context.parseText(withAttribute(text), "test");
    ASSERT_TRUE(program) << text << ": " << program.error().message;
    EXPECT_THAT(program->print(), HasSubstr(withAttribute(printed ? printed : text).substr(0, 60)));
    EXPECT_THAT(program->print(), HasSubstr(printed ? printed : text));
  }
}

TEST(StablehloAttributeText, RefusesWhatItCannotMean) {
  ProgramContext context;
  const std::pair<const char*, const char*> kCases[] = {
      {"#stablehlo.dot<lhs_dims = [0]>", "unknown field 'lhs_dims'"},
      {"#stablehlo.dot<lhs_contracting_dimensions = [0], lhs_contracting_dimensions = [1]>",
       "given twice"},
      {"#stablehlo.conv<[b, 0]x[0, i, o]->[b, 0, f]>", "expected both 'b' and 'f'"},
      {"#stablehlo.conv<[b, 0, 0, f]x[0, i, o]->[b, 0, f]>", "given twice"},
      {"#stablehlo.conv<[b, 1, f]x[0, i, o]->[b, 0, f]>", "without gaps"},
      {"#stablehlo.conv<[b, 99999999999, f]x[0, i, o]->[b, 0, f]>", "out of range"},
      {"#stablehlo.conv<[b, z, f]x[0, i, o]->[b, 0, f]>", "found 'z'"},
      {"#stablehlo.channel_handle<handle = 3>", "expected"},
      {"#stablehlo.mesh_axis<name = \"x\">", "field 'size' is missing"},
      {"#stablehlo.replica_group_mesh_axes<mesh = 1 : i32, axes = []>", "expected a symbol"},
      {"#stablehlo.nonsense<1>", "unknown attribute `nonsense`"},
      {"#stablehlo<comparison_direction XX>", "expected"},
  };
  for (auto [text, message] : kCases) {
    auto program = context.parseText(withAttribute(text), "test");
    ASSERT_FALSE(program) << text;
    EXPECT_THAT(program.error().message, HasSubstr(message)) << text;
  }
}

TEST(StablehloAttributeText, RefusesBoundsThatDoNotFitTheTensor) {
  ProgramContext context;
  const std::pair<const char*, const char*> kCases[] = {
      {"tensor<?xf32, #stablehlo.bounds<1, 2>>", "number of bounds is 2"},
      {"tensor<3xf32, #stablehlo.bounds<4>>", "static dimension 0"},
      {"tensor<?xf32, #stablehlo.bounds<-4>>", "negative"},
  };
  for (auto [type, message] : kCases) {
    auto program = context.parseText("func.func private @f(" + std::string(type) + ")\n", "test");
    ASSERT_FALSE(program) << type;
    EXPECT_THAT(program.error().message, HasSubstr(message)) << type;
  }
}

// Texts from before 0.17 write lists of dimensions as dense elements.
TEST(StablehloAttributeText, ReadsDenseDimensionLists) {
  ProgramContext context;
  auto program = context.parseText(
      "func.func @f(%a: tensor<2x3xf32>) {\n"
      "  %0 = \"stablehlo.transpose\"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} : "
      "(tensor<2x3xf32>) -> tensor<3x2xf32>\n"
      "  return\n}\n",
      "test");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(program->print(), HasSubstr("stablehlo.transpose %arg0, dims = [1, 0]"));
}

}  // namespace
}  // namespace vintage::tests
