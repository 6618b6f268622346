#include <cmath>
#include <set>

#include <fmt/format.h>

#include "harness/engine/custom_calls/registry.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CustomCallTargets, AreSortedDescribedAndUnique) {
  std::set<std::string> names;
  for (const CustomCallTarget& target : customCallTargets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_FALSE(target.apiVersions.empty()) << target.name;
    EXPECT_NE(target.factory, nullptr) << target.name;
    EXPECT_EQ(findCustomCallTarget(target.name), &target);
  }
  EXPECT_TRUE(std::ranges::is_sorted(customCallTargets(), {}, &CustomCallTarget::name));
  EXPECT_EQ(findCustomCallTarget("lapack_spotrfffi"), nullptr);
  EXPECT_EQ(findCustomCallTarget(""), nullptr);
}

TEST(CustomCallTargets, HaveEveryLapackTargetThatJaxGuarantees) {
  for (const char* family :
       {"potrf", "getrf", "geqrf", "geev", "gesdd", "gees", "gehrd", "trsm", "gtsv"}) {
    for (char prefix : {'s', 'd', 'c', 'z'}) {
      EXPECT_NE(findCustomCallTarget(std::string("lapack_") + prefix + family + "_ffi"), nullptr)
          << family << prefix;
    }
  }
  for (const char* name :
       {"lapack_ssyevd_ffi", "lapack_zheevd_ffi", "lapack_dorgqr_ffi", "lapack_cungqr_ffi",
        "lapack_ssytrd_ffi", "lapack_chetrd_ffi", "blas_strsm", "lapack_cgesdd", "lapack_zheevd"}) {
    EXPECT_NE(findCustomCallTarget(name), nullptr) << name;
  }
  const CustomCallTarget* potrf = findCustomCallTarget("lapack_spotrf_ffi");
  EXPECT_THAT(potrf->signature.operands, ElementsAre("a: f32[*,n,n]"));
  EXPECT_THAT(potrf->signature.attributes, ElementsAre("uplo: ui8"));
  EXPECT_THAT(findCustomCallTarget("lapack_zheevd_ffi")->signature.results,
              ElementsAre("a: complex<f64>[*,n,n]", "w: f64[*,n]", "info: i32[*]"));
}

TEST(CustomCall, NamesATargetThatIsMissing) {
  const auto outputs =
      tryMain("(%a: tensor<f32>) -> tensor<f32>",
              "%0 = stablehlo.custom_call @lapack_spotrf_fii(%a) : (tensor<f32>) -> tensor<f32>\n"
              "return %0 : tensor<f32>",
              {floats({}, {1})});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(outputs.error().message, HasSubstr("'lapack_spotrf_fii'"));
  EXPECT_THAT(outputs.error().message, HasSubstr("lapack_spotrf_ffi"));
}

