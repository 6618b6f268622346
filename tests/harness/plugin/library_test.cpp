// libvintage_pjrt.so as others load it: by our own client, and by its worker.
#include <cstdio>
#include <memory>

#include "harness/runtimes/meter.h"
#include "harness/runtimes/pjrt/client.h"
#include "harness/runtimes/pjrt/plugin.h"
#include "harness/runtimes/worker_pool.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;

const std::string kLibrary = VINTAGE_BINARY "/lib/libvintage_pjrt.so";

// A client may have an MLIR and an LLVM of its own: what the library shows would mix with them.
TEST(PluginLibrary, ShowsTwoSymbols) {
  const std::string command = "nm -D --defined-only " + kLibrary;
  const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
  ASSERT_NE(output, nullptr);
  std::vector<std::string> symbols;
  char address[64], kind[8], name[512];
  while (std::fscanf(output.get(), "%63s %7s %511s", address, kind, name) == 3)
    symbols.emplace_back(name);
  EXPECT_THAT(symbols, ElementsAre("GetPjrtApi", "vintage_set_call_python"));
}

TEST(PluginLibrary, IsDrivenByOurOwnClient) {
  auto plugin = Plugin::load(kLibrary);
  ASSERT_TRUE(plugin) << plugin.error().message;
  EXPECT_EQ((*plugin)->apiVersion(), "0.93");
  EXPECT_EQ((*plugin)->stablehloVersion(), kCurrentStablehloVersion);
  auto client = Client::create(**plugin, {{"platform", "cpu"}, {"devices", "3"}});
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(client->deviceCount(), 3u);
  ProgramContext context;
  const auto artifact =
      *context.parseText(kAddition, "test")->writePortableArtifact(StablehloVersion{1, 0, 0});
  auto program = client->compile(artifact, 1, false);
  ASSERT_TRUE(program) << program.error().message;
  Tensor input(ElementType::kF32, {2});
  input.mutableValues<float>()[1] = 4;
  const ExecuteRequest request;
  ExecuteReply reply;
  Meter meter(request, reply);
  auto outputs = program->run({{input, input}}, meter);
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_THAT((*outputs)[0][0].values<float>(), ElementsAre(0, 8));
}

// The way of any vendor's plugin: registered as a build, started as a worker, compared with a
// golden. A plugin that runs our own engine passes what the engine passes.
TEST(PluginLibrary, IsABuildLikeAnyPlugin) {
  auto host = makePosixProcessHost();
  WorkerPoolOptions options;
  options.command = {VINTAGE_BINARY "/bin/vintage-pjrt-worker",
                     "--plugin",
                     kLibrary,
                     "--build-date",
                     "2026-11-23",
                     "--option",
                     "platform=cpu"};
  WorkerPool pool(options, *host);
  ProgramContext context;
  ExecuteRequest request;
  request.name = "test";
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = "cpu";
  request.platforms = {"cpu"};
  request.mode = "compiled";
  request.artifact =
      *context.parseText(kAddition, "test")->writePortableArtifact(StablehloVersion{1, 0, 0});
  Tensor input(ElementType::kF32, {2});
  input.mutableValues<float>()[1] = 4;
  request.inputs = {input, input};
  const auto result = pool.execute(request);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->outcome, OutcomeKind::kPass) << result->detail;
  EXPECT_THAT(result->outputs[0].values<float>(), ElementsAre(0, 8));
}

}  // namespace
}  // namespace vintage::tests
