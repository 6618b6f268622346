#include <filesystem>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "harness/command/builds_actions.h"

namespace vintage::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPackagePrefix = "pypi:";
constexpr const char* kWorker = "vintage-pjrt-worker";

}  // namespace

void AddPluginAction::addTo(CLI::App& app) {
  app.add_option("--plugin", plugin_,
                 "Register a PJRT plugin: its library, or pypi:PACKAGE==VERSION (docs/pjrt.md)");
  app.add_option("--topology", topology_,
                 "The plugin compiles for these devices, which need not be here: v5e:2x2; its "
                 "outcomes are 'compiled', never 'pass'");
  app.add_option("--target-config", targetConfig_,
                 "The plugin compiles for this GPU, which need not be here: a100, h100, or a file "
                 "with a GpuTargetConfigProto");
  app.add_option("--platform", platform_,
                 "Which artifacts the plugin takes: cpu, cuda, rocm or tpu (default: its own)");
  app.add_option("--plugin-option", options_, "NAME=VALUE, for the plugin's client or topology")
      ->allow_extra_args(false);
  app.add_option("--environment", environment_, "NAME=VALUE, set before the plugin is loaded")
      ->allow_extra_args(false);
  app.add_flag("--reserialize", reserialize_,
               "Write each module at the plugin's StableHLO version before it gets it; without, "
               "the plugin gets what was archived");
  app.add_flag("--ffi", ffi_,
               "Register the engine's LAPACK kernels with the plugin: programs that call jaxlib's "
               "lapack_… targets run on a plugin for the CPU that has none");
}

Result<RegisterOptions> AddPluginAction::registration(const std::string& root,
                                                      const std::string& wheels,
                                                      std::optional<Date> date, Console& console,
                                                      ProcessHost& host) const {
  RegisterOptions options;
  std::string library = plugin_, release, name;
  if (plugin_.starts_with(kPackagePrefix)) {
    const PluginRequest request{plugin_.substr(kPackagePrefix.size()), root, wheels};
    ASSIGN_OR_RETURN(const auto fetched, fetchPlugin(request, host, progressOn(console)));
    library = fetched.library;
    release = fetched.version;
    name = fmt::format("{}-{}", fetched.package, fetched.version);
    if (!date && !fetched.released.empty()) {
      ASSIGN_OR_RETURN(date, parseDate(fetched.released));
    }
    options.environment.emplace();
    options.environment->releasedBy = fetched.releasedBy;
    options.environment->packages = {
        {fetched.package, fetched.version, fetched.wheel, fetched.sha256}};
  } else {
    std::error_code problem;
    library = fs::absolute(library, problem).string();
    if (!fs::exists(library, problem))
      return notFound("--plugin: {}: there is no such file; a plugin is a shared library, or "
                      "pypi:PACKAGE==VERSION",
                      library);
    name = fs::path(library).stem().string();
  }
  if (!date)
    return usageError("--plugin {}: it does not say when it was built, and the promises count "
                      "from that day; give it with --date YYYY-MM-DD",
                      plugin_);
  for (const std::string& one : {topology_, fs::path(targetConfig_).stem().string()})
    if (!one.empty()) name += "-" + one;
  if (reserialize_) name += "-reserialized";
  if (ffi_) name += "-ffi";
  ASSIGN_OR_RETURN(const auto worker, programBeside(kWorker));
  options.command = {worker.string(), "--plugin",        library, "--build-date",
                     formatDate(*date), "--name", name};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) options.command.insert(options.command.end(), {option, value});
  };
  add("--release", release);
  add("--topology", topology_);
  add("--target-config", targetConfig_);
  add("--platform", platform_);
  for (const std::string& option : options_) add("--option", option);
  for (const std::string& variable : environment_) add("--environment", variable);
  if (reserialize_) options.command.emplace_back("--reserialize");
  if (ffi_) options.command.emplace_back("--ffi");
  options.date = date;
  return options;
}

}  // namespace vintage::harness
