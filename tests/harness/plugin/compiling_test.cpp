// Programs that the plugin compiles, keeps and refuses.
#include "golden/program/program.h"
#include "harness/plugin/compiled_program.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using harness::readCompileRequest;
using harness::readSerializedProgram;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string optionsFor(const std::vector<int>& devices) {
  return harness::encodeCompileOptions(devices, false);
}

TEST(PluginCompileRequest, ReadsWhatAClientAssigns) {
  const auto request = readCompileRequest(optionsFor({2, 0, 1}));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->grid, (ProcessGrid{1, 3}));
  EXPECT_THAT(request->devices, ElementsAre(2, 0, 1));
  EXPECT_EQ(readCompileRequest("")->grid, ProcessGrid{});
  // env_option_overrides: an option of XLA, and its value.
  EXPECT_TRUE(readCompileRequest(std::string("\x3a\x09\x0a\x05xla_a\x12\x00", 11)));
}

TEST(PluginCompileRequest, ACutOffMessageIsRefusedOrShorter) {
  const std::string whole = optionsFor({0, 1});
  int refused = 0;
  for (size_t size = 1; size < whole.size(); ++size) {
    const auto request = readCompileRequest(std::string_view(whole).substr(0, size));
    if (request) continue;
    ++refused;
    EXPECT_THAT(request.error().message, HasSubstr("compile options"));
  }
  EXPECT_EQ(refused, static_cast<int>(whole.size()) - 1);
}

struct BadRequest {
  std::string proto;
  const char* message;
};

// compiler_options of JAX, with a text for an option that is true or false.
std::string boolean(const std::string& text) {
  const auto field = [](char number, const std::string& content) {
    return std::string{number, static_cast<char>(content.size())} + content;
  };
  return field('\x3a',
               field('\x0a', "xla_embed_ir_in_executable") + field('\x12', field('\x0a', text)));
}

TEST(PluginCompileRequest, TakesBooleansAsText) {
  for (const char* text : {"true", "False", "1"}) EXPECT_TRUE(readCompileRequest(boolean(text)));
}

TEST(PluginCompileRequest, SaysWhatItCannotDo) {
  const std::vector<BadRequest> requests{
      {"\x10\x01", "in one tuple"},                               // parameter_is_tupled_arguments
      {std::string("\x1a\x04\x20\xff\xff\x7f", 6), "processes"},  // Two million replicas.
      {"\x1b", "wire type 3"},
      {"\x3a\x05\x0a\x03key", "No such compile option: 'key'"},  // env_option_overrides
      {boolean("maybe"), "'maybe' is not a valid bool value"},
      {std::string(12, '\xff'), "more than 64 bits"},
      {std::string("\x1a\x06\x20\x02\x4a\x02\x08\x01", 8), "ask for 2 of 1"}};
  for (const BadRequest& bad : requests) {
    const auto request = readCompileRequest(bad.proto);
    ASSERT_FALSE(request) << bad.message;
    EXPECT_THAT(request.error().message, HasSubstr(bad.message));
  }
}

class PluginCompiling : public PluginTest {
 protected:
  PluginCompiling() { EXPECT_EQ(makeClient().code, kOk); }

