// Variants: the content of their exports, and that they are one artifact for all sizes.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/catalogue/export.h"
#include "primitives/lowering/symbolic_dimension.h"
#include "tests/primitives/catalogue/case_of.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(SymbolicDimension, TellsWhatWasComputed) {
  EXPECT_EQ(dimensionText(7), "7");
  EXPECT_EQ(dimensionText(kDimensionB), "b");
  EXPECT_EQ(dimensionText(2 * kDimensionB + 1), "2*b + 1");
  EXPECT_EQ(dimensionText(kDimensionB - 3), "b - 3");
  EXPECT_EQ(dimensionText(kDimensionB + kDimensionC), "b + c");
  EXPECT_EQ(dimensionText(kDimensionB * kDimensionC), "b*c");
  EXPECT_EQ(dimensionText(2 - kDimensionB), "-b + 2");
  for (int64_t number : {INT64_MAX, INT64_MIN, int64_t{1} << 31, (int64_t{1} << 31) - 1,
                         int64_t{1} << 32, int64_t{0x1BD11BDA}, int64_t{65536}})
    EXPECT_FALSE(isSymbolic(number)) << number;
}

TEST(Variants, EveryKindCoversManyPrimitives) {
  std::map<std::string, std::set<std::string>> primitives;
  for (const Case& entry : catalogue()) primitives[entry.variant].insert(entry.primitive);
  EXPECT_GE(primitives["poly"].size(), 100u);
  EXPECT_GE(primitives["multi_platform"].size(), 120u);
  EXPECT_GE(primitives["effects"].size(), 120u);
  EXPECT_GE(primitives["vjp"].size(), 40u);
  EXPECT_GE(primitives["sharded"].size(), 15u);
}

TEST(Variants, OnePolymorphicExportServesEverySize) {
  const auto three = caseOf("transpose_f32[3,3,5]_permutation=2-0-1_poly").lower("cpu");
  const auto six = caseOf("transpose_f32[6,3,2]_permutation=2-0-1_poly").lower("cpu");
  ASSERT_TRUE(three && six);
  EXPECT_EQ(three->module, six->module);
  EXPECT_THAT(three->symbolicInputs, ElementsAre(ElementsAre("b", "3", "c")));
  EXPECT_THAT(three->symbolicOutputs, ElementsAre(ElementsAre("c", "b", "3")));
  EXPECT_EQ(six->outputs.at(0).shape, (Shape{2, 6, 3}));
  EXPECT_THAT(textOf(*three), HasSubstr("shape_assertion"));
}

TEST(Variants, ADerivativeKeepsOnlyWhatItUses) {
  ProgramContext context;
  const auto exported = exportCase(context, caseOf("neg_f32[8,8],f32[8,8]_vjp"), "cpu", {});
  ASSERT_TRUE(exported) << exported.error().message;
  ASSERT_TRUE(exported->vjp);
  EXPECT_EQ(exported->vjp->inputs.size(), 2u);
  EXPECT_THAT(exported->vjp->keptInputs, ElementsAre(1));
  EXPECT_EQ(exported->vjp->outputs.size(), 1u);
}

TEST(Variants, AShardedExportRecordsItsShardings) {
  ProgramContext context;
  const auto exported = exportCase(context, caseOf("psum_f32[32,3]_mesh=2x2_sharded"), "cpu", {});
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_EQ(exported->deviceCount, 4u);
  ASSERT_TRUE(exported->inputShardings.at(0).named);
  EXPECT_THAT(exported->inputShardings[0].named->mesh.axisNames, ElementsAre("x", "y"));
}

TEST(Variants, PlatformsThatLowerApartHaveABranchEach) {
  const auto apart = caseOf("cholesky_f32[1,1]_multi_platform").lower("cpu");
  ASSERT_TRUE(apart);
  EXPECT_THAT(textOf(*apart), HasSubstr("stablehlo.case"));
  EXPECT_THAT(textOf(*apart), HasSubstr("hipsolver_potrf_ffi"));
  const auto alike = caseOf("tanh_f32[8,8]_multi_platform").lower("cpu");
  ASSERT_TRUE(alike);
  EXPECT_THAT(textOf(*alike), Not(HasSubstr("stablehlo.case")));
}

}  // namespace
}  // namespace vintage::tests
