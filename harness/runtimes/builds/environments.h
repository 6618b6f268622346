// Environments from the package index: for releases of a framework, with the builds registered for
// them and the description that a release of JAX gives in its own; and for PJRT plugins.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/builds/python_programs.h"

namespace vintage::harness {

// Warm: the worker has lowered programs of its own before it loads an artifact; fresh: it
// has not, as a server that only loads what was exported. Only: the framework has no such
// difference.
struct Condition {
  static constexpr const char *kWarm = "warm", *kFresh = "fresh", *kOnly = "";
};

struct EnvironmentRequest {
  const Framework* framework = &kJax;
  std::vector<std::string> releases;  // "0.8.1", "0.12", "0.4.30..0.12", "latest", "window"
  std::string python;    // Instead: an interpreter whose environment has a JAX already.
  std::string root;      // Where environments are kept; empty: as docs/howto/runtimes.md says.
  std::string wheels;    // A folder of wheels instead of the package index; empty: none.
  std::string released;  // The day of the one release, instead of the index's; empty: that.
  std::string today;     // Of `window`; empty: today.
  std::string lock;      // A file with the packages of the one release; empty: the index's newest.
  int every = 0;         // Of a range, only releases that are so many days apart.
  bool whenNeeded = false;  // Makes the recipes only (when_needed.h).
};

struct EnvironmentsReport {
  std::vector<archive::BuildRecord> builds;  // For each release and condition; not registered yet.
  // A release that no interpreter here can have, and one that could not be made; with the reason.
  std::vector<std::pair<std::string, std::string>> leftOut, failed;
};

// Makes what is missing. `conditions` are those of a framework that has any. A release that fails
// does not keep the others from being made. An error where nothing was tried: the call is wrong,
// Python is missing.
Result<EnvironmentsReport> makeEnvironments(const EnvironmentRequest& request,
                                            const std::vector<std::string>& conditions,
                                            ProcessHost& host, const PythonProgress& progress);

// The name that a release is registered under: "jax-0.8.1", "jax-0.8.1-fresh".
std::string buildName(const std::string& said, const std::string& condition);

// How a release is started in an environment that is made of exactly the packages that the build's
// recipe locks. kUsage where the build has no recipe; what is installed elsewhere stays as it is.
Result<archive::StartCommand> installRecipe(const archive::BuildRecord& build,
                                            const std::string& root, ProcessHost& host,
                                            const PythonProgress& progress);

// The build of an environment as the program `environment` describes it.
Result<archive::BuildRecord> buildOfEnvironment(const nlohmann::json& environment,
                                                const EnvironmentRequest& request,
                                                const std::string& condition);

// The targets that a release of JAX registers, lists and emits, as found in its environment
// (docs/gate/facts.md). It lowers JAX's harnesses for each platform, which takes a minute or two.

// Asks a registered release, under the days of its registration. kUsage where the build is none.
Result<archive::RuntimeDescription> describeBuild(const archive::BuildRecord& build,
                                                  ProcessHost& host,
                                                  const PythonProgress& progress);
// Asks the JAX of an interpreter, as if it were released on `day`.
Result<archive::RuntimeDescription> describePython(const std::string& python,
                                                   const std::string& day, ProcessHost& host,
                                                   const PythonProgress& progress);

// The names that its dialects know, in the JSON of the program `describe --dialects`. kUsage where
// the build is no release of JAX.
Result<nlohmann::json> describeDialects(const archive::BuildRecord& build, ProcessHost& host,
                                        const PythonProgress& progress);

struct FetchedPlugin {
  std::string library;   // The file to load; not there yet where it is fetched when needed.
  std::string place;     // The folder of its package.
  std::string released;  // YYYY-MM-DD; empty: neither the index nor the wheel says.
  archive::PythonEnvironment environment;  // The one package, and the source of its day.
};

struct PluginsReport {
  std::vector<FetchedPlugin> plugins;
  std::vector<std::pair<std::string, std::string>> leftOut, failed;  // As of environments.
};

// Fetches wheels that are not there yet, and unpacks them. `package`: "xla-cpu-pjrt==0.0.1",
// "libtpu==0.0.30.."; of `request` the root, the wheels, and how releases are chosen. Needs Python.
Result<PluginsReport> fetchPlugins(const std::string& package, const EnvironmentRequest& request,
                                   ProcessHost& host, const PythonProgress& progress);

}  // namespace vintage::harness