  std::string artifact() {
    ProgramContext context;
    const auto bytes =
        *context.parseText(kAddition, "test")->writePortableArtifact(StablehloVersion{1, 5, 0});
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::string serialized() {
    LoadedExecutableGetExecutable get;
    get.object = executables_.back();
    EXPECT_EQ(call(get).code, kOk);
    ExecutableSerialize serialize;
    serialize.object = get.value;
    EXPECT_EQ(call(serialize).code, kOk);
    std::string bytes(serialize.serialized, serialize.serializedSize);
    serialize.destroy(serialize.holder);
    ExecutableDestroy destroy;
    destroy.object = get.value;
    EXPECT_EQ(call(destroy).code, kOk);
    return bytes;
  }

  Answer load(const std::string& bytes) {
    ExecutableDeserializeAndLoad deserialize;
    deserialize.client = client_;
    deserialize.serialized = bytes.data();
    deserialize.serializedSize = bytes.size();
    const Answer answer = call(deserialize);
    if (deserialize.executable) executables_.push_back(deserialize.executable);
    return answer;
  }
};

TEST_F(PluginCompiling, ACutOffOrDamagedArtifactIsOneError) {
  const std::string whole = artifact();
  ASSERT_EQ(compile(whole).code, kOk);
  for (size_t size = 0; size < whole.size(); size += 7) {
    const Answer answer = compile(whole.substr(0, size));
    EXPECT_NE(answer.code, kOk) << size;
    EXPECT_FALSE(answer.message.empty());
  }
}

struct Refused {
  std::string body;
  int code;
  const char* message;
};

TEST_F(PluginCompiling, SaysWhatTheEngineLacks) {
  const std::string call = R"(  func.func public @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.custom_call @TARGET(%a) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })";
  const auto calling = [&](const std::string& target) {
    std::string body = call;
    return body.replace(body.find("TARGET"), 6, target);
  };
  const std::vector<Refused> cases{
      {calling("no_such_target"), kUnimplemented, "no_such_target"},
      {calling("xla_ffi_python_cpu_callback"), kUnimplemented, "calls Python back"},
      {calling("xla_python_cpu_callback"), kUnimplemented, "'xla_python_cpu_callback'"},
      {"func.func public @other() { return }", kInvalidArgument, "no function 'main'"},
      {"func.func public @main(%t: tuple<tensor<f32>>) { return }", kUnimplemented,
       "programs take and return arrays and tokens"},
      {"func.func public @main(%a: tensor<f32>) -> (tensor<f32> {mhlo.memory_kind = \"vram\"}) "
       "{ return %a : tensor<f32> }",
       kUnimplemented, "'vram'; the engine's are device, pinned_host, unpinned_host"},
      {"this is no program", kInvalidArgument, "the program"}};
  for (const Refused& refused : cases) {
    const Answer answer = compile("module @m {\n" + refused.body + "\n}");
    EXPECT_EQ(answer.code, refused.code) << refused.body << answer.message;
    EXPECT_THAT(answer.message, HasSubstr(refused.message));
  }
  EXPECT_EQ(compile("HloModule m", "", "hlo").code, kUnimplemented);
  EXPECT_EQ(compile(kAddition, optionsFor({0, 1})).code, kInvalidArgument);  // One device.
}

TEST_F(PluginCompiling, TellsWhatItKnowsOfAProgram) {
  ASSERT_EQ(compile(kAddition).code, kOk);
  LoadedExecutableGetExecutable get;
  get.object = executables_.back();
  ASSERT_EQ(call(get).code, kOk);
  ExecutableName name;
  name.object = get.value;
  ASSERT_EQ(call(name).code, kOk);
  EXPECT_EQ(std::string(name.items, name.count), "jit_addition");
  ExecutableOutputDimensions dimensions;
  dimensions.executable = get.value;
  ASSERT_EQ(call(dimensions).code, kOk);
  ASSERT_EQ(dimensions.count, 1u);
  EXPECT_EQ(dimensions.ranks[0], 1u);
  EXPECT_EQ(dimensions.dimensions[0], 2);
  ExecutableGetCostAnalysis costs;
  costs.object = get.value;
  ASSERT_EQ(call(costs).code, kOk);
  ASSERT_EQ(costs.count, 2u);
  // Three values of the addition and one of the return.
  EXPECT_EQ(costs.items[0].real, 32);
  PluginProgram program{};
  ExecutableOptimizedProgram optimized;
  optimized.executable = get.value;
  optimized.program = &program;
  ASSERT_EQ(call(optimized).code, kOk);
  std::string text(program.codeSize, ' ');
  program.code = text.data();
  ASSERT_EQ(call(optimized).code, kOk);
  EXPECT_THAT(text, HasSubstr("stablehlo.add"));
  program.codeSize = 3;
  EXPECT_EQ(call(optimized).code, kInvalidArgument);
  ExecutableDestroy destroy;
  destroy.object = get.value;
  EXPECT_EQ(call(destroy).code, kOk);
}

TEST_F(PluginCompiling, ASerializedExecutableRunsAgain) {
  ASSERT_EQ(compile(artifact()).code, kOk);
  const std::string bytes = serialized();
  const Answer answer = load(bytes);
  ASSERT_EQ(answer.code, kOk) << answer.message;
  std::vector<std::vector<PluginBuffer*>> results;
  ASSERT_EQ(run({{floats({1, 2}), floats({10, 20})}}, 1, results).code, kOk);
  EXPECT_THAT(floatsOf(results[0][0]), ElementsAre(11, 22));
}

TEST_F(PluginCompiling, ASerializedExecutableThatWasCutOffOrChangedIsRefused) {
  ASSERT_EQ(compile(artifact()).code, kOk);
  const std::string bytes = serialized();
  for (size_t size = 0; size < bytes.size(); size += 5)
    EXPECT_EQ(load(bytes.substr(0, size)).code, kInvalidArgument) << size;
  for (size_t at = 0; at < bytes.size(); at += 11) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    EXPECT_NE(load(changed).code, kOk) << at;
  }
  const auto newer = readSerializedProgram("vintage executable 2\nabc\n0\n");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(newer.error().message, AllOf(HasSubstr("version 2"), HasSubstr("Compile")));
}

}  // namespace
}  // namespace vintage::tests
