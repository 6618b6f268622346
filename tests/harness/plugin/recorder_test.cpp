// Programs that the plugin records into an archive while it runs them.
#include <filesystem>

#include "archive/store/archive.h"
#include "golden/program/program.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PluginRecorder : public PluginTest {
 protected:
  PluginRecorder()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
  }
  ~PluginRecorder() override { std::filesystem::remove_all(folder_); }

  void record() {
    ASSERT_EQ(makeClient({{"devices", "2"},
                          {"record", folder_.string()},
                          {"producer", "jax 0.12.0.1"},
                          {"producer_date", "2026-10-21"}})
                  .code,
              kOk);
  }
  std::vector<ArtifactRecord> kept(Archive& archive) { return *archive.list({}); }
  Result<Archive> archive() { return Archive::open(folder_.string(), Archive::Mode::kReadOnly); }

  std::filesystem::path folder_;
  std::vector<std::vector<PluginBuffer*>> results_;
};

TEST_F(PluginRecorder, KeepsTheFirstRunOfAProgram) {
  record();
  ASSERT_EQ(compile(kAddition).code, kOk);
  ASSERT_EQ(run({{floats({1, 2}), floats({3, 4})}}, 1, results_).code, kOk);
  ASSERT_EQ(run({{floats({5, 6}), floats({7, 8})}}, 1, results_).code, kOk);
  auto opened = archive();
  ASSERT_TRUE(opened) << opened.error().message;
  const auto records = kept(*opened);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_THAT(records[0].name, HasSubstr("jit_addition-"));
  EXPECT_EQ(records[0].producer, "jax 0.12.0.1");
  EXPECT_EQ(formatDate(records[0].buildDate), "2026-10-21");
  EXPECT_THAT(records[0].dtypes, ElementsAre("f32"));
  const auto golden = opened->readGolden(records[0]);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_THAT(golden->inputs[1].values<float>(), ElementsAre(3, 4));
  EXPECT_THAT(golden->expected[0].values<float>(), ElementsAre(4, 6));
}

// Recorded programs had no scales, so that a consumer failed where roundings decide.
TEST_F(PluginRecorder, KeepsHowFarRoundingsScatterTheOutputs) {
  record();
  ASSERT_EQ(compile(R"(module @jit_cancels {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %a : tensor<2xf32>
    %1 = stablehlo.add %0, %b : tensor<2xf32>
    %2 = stablehlo.subtract %1, %b : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
})")
                .code,
            kOk);
  ASSERT_EQ(run({{floats({1, 2}), floats({1e6F, 1e6F})}}, 1, results_).code, kOk);
  auto opened = archive();
  ASSERT_TRUE(opened) << opened.error().message;
  const auto golden = opened->readGolden(kept(*opened).at(0));
  ASSERT_TRUE(golden) << golden.error().message;
  ASSERT_TRUE(golden->noise);
  EXPECT_GT(golden->noise->outputs[0].at(0), 1e-3);
  EXPECT_FALSE(golden->second);
}

TEST_F(PluginRecorder, KeepsDonatedArgumentsAndJoinsPieces) {
  record();
  ASSERT_EQ(compile(kDonating).code, kOk);
  ASSERT_EQ(run({{floats({1, 2}), floats({3, 4}), floats({5, 6})}}, 1, results_).code, kOk);
  ASSERT_EQ(compile(kSharded, onDevices(1, 2)).code, kOk);
  const std::vector<float> whole{1, 1, 1, 1};
  ASSERT_EQ(run({{floats({1, 2}, 0), floats(whole, 0)}, {floats({3, 4}, 1), floats(whole, 1)}}, 2,
                results_)
                .code,
            kOk);
  auto opened = archive();
  for (const ArtifactRecord& record : kept(*opened)) {
    const auto golden = opened->readGolden(record);
    ASSERT_TRUE(golden) << golden.error().message;
    if (record.variant == "sharded")
      EXPECT_THAT(golden->expected[0].values<float>(), ElementsAre(2, 3, 4, 5));
    else
      EXPECT_THAT(golden->inputs[0].values<float>(), ElementsAre(1, 2));
  }
  EXPECT_EQ(kept(*opened).size(), 2u);
}

// A consumer would have given the row-major values of the golden to a program that reads columns.
TEST_F(PluginRecorder, KeepsAProgramWithoutItsLayouts) {
  record();
  ASSERT_EQ(compile(R"(module @jit_columns {
  func.func public @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"})
      -> (tensor<2x3xf32> {jax.result_info = "r", mhlo.layout_mode = "{0,1}"}) {
    %0 = stablehlo.add %a, %a : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
})")
                .code,
            kOk);
  Tensor tensor(ElementType::kF32, {2, 3});
  for (size_t i = 0; i < 6; ++i) tensor.mutableValues<float>()[i] = static_cast<float>(i);
  ASSERT_EQ(run({{buffer(tensor, 11)}}, 1, results_).code, kOk);
  EXPECT_THAT(bytesOf(results_[0][0], 6), ElementsAre(0, 6, 2, 8, 4, 10));
  auto opened = archive();
  const ArtifactRecord kept = this->kept(*opened).at(0);
  const auto golden = opened->readGolden(kept);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_THAT(golden->expected[0].values<float>(), ElementsAre(0, 2, 4, 6, 8, 10));
  ProgramContext context;
  const auto bytes = opened->read(kept.id);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const std::string text = context.read(*bytes, "kept")->print();
  EXPECT_THAT(text, HasSubstr("jax.result_info"));
  EXPECT_THAT(text, Not(HasSubstr("layout_mode")));
}

TEST_F(PluginRecorder, WhatCannotBeKeptIsSaidAndTheProgramGoesOn) {
  record();
  ASSERT_EQ(compile(kSumOfReplicas, onDevices(2, 1)).code, kOk);
  testing::internal::CaptureStderr();
  ASSERT_EQ(run({{floats({1}, 0)}, {floats({2}, 1)}}, 1, results_).code, kOk);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("jit_sum is not recorded: it runs on 2 replicas"));
  EXPECT_THAT(floatsOf(results_[0][0]), ElementsAre(3));
  auto opened = archive();
  EXPECT_THAT(kept(*opened), IsEmpty());
}

TEST_F(PluginRecorder, AFolderThatIsNoArchiveIsAnErrorOfTheClient) {
  std::filesystem::create_directories(folder_ / "mine");
  const Answer answer = makeClient({{"record", folder_.string()}});
  EXPECT_NE(answer.code, kOk);
  EXPECT_THAT(answer.message, HasSubstr("VINTAGE_PLUGIN_RECORD"));
}

}  // namespace
}  // namespace vintage::tests
