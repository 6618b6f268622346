// Programs run on devices of the plugin, and what is recorded of them.
#include <filesystem>

#include "archive/store/archive.h"
#include "harness/plugin/compiled_program.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string varint(uint64_t value) { return std::string(1, static_cast<char>(value)); }

// CompileOptionsProto: a device for each replica, or for each partition.
std::string onDevices(int replicas, int partitions) {
  std::string computations;
  for (int partition = 0; partition < partitions; ++partition) {
    std::string ids;
    for (int replica = 0; replica < replicas; ++replica)
      ids += varint(static_cast<uint64_t>(replica * partitions + partition));
    const std::string packed = "\x0a" + varint(ids.size()) + ids;
    computations += "\x1a" + varint(packed.size()) + packed;
  }
  const std::string assignment = "\x08" + varint(static_cast<uint64_t>(replicas)) + "\x10" +
                                 varint(static_cast<uint64_t>(partitions)) + computations;
  const std::string build = "\x20" + varint(static_cast<uint64_t>(replicas)) + "\x28" +
                            varint(static_cast<uint64_t>(partitions)) + "\x4a" +
                            varint(assignment.size()) + assignment;
  return "\x1a" + varint(build.size()) + build;
}

const std::string kDonating = R"(module @jit_donating {
  func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32},
                         %b: tensor<2xf32> {jax.buffer_donor = true},
                         %c: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    %1 = stablehlo.add %0, %c : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
})";

const std::string kSumOfReplicas = R"(module @jit_sum {
  func.func public @main(%a: tensor<1xf32>) -> tensor<1xf32> {
    %0 = "stablehlo.all_reduce"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
})";

// The first argument lies in halves, the second whole on each device, and so do the results.
const std::string kSharded = R"(module @jit_sharded attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"},
                         %b: tensor<4xf32> {mhlo.sharding = "{replicated}"})
      -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, tensor<4xf32>) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
})";

class PluginExecution : public PluginTest {
 protected:
  PluginExecution() { EXPECT_EQ(makeClient({{"devices", "2"}}).code, kOk); }
  std::vector<std::vector<PluginBuffer*>> results_;
};

TEST_F(PluginExecution, AddsTwoArrays) {
  ASSERT_EQ(compile(kAddition).code, kOk);
  ASSERT_EQ(run({{floats({1, 2}), floats({3, 4})}}, 1, results_).code, kOk);
  EXPECT_THAT(floatsOf(results_[0][0]), ElementsAre(4, 6));
}

TEST_F(PluginExecution, AWrongCallIsRefusedAndTakesNothing) {
  ASSERT_EQ(compile(kAddition).code, kOk);
  PluginBuffer *a = floats({1, 2}), *b = floats({3, 4}), *three = floats({1, 2, 3});
  EXPECT_EQ(run({{a}}, 1, results_).code, kInvalidArgument);
  EXPECT_EQ(run({{a, b}, {a, b}}, 1, results_).code, kInvalidArgument);
  EXPECT_EQ(run({{a, nullptr}}, 1, results_).code, kInvalidArgument);
  const Answer shape = run({{a, three}}, 1, results_);
  EXPECT_EQ(shape.code, kInvalidArgument);
  EXPECT_THAT(shape.message, HasSubstr("argument 1 is f32[3]"));
  sends_ = 1;
  EXPECT_EQ(run({{a, b}}, 1, results_).code, kUnimplemented);
  sends_ = 0;
  EXPECT_EQ(run({{a, b}}, 1, results_).code, kOk);
  LoadedExecutableDelete remove;
  remove.object = executables_.back();
  ASSERT_EQ(call(remove).code, kOk);
  EXPECT_EQ(run({{a, b}}, 1, results_).code, kFailedPrecondition);
}

