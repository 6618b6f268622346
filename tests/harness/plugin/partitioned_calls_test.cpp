// Custom calls that a client splits over devices while a program is compiled, as JAX's
// custom_partitioning does. The plugin refused them.
#include <filesystem>

#include "tests/harness/plugin/partitions_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kInternal = 13;

// The number of the device is added to its half.
constexpr char kAddsItsNumber[] = R"(module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @number() : () -> tensor<2xf32>
    %1 = stablehlo.add %a, %0 : tensor<2xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
  func.func private @number() -> tensor<2xf32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
})";

std::string calling(std::string_view target, std::string_view attributes = "") {
  return fmt::format(
      "%0 = stablehlo.custom_call @{}(%a) {{backend_config = \"key\"{}}} : (tensor<4xf32>) -> "
      "tensor<4xf32>",
      target, attributes);
}

class PluginPartitions : public PluginOnTwoDevices {
 protected:
  explicit PluginPartitions(std::vector<std::pair<std::string, std::string>> options = {})
      : PluginOnTwoDevices(std::move(options)) {
    partitioner_.module = kAddsItsNumber;
    partitioner_.operandShardings = {kHalves};
    partitioner_.resultSharding = kHalves;
  }

  TestPartitioner partitioner_{"test_call"};
};

TEST_F(PluginPartitions, EachDeviceRunsThePartitionersModule) {
  const Answer compiled = compileOnTwo(programOf(calling("test_call")));
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(partitioner_.asked, ElementsAre("partition: f32[4] halves: key -> whole"));
  EXPECT_EQ(partitioner_.cleaned, 1);
  EXPECT_THAT(runOnBoth(), ElementsAre(1, 2, 4, 5));
}

// The module may say again what its program says, and a program may have two such calls.
TEST_F(PluginPartitions, NamesOfModulesDoNotMeet) {
  const std::string own = R"(
    sdy.mesh @mesh = <["y"=2]>
    func.func private @"partition0.main"(%a: tensor<4xf32>) -> tensor<4xf32> {
      return %a : tensor<4xf32>
    })";
  const std::string body = R"(%1 = stablehlo.custom_call @test_call(%a)
      {backend_config = "key"} : (tensor<4xf32>) -> tensor<4xf32>
    %0 = stablehlo.custom_call @test_call(%1)
      {backend_config = "key"} : (tensor<4xf32>) -> tensor<4xf32>)";
  const Answer compiled = compileOnTwo(programOf(body, kSplit, kSplit, own));
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(runOnBoth(), ElementsAre(1, 2, 5, 6));
}

// Where a result lies, by XLA's own propagation: the partitioner infers it.
TEST_F(PluginPartitions, TheResultLiesAsThePartitionerInfers) {
  partitioner_.inferred = kHalves;
  const Answer compiled = compileOnTwo(programOf(calling("test_call"), kSplit, ""), "");
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(partitioner_.asked,
              ElementsAre("infer: f32[4] halves: key", "partition: f32[4] halves: key -> halves"));
  EXPECT_EQ(partitioner_.cleaned, 2);
  EXPECT_THAT(runOnBoth(), ElementsAre(1, 2, 4, 5));
}

TEST_F(PluginPartitions, TheResultLiesAsItsUserWouldHaveIt) {
  for (const bool takes : {true, false}) {
    partitioner_.asked.clear();
    partitioner_.takesUsers = takes;
    const std::string program = programOf(calling("test_call"), "");
    const Answer compiled = compileOnTwo(program, "");
    ASSERT_EQ(compiled.code, kOk) << compiled.message;
    const char* lies = takes ? "halves" : "whole";
    EXPECT_THAT(
        partitioner_.asked,
        ElementsAre("user:: key halves", fmt::format("partition: f32[4] whole: key -> {}", lies)));
    EXPECT_THAT(runOnBoth({{1, 2, 3, 4}, {1, 2, 3, 4}}), ElementsAre(1, 2, 4, 5));
  }
}

// By Shardy's: the call's own rule, and nobody is asked.
TEST_F(PluginPartitions, TheResultLiesAsItsRuleSays) {
  partitioner_.inferred = kWhole;
  const std::string program =
      programOf(calling("test_call",
                        ", sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}, custom>"),
                kSplit, "");
  const Answer compiled = compileOnTwo(program);
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(partitioner_.asked, ElementsAre("partition: f32[4] halves: key -> halves"));
  EXPECT_THAT(runOnBoth(), ElementsAre(1, 2, 4, 5));
}

