// The exports of derivatives, and the primitives that have them.
#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "primitives/catalogue/export.h"
#include "tests/golden/base/texts.h"
#include "tests/primitives/catalogue/case_of.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(DerivativeExports, EveryOneVerifiesAndTakesOnlyWhatItUses) {
  ProgramContext context;
  int count = 0;
  for (const Case& entry : catalogue()) {
    if (entry.variant != "vjp") continue;
    std::vector<ModuleTree> seen;
    for (const std::string& platform : entry.platforms) {
      const auto lowered = entry.lower(platform);
      ASSERT_TRUE(lowered && lowered->derivative) << entry.id;
      const LoweredCase& derivative = *lowered->derivative;
      if (std::ranges::find(seen, derivative.module) != seen.end()) continue;
      seen.push_back(derivative.module);
      if (++count % 1000 == 0) context = ProgramContext();
      EXPECT_EQ(derivative.inputs.size(), entry.arguments.size()) << entry.id;
      const auto program = context.build(derivative.module, entry.id);
      EXPECT_TRUE(program) << program.error().message;
      EXPECT_EQ(derivative.keptInputs.size(), derivative.module.functions[0].argumentTypes.size())
          << entry.id;
    }
  }
}

TEST(DerivativeExports, OfIntegersAreFloat0InAnExport) {
  ProgramContext context;
  const Case& entry = caseOf("top_k_f32[15],f32[5],bool[5]_k=5_vjp");
  const auto exported = exportCase(context, entry, "cpu", {});
  ASSERT_TRUE(exported) << exported.error().message;
  const Exported& derivative = *exported->vjp;
  // x, and the cotangents of the values and of the positions, which nobody takes.
  ASSERT_EQ(derivative.inputs.size(), 3u);
  EXPECT_EQ(derivative.inputs[0].dtype, "f32");
  EXPECT_EQ(derivative.inputs[2].dtype, "f0");
  EXPECT_THAT(derivative.keptInputs, ElementsAre(0, 1));
  const auto gather =
      exportCase(context, caseOf("gather_f32[5],i32[2,1],f32[2]_points_mode=clip_vjp"), "cpu", {});
  ASSERT_TRUE(gather) << gather.error().message;
  // The operand's values do not matter.
  EXPECT_THAT(gather->vjp->keptInputs, ElementsAre(1, 2));
  EXPECT_EQ(gather->vjp->outputs[0].dtype, "f32");
  EXPECT_EQ(gather->vjp->outputs[1].dtype, "f0");
}

TEST(DerivativeExports, ReadLikeTheRulesTheyFollow) {
  const auto textOf = [](std::string_view id) {
    return tests::textOf(*caseOf(id).lower("cpu")->derivative);
  };
  EXPECT_THAT(textOf("max_f32[10,9],f32[10,9],f32[10,9]_vjp"), HasSubstr("stablehlo.select"));
  EXPECT_THAT(textOf("reduce_max_f32[4,5],f32[5]_axes=0_vjp"), HasSubstr("stablehlo.divide"));
  // No division: a zero among the factors would spoil it.
  EXPECT_THAT(textOf("cumprod_f32[8,9],f32[8,9]_axis=0_reverse=false_vjp"),
              Not(HasSubstr("stablehlo.divide")));
  const std::string sort = textOf("sort_f32[5,7],f32[5,7]_dimension=0_keys=1_stable_vjp");
  EXPECT_THAT(sort, HasSubstr("stablehlo.iota dim = 0"));
  EXPECT_THAT(sort, HasSubstr("stablehlo.scatter"));
  EXPECT_THAT(textOf("jit_f32[4,5],f32[4,5]_vjp"), HasSubstr("call @relu"));
}

// The primitives that JAX differentiates, of those that it publishes.
TEST(DerivativeExports, CoverTheDifferentiablePrimitives) {
  std::map<std::string, std::set<ElementType>> have;
  for (const Case& entry : catalogue()) {
    if (entry.variant != "vjp") continue;
    have[entry.primitive].insert(entry.dtypes.begin(), entry.dtypes.end());
  }
  for (const std::string& primitive :
       words("abs acos acosh add add_any approx_top_k argmax argmin asin asinh atan atan2 atanh "
             "bessel_i0e bessel_i1e broadcast_in_dim cbrt ceil checkpoint clamp composite "
             "concatenate cond conv_general_dilated convert_element_type copy cos cosh "
             "cumlogsumexp cummax cummin cumprod cumsum custom_jvp_call custom_vjp_call "
             "device_put digamma div dot_general dynamic_slice dynamic_update_slice eq erf "
             "erf_inv erfc exp exp2 expand_dims expm1 floor gather ge gt igamma igammac "
             "integer_pow is_finite jit le lgamma log log1p logistic lt max min mul ne neg pad "
             "pow ragged_dot_general reduce_max reduce_min reduce_precision reduce_prod "
             "reduce_sum reduce_window_add reduce_window_max reduce_window_min rem reshape rev "
             "round rsqrt scan scatter scatter_add scatter_mul select_and_gather_add "
             "select_and_scatter_add select_n sign sin sinh slice sort split sqrt square squeeze "
             "stop_gradient sub tan tanh top_k transpose zeros_like")) {
    for (ElementType type :
         {ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kF64}) {
      // JAX has no running logsumexp in bf16.
      if (primitive == std::string_view("cumlogsumexp") && type == ElementType::kBF16) continue;
      EXPECT_TRUE(have[primitive].contains(type)) << primitive << " of " << dtypeName(type);
    }
  }
  for (const std::string& primitive :
       words("abs add conj conv_general_dilated cos cumprod cumsum div dot_general exp fft "
             "gather imag integer_pow log mul pow real reduce_prod reduce_sum scatter_add sin "
             "sort sqrt tanh")) {
    EXPECT_TRUE(have[primitive].contains(ElementType::kC64)) << primitive;
    EXPECT_TRUE(have[primitive].contains(ElementType::kC128)) << primitive;
  }
  for (const std::string& primitive :
       words("cholesky complex conj custom_linear_solve fft lu triangular_solve")) {
    EXPECT_TRUE(have[primitive].contains(ElementType::kF32)) << primitive;
    EXPECT_TRUE(have[primitive].contains(ElementType::kF64)) << primitive;
  }
}

}  // namespace
}  // namespace vintage::tests
