// Kernels that were made to do harm: they end with an error, and soon.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/module/mosaic_payload.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "tests/harness/engine/kernels/run_kernel.h"

namespace vintage::tests {
using namespace kernel_test;
using testing::HasSubstr;

namespace {

TEST(HostileKernel, AGridOfABillionSteps) {
  EXPECT_THAT(
      messageOf(
          run({"%i: i32, %j: i32", "", "iteration_bounds = array<i64: 100000, 10000>"}, {}, {})),
      HasSubstr("the grid of 100000 x 10000 has more than 16777216 steps"));
}

TEST(HostileKernel, AGridThatOverflows) {
  EXPECT_THAT(
      messageOf(run({"%i: i32, %j: i32", "",
                     "iteration_bounds = array<i64: 9223372036854775807, 9223372036854775807>"},
                    {}, {})),
      HasSubstr("steps"));
}

TEST(HostileKernel, ALoopThatDoesNotEnd) {
  EXPECT_THAT(messageOf(run({"", R"(
    %t = "arith.constant"() {value = true} : () -> i1
    "scf.while"() ({
      "scf.condition"(%t) : (i1) -> ()
    }, {
      "scf.yield"() : () -> ()
    }) : () -> ())"},
                            {}, {})),
              HasSubstr("it is too long, or does not end"));
}

TEST(HostileKernel, AFunctionThatCallsItself) {
  EXPECT_THAT(
      messageOf(run({"", R"("func.call"() {callee = @f} : () -> ())", "",
                     functionText("f", "", R"("func.call"() {callee = @f} : () -> ())", "", "")},
                    {}, {})),
      HasSubstr("calls of @f are more than 64 deep"));
}

TEST(HostileKernel, DeepRegions) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "\"tpu.region\"() ({\n";
  for (int i = 0; i < 100; ++i) body += "\"tpu.yield\"() : () -> ()\n}) : () -> ()\n";
  EXPECT_THAT(messageOf(run({"", body}, {}, {})), HasSubstr("more than 64 deep"));
}

// MLIR's parser calls itself for each bracket, and 100,000 of them ended the process.
TEST(HostileKernel, DeeperBracketsThanTheParserSurvives) {
  for (const char* opening : {"\"tpu.region\"() ({\n", "[", "tuple<"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += opening;
    EXPECT_THAT(messageOf(runText(text, {}, {})), HasSubstr("brackets are more than 2048 deep"));
  }
}

TEST(HostileKernel, OperationsThatTheEngineDoesNotHave) {
  EXPECT_THAT(messageOf(run({"", R"("tpu.conquer"() : () -> ())"}, {}, {})),
              HasSubstr("does not have the operation tpu.conquer"));
}

// Its operations may all be known, and mean something else.
TEST(HostileKernel, AKernelOfASparseCore) {
  for (const char* core : {"sc_vector_subcore", "sc_scalar_subcore"}) {
    const auto result =
        run({"", "", fmt::format("tpu.core_type = #tpu.core_type<{}>", core)}, {}, {});
    EXPECT_EQ(result.error().kind, Error::Kind::kUnsupported);
    EXPECT_THAT(messageOf(result),
                HasSubstr(fmt::format("@kernel runs on a sparse core ({})", core)));
  }
  EXPECT_TRUE(run({"", "", "tpu.core_type = #tpu.core_type<tc>"}, {}, {}));
}

TEST(HostileKernel, GroupsOfOperandsThatDoNotAddUp) {
  EXPECT_THAT(messageOf(run({"%a: memref<4xf32>", R"(
    %z = "arith.constant"() {value = 0 : index} : () -> index
    "tpu.vector_store"(%a, %z) {operandSegmentSizes = array<i32: 9, -1, 0, 0>} : (memref<4xf32>, index) -> ())"},
                            {}, {f32({4})})),
              HasSubstr("in 4 groups"));
}

TEST(HostileKernel, ACallThatDoesNotFit) {
  EXPECT_THAT(messageOf(run({"%a: memref<4xf32>", ""}, {floats({4}, {1, 2, 3, 4})}, {f32({4})})),
              HasSubstr("where the call has 1 operands and 1 results"));
  EXPECT_THAT(messageOf(run({"%a: memref<4xf32>", ""}, {}, {f32({5})})),
              HasSubstr("the kernel takes it whole as f32[4]"));
}

TEST(HostileKernel, ValuesThatFillTheMachine) {
  std::string body;
  for (int i = 0; i < 40; ++i)
    body += "%" + std::to_string(i) +
            " = \"tpu.iota\"() {dimensions = array<i32: 1>} : () -> vector<1024x65536xi32>\n"
            "\"vector.store\"(%" +
            std::to_string(i) + ", %a) : (vector<1024x65536xi32>, memref<4xf32>) -> ()\n";
  EXPECT_THAT(messageOf(run({"%a: memref<4xf32>", body}, {}, {f32({4})})),
              HasSubstr("the kernel has more than 4294967296 bytes of values"));
  EXPECT_THAT(messageOf(run({"%a: memref<4xf32>, %s: memref<4096x4096x4096xf32>", "",
                             "scalar_prefetch = 0 : i64, scratch_operands = 1 : i64"},
                            {}, {f32({4})})),
              HasSubstr("bytes of values and memories"));
}

// Every way of cutting a kernel's text is an error that says where.
TEST(HostileKernel, Truncated) {
  const std::string text = kernelText({"%a: memref<4xf32>", R"(
    %z = "arith.constant"() {value = 0 : index} : () -> index
    %0 = "vector.load"(%a, %z) : (memref<4xf32>, index) -> vector<4xf32>)"});
  for (size_t size = 0; size + 10 < text.size(); size += 11) {
    const auto read = golden::readMosaicKernel(std::as_bytes(std::span(text).first(size)), "cut");
    ASSERT_FALSE(read) << size;
    EXPECT_THAT(read.error().message, HasSubstr("cut")) << size;
  }
}

TEST(HostileKernel, Base64) {
  const auto payload = [](const std::string& body) {
    return golden::mosaicPayload(R"({"custom_call_config": {"body": ")" + body + "\"}}");
  };
  EXPECT_FALSE(payload("abc"));
  EXPECT_FALSE(payload("ab!="));
  EXPECT_FALSE(payload(" TUw"));
  ASSERT_TRUE(payload("TUw="));
  EXPECT_EQ(payload("TUw=")->size(), 2u);
}

}  // namespace
}  // namespace vintage::tests
