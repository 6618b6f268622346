#include "harness/consumers/pjrt/worker_program.h"

#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/failures.h"
#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"
#include "harness/consumers/pjrt/executor.h"
#include "harness/consumers/worker_server.h"

namespace vintage::harness::consumers::pjrt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPreparer = "vintage-pjrt-prepare";

struct WorkerOptions {
  std::string plugin, name, release, buildDate, platform;
  std::vector<std::string> options;
  bool reserialize = false;
};

void addOptions(CLI::App& app, WorkerOptions& options) {
  app.add_option("--plugin", options.plugin, "The plugin's library")->required();
  app.add_option("--name", options.name, "The build's name");
  app.add_option("--release", options.release, "The build's version");
  app.add_option("--build-date", options.buildDate, "The day on which the plugin was built")
      ->required();
  app.add_option("--platform", options.platform,
                 "Which artifacts it executes: cpu, cuda, rocm or tpu (default: the plugin's own)");
  app.add_option("--option", options.options, "NAME=VALUE, for the plugin's client")
      ->allow_extra_args(false);
  app.add_flag("--reserialize", options.reserialize,
               "Write each module at the plugin's StableHLO version");
}

// As artifacts name platforms.
std::string platformOf(const std::string& said) {
  if (said == "gpu" || said == "CUDA") return "cuda";
  if (said == "ROCM") return "rocm";
  return said == "Host" || said == "host" ? "cpu" : said;
}

Result<std::vector<std::string>> preparerCommand(const Plugin& plugin, bool reserialize) {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  const fs::path program = self.parent_path() / kPreparer;
  if (problem || !fs::exists(program, problem))
    return ioError("{}: the program is missing; it is built and installed beside {}",
                   program.string(), self.filename().string());
  std::vector<std::string> command{program.string()};
  if (!reserialize) return command;
  const auto version = plugin.stablehloVersion();
  if (!version)
    return unsupported("--reserialize: the plugin does not say which StableHLO version it reads");
  command.insert(command.end(), {"--stablehlo", formatStablehloVersion(*version)});
  return command;
}

HelloMessage greeting(const WorkerOptions& options, const Plugin& plugin, const Client& client,
                      Date date) {
  HelloMessage hello;
  BuildRecord& build = hello.build;
  const std::string platform =
      options.platform.empty() ? platformOf(client.platform()) : options.platform;
  build.name =
      options.name.empty() ? fmt::format("pjrt-{} {}", platform, formatDate(date)) : options.name;
  build.version = options.release.empty() ? client.platformVersion() : options.release;
  build.buildDate = date;
  build.platforms = {platform};
  build.modes = {"compiled"};
  build.oldestCallingConvention = kOldestCallingConvention;
  build.newestCallingConvention = kNewestCallingConvention;
  build.newestSerialization = kNewestSerializationVersion;
  if (const auto version = plugin.stablehloVersion())
    build.stablehloVersion = formatStablehloVersion(*version);
  return hello;
}

Status serve(const WorkerOptions& options, int output) {
  ASSIGN_OR_RETURN(const Date date, within("--build-date", parseDate(options.buildDate)));
  std::vector<PluginOption> pluginOptions;
  for (const std::string& text : options.options) {
    ASSIGN_OR_RETURN(auto option, within("--option", parsePluginOption(text)));
    pluginOptions.push_back(std::move(option));
  }
  ASSIGN_OR_RETURN(const auto plugin, Plugin::load(options.plugin));
  ASSIGN_OR_RETURN(auto command, preparerCommand(*plugin, options.reserialize));
  ASSIGN_OR_RETURN(auto executor,
                   PluginExecutor::make(*plugin, std::move(pluginOptions), std::move(command)));
  return serveWorker(STDIN_FILENO, output, greeting(options, *plugin, executor.client(), date),
                     [&](const ExecuteRequest& request) { return executor.execute(request); });
}

}  // namespace

int runPluginWorker(int argc, char** argv) {
  CLI::App app(
      "A PJRT plugin behind Vintage's worker protocol (docs/pjrt.md): requests on standard input, "
      "replies on standard output. `vintage` starts it; nobody else needs to.");
  WorkerOptions options;
  addOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  const int output = takeStandardOutput();
  const Status status = serve(options, output);
  int code = 0;
  if (!status) {
    fmt::print(stderr, "vintage-pjrt-worker: {}\n", status.error().message);
    code = status.error().kind == Error::Kind::kUsage ? 2 : 3;
  }
  // Without the destructors of the plugin's library, which nobody here wrote.
  ::fflush(nullptr);
  ::_exit(code);
}

}  // namespace vintage::harness::consumers::pjrt
