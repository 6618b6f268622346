// Folders as a real producer writes them: how their goldens compare.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/program/program.h"
#include "golden/tensor/npy.h"
#include "harness/importer/import.h"
#include "tests/archive/store/sample.h"
#include "tests/golden/tensor/sample_tensors.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

template <typename Bytes>
void writeTo(const fs::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

class RecordedGoldens : public FolderTest {
 protected:
  Result<Archive::Put> read(std::string_view text, const std::vector<Tensor>& inputs,
                            const std::vector<Tensor>& expected) {
    ProgramContext context;
    ASSIGN_OR_RETURN(auto program, context.parseText(text, "<test>"));
    ASSIGN_OR_RETURN(auto bytes, program.writePortableArtifact({1, 9, 0}));
    json meta{{"primitive", primitive_}, {"name", "test"},
              {"kind", "module"},        {"recorded_by", recordedBy_},
              {"platform", "cpu"},       {"serialized_date", "2026-01-02"},
              {"nr_devices", 1},         {"custom_call_targets", json::array()},
              {"inputs", json::array()}, {"outputs", json::array()},
              {"producer", producer_},   {"harness", harness_}};
    const auto add = [&](const char* list, const char* stem, const std::vector<Tensor>& tensors) {
      for (size_t i = 0; i < tensors.size(); ++i) {
        meta[list].push_back({dtypeName(tensors[i].type()), tensors[i].shape()});
        if (list == std::string_view("inputs") && !seed_.is_null()) {
          meta[list].back().push_back(seed_);
          continue;
        }
        writeTo(path(stem + std::to_string(i) + ".npy"), writeNpy(tensors[i]));
      }
    };
    add("inputs", "input_", inputs);
    add("outputs", "expected_", expected);
    writeTo(path("module.mlirbc"), bytes);
    writeTo(path("meta.json"), meta.dump());
    const ImportEntry entry{.path = folder_, .isFolder = true};
    auto read = std::move(readImportEntries(std::span(&entry, 1), {}).front());
    if (!read) return tl::unexpected<Error>(read.error());
    oracleSays_ = read->oracleSays;
    return std::move(read->put);
  }

  std::string recordedBy_ = "jax 0.12 on cpu";
  std::string primitive_, producer_, harness_, oracleSays_;
  json seed_;  // Of the inputs; null: they have files.
};

// A program with a factorization inside, whose outputs are none of its factors,
// could not be imported: "the comparator singular_vectors does not suit 1 outputs".
TEST_F(RecordedGoldens, AProgramThatUsesAFactorizationIsTaken) {
  auto put = read(R"(
  func.func public @main(%a: tensor<2x2xf32>) -> tensor<2xf32> {
    %r:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {api_version = 4 : i32}
      : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>,
                              tensor<i32>)
    return %r#1 : tensor<2xf32>
  })",
                  {floats({2, 2}, {3, 0, 4, 5})}, {floats({2}, {6.708204f, 2.236068f})});
  ASSERT_TRUE(put) << put.error().message;
  ASSERT_TRUE(put->golden);
  ASSERT_EQ(put->golden->comparators.size(), 1u);
  EXPECT_EQ(put->golden->comparators[0].kind, Comparator::Kind::kElementwise);
  EXPECT_EQ(put->record.primitive, "svd");
}

TEST_F(RecordedGoldens, FactorsCompareByMeaning) {
  auto put =
      read(R"(
  func.func public @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
    %r:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {api_version = 4 : i32}
      : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>)
    return %r#0, %r#1 : tensor<2x2xf32>, tensor<2xf32>
  })",
           {floats({2, 2}, {2, 0, 0, 1})}, {floats({2, 2}, {0, 1, 1, 0}), floats({2}, {1, 2})});
  ASSERT_TRUE(put) << put.error().message;
  ASSERT_EQ(put->golden->comparators.size(), 1u);
  EXPECT_EQ(put->golden->comparators[0].kind, Comparator::Kind::kEigenvectors);
}

TEST_F(RecordedGoldens, AnInputThatASeedGivesNeedsNoFile) {
  constexpr char kNegated[] = R"(
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.negate %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  })";
  seed_ = {{"algorithm", "splitmix64"}, {"seed", 1234567}, {"low", 0}, {"high", 999}};
  auto put = read(kNegated, {floats({2}, {0, 0})}, {floats({2}, {-1, -2})});
  ASSERT_TRUE(put) << put.error().message;
  ASSERT_TRUE(put->golden);
  // Outputs 0 and 1 of SplitMix64: 6457827717110365317 and 3203168211198807973.
  EXPECT_TRUE(put->golden->inputs[0].identical(
      floats({2}, {(6457827717110365317u >> 32) % 1000, (3203168211198807973u >> 32) % 1000})));
  EXPECT_TRUE(writeGolden(*put->golden));
  seed_["algorithm"] = "mt19937";
  put = read(kNegated, {floats({2}, {0, 0})}, {floats({2}, {-1, -2})});
  ASSERT_FALSE(put);
  EXPECT_THAT(put.error().message, HasSubstr("meta.json"));
  EXPECT_THAT(put.error().message, HasSubstr("mt19937"));
}

