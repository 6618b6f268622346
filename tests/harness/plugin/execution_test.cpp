// Programs run on devices of the plugin.
#include <set>

#include "harness/plugin/compiled_program.h"
#include "harness/plugin/python_callbacks.h"
#include "harness/plugin/sharding_messages.h"
#include "harness/runtimes/pjrt/element_codes.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The first argument lies in halves, the second whole on each device, and so do the results.
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

// JAX's testBufferDonationNotDonated: x, which no result could use, was gone after f(x).
TEST_F(PluginExecution, ADonorWithoutAResultOfItsSizeStays) {
  ASSERT_EQ(compile(kDonating).code, kOk);
  PluginBuffer *a = floats({1, 2}), *b = floats({3, 4});
  ASSERT_EQ(run({{a, b, floats({5, 6})}}, 1, results_).code, kOk);
  EXPECT_TRUE(isDeleted(a));
  EXPECT_FALSE(isDeleted(b));
}

TEST_F(PluginExecution, ABufferIsNotDonatedTwice) {
  std::string twoResults = kDonating;
  twoResults.replace(twoResults.find("-> tensor<2xf32>"), 16, "-> (tensor<2xf32>, tensor<2xf32>)");
  twoResults.replace(twoResults.find("return %1 : tensor<2xf32>"), 25,
                     "return %1, %0 : tensor<2xf32>, tensor<2xf32>");
  ASSERT_EQ(compile(twoResults).code, kOk);
  PluginBuffer *a = floats({1, 2}), *b = floats({3, 4}), *c = floats({5, 6});
  const Answer both = run({{a, a, c}}, 2, results_);
  EXPECT_EQ(both.code, kInvalidArgument);
  EXPECT_THAT(both.message, HasSubstr("0 and 1 of jit_donating are one buffer, and both"));
  const Answer one = run({{a, b, a}}, 2, results_);
  EXPECT_EQ(one.code, kInvalidArgument);
  EXPECT_THAT(one.message, HasSubstr("0 and 2 of jit_donating are one buffer, and one of them"));
  EXPECT_FALSE(isDeleted(a));
  ASSERT_EQ(run({{a, b, c}}, 2, results_).code, kOk);
}

const void* addressOf(PluginBuffer* buffer) {
  BufferOpaqueDeviceMemoryDataPointer ask;
  ask.object = buffer;
  EXPECT_EQ(call(ask).code, kOk);
  return ask.value;
}

// jnp.array(x, copy=True) gave the buffer of x itself: NumPy and other frameworks, which write to
// one by its address, changed the other.
TEST_F(PluginExecution, ResultsHaveBytesOfTheirOwn) {
  ASSERT_EQ(compile(R"(module @jit_f {
    func.func public @main(%a: tensor<2xf32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>, tensor<2xf32>) {
      %c = stablehlo.constant dense<[7.0, 8.0]> : tensor<2xf32>
      %r = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<2x1xf32>
      return %a, %a, %r, %c : tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>, tensor<2xf32>
    }
  })")
                .code,
            kOk);
  PluginBuffer* a = floats({1, 2});
  std::set<const void*> addresses{addressOf(a)};
  for (int times = 0; times < 2; ++times) {
    ASSERT_EQ(run({{a}}, 4, results_).code, kOk);
    for (PluginBuffer* result : results_[0])
      EXPECT_TRUE(addresses.insert(addressOf(result)).second);
  }
  BufferCopyToDevice copy;
  copy.object = a;
  copy.place = device(1);
  ASSERT_EQ(call(copy).code, kOk);
  buffers_.push_back(copy.copy);
  EXPECT_TRUE(addresses.insert(addressOf(copy.copy)).second);
  EXPECT_THAT(floatsOf(copy.copy), ElementsAre(1, 2));
}

TEST_F(PluginExecution, ADonatedArgumentMayBeTheResult) {
  ASSERT_EQ(compile(R"(module @jit_f {
    func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {
      return %a : tensor<2xf32>
    }
  })")
                .code,
            kOk);
  PluginBuffer* a = floats({1, 2});
  const void* address = addressOf(a);
  ASSERT_EQ(run({{a}}, 1, results_).code, kOk);
  EXPECT_EQ(addressOf(results_[0][0]), address);
}