TEST_F(PluginExecution, DonatedArgumentsAreGone) {
  ASSERT_EQ(compile(kDonating).code, kOk);
  PluginBuffer *a = floats({1, 2}), *b = floats({3, 4}), *c = floats({5, 6});
  notDonated_ = {1};
  ASSERT_EQ(run({{a, b, c}}, 1, results_).code, kOk);
  EXPECT_THAT(floatsOf(results_[0][0]), ElementsAre(9, 12));
  EXPECT_TRUE(isDeleted(a));
  EXPECT_FALSE(isDeleted(b));
  EXPECT_FALSE(isDeleted(c));
  const Answer again = run({{a, b, c}}, 1, results_);
  EXPECT_EQ(again.code, kFailedPrecondition);
  EXPECT_THAT(again.message, HasSubstr("argument 0 of jit_donating"));
}

TEST_F(PluginExecution, ReplicasExchangeValues) {
  const Answer compiled = compile(kSumOfReplicas, onDevices(2, 1));
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  const Answer ran = run({{floats({1}, 0)}, {floats({20}, 1)}}, 1, results_);
  ASSERT_EQ(ran.code, kOk) << ran.message;
  EXPECT_THAT(floatsOf(results_[0][0]), ElementsAre(21));
  EXPECT_THAT(floatsOf(results_[1][0]), ElementsAre(21));
  BufferDevice where;
  where.object = results_[1][0];
  ASSERT_EQ(call(where).code, kOk);
  EXPECT_EQ(where.value, device(1));
  EXPECT_EQ(compile(kSumOfReplicas, onDevices(2, 2)).code, kUnimplemented);
}

TEST_F(PluginExecution, PartitionsHoldPieces) {
  const Answer compiled = compile(kSharded, onDevices(1, 2));
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  const std::vector<float> whole{1, 1, 1, 1};
  const Answer ran = run(
      {{floats({1, 2}, 0), floats(whole, 0)}, {floats({3, 4}, 1), floats(whole, 1)}}, 2, results_);
  ASSERT_EQ(ran.code, kOk) << ran.message;
  EXPECT_THAT(floatsOf(results_[0][0]), ElementsAre(2, 3));
  EXPECT_THAT(floatsOf(results_[1][0]), ElementsAre(4, 5));
  EXPECT_THAT(floatsOf(results_[1][1]), ElementsAre(5, 4, 3, 2));
}

// XLA's clients read from a program's text how its results lie. They found nothing, since
// StableHLO's text does not say it of the whole module, and JAX gave an array without a sharding.
TEST_F(PluginExecution, TheTextForSeveralDevicesTellsHowResultsLie) {
  ASSERT_EQ(compile(kSharded, onDevices(1, 2)).code, kOk);
  LoadedExecutableGetExecutable get;
  get.object = executables_.back();
  ASSERT_EQ(call(get).code, kOk);
  PluginProgram program{};
  ExecutableOptimizedProgram optimized;
  optimized.executable = get.value;
  optimized.program = &program;
  ASSERT_EQ(call(optimized).code, kOk);
  std::string text(program.codeSize, ' ');
  program.code = text.data();
  ASSERT_EQ(call(optimized).code, kOk);
  EXPECT_THAT(text, HasSubstr("mhlo.spmd_output_sharding = \"{{devices=[2]0,1}, {replicated}}\""));
  ProgramContext context;
  EXPECT_TRUE(context.parseText(text, "test"));
  ExecutableDestroy destroy;
  destroy.object = get.value;
  EXPECT_EQ(call(destroy).code, kOk);
}

TEST(PluginShardings, AreWrittenAsXlaWritesThem) {
  DevicePlacement placement;
  placement.mesh = {{2, 2}, {0, 1, 2, 3}};
  placement.axes = {{}, {1}};
  EXPECT_EQ(harness::hloShardingText(placement),
            "{devices=[1,2,2]0,2,1,3 last_tile_dim_replicate}");
  placement.axes = {{1}, {0}};
  EXPECT_EQ(harness::hloShardingText(placement), "{devices=[2,2]0,2,1,3}");
  EXPECT_EQ(harness::hloShardingText(copiesOn(4, 2)), "{replicated}");
}

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
