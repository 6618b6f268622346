// How JAX lowers solvers, random numbers and searches whose sizes are dimension
// variables: the shapes of results become operands.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "primitives/catalogue/case.h"
#include "tests/primitives/catalogue/case_of.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

LoweredCase lowered(std::string_view id, const std::string& platform = "cpu") {
  Result<LoweredCase> found = caseOf(id).lower(platform);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *found : LoweredCase{};
}

TEST(DynamicLowering, SolversTakeTheShapesOfTheirResults) {
  const LoweredCase poly = lowered("cholesky_f32[3,4,4]_poly");
  EXPECT_THAT(textOf(poly),
              AllOf(HasSubstr("@lapack_spotrf_ffi"),
                    HasSubstr("indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>"),
                    HasSubstr("dense<0> : tensor<1xindex>"),
                    // It cannot be split along batches of unknown number.
                    Not(HasSubstr("num_batch_dims"))));
  EXPECT_THAT(textOf(lowered("cholesky_f32[2,3,3]")),
              AllOf(HasSubstr("num_batch_dims = \"1\""), Not(HasSubstr("indices_of_shape"))));
  EXPECT_EQ(poly.module, lowered("cholesky_f32[6,4,4]_poly").module);
  EXPECT_THAT(poly.symbolicInputs, ElementsAre(ElementsAre("b", "4", "4")));
  // The matrices' own size may be one, too.
  EXPECT_THAT(lowered("cholesky_f32[3,5,5]_poly").symbolicOutputs,
              ElementsAre(ElementsAre("b", "c", "c")));
}

TEST(DynamicLowering, SoDoTheTargetsOfOtherPlatforms) {
  EXPECT_THAT(textOf(lowered("eigh_f32[3,3,3]_lower=true_poly", "cuda")),
              AllOf(HasSubstr("@cusolver_syevd_ffi"), HasSubstr("dense<[1, 2, 3]>")));
  EXPECT_THAT(textOf(lowered("eigh_f32[3,3,3]_lower=true_poly", "tpu")),
              AllOf(HasSubstr("@Eigh"), HasSubstr("backend_config = \"1,1,100,1e-6\""),
                    HasSubstr("indices_of_shape_operands = dense<[1, 2]>")));
  EXPECT_THAT(textOf(lowered("lu_f32[3,3,4]_poly", "tpu")),
              AllOf(HasSubstr("@LuDecomposition"), HasSubstr("dense<[1, 2, 3]>")));
  EXPECT_THAT(textOf(lowered("threefry2x32_u32[3,5],u32[3,5],u32[3,5],u32[3,5]_poly", "cuda")),
              AllOf(HasSubstr("@cu_threefry2x32_ffi"), HasSubstr("dense<[4, 5]>")));
}

TEST(DynamicLowering, EverySolverHasAVariantWithDimensionVariables) {
  std::set<std::string> primitives;
  for (const Case& entry : catalogue()) {
    if (entry.variant == "poly") primitives.insert(entry.primitive);
  }
  EXPECT_THAT(primitives,
              IsSupersetOf({"cholesky", "custom_linear_solve", "eig", "eigh", "geqrf", "hessenberg",
                            "householder_product", "lu", "lu_pivots_to_permutation", "qr", "schur",
                            "svd", "triangular_solve", "tridiagonal", "tridiagonal_solve"}));
  EXPECT_THAT(primitives,
              IsSupersetOf({"random_bits", "random_categorical", "random_gamma", "random_randint",
                            "random_seed", "random_split", "random_uniform", "rng_bit_generator",
                            "threefry2x32", "approx_top_k"}));
}

// A key has no shape variable: another argument has it, and is kept though unused.
TEST(DynamicLowering, RandomArraysTakeTheirShapeFromAnArgument) {
  const LoweredCase bits = lowered("random_bits_u32[2],u32[3,5]_bits=32_shape=3-5_poly");
  EXPECT_THAT(bits.symbolicInputs, ElementsAre(ElementsAre("2"), ElementsAre("b", "c")));
  EXPECT_THAT(bits.symbolicOutputs, ElementsAre(ElementsAre("b", "c")));
  EXPECT_THAT(bits.keptInputs, ElementsAre(0, 1));
  EXPECT_THAT(textOf(bits), HasSubstr("stablehlo.dynamic_iota"));
  const LoweredCase generated =
      lowered("rng_bit_generator_u32[4],u32[6,2]_u32[6,2]_algorithm=THREE_FRY_poly");
  EXPECT_THAT(textOf(generated),
              AllOf(HasSubstr("@stablehlo.dynamic_rng_bit_generator"),
                    HasSubstr("rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>")));
}

TEST(DynamicLowering, ASearchForAsManyAsAVariableSaysIsOfATargetOfItsOwn) {
  EXPECT_THAT(textOf(lowered("approx_top_k_f32[7]_k=3_dimension=0_max=true_poly")),
              AllOf(HasSubstr("@stablehlo.dynamic_approx_top_k"), Not(HasSubstr("top_k = ")),
                    HasSubstr("indices_of_shape_operands = dense<[5, 6]>")));
  EXPECT_THAT(textOf(lowered("approx_top_k_f32[3,6]_k=2_dimension=1_max=true_poly")),
              AllOf(HasSubstr("@ApproxTopK"), HasSubstr("top_k = 2 : i64"),
                    HasSubstr("indices_of_shape_operands = dense<[4, 5]>")));
}

// If no library solves tridiagonal systems, JAX writes the elimination out.
TEST(DynamicLowering, TridiagonalSystemsNeedNoTargetOnTpus) {
  for (const char* id : {"tridiagonal_solve_f32[5],f32[5],f32[5],f32[5,2]",
                         "tridiagonal_solve_f64[3,4],f64[3,4],f64[3,4],f64[3,4,2]_poly"}) {
    ProgramContext context;
    const auto program = context.build(lowered(id, "tpu").module, id);
    ASSERT_TRUE(program) << program.error().message;
    for (const std::string& target : program->customCallTargets()) {
      EXPECT_EQ(target, "shape_assertion") << id;
    }
  }
}

// The polar decomposition is JAX's own program; its calls are the TPU's.
TEST(DynamicLowering, SingularValuesOnTpusComeFromThePolarDecomposition) {
  for (const char* id :
       {"svd_f32[3,3]_full=false_uv=true", "svd_c128[5,3]_full=true_uv=true",
        "svd_f64[3,5]_full=false_uv=false", "svd_f32[6,4,3]_full=false_uv=true_poly"}) {
    ProgramContext context;
    const LoweredCase svd = lowered(id, "tpu");
    const auto program = context.build(svd.module, id);
    ASSERT_TRUE(program) << id << program.error().message;
    EXPECT_THAT(program->customCallTargets(),
                IsSupersetOf({"Eigh", "ProductOfElementaryHouseholderReflectors", "Qr"}));
    // The sweeps need not sort: the values are sorted afterwards, in descending order.
    EXPECT_THAT(program->print(), AllOf(HasSubstr("1,0,100,1e-6"), HasSubstr("stablehlo.cholesky"),
                                        HasSubstr("stablehlo.reverse"), Not(HasSubstr("gesdd"))));
  }
}

}  // namespace
}  // namespace vintage::tests