TEST(Layouts, RearrangeAndComeBack) {
  const Tensor matrix = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto columns = toLayout(matrix, std::vector<int64_t>{0, 1});
  ASSERT_TRUE(columns.has_value());
  EXPECT_THAT(valuesOf<float>(*columns), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_TRUE(fromLayout(*columns, std::vector<int64_t>{0, 1})->identical(matrix));
  const Tensor cube = floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto batch = toLayout(cube, std::vector<int64_t>{1, 2, 0});
  ASSERT_TRUE(batch.has_value());
  EXPECT_THAT(valuesOf<float>(*batch), ElementsAre(1, 3, 2, 4, 5, 7, 6, 8));
  EXPECT_FALSE(toLayout(matrix, std::vector<int64_t>{0, 0}));
  EXPECT_FALSE(toLayout(matrix, std::vector<int64_t>{0}));
  EXPECT_FALSE(toLayout(matrix, std::vector<int64_t>{2, 1}));
}

constexpr const char* kPotrf =
    "%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, "
    "operand_layouts = [dense<[0, 1]> : tensor<2xindex>], "
    "result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : "
    "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)\n return %0#0, %0#1 : tensor<2x2xf32>, "
    "tensor<i32>";

TEST(Potrf, FactorsTheLowerHalfAndTellsFailure) {
  const std::string signature = "(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)";
  auto outputs = runMain(signature, kPotrf, {floats({2, 2}, {4, 99, 2, 5})});
  EXPECT_THAT(valuesOf<float>(outputs[0]), ElementsAre(2, 99, 1, 2));
  EXPECT_EQ(outputs[1].values<int32_t>()[0], 0);
  outputs = runMain(signature, kPotrf, {floats({2, 2}, {1, 0, 2, 1})});
  EXPECT_EQ(outputs[1].values<int32_t>()[0], 2);
}

TEST(Potrf, RefusesWrongOperandsAndAttributes) {
  const auto refuses = [](const std::string& type, const std::string& config,
                          const std::string& operands) {
    const auto outputs =
        tryMain("(%a: " + type + ") -> (" + type + ", tensor<i32>)",
                "%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(" + operands +
                    ") {mhlo.backend_config = " + config + "} : (" +
                    (operands == "%a" ? type : type + ", " + type) + ") -> (" + type +
                    ", tensor<i32>)\n return %0#0, %0#1 : " + type + ", tensor<i32>",
                {type == "tensor<2x2xf64>"   ? Tensor(ElementType::kF64, {2, 2})
                 : type == "tensor<2x3xf32>" ? Tensor(ElementType::kF32, {2, 3})
                                             : Tensor(ElementType::kF32, {2, 2})});
    return outputs ? std::string() : outputs.error().message;
  };
  EXPECT_EQ(refuses("tensor<2x2xf32>", "{uplo = 76 : ui8}", "%a"), "");
  EXPECT_THAT(refuses("tensor<2x2xf32>", "{}", "%a"), HasSubstr("'uplo' is missing"));
  EXPECT_THAT(refuses("tensor<2x2xf32>", "{uplo = \"L\"}", "%a"), HasSubstr("another kind"));
  EXPECT_THAT(refuses("tensor<2x3xf32>", "{uplo = 76 : ui8}", "%a"), HasSubstr("square"));
  EXPECT_THAT(refuses("tensor<2x2xf64>", "{uplo = 76 : ui8}", "%a"), HasSubstr("f32"));
  EXPECT_THAT(refuses("tensor<2x2xf32>", "{uplo = 76 : ui8}", "%a, %a"), HasSubstr("2 operands"));
}

TEST(OldLapackForm, RefusesSizesThatContradictTheMatrix) {
  const auto run = [](int n) {
    return tryMain(
        "(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)",
        "%l = stablehlo.constant dense<1> : tensor<i32>\n %n = stablehlo.constant dense<" +
            std::to_string(n) +
            "> : tensor<i32>\n"
            "%0:2 = stablehlo.custom_call @lapack_spotrf(%l, %l, %n, %a) {api_version = 2 : i32} : "
            "(tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, "
            "tensor<i32>)\n"
            "return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32>",
        {floats({2, 2}, {4, 2, 2, 5})});
  };
  EXPECT_TRUE(run(2).has_value());
  ASSERT_FALSE(run(1000000).has_value());
  EXPECT_THAT(run(1000000).error().message, HasSubstr("1000000"));
}

TEST(ShapeAssertion, FillsItsMessage) {
  const auto run = [](int64_t value) {
    return tryMain("(%a: tensor<i64>) -> tensor<i64>",
                   "%c = stablehlo.constant dense<3> : tensor<i64>\n"
                   "%0 = stablehlo.compare LT, %a, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
                   "stablehlo.custom_call @shape_assertion(%0, %a, %c) {api_version = 2 : i32, "
                   "has_side_effect = true, "
                   "error_message = \"Got {0} {x} and wanted less than {1}.\"} : (tensor<i1>, "
                   "tensor<i64>, tensor<i64>) -> ()\n"
                   "return %a : tensor<i64>",
                   {filled<int64_t>(ElementType::kI64, {}, {value})});
  };
  EXPECT_TRUE(run(2).has_value());
  const auto failed = run(7);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(failed.error().message, HasSubstr("Got 7 {x} and wanted less than 3."));
}

// JAX's SvdAlgorithm.QR; it gives what the divide and conquer gives. By NumPy.
TEST(LapackTargets, SingularValuesByQrIterations) {
  const auto outputs = runMain(
      "(%a: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>)",
      R"(%0:5 = stablehlo.custom_call @lapack_dgesvd_ffi(%a) {api_version = 4 : i32,
           mhlo.backend_config = {mode = 65 : ui8},
           operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
           result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>,
             dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>,
             dense<> : tensor<0xindex>]}
         : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>,
                                 tensor<i32>)
         return %0#1, %0#2, %0#3, %0#4
           : tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>)",
      {filled<double>(ElementType::kF64, {3, 2}, {1, 2, 3, 4, 5, 6})});
  const auto s = valuesOf<double>(outputs[0]), u = valuesOf<double>(outputs[1]),
             vt = valuesOf<double>(outputs[2]);
  EXPECT_NEAR(s[0], 9.525518091565107, 1e-13);
  EXPECT_NEAR(s[1], 0.514300580658644, 1e-13);
  EXPECT_THAT(valuesOf<int32_t>(outputs[3]), ElementsAre(0));
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(u[i * 3] * s[0] * vt[j] + u[i * 3 + 1] * s[1] * vt[2 + j],
                  static_cast<double>(2 * i + j + 1), 1e-13);
}

