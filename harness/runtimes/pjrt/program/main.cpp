// vintage-pjrt-worker: a PJRT plugin behind the worker protocol.

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"
#include "harness/runtimes/pjrt/c_api_ffi.h"
#include "harness/runtimes/pjrt/executor.h"
#include "harness/runtimes/pjrt/topology.h"
#include "harness/runtimes/worker_server.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr const char* kPreparer = "vintage-pjrt-prepare";
constexpr const char* kKernelLibrary = "libvintage_lapack.so";
constexpr const char* kKernelPlatform = "cpu";

// The engine's LAPACK kernels for a plugin that has none: jaxlib brings its own to JAX, and a
// plugin alone does not know the targets that JAX's exports call.
class EngineKernels {
 public:
  // Loads the library, which is installed with this program; it stays loaded.
  static Result<EngineKernels> load() {
    std::error_code problem;
    const fs::path self = fs::read_symlink("/proc/self/exe", problem);
    const fs::path library = self.parent_path().parent_path() / "lib" / kKernelLibrary;
    // Its LAPACK stays its own, as the plugin's symbols do.
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return ioError("the kernels, which are built and installed with {}, cannot be loaded: {}",
                     self.filename().string(), ::dlerror());
    const auto function =
        reinterpret_cast<KernelTableFunction>(::dlsym(handle, kKernelTableFunction));
    if (!function)
      return ioError("{} has no function {}; install it again", library.string(),
                     kKernelTableFunction);
    return EngineKernels(*function());
  }

  // kUnsupported where the plugin is not for the CPU, or offers no FFI.
  Status registerWith(const Plugin& plugin, const std::string& platform) const {
    if (platform != kKernelPlatform)
      return unsupported("the engine's kernels run on the CPU, and the plugin is for '{}'",
                         platform);
    for (const FfiKernel& kernel : std::span(table_->kernels, table_->count))
      RETURN_IF_ERROR(within(
          kernel.target, plugin.registerHandler(kernel.target, kKernelPlatform, kernel.handler)));
    return {};
  }

  // "with the engine's LAPACK kernels: lapack_spotrf_ffi", of those that were called since the
  // last question; empty: none was.
  std::string takeNote() {
    std::vector<std::string_view> called;
    for (size_t i = 0; i < table_->count; ++i) {
      const uint64_t calls = table_->calls(i);
      if (calls != taken_[i]) called.emplace_back(table_->kernels[i].target);
      taken_[i] = calls;
    }
    if (called.empty()) return "";
    return fmt::format("with the engine's LAPACK kernels: {}", fmt::join(called, ", "));
  }

 private:
  explicit EngineKernels(const KernelTable& table) : table_(&table), taken_(table.count) {}

  const KernelTable* table_;
  std::vector<uint64_t> taken_;
};

struct WorkerOptions {
  std::string plugin, name, release, buildDate, platform, topology, targetConfig;
  std::vector<std::string> options, environment;
  bool reserialize = false, ffi = false;
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
  app.add_option("--environment", options.environment,
                 "NAME=VALUE, set before the plugin is loaded")
      ->allow_extra_args(false);
  app.add_option("--topology", options.topology,
                 "Compile for these devices, which need not be here, and run nothing: v5e:2x2");
  app.add_option("--target-config", options.targetConfig,
                 "Compile for this GPU: a100, h100, or a file with a GpuTargetConfigProto");
  app.add_flag("--reserialize", options.reserialize,
               "Write each module at the plugin's StableHLO version");
  app.add_flag("--ffi", options.ffi,
               "Register the engine's LAPACK kernels with the plugin, for the CPU");
}

// As artifacts name platforms.
std::string platformOf(const std::string& said) {
  if (said == "gpu" || said == "CUDA") return "cuda";
  if (said == "ROCM") return "rocm";
  return said == "Host" || said == "host" ? "cpu" : said;
}

Result<std::vector<std::string>> preparerCommand(const Plugin& plugin, bool reserialize) {
  ASSIGN_OR_RETURN(const fs::path program, programBeside(kPreparer));
  std::vector<std::string> command{program.string()};
  if (!reserialize) return command;
  const auto version = plugin.stablehloVersion();
  if (!version)
    return unsupported("--reserialize: the plugin does not say which StableHLO version it reads");
  command.insert(command.end(), {"--stablehlo", formatStablehloVersion(*version)});
  return command;
}

// The target of the plugin's compiler: its devices here, or a topology.
struct Target {
  std::string platform, version;
  std::string_view mode;
};