// A program without outputs had no golden, so no build ever ran it.
TEST_F(RecordedGoldens, AProgramWithoutOutputsHasOneToo) {
  constexpr char kNothing[] = R"(
  func.func public @main(%a: tensor<1xf32>) {
    return
  })";
  auto put = read(kNothing, {floats({1}, {1})}, {});
  ASSERT_TRUE(put) << put.error().message;
  ASSERT_TRUE(put->golden);
  EXPECT_EQ(put->golden->inputs.size(), 1u);
  EXPECT_TRUE(writeGolden(*put->golden));
  recordedBy_ = "";
  put = read(kNothing, {floats({1}, {1})}, {});
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_FALSE(put->golden);
}

TEST_F(RecordedGoldens, SayWhereTheyMayHoldMorePrecisionThanTheProgram) {
  constexpr char kRounded[] = R"(
  func.func public @main(%a: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.convert %a : (tensor<1xf32>) -> tensor<1xbf16>
    %1 = stablehlo.convert %0 : (tensor<1xbf16>) -> tensor<1xf32>
    return %1 : tensor<1xf32>
  })";
  auto put = read(kRounded, {floats({1}, {1.001f})}, {floats({1}, {1.001f})});
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_THAT(put->golden->oracle, HasSubstr("rounds to bfloat16"));
  const Comparison comparison =
      compareOutputs(put->golden->comparators[0], put->golden->inputs, put->golden->expected,
                     std::vector<Tensor>{floats({1}, {1})});
  EXPECT_TRUE(comparison.same) << comparison.firstDifference;
}

// JAX 0.4.30 computes log1p in binary64 and complex acos up to hundreds of ulps off. Their goldens
// failed every consumer that computes better.
TEST_F(RecordedGoldens, AnInexactProducerIsNoFaultOfAnExactConsumer) {
  primitive_ = "log1p";
  Tensor input(ElementType::kF64, {2});
  input.mutableValues<double>()[0] = 1.0;
  input.mutableValues<double>()[1] = 3.0;
  const double truth[] = {0.6931471805599453, 1.3862943611198906};  // ln 2, ln 4
  Tensor recorded(ElementType::kF64, {2});
  recorded.mutableValues<double>()[0] = truth[0];
  recorded.mutableValues<double>()[1] = truth[1] * (1 + 400 * 0x1p-52);
  auto put = read(R"(
  func.func public @main(%a: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.log_plus_one %a : tensor<2xf64>
    return %0 : tensor<2xf64>
  })",
                  {input}, {recorded});
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_THAT(oracleSays_, HasSubstr("the oracle differs in 1 of 2 elements"));
  Tensor exact(ElementType::kF64, {2});
  std::ranges::copy(truth, exact.mutableValues<double>().begin());
  const auto same = [&](const Tensor& output) {
    return compareOutputs(put->golden->comparators.front(), put->golden->inputs,
                          put->golden->expected, std::span(&output, 1))
        .same;
  };
  EXPECT_TRUE(same(exact));
  exact.mutableValues<double>()[1] = truth[1] * (1 + 1e-9);
  EXPECT_FALSE(same(exact));
}

// A result far from the oracle is wrong: the forgiven distance has a limit.
TEST_F(RecordedGoldens, AWrongProducerIsNotForgiven) {
  primitive_ = "neg";
  auto put = read(R"(
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.negate %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                  {floats({2}, {1, -2})}, {floats({2}, {-1, 3})});
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_THAT(oracleSays_, HasSubstr("the oracle differs in 1 of 2 elements"));
  EXPECT_FALSE(put->golden->comparators.front().tolerance.ulps);
}

// A function of our own is named after a primitive that it contains. `produce` held softmax against
// exp, and said that the oracle differs.
TEST_F(RecordedGoldens, TheOracleIsNotAskedOfFunctionsThatContainThePrimitive) {
  primitive_ = "exp";
  const auto says = [&](const std::string& harness) {
    harness_ = harness;
    auto put = read(R"(
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %a : tensor<2xf32>
    %1 = stablehlo.add %0, %0 : tensor<2xf32>
    return %1 : tensor<2xf32>
  })",
                    {floats({2}, {0, 1})}, {floats({2}, {2, 5.4365635F})});
    EXPECT_TRUE(put) << put.error().message;
    return oracleSays_;
  };
  producer_ = "jax 0.12.0.1";
  EXPECT_EQ(says(""), "");
  EXPECT_THAT(says("exp_shape=f32[2]"), HasSubstr("the oracle differs in 2 of 2 elements"));
}

// An exact producer leaves the comparator as it is.
TEST_F(RecordedGoldens, TheOracleConfirms) {
  primitive_ = "neg";
  auto put = read(R"(
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.negate %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                  {floats({2}, {1, -2})}, {floats({2}, {-1, 2})});
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_EQ(oracleSays_, "");
}

}  // namespace
}  // namespace vintage::tests