TEST(IdentityTargets, PassTheirOperandThrough) {
  for (const char* name : {"Sharding", "annotate_device_placement", "xla.sdy.FuncResultSharding"}) {
    const auto outputs =
        runMain("(%a: tensor<2xf32>) -> tensor<2xf32>",
                "%0 = stablehlo.custom_call @" + std::string(name) +
                    "(%a) : (tensor<2xf32>) -> tensor<2xf32>\n return %0 : tensor<2xf32>",
                {floats({2}, {3, 4})});
    EXPECT_THAT(valuesOf<float>(outputs[0]), ElementsAre(3, 4));
  }
}

TEST(DuccFft, RefusesADamagedDescriptor) {
  const auto outputs =
      tryMain("(%d: tensor<16xui8>, %a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>",
              "%0 = stablehlo.custom_call @ducc_fft(%d, %a) {api_version = 2 : i32} : "
              "(tensor<16xui8>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>\n"
              "return %0 : tensor<4xcomplex<f32>>",
              {filled<uint8_t>(ElementType::kUi8, {16}, std::vector<uint8_t>(16, 0xFF)),
               Tensor(ElementType::kC64, {4})});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().kind, Error::Kind::kBadInput);
}

TEST(Ormqr, MultipliesByWhatOrgqrForms) {
  // Q R of the factorization is the matrix again, from the left; and R^T Q^T from the right its
  // transpose.
  const Tensor a = floats({3, 3}, {3, 1, 2, 4, 2, -1, 0, 5, 1});
  const std::string factored = R"(
    %h, %tau = "stablehlo.custom_call"(%a) {call_target_name = "lapack_sgeqrf_ffi",
        api_version = 4 : i32, operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
        result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}
        : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)
    %rows = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %columns = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %upper = stablehlo.compare LE, %rows, %columns
        : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %zero = stablehlo.constant dense<0.0> : tensor<3x3xf32>
    %r = stablehlo.select %upper, %h, %zero : tensor<3x3xi1>, tensor<3x3xf32>
)";
  for (const bool left : {true, false}) {
    const std::string c = left ? "%r" : "%rt";
    const auto outputs = runMain("(%a: tensor<3x3xf32>) -> tensor<3x3xf32>",
                                 factored + fmt::format(R"(
    %rt = stablehlo.transpose %r, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %q = "stablehlo.custom_call"(%h, %tau, {0}) {{call_target_name = "lapack_sormqr_ffi",
        api_version = 4 : i32, backend_config = {{left = {1}, transpose = {2}}},
        operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>,
                           dense<[0, 1]> : tensor<2xindex>],
        result_layouts = [dense<[0, 1]> : tensor<2xindex>]}}
        : (tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    return %q : tensor<3x3xf32>)",
                                                        c, left, !left),
                                 {a});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(outputs[0].values<float>()[left ? 3 * i + j : 3 * j + i],
                    a.values<float>()[3 * i + j], 1e-5)
            << left;
  }
}

