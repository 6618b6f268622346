#include "harness/model/execute.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/tensor/print.h"
#include "harness/importer/inspect.h"
#include "harness/model/signature.h"
#include "harness/replay/replay.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

constexpr int64_t kElementsPrinted = 64;

Result<std::string> choosePlatform(const BuildRecord& build, const ArtifactRecord& record,
                                   const std::string& asked) {
  for (const std::string& platform : record.platforms)
    if ((asked.empty() || platform == asked) && lists(build.platforms, platform)) return platform;
  return unsupported("{} is for {}{}; build '{}' runs {}", record.name,
                     fmt::join(record.platforms, ", "),
                     asked.empty() ? "" : fmt::format(" ({} was asked for)", asked), build.name,
                     fmt::join(build.platforms, ", "));
}

Result<std::string> chooseMode(const BuildRecord& build, const std::string& asked) {
  if (asked.empty() && !build.modes.empty()) return build.modes.front();
  if (lists(build.modes, asked)) return asked;
  return usageError("build '{}' has no mode '{}'; it has {}", build.name, asked,
                    fmt::join(build.modes, ", "));
}

}  // namespace

Result<Execution> choosePlace(const BuildRecord& build, const ArtifactRecord& record,
                              Execution execution) {
  ASSIGN_OR_RETURN(execution.platform, choosePlatform(build, record, execution.platform));
  ASSIGN_OR_RETURN(execution.mode, chooseMode(build, execution.mode));
  return execution;
}

Result<WorkerResult> executeOn(const BuildRecord& build, const ArtifactRecord& record,
                               std::vector<std::byte> bytes, std::vector<Tensor> inputs,
                               const Execution& execution, ProcessHost& host) {
  ASSIGN_OR_RETURN(const auto place, choosePlace(build, record, execution));
  ExecuteRequest request =
      requestOf(record, place.platform, place.mode, std::move(bytes), std::move(inputs));
  WorkerPoolOptions options;
  options.command = build.start->worker;
  options.timeout = execution.timeout;
  options.memoryLimitBytes = execution.memoryLimitBytes;
  options.sandbox = sandboxFor(build, execution.sandbox);
  WorkerPool pool(options, host);
  return within(fmt::format("build '{}'", build.name), pool.execute(std::move(request)));
}

Result<GoldenRun> runWithGolden(const Archive& archive, const ArtifactRecord& record,
                                const BuildRecord& build, const Execution& execution,
                                ProcessHost& host) {
  if (record.golden.empty())
    return unsupported("{} is kept without inputs; keep it with them by 'vintage put'",
                       record.name);
  ASSIGN_OR_RETURN(const Golden golden, archive.readGolden(record));
  ASSIGN_OR_RETURN(auto bytes, archive.read(record.id));
  GoldenRun run;
  ASSIGN_OR_RETURN(run.result,
                   executeOn(build, record, std::move(bytes), golden.inputs, execution, host));
  run.outcome = run.result.outcome;
  if (run.outcome == OutcomeKind::kCompiled) return run;
  if (run.outcome != OutcomeKind::kPass) {
    run.detail = failureText(run.result);
    return run;
  }
  Judged judged = compareWithGolden(golden, run.result.outputs, build);
  run.outcome = judged.outcome;
  run.detail = std::move(judged.detail);
  return run;
}

Result<WorkerResult> runWithInputs(const Archive& archive, const ArtifactRecord& record,
                                   std::span<const std::string> files, const BuildRecord& build,
                                   const Execution& execution, ProcessHost& host) {
  ASSIGN_OR_RETURN(auto bytes, archive.read(record.id));
  ASSIGN_OR_RETURN(const auto inspection, inspectArtifact(bytes, record.name, {.outputs = true}));
  ASSIGN_OR_RETURN(const auto signature, signatureOf(inspection.details, record.name));
  ASSIGN_OR_RETURN(auto inputs, within(record.name, signature.readInputs(files)));
  RETURN_IF_ERROR(within(record.name, signature.checkShapes(inputs, {})));
  return executeOn(build, record, std::move(bytes), std::move(inputs), execution, host);
}

std::string outputsText(const WorkerResult& result) {
  std::string text;
  for (const Tensor& tensor : result.outputs)
    text += fmt::format("{} {}\n", describe(tensor), formatTensor(tensor, kElementsPrinted));
  return text;
}

nlohmann::json outputsJson(const WorkerResult& result) {
  nlohmann::json list = nlohmann::json::array();
  for (const Tensor& tensor : result.outputs)
    list.push_back({{"dtype", dtypeName(tensor.type())}, {"shape", tensor.shape()}});
  return list;
}

Result<BuildRecord> engineHere() {
  BuildRecord build = embeddedEngineBuild(compiledOn());
  ASSIGN_OR_RETURN(const auto worker, findWorkerProgram());
  build.start.emplace().worker = {worker.string()};
  return build;
}

std::string failureText(const WorkerResult& result) {
  return fmt::format("{} in stage {}: {}", outcomeName(result.outcome), stageName(result.stage),
                     result.detail);
}

}  // namespace vintage::harness