TEST_F(PluginPartitions, ACallThatNothingReachesRunsAsIfReplicated) {
  partitioner_.inferred = kHalves;
  const Answer compiled = compileOnTwo(programOf(calling("test_call"), "", ""), "");
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(partitioner_.asked, ElementsAre("partition: f32[4] whole: key -> whole"));
  EXPECT_THAT(runOnBoth({{1, 2, 3, 4}, {1, 2, 3, 4}}), ElementsAre(1, 2, 4, 5, 1, 2, 4, 5));
}

TEST_F(PluginPartitions, SeveralResultsAreATuple) {
  partitioner_.module = R"(module @m {
    func.func public @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = stablehlo.add %a, %a : tensor<2xf32>
      return %a, %0 : tensor<2xf32>, tensor<2xf32>
    }
  })";
  partitioner_.resultSharding = "\x08\x02\x2a\x09"s + kHalves + "\x2a\x09" + kHalves;
  const std::string program = programOf(
      R"(%1:2 = stablehlo.custom_call @test_call(%a) {backend_config = "key"}
        : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %0 = stablehlo.add %1#0, %1#1 : tensor<4xf32>)");
  const Answer compiled = compileOnTwo(program);
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(partitioner_.asked,
              ElementsAre("partition: f32[4] halves: key -> \x08\x02\x2a\x02\x08"s
                          "\0\x2a\x02\x08\0"s));
  EXPECT_THAT(runOnBoth(), ElementsAre(3, 6, 9, 12));
  partitioner_.resultSharding = "\x08\x02\x2a\x09"s + kHalves;
  EXPECT_THAT(compileOnTwo(program).message, HasSubstr("1 results; there are 2"));
}

// It was run on the engine with JAX's scan and cond.
TEST_F(PluginPartitions, CallsInRegionsAndFunctionsAreSplit) {
  const std::string body = R"(
      %i = stablehlo.constant dense<0> : tensor<i32>
      %1:2 = stablehlo.while(%j = %i, %x = %a) : tensor<i32>, tensor<4xf32> cond {
        %n = stablehlo.constant dense<3> : tensor<i32>
        %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %k = stablehlo.add %j, %one : tensor<i32>
        %y = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %k, %y : tensor<i32>, tensor<4xf32>
      }
      %0 = stablehlo.negate %1#1 : tensor<4xf32>)";
  const std::string inner = R"(
    func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @test_call(%a) {backend_config = "key"}
        : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })";
  const Answer compiled = compileOnTwo(programOf(body, kSplit, kSplit, inner));
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(partitioner_.asked, ElementsAre("partition: f32[4] halves: key -> whole"));
  EXPECT_THAT(runOnBoth(), ElementsAre(-1, -2, -6, -7));
}

TEST_F(PluginPartitions, AnErrorOfThePartitionerArrivesWithItsText) {
  partitioner_.error = "ValueError: no such luck";
  for (const std::string& options : {kShardy, ""s}) {
    const Answer compiled = compileOnTwo(programOf(calling("test_call")), options);
    EXPECT_EQ(compiled.code, kInternal);
    EXPECT_THAT(compiled.message, AllOf(HasSubstr("test_call"), HasSubstr(partitioner_.error)));
  }
  EXPECT_EQ(partitioner_.cleaned, 2);
}

