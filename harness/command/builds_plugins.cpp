#include "harness/command/builds_plugins.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "harness/command/builds_registration.h"
#include "harness/runtimes/builds/when_needed.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPackagePrefix = "pypi:";
constexpr const char* kPluginWorker = "vintage-pjrt-worker";
constexpr const char* kCompileOnly = "compile-only";

}  // namespace

const PluginOptions::Vendor PluginOptions::kVendors[] = {
    {"--libtpu", "libtpu", "tpu", "v5e:2x2", ""},
    {"--cuda", "jax-cuda12-pjrt", "cuda", "", "h100"},
    {"--rocm", "jax-rocm7-pjrt", "rocm", "", ""},
};

void PluginOptions::addTo(CLI::App& app) {
  app.add_option("--plugin", plugin_,
                 "Register a PJRT plugin: its library, or pypi:PACKAGE==VERSION, also for a range "
                 "0.9..0.12 (docs/howto/pjrt.md)");
  for (size_t i = 0; i < std::size(kVendors); ++i) {
    const Vendor& vendor = kVendors[i];
    const std::string target = *vendor.topology ? fmt::format(" --topology {}", vendor.topology)
                               : *vendor.targetConfig
                                   ? fmt::format(" --target-config {}", vendor.targetConfig)
                                   : "";
    app.add_option(vendor.option, vendorRelease_[i],
                   fmt::format("As --plugin pypi:{}==RELEASES --when-needed --platform {}{}",
                               vendor.package, vendor.platform, target))
        ->type_name("RELEASES")
        ->excludes("--plugin");
  }
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
               "Write each module at the plugin's StableHLO version; without this option, the "
               "plugin gets the archived bytes");
  app.add_flag("--ffi", ffi_,
               "Register the engine's LAPACK kernels with the plugin: programs that call jaxlib's "
               "lapack_… targets run on a plugin for the CPU that has none");
}

bool PluginOptions::askedForPackage() const {
  return plugin_.starts_with(kPackagePrefix) ||
         std::ranges::any_of(vendorRelease_, [](const auto& release) { return !release.empty(); });
}

Result<RegisterOptions> PluginOptions::ofLibrary(std::optional<Date> date) const {
  std::error_code problem;
  const fs::path library = fs::absolute(plugin_, problem);
  if (!fs::exists(library, problem))
    return notFound(
        "--plugin: {}: there is no such file; a plugin is a shared library, or "
        "pypi:PACKAGE==VERSION",
        library.string());
  if (!date)
    return usageError(
        "--plugin {}: it does not say when it was built, and the promises count "
        "from that day; give it with --date YYYY-MM-DD",
        plugin_);
  return registration(library.string(), library.stem().string(), "", *date);
}

Result<RegisterOptions> PluginOptions::registration(const std::string& library, std::string name,
                                                    const std::string& release, Date date) const {
  for (const std::string& one : {topology_, fs::path(targetConfig_).stem().string()})
    if (!one.empty()) name += "-" + one;
  if (reserialize_) name += "-reserialized";
  if (ffi_) name += "-ffi";
  ASSIGN_OR_RETURN(const auto worker, programBeside(kPluginWorker));
  RegisterOptions options;
  options.command = {worker.string(),  "--plugin", library, "--build-date",
                     formatDate(date), "--name",   name};
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
  options.name = name;
  return options;
}

Status PluginOptions::addOne(Archive& archive, const FetchedPlugin& fetched, bool whenNeeded,
                             const std::string& name, std::optional<Date> date, ProcessHost& host,
                             BuildRecord& build) const {
  const PythonEnvironment::Package& package = fetched.environment.packages.front();
  build.name = fmt::format("{}-{}", package.name, package.version);
  if (!date && fetched.released.empty())
    return usageError(
        "its day is not known, and the promises count from it; give it with --date YYYY-MM-DD");
  if (!date) {
    ASSIGN_OR_RETURN(date, parseDate(fetched.released));
  }
  ASSIGN_OR_RETURN(auto options, registration(fetched.library, build.name, package.version, *date));
  const std::string said = *options.name;
  if (!name.empty()) options.name = name;
  options.environment = fetched.environment;
  options.place = fetched.place;
  if (!whenNeeded) {
    ASSIGN_OR_RETURN(build, registerCommand(archive, options, host));
    return {};
  }
  build.name = *options.name;
  build.version = package.version;
  build.buildDate = *date;
  build.kind = kRecipeKind;
  build.platforms = {platform_};
  build.modes = {topology_.empty() && targetConfig_.empty() ? "compiled" : kCompileOnly};
  build.details.said = SaidOfItself{said, formatDate(*date)};
  build.details.environment = fetched.environment;
  build.start = StartCommand{std::move(options.command), {}, fetched.place, {}, {}};
  return registerBuild(archive, build);
}

Result<int> PluginOptions::addPackages(Archive& archive, EnvironmentRequest request,
                                       const std::string& name, std::optional<Date> date,
                                       ProcessHost& host, Console& console) const {
  std::vector<std::pair<PluginOptions, std::string>> asked;
  if (!plugin_.empty()) asked.emplace_back(*this, plugin_.substr(kPackagePrefix.size()));
  for (size_t i = 0; i < std::size(kVendors); ++i) {
    if (vendorRelease_[i].empty()) continue;
    request.whenNeeded = true;
    PluginOptions& options =
        asked.emplace_back(*this, fmt::format("{}=={}", kVendors[i].package, vendorRelease_[i]))
            .first;
    if (platform_.empty()) options.platform_ = kVendors[i].platform;
    if (topology_.empty() && targetConfig_.empty()) {
      options.topology_ = kVendors[i].topology;
      options.targetConfig_ = kVendors[i].targetConfig;
    }
  }
  Registration registration(console);
  for (const auto& [options, package] : asked) {
    if (request.whenNeeded && options.platform_.empty())
      return usageError(
          "--when-needed: nobody asks {} for its platform before it is needed; say it with "
          "--platform cpu, cuda, rocm or tpu",
          package);
    ASSIGN_OR_RETURN(const auto report, fetchPlugins(package, request, host, progressOn(console)));
    if (!name.empty() && report.plugins.size() > 1)
      return usageError("--name names one build; these are {}", report.plugins.size());
    registration.miss(package.substr(0, package.find('=')), report.leftOut, report.failed);
    for (const FetchedPlugin& fetched : report.plugins) {
      BuildRecord build;
      const Status added =
          options.addOne(archive, fetched, request.whenNeeded, name, date, host, build);
      registration.add(build, added);
    }
  }
  return registration.end();
}

}  // namespace vintage::harness
