#include "harness/bisect/localize/side.h"

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness::bisect {
namespace {

WorkerPoolOptions poolOptions(const std::vector<std::string>& command, const WorkerLimits& limits) {
  WorkerPoolOptions options;
  options.command = command;
  options.timeout = limits.timeout;
  options.memoryLimitBytes = limits.memoryLimitBytes;
  return options;
}

}  // namespace

Side::Side(const std::vector<std::string>& command, std::string platform, std::string mode,
           const WorkerLimits& limits)
    : platform_(std::move(platform)),
      mode_(std::move(mode)),
      host_(makePosixProcessHost()),
      pool_(poolOptions(command, limits), *host_) {}

Result<std::vector<std::byte>> writeModule(const Program& program) {
  if (const auto version = program.artifactVersion())
    if (auto bytes = program.writePortableArtifact(*version)) return bytes;
  ASSIGN_OR_RETURN(auto minimum, program.minimumVersion());
  return program.writePortableArtifact(minimum.version);
}

Result<Executed> Side::run(const Program& program, std::span<const Tensor> arguments) {
  ASSIGN_OR_RETURN(auto module, writeModule(program));
  ExecuteRequest request;
  request.id = static_cast<uint64_t>(executions_++);
  request.name = "part of a program";
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = platform_;
  // One platform: a platform index is among the arguments already.
  request.platforms = {platform_};
  request.mode = mode_;
  request.artifact = std::move(module);
  request.inputs.assign(arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(auto result, pool_.execute(std::move(request)));
  return Executed{std::move(result)};
}

std::string describeFailure(const Executed& executed) {
  return fmt::format("{}: {}", executed.kind(), executed.detail);
}

Result<SeenOnBoth> BothSides::run(const Program& program, std::span<const Tensor> arguments) {
  ASSIGN_OR_RETURN(auto expected, within("the reference", reference_.run(program, arguments)));
  if (!expected.ran())
    return usageError("the reference fails as well: {}: {}; choose another with --reference",
                      expected.kind(), expected.detail);
  ASSIGN_OR_RETURN(auto actual, within("the failing consumer", failing_.run(program, arguments)));
  SeenOnBoth seen;
  seen.failure = !actual.ran();
  if (!seen.failure) seen.difference = firstDifference(expected.outputs, actual.outputs, {});
  seen.expected = std::move(expected);
  seen.actual = std::move(actual);
  return seen;
}

}  // namespace vintage::harness::bisect
