#include "harness/runtimes/embedded/executor.h"

#include <algorithm>
#include <iterator>

#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"
#include "golden/kernels/kernel_reader.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/engine.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "harness/runtimes/worker_server.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

// Attributes are uniqued for as long as a context lives, so a worker that lives for a whole run
// renews it. Most of what a small program is made of occurred in one before; large constants do
// not come again.
constexpr size_t kProgramsPerContext = 8000;
constexpr size_t kBytesPerContext = size_t{64} << 20;

// Splits the inputs over the devices, and joins the outputs, by the artifact's own placements.
Result<std::vector<Tensor>> runOverDevices(const Plan& plan, uint32_t devices,
                                           const Placements& placements,
                                           std::span<const Tensor> arguments,
                                           const RunOptions& options) {
  ASSIGN_OR_RETURN(const auto held, splitRows(placements.inputs, arguments, devices, "argument"));
  ASSIGN_OR_RETURN(const auto results, plan.runOnDevices(placements, held, options));
  return joinRows(placements.outputs, results, Copies::kMustAgree, "output");
}

}  // namespace

ProgramContext& Executor::contextFor(size_t bytes) {
  if (!context_ || programsRead_ >= kProgramsPerContext || bytesRead_ + bytes > kBytesPerContext) {
    context_.emplace();
    programsRead_ = bytesRead_ = 0;
  }
  ++programsRead_;
  bytesRead_ += bytes;
  return *context_;
}

Status Executor::executeOne(Callable& callable, const ExecuteRequest& request, ExecuteReply& reply,
                            Meter& meter, Runs& runs) {
  Lap lap;
  reply.stage = Stage::kUpgrade;
  std::optional<ModuleTree> tree;
  {
    ASSIGN_OR_RETURN(auto program,
                     contextFor(callable.module.size()).readInPlace(callable.module, request.name));
    reply.stage = Stage::kVerify;
    ASSIGN_OR_RETURN(tree, program.tree());
  }
  reply.loadSeconds += lap.seconds();
  meter.loaded();

  reply.stage = Stage::kCompile;
  PlanOptions options;
  options.mode = request.mode == "eager" ? ExecutionMode::kEager : ExecutionMode::kGraph;
  options.roundsAtRandom = std::ranges::any_of(
      runs.seeds, [](const std::optional<uint64_t>& seed) { return seed.has_value(); });
  const Function* entry = tree->find(options.entry);
  if (!entry) return badInput("the module has no function 'main'");
  RETURN_IF_ERROR(checkModule(callable, *tree, *entry));
  std::optional<Placements> placements;
  if (callable.tellsInputs && callable.deviceCount > 1) {
    ASSIGN_OR_RETURN(placements, placementsOf(callable, *tree, *entry));
  }
  readKernelsWith({.mosaic = readMosaicKernel, .triton = readTritonKernel});
  ASSIGN_OR_RETURN(auto plan, compile(*tree, options));
  reply.compileSeconds += lap.seconds();
  meter.compiled();

  reply.stage = Stage::kRun;
  RunOptions runOptions;
  runOptions.memoryLimitBytes = memoryLimitBytes_;
  runOptions.threads = &threads_;
  ASSIGN_OR_RETURN(auto arguments, argumentsOf(callable, *entry, request));
  for (size_t i = 0; i < runs.seeds.size(); ++i) {
    runOptions.roundingSeed = runs.seeds[i];
    if (runs.deadline)
      runOptions.timeLimit = std::max(std::chrono::milliseconds(0),
                                      std::chrono::duration_cast<std::chrono::milliseconds>(
                                          *runs.deadline - std::chrono::steady_clock::now()));
    std::vector<Tensor> outputs;
    RETURN_IF_ERROR(meter.run([&]() -> Status {
      ASSIGN_OR_RETURN(outputs, placements ? runOverDevices(plan, callable.deviceCount, *placements,
                                                            arguments, runOptions)
                                           : plan.run(arguments, runOptions));
      return {};
    }));
    RETURN_IF_ERROR(checkOutputs(callable, request.inputs, outputs));
    std::ranges::move(outputs, std::back_inserter(runs.outputs[i]));
  }
  reply.runSeconds += lap.seconds();
  return {};
}

Status Executor::executeAll(ExecuteRequest& request, ExecuteReply& reply, Runs& runs) {
  if (request.mode != "graph" && request.mode != "eager")
    return unsupported("mode '{}' is not one of this engine's; graph and eager are", request.mode);
  runs.outputs.resize(runs.seeds.size());
  Meter meter(request, reply);
  ASSIGN_OR_RETURN(auto opened, openArtifact(request));
  RETURN_IF_ERROR(executeOne(opened.function, request, reply, meter, runs));
  ASSIGN_OR_RETURN(const bool alsoDerivative, asksForDerivative(opened, request));
  if (!alsoDerivative) return {};
  return within("derivative", executeOne(*opened.derivative, request, reply, meter, runs));
}

ExecuteReply Executor::execute(ExecuteRequest request) {
  return replyOf(request, [&](ExecuteReply& reply) -> Status {
    const std::optional<uint64_t> toNearest;
    Runs runs{{&toNearest, 1}, std::nullopt, {}};
    const Status status = executeAll(request, reply, runs);
    if (!runs.outputs.empty()) reply.outputs = std::move(runs.outputs.front());
    return status;
  });
}

Result<TensorRows> Executor::runWithSeeds(ExecuteRequest request,
                                          std::span<const std::optional<uint64_t>> seeds,
                                          std::chrono::milliseconds limit) {
  Runs runs{seeds, std::chrono::steady_clock::now() + limit, {}};
  Status status;
  const ExecuteReply reply = replyOf(request, [&](ExecuteReply& said) -> Status {
    return status = executeAll(request, said, runs);
  });
  if (reply.outcome == OutcomeKind::kPass) return std::move(runs.outputs);
  if (!status) return tl::unexpected(status.error());
  return noResource("{}", reply.detail);  // A library threw.
}

BuildRecord embeddedEngineBuild(Date buildDate) {
  BuildRecord build;
  build.name = fmt::format("vintage-engine {}", formatDate(buildDate));
  build.version = vintageVersion();
  build.buildDate = buildDate;
  build.platforms = {"cpu"};
  build.modes = {"graph", "eager"};
  build.oldestCallingConvention = kOldestCallingConvention;
  build.newestCallingConvention = kNewestCallingConvention;
  build.newestSerialization = kNewestSerializationVersion;
  build.stablehloVersion = formatStablehloVersion(kCurrentStablehloVersion);
  for (const CustomCallTarget& target : customCallTargets())
    build.customCallTargets.push_back(target.name);
  build.kind = "engine";
  return build;
}

Date compiledOn() {
  // __DATE__ is "Nov 20 2026", or the day of SOURCE_DATE_EPOCH.
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr std::string_view kDate = __DATE__;
  const auto month = static_cast<unsigned>(kMonths.find(kDate.substr(0, 3)) / 3 + 1);
  const unsigned day = (kDate[4] == ' ' ? 0 : kDate[4] - '0') * 10u + (kDate[5] - '0');
  const int year = std::stoi(std::string(kDate.substr(7)));
  return Date(std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day));
}

}  // namespace vintage::harness
