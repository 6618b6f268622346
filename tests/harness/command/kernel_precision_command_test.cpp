// A kernel for a TPU that was given too little precision. Its golden's tolerance allows for
// products in bf16, so nothing failed, and nobody named the place. `vintage explain` does, and
// `vintage diff` says in what two versions of a kernel differ.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"
#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// x * x + y. It narrows y, whose values stay what they are, and by `middle` the product.
std::string kernelOf(const std::string& middle, const std::string& product) {
  return R"("builtin.module"() ({ "func.func"() ({
^bb0(%x: memref<3xf32, #tpu.memory_space<vmem>>, %y: memref<3xf32, #tpu.memory_space<vmem>>, %o: memref<3xf32, #tpu.memory_space<vmem>>):
  %z = "arith.constant"() {value = 0 : index} : () -> index
  %0 = "vector.load"(%x, %z) : (memref<3xf32, #tpu.memory_space<vmem>>, index) -> vector<3xf32>
  %1 = "vector.load"(%y, %z) : (memref<3xf32, #tpu.memory_space<vmem>>, index) -> vector<3xf32>
  %2 = "arith.truncf"(%1) : (vector<3xf32>) -> vector<3xbf16> loc("kernel.py":4:9)
  %3 = "arith.extf"(%2) : (vector<3xbf16>) -> vector<3xf32>
  %4 = "arith.mulf"(%0, %0) : (vector<3xf32>, vector<3xf32>) -> vector<3xf32>
  )" + middle +
         R"(
  %7 = "arith.addf"()" +
         product + R"(, %3) : (vector<3xf32>, vector<3xf32>) -> vector<3xf32>
  "vector.store"(%7, %o, %z) : (vector<3xf32>, memref<3xf32, #tpu.memory_space<vmem>>, index) -> ()
  "func.return"() : () -> ()
}) {function_type = (memref<3xf32, #tpu.memory_space<vmem>>, memref<3xf32, #tpu.memory_space<vmem>>, memref<3xf32, #tpu.memory_space<vmem>>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
)";
}

const std::string kNarrowed =
    R"(%5 = "arith.truncf"(%4) : (vector<3xf32>) -> vector<3xbf16> loc("kernel.py":6:9)
  %6 = "arith.extf"(%5) : (vector<3xbf16>) -> vector<3xf32>)";

class KernelPrecision : public testing::Test {
 protected:
  // A portable artifact that calls the kernel.
  std::string convert(const std::string& name, const std::string& kernel) const {
    const std::string config = fmt::format(R"({{\"custom_call_config\": {{\"body\": \"{}\"}}}})",
                                           base64Text(std::as_bytes(std::span(kernel))));
    const std::string source = sandbox_.write(name + ".mlir", fmt::format(R"(module @squares {{
  func.func public @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {{
    %0 = stablehlo.custom_call @tpu_custom_call(%x, %y) {{api_version = 1 : i32,
      backend_config = "{}", kernel_name = "squares"}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }}
}}
)",
                                                                          config));
    const std::string module = sandbox_.path(name + ".mlirbc");
    const Finished converted = sandbox_.run({"convert", source, "--target", "1.0.0", "-o", module});
    EXPECT_EQ(converted.status, 0) << converted.err;
    return module;
  }

  // Archives a call with the golden of x = 1, 2, 3 / 128 more, and y = 10, 20, 30.
  void put(const std::string& kernel) {
    const std::string module = convert("squares", kernel);
    constexpr float kMore = 1.0f / 128;
    const float x[] = {1 + kMore, 2 + kMore, 3 + kMore};
    sandbox_.write("x.npy", npyOfThree(x[0], x[1], x[2]));
    sandbox_.write("y.npy", npyOfThree(10, 20, 30));
    sandbox_.write("o.npy", npyOfThree(x[0] * x[0] + 10, x[1] * x[1] + 20, x[2] * x[2] + 30));
    put_ = sandbox_.run({"put", module, "--archive", archive_, "--inputs", sandbox_.path("x.npy"),
                         sandbox_.path("y.npy"), "--outputs", sandbox_.path("o.npy"),
                         "--build-date", "2026-06-01"});
    ASSERT_EQ(put_.status, 0) << put_.err;
  }

  Sandbox sandbox_;
  std::string archive_ = sandbox_.path("A");
  Finished put_;
};

TEST_F(KernelPrecision, ExplainNamesTheRoundingThatKeepsAKernelFromItsGolden) {
  put(kernelOf(kNarrowed, "%6"));
  EXPECT_THAT(put_.out, Not(HasSubstr("golden in doubt")));
  const Finished explained = sandbox_.run({"explain", "squares.mlirbc", "--archive", archive_});
  EXPECT_THAT(explained.out,
              HasSubstr("its kernels keep less precision than the golden; the engine gives it "
                        "without\n  arith.truncf at kernel.py:6:9 rounds to bf16\n"));
  EXPECT_THAT(explained.out, Not(HasSubstr("kernel.py:4:9")));
  const json said = json::parse(
      sandbox_.run({"explain", "squares.mlirbc", "--archive", archive_, "--format", "json"}).out);
  EXPECT_EQ(said["kernels"]["culprits"],
            json::array({"arith.truncf at kernel.py:6:9 rounds to bf16"}));
  EXPECT_EQ(said["kernels"]["roundings"], 2);
}

// Wrong by more than any rounding.
TEST_F(KernelPrecision, ExplainSaysThatNoRoundingExplainsADifference) {
  put(kernelOf("", "%0"));
  const Finished explained = sandbox_.run({"explain", "squares.mlirbc", "--archive", archive_});
  EXPECT_THAT(explained.out, HasSubstr("the roundings in the kernels (1) do not explain it"));
}

TEST_F(KernelPrecision, ExplainAcquitsARoundingThatChangesNothing) {
  put(kernelOf("", "%4"));
  const Finished explained = sandbox_.run({"explain", "squares.mlirbc", "--archive", archive_});
  EXPECT_THAT(explained.out, HasSubstr("the engine, which runs its kernels from their own bytes, "
                                       "gives the golden"));
}

TEST_F(KernelPrecision, DiffNamesTheRoundingThatAnotherVersionHas) {
  const Finished found = sandbox_.run(
      {"diff", convert("before", kernelOf("", "%4")), convert("after", kernelOf(kNarrowed, "%6"))});
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("kernel_roundings"));
  EXPECT_THAT(found.out, HasSubstr("arith.truncf at kernel.py:6:9 rounds to bf16"));
}

}  // namespace
}  // namespace vintage::tests::command