TEST(Geqp3, TakesTheLongestColumnFirst) {
  const auto outputs =
      runMain("(%a: tensor<2x3xf32>, %p: tensor<3xi32>) -> (tensor<2x3xf32>, tensor<3xi32>)",
              R"(
    %h, %q, %tau = "stablehlo.custom_call"(%a, %p) {call_target_name = "lapack_sgeqp3_ffi",
        api_version = 4 : i32,
        operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>],
        result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>,
                          dense<0> : tensor<1xindex>]}
        : (tensor<2x3xf32>, tensor<3xi32>) -> (tensor<2x3xf32>, tensor<3xi32>, tensor<2xf32>)
    return %h, %q : tensor<2x3xf32>, tensor<3xi32>)",
              {floats({2, 3}, {1, 3, 0, 0, 4, 2}), ints({3}, {0, 0, 0})});
  EXPECT_EQ(outputs[1].values<int32_t>()[0], 2);
  EXPECT_NEAR(std::abs(outputs[0].values<float>()[0]), 5, 1e-5);
}

TEST(CsrProduct, SumsTheElementsOfARow) {
  // [[0, 2, 0], [0, 0, 0], [1, 0, 3]] times (1, 10, 100).
  const std::string signature =
      "(%v: tensor<3xf32>, %s: tensor<4xi32>, %c: tensor<3xi32>, %x: tensor<3xf32>)"
      " -> tensor<3xf32>";
  const std::string body = R"(
    %y = "stablehlo.custom_call"(%v, %s, %c, %x) {call_target_name = "cpu_csr_sparse_dense_ffi",
        api_version = 4 : i32}
        : (tensor<3xf32>, tensor<4xi32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>)";
  const auto indices = [](std::vector<int32_t> values) {
    return ints({static_cast<int64_t>(values.size())}, values);
  };
  const Tensor elements = floats({3}, {2, 1, 3}), x = floats({3}, {1, 10, 100});
  const auto outputs =
      runMain(signature, body, {elements, indices({0, 1, 1, 3}), indices({1, 0, 2}), x});
  EXPECT_THAT(outputs[0].values<float>(), ElementsAre(20, 0, 301));
  for (const auto& [starts, columns] : {std::pair{std::vector{0, 1, 1, 4}, std::vector{1, 0, 2}},
                                        {std::vector{0, 2, 1, 3}, std::vector{1, 0, 2}},
                                        {std::vector{0, 1, 1, 3}, std::vector{1, 0, 3}}}) {
    const auto refused = tryMain(signature, body, {elements, indices(starts), indices(columns), x});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, Error::Kind::kBadInput);
  }
}

// A solver that divides by a pivot of zero gives infinities; a perturbed one a large answer.
TEST(TridiagonalPerturbed, SolvesAndSurvivesASingularMatrix) {
  const auto solve = [](std::vector<float> dl, std::vector<float> d, std::vector<float> du,
                        std::vector<float> b) {
    return runMain(
        "(%l: tensor<3xf32>, %d: tensor<3xf32>, %u: tensor<3xf32>, %b: tensor<3x1xf32>)"
        " -> tensor<3x1xf32>",
        R"(
    %x = "stablehlo.custom_call"(%l, %d, %u, %b) {
        call_target_name = "tridiagonal_solve_perturbed_ffi", api_version = 4 : i32,
        operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>,
                           dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>],
        result_layouts = [dense<[0, 1]> : tensor<2xindex>]}
        : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    return %x : tensor<3x1xf32>)",
        {floats({3}, dl), floats({3}, d), floats({3}, du), floats({3, 1}, b)});
  };
  // Rows are exchanged: [[1, 2, 0], [4, 1, 1], [0, 3, 1]] x = b with x = (1, -1, 2).
  const auto regular = solve({0, 4, 3}, {1, 1, 1}, {2, 1, 0}, {-1, 5, -1});
  EXPECT_THAT(regular[0].values<float>(),
              testing::Pointwise(testing::FloatNear(1e-5f), {1.0f, -1.0f, 2.0f}));
  // [[1, 1, 0], [1, 1, 0], [0, 0, 1]] has no inverse.
  const auto singular = solve({0, 1, 0}, {1, 1, 1}, {1, 0, 0}, {1, 2, 3});
  for (const float value : singular[0].values<float>()) EXPECT_TRUE(std::isfinite(value));
  EXPECT_GT(std::abs(singular[0].values<float>()[0]), 1e5f);
  EXPECT_FLOAT_EQ(singular[0].values<float>()[2], 3);
}

}  // namespace
}  // namespace vintage::tests