HelloMessage greeting(const WorkerOptions& options, const Plugin& plugin, const Target& target,
                      Date date) {
  HelloMessage hello;
  BuildRecord& build = hello.build;
  const std::string platform =
      options.platform.empty() ? platformOf(target.platform) : options.platform;
  build.name =
      options.name.empty() ? fmt::format("pjrt-{} {}", platform, formatDate(date)) : options.name;
  build.version = options.release.empty() ? target.version : options.release;
  build.buildDate = date;
  build.platforms = {platform};
  build.modes = {std::string(target.mode)};
  build.oldestCallingConvention = kOldestCallingConvention;
  build.newestCallingConvention = kNewestCallingConvention;
  build.newestSerialization = kNewestSerializationVersion;
  if (const auto version = plugin.stablehloVersion())
    build.stablehloVersion = formatStablehloVersion(*version);
  return hello;
}

Result<std::vector<PluginOption>> parseOptions(const std::vector<std::string>& texts,
                                               const char* name) {
  std::vector<PluginOption> options;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(options.emplace_back(), within(name, parsePluginOption(text)));
  }
  return options;
}

// XLA's compiler for GPUs takes no name of a topology: its options say all.
Result<Topology> chosenTopology(const Plugin& plugin, const WorkerOptions& options,
                                std::vector<PluginOption> pluginOptions) {
  if (options.targetConfig.empty())
    return Topology::create(plugin, options.topology, pluginOptions);
  ASSIGN_OR_RETURN(auto config, within("--target-config", gpuTarget(options.targetConfig)));
  pluginOptions.push_back({"topology", options.topology.empty() ? "1x1x1" : options.topology});
  pluginOptions.push_back({"target_config", std::move(config)});
  return Topology::create(plugin, "", pluginOptions);
}

// The library itself: a package of a wheel links to it. While this process lives, that package is
// not dropped for its disk (vintage_python/environment/disk.py).
fs::path takeLibrary(const fs::path& plugin) {
  const int record = ::open((plugin.parent_path() / "environment.json").c_str(), O_RDONLY);
  if (record >= 0) ::flock(record, LOCK_SH);  // Closed by the process's end.
  std::error_code problem;
  fs::path library = fs::canonical(plugin, problem);
  return problem ? plugin : library;
}

Status serve(const WorkerOptions& options, int output) {
  ASSIGN_OR_RETURN(const Date date, within("--build-date", parseDate(options.buildDate)));
  ASSIGN_OR_RETURN(auto pluginOptions, parseOptions(options.options, "--option"));
  ASSIGN_OR_RETURN(const auto environment, parseOptions(options.environment, "--environment"));
  for (const PluginOption& variable : environment)
    ::setenv(variable.name.c_str(), variable.value.c_str(), 1);
  const bool compilesOnly = !options.topology.empty() || !options.targetConfig.empty();
  const fs::path library = takeLibrary(options.plugin);
  if (compilesOnly && library.filename().string().starts_with("libtpu"))
    setTpuEnvironment(options.topology);
  ASSIGN_OR_RETURN(const auto plugin, Plugin::load(library.string()));
  ASSIGN_OR_RETURN(auto command, preparerCommand(*plugin, options.reserialize));
  std::optional<EngineKernels> kernels;
  if (options.ffi) {
    ASSIGN_OR_RETURN(kernels, within("--ffi", EngineKernels::load()));
  }
  Preparer preparer(std::move(command));
  const auto serveWith = [&](const Target& target, const TakeProgram& take) -> Status {
    if (kernels) RETURN_IF_ERROR(within("--ffi", kernels->registerWith(*plugin, target.platform)));
    const auto execute = [&](ExecuteRequest request) {
      ExecuteReply reply = preparer.answer(std::move(request), target.mode, take);
      const std::string note = kernels ? kernels->takeNote() : "";
      if (!note.empty()) reply.detail += (reply.detail.empty() ? "" : "\n") + note;
      return reply;
    };
    return serveWorker(STDIN_FILENO, output, greeting(options, *plugin, target, date), execute);
  };
  if (compilesOnly) {
    ASSIGN_OR_RETURN(const auto topology,
                     chosenTopology(*plugin, options, std::move(pluginOptions)));
    return serveWith({topology.platform(), topology.platformVersion(), kCompileOnly},
                     [&](const PreparedProgram& program, Meter&, ExecuteReply& reply) {
                       return compileOnly(topology, program, reply);
                     });
  }
  ASSIGN_OR_RETURN(auto client, Client::create(*plugin, pluginOptions));
  const Target target{client.platform(), client.platformVersion(), PluginExecutor::kMode};
  PluginExecutor executor(*plugin, std::move(pluginOptions), std::move(client));
  return serveWith(target, [&](const PreparedProgram& program, Meter& meter, ExecuteReply& reply) {
    return executor.execute(program, meter, reply);
  });
}

// The exit status.
int run(int argc, char** argv) {
  CLI::App app(
      "A PJRT plugin behind Vintage's worker protocol (docs/howto/pjrt.md): requests on standard "
      "input, "
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

}  // namespace
}  // namespace vintage::harness

int main(int argc, char** argv) { return vintage::harness::run(argc, argv); }