// JAX hands tokens from one program with ordered effects to the next.
TEST_F(PluginExecution, TokensAreArgumentsAndResults) {
  ASSERT_EQ(compile(R"(module @jit_f {
    func.func public @main(%t: !stablehlo.token, %a: tensor<2xf32>)
        -> (!stablehlo.token, tensor<2xf32>) {
      %0 = stablehlo.add %a, %a : tensor<2xf32>
      return %t, %0 : !stablehlo.token, tensor<2xf32>
    }
  })")
                .code,
            kOk);
  PluginBuffer* token = floats({});
  for (const float expected : {2.0f, 2.0f}) {
    ASSERT_EQ(run({{token, floats({1, 2})}}, 2, results_).code, kOk);
    EXPECT_EQ(floatsOf(results_[0][1])[0], expected);
    token = results_[0][0];
    BufferElementType type;
    type.object = token;
    ASSERT_EQ(call(type).code, kOk);
    EXPECT_EQ(type.value, kTokenCode);
  }
}

TEST_F(PluginExecution, AResultLiesInTheMemoryThatTheProgramNames) {
  ASSERT_EQ(compile(R"(module @jit_f {
    func.func public @main(%a: tensor<2xf32>)
        -> (tensor<2xf32> {mhlo.memory_kind = "pinned_host"}, tensor<2xf32>) {
      return %a, %a : tensor<2xf32>, tensor<2xf32>
    }
  })")
                .code,
            kOk);
  ASSERT_EQ(run({{floats({1, 2})}}, 2, results_).code, kOk);
  std::vector<std::string> kinds;
  for (PluginBuffer* result : results_[0]) {
    BufferMemory memory;
    memory.object = result;
    ASSERT_EQ(call(memory).code, kOk);
    MemoryKind kind;
    kind.object = memory.value;
    ASSERT_EQ(call(kind).code, kOk);
    kinds.emplace_back(kind.items, kind.count);
  }
  EXPECT_THAT(kinds, ElementsAre("pinned_host", "device"));
}

// In the place of Python: function 5 doubles its only array, and takes a token before it and
// gives one; any other fails.
int answerCall(const PythonCall* call) {
  if (call->number != 5) {
    std::snprintf(call->message, call->room, "no function %d", static_cast<int>(call->number));
    return 1;
  }
  EXPECT_EQ(call->argumentCount, 2u);
  EXPECT_EQ(call->arguments[0].dtype, nullptr);
  EXPECT_STREQ(call->arguments[1].dtype, "float32");
  EXPECT_EQ(call->arguments[1].rank, 1);
  const auto* from = static_cast<const float*>(call->arguments[1].data);
  auto* to = static_cast<float*>(call->results[1].data);
  for (int64_t i = 0; i < call->arguments[1].shape[0]; ++i) to[i] = 2 * from[i];
  return 0;
}

TEST_F(PluginExecution, CallsPythonBack) {
  const auto calling = [](int number) {
    return fmt::format(R"(module @jit_f {{
      func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {{
        %t = stablehlo.create_token : !stablehlo.token
        %0:2 = "stablehlo.custom_call"(%t, %a) {{api_version = 4 : i32, has_side_effect = true,
            call_target_name = "xla_ffi_python_cpu_callback", vintage.python_function = {} : i64}}
            : (!stablehlo.token, tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>)
        return %0#1 : tensor<2xf32>
      }}
    }})",
                       number);
  };
  setCallPython(answerCall);
  const Answer compiled = compile(calling(5));
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  ASSERT_EQ(run({{floats({1, 2})}}, 1, results_).code, kOk);
  EXPECT_THAT(floatsOf(results_[0][0]), ElementsAre(2, 4));
  ASSERT_EQ(compile(calling(6)).code, kOk);
  EXPECT_THAT(run({{floats({1, 2})}}, 1, results_).message, HasSubstr("no function 6"));
  setCallPython(nullptr);
  EXPECT_EQ(compile(calling(5)).code, kUnimplemented);
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
  // XLA's text is of one device; this one had the whole shapes.
  EXPECT_THAT(text, HasSubstr("@main(%arg0: tensor<2xf32>, %arg1: tensor<4xf32>) -> "
                              "(tensor<2xf32>, tensor<4xf32>)"));
  EXPECT_THAT(text, Not(HasSubstr("all-")));  // Devices exchange nothing.
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

}  // namespace
}  // namespace vintage::tests