TEST_F(PluginPartitions, AWrongAnswerIsAnError) {
  const auto wrong = [&](auto change) {
    TestPartitioner other("other_call");
    other.module = kAddsItsNumber;
    other.operandShardings = {kHalves};
    other.resultSharding = other.inferred = kHalves;
    change(other);
    const Answer answer = compileOnTwo(programOf(calling("other_call")), "");
    EXPECT_NE(answer.code, kOk);
    return answer.message;
  };
  EXPECT_THAT(wrong([](auto& other) { other.module = "ML\xefR nothing"; }), HasSubstr("module"));
  EXPECT_THAT(wrong([](auto& other) { other.module.clear(); }), HasSubstr("module"));
  EXPECT_THAT(wrong([](auto& other) { other.module = "module @m {}"; }), HasSubstr("'main'"));
  EXPECT_THAT(wrong([](auto& other) { other.module = kAddition; }), HasSubstr("1 arguments"));
  EXPECT_THAT(wrong([](auto& other) { other.operandShardings = {kWhole}; }),
              HasSubstr("tensor<2xf32> in the region"));
  EXPECT_THAT(wrong([](auto& other) { other.resultSharding = kWhole; }),
              HasSubstr("tensor<2xf32> in the region"));
  EXPECT_THAT(wrong([](auto& other) { other.operandShardings = {"\x08\x03\x1a\x7f"}; }),
              HasSubstr("cut off"));
  EXPECT_THAT(wrong([](auto& other) { other.resultSharding = "\x08\x04"; }), HasSubstr("manual"));
  EXPECT_THAT(wrong([](auto& other) { other.inferred = "\x08\x03\x1a\x01\x04\x22\x04\0\1\2\3"s; }),
              HasSubstr("devices [0,1,2,3]"));
  EXPECT_THAT(wrong([](auto& other) { other.inferred = "\xff"; }), HasSubstr("cut off"));
}

TEST_F(PluginPartitions, WrongRegistrationsAreErrors) {
  auto* extension = static_cast<CustomPartitionerExtension*>(extensionOfType(2));
  ASSERT_NE(extension, nullptr);
  EXPECT_EQ(takeAnswer(extension->registerPartitioner(nullptr)).code, kInvalidArgument);
  PartitionerFunctions functions = partitioner_.functions;
  PartitionerRegistration registration;
  registration.name = "third_call";
  registration.nameSize = 10;
  EXPECT_EQ(takeAnswer(extension->registerPartitioner(&registration)).code, kInvalidArgument);
  registration.functions = &functions;
  functions.version = 1;
  EXPECT_EQ(takeAnswer(extension->registerPartitioner(&registration)).code, kUnimplemented);
  functions.version = 0;
  functions.infer = nullptr;
  EXPECT_EQ(takeAnswer(extension->registerPartitioner(&registration)).code, kInvalidArgument);
  EXPECT_EQ(compileOnTwo(programOf(calling("third_call"))).code, kUnimplemented);
  BatchRegistration batch;
  EXPECT_EQ(takeAnswer(extension->registerBatchPartitionable(&batch)).code, kInvalidArgument);
  batch.name = "batch_call";
  batch.nameSize = 10;
  EXPECT_EQ(takeAnswer(extension->registerBatchPartitionable(&batch)).code, kOk);
}

// 2⁵⁰ calls.
TEST_F(PluginPartitions, FunctionsThatCallEachOtherAgainAndAgainAreRefused) {
  std::string functions;
  for (int i = 0; i < 50; ++i)
    functions += fmt::format(
        "func.func private @f{0}(%a: tensor<4xf32>) -> tensor<4xf32> {{\n"
        "%1 = call @f{1}(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
        "%2 = call @f{1}(%1) : (tensor<4xf32>) -> tensor<4xf32>\n"
        "return %2 : tensor<4xf32>\n}}\n",
        i, i + 1);
  functions += fmt::format(
      "func.func private @f50(%a: tensor<4xf32>) -> tensor<4xf32> {{\n{}\n"
      "return %0 : tensor<4xf32>\n}}\n",
      calling("test_call"));
  const std::string body = "%0 = call @f0(%a) : (tensor<4xf32>) -> tensor<4xf32>";
  EXPECT_EQ(compileOnTwo(programOf(body, kSplit, kSplit, functions)).code, kResourceExhausted);
}

class PluginRecordedPartitions : public PluginPartitions {
 protected:
  PluginRecordedPartitions()
      : PluginPartitions({{"record", testing::TempDir() + "vintage_partitions"}}) {}
  ~PluginRecordedPartitions() override {
    std::filesystem::remove_all(testing::TempDir() + "vintage_partitions");
  }
};

// Its client alone can split it again.
TEST_F(PluginRecordedPartitions, AreNotRecordedAndRun) {
  ASSERT_EQ(compileOnTwo(programOf(calling("test_call"))).code, kOk);
  testing::internal::CaptureStderr();
  EXPECT_THAT(runOnBoth(), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("jit_f is not recorded: its client splits it"));
}

}  // namespace
}  // namespace vintage::tests
