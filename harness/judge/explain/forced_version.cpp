#include "harness/judge/explain/forced_version.h"

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/model/execute.h"
#include "harness/runtimes/builds/kept_program.h"
#include "harness/runtimes/builds/python_programs.h"

namespace vintage::harness {
using namespace archive;

namespace {

// Only TensorFlow takes the version of a module from its caller.
bool isTensorFlow(const BuildRecord& build) {
  return build.details.said &&
         build.details.said->name.starts_with(fmt::format("{} ", kTensorFlow.name));
}

}  // namespace

Result<ForcedVersion> runForced(const Archive& archive, const ArtifactRecord& artifact,
                                const BuildRecord& build, const std::string& platform,
                                const std::string& mode, ProcessHost& host) {
  if (!isTensorFlow(build))
    return usageError(
        "--force-version: only TensorFlow takes the version of a module from its caller; build "
        "'{}' is none",
        build.name);
  if (artifact.callingConventionVersion <= build.newestCallingConvention)
    return usageError(
        "--force-version: {} has calling convention {}, and build '{}' reads up to {}: no number "
        "keeps it out",
        artifact.name, artifact.callingConventionVersion, build.name,
        build.newestCallingConvention);
  ForcedVersion forced;
  forced.version = build.newestCallingConvention;
  ASSIGN_OR_RETURN(auto asked, readyToStart(build, host));
  std::vector<std::string>& worker = asked.start->worker;
  worker.insert(worker.end(), {"--force-version", std::to_string(forced.version)});
  Execution execution;
  execution.platform = platform;
  execution.mode = mode;
  ASSIGN_OR_RETURN(auto run, runWithGolden(archive, artifact, asked, execution, host));
  forced.outcome = run.outcome;
  forced.detail = std::move(run.detail);
  return forced;
}

std::string forcedText(const ForcedVersion& forced) {
  if (forced.outcome == OutcomeKind::kPass)
    return fmt::format("a gate by number alone: called as calling convention {} it passes",
                       forced.version);
  return fmt::format("no gate by number alone: called as calling convention {} it fails too: {}",
                     forced.version, forced.detail.substr(0, forced.detail.find('\n')));
}

}  // namespace vintage::harness
