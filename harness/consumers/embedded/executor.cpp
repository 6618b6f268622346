#include "harness/consumers/embedded/executor.h"

#include <chrono>
#include <exception>
#include <functional>
#include <new>

#include <fmt/format.h>

#include "golden/base/vintage_version.h"
#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"
#include "golden/program/in_place.h"
#include "harness/consumers/embedded/large_request.h"
#include "harness/consumers/embedded/recorded_placement.h"
#include "harness/consumers/embedded/taken_callable.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/engine.h"

namespace vintage::harness::consumers::embedded {
namespace {

// Attributes are uniqued for as long as a context lives, so a worker that lives for a whole run
// renews it. Most of what a small program is made of occurred in one before; large constants do
// not come again.
constexpr size_t kProgramsPerContext = 8000;
constexpr size_t kBytesPerContext = size_t{64} << 20;

using Seconds = std::chrono::duration<double>;

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return Seconds(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void refuse(ExecuteReply& reply, const Error& error) {
  reply.outcome =
      error.kind == Error::Kind::kUnsupported ? OutcomeKind::kUnsupported : OutcomeKind::kError;
  reply.detail = error.message;
  reply.outputs.clear();
}

// A caller puts the pieces of its inputs on the devices where the artifact says
// that they lie, and finds those of the outputs where it says so.
Result<std::vector<Tensor>> runOverDevices(const Plan& plan, uint32_t devices,
                                           const Placements& placements,
                                           std::span<const Tensor> arguments,
                                           const RunOptions& options) {
  std::vector<std::vector<Tensor>> held(devices);
  for (size_t i = 0; i < arguments.size() && i < placements.inputs.size(); ++i) {
    auto pieces = splitOver(placements.inputs[i], arguments[i]);
    if (!pieces) return within(fmt::format("argument {}", i), pieces.error());
    for (size_t device = 0; device < held.size(); ++device)
      held[device].push_back(std::move((*pieces)[device]));
  }
  ASSIGN_OR_RETURN(auto results, plan.runOnDevices(placements, held, options));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < placements.outputs.size(); ++i) {
    std::vector<Tensor> pieces;
    for (const std::vector<Tensor>& device : results) {
      if (i >= device.size())
        return failure(Error::Kind::kBadInput,
                       fmt::format("{} outputs came out, and the artifact declares {}",
                                   device.size(), placements.outputs.size()));
      pieces.push_back(device[i]);
    }
    auto whole = joinPieces(placements.outputs[i], pieces, Copies::kMustAgree);
    if (!whole) return within(fmt::format("output {}", i), whole.error());
    outputs.push_back(std::move(*whole));
  }
  return outputs;
}

// A portable artifact as a tree: copied, or taken apart where it lies.
using ReadTree = std::function<Result<ModuleTree>(ExecuteReply& reply)>;

Status executeTree(const ReadTree& read, const Callable& callable, const ExecuteRequest& request,
                   const RunOptions& runOptions, ExecuteReply& reply) {
  Stopwatch watch;
  ASSIGN_OR_RETURN(const auto tree, read(reply));
  reply.loadSeconds += watch.lap();

  reply.stage = Stage::kCompile;
  PlanOptions options;
  options.mode = request.mode == "eager" ? ExecutionMode::kEager : ExecutionMode::kGraph;
  const Function* entry = tree.find(options.entry);
  if (!entry) return failure(Error::Kind::kBadInput, "the module has no function 'main'");
  RETURN_IF_ERROR(checkModule(callable, tree, *entry));
  std::optional<Placements> placements;
  if (callable.tellsInputs && callable.deviceCount > 1) {
    ASSIGN_OR_RETURN(auto found, placementsOf(callable, tree, *entry));
    placements = std::move(found);
  }
  ASSIGN_OR_RETURN(auto plan, compile(tree, options));
  reply.compileSeconds += watch.lap();

  reply.stage = Stage::kRun;
  ASSIGN_OR_RETURN(auto arguments, argumentsOf(callable, *entry, request));
  ASSIGN_OR_RETURN(auto outputs, placements ? runOverDevices(plan, callable.deviceCount,
                                                             *placements, arguments, runOptions)
                                            : plan.run(arguments, runOptions));
  reply.runSeconds += watch.lap();
  RETURN_IF_ERROR(checkOutputs(callable, request.inputs, outputs));
  for (Tensor& output : outputs) reply.outputs.push_back(std::move(output));
  return {};
}

// `both` opens and executes what the request holds, and its derivative where it is asked for.
ExecuteReply replyOf(const ExecuteRequest& request,
                     const std::function<Status(ExecuteReply& reply)>& both) {
  ExecuteReply reply;
  reply.id = request.id;
  reply.stage = Stage::kLoad;
  try {
    if (request.mode != "graph" && request.mode != "eager") {
      refuse(reply, {Error::Kind::kUnsupported,
                     fmt::format("mode '{}' is not one of this engine's; graph and eager are",
                                 request.mode)});
      return reply;
    }
    if (Status status = both(reply); !status) refuse(reply, status.error());
  } catch (const std::bad_alloc&) {
    refuse(reply, {Error::Kind::kResource, "out of memory"});
  } catch (const std::exception& exception) {
    refuse(reply, {Error::Kind::kResource, fmt::format("a library threw: {}", exception.what())});
  }
  return reply;
}

bool asksForDerivative(const Callable& callable, const ExecuteRequest& request) {
  return callable.tellsInputs && request.inputs.size() > callable.metadata.inputs.size();
}

Error noSuchDerivative(const Callable& callable, const ExecuteRequest& request) {
  return {Error::Kind::kBadInput,
          fmt::format("{} inputs were given; the function takes {}, and no derivative that takes "
                      "as many is nested in it",
                      request.inputs.size(), callable.metadata.inputs.size())};
}

// Of the derivative.
Status saidOfDerivative(const Status& status) {
  if (status) return status;
  return failure(status.error().kind, "derivative: " + status.error().message);
}

}  // namespace

ProgramContext& Executor::contextFor(size_t bytes) {
  if (!context_ || programsRead_ >= kProgramsPerContext || bytesRead_ >= kBytesPerContext) {
    context_.emplace();
    programsRead_ = bytesRead_ = 0;
  }
  ++programsRead_;
  bytesRead_ += bytes;
  return *context_;
}

Status Executor::executeOne(const Callable& callable, const ExecuteRequest& request,
                            ExecuteReply& reply) {
  const auto read = [&](ExecuteReply& at) -> Result<ModuleTree> {
    at.stage = Stage::kUpgrade;
    ASSIGN_OR_RETURN(
        auto program,
        contextFor(callable.module.size()).readPortableArtifact(callable.module, request.name));
    at.stage = Stage::kVerify;
    return program.tree();
  };
  RunOptions options;
  options.memoryLimitBytes = memoryLimitBytes_;
  options.threads = &threads_;
  return executeTree(read, callable, request, options, reply);
}

ExecuteReply Executor::execute(const ExecuteRequest& request) {
  return replyOf(request, [&](ExecuteReply& reply) -> Status {
    ASSIGN_OR_RETURN(const auto callable, openCallable(request));
    RETURN_IF_ERROR(executeOne(callable, request, reply));
    if (!asksForDerivative(callable, request)) return {};
    ASSIGN_OR_RETURN(const auto derivative, openDerivative(request));
    if (!derivative) return tl::unexpected(noSuchDerivative(callable, request));
    return saidOfDerivative(executeOne(*derivative, request, reply));
  });
}

ExecuteReply executeLarge(ExecuteRequest request, size_t memoryLimitBytes) {
  ProgramContext context;
  const auto executeTaken = [&](Callable& callable, ExecuteReply& reply) {
    const auto read = [&](ExecuteReply& at) -> Result<ModuleTree> {
      at.stage = Stage::kUpgrade;
      ASSIGN_OR_RETURN(auto program, readInPlace(context, callable.module, request.name));
      at.stage = Stage::kVerify;
      return takeTree(program);
    };
    RunOptions options;
    options.memoryLimitBytes = memoryLimitBytes;
    return executeTree(read, callable, request, options, reply);
  };
  return replyOf(request, [&](ExecuteReply& reply) -> Status {
    ASSIGN_OR_RETURN(auto taken, takeCallable(request));
    RETURN_IF_ERROR(executeTaken(taken.function, reply));
    if (!asksForDerivative(taken.function, request)) return {};
    if (!taken.derivative) return tl::unexpected(noSuchDerivative(taken.function, request));
    return saidOfDerivative(executeTaken(*taken.derivative, reply));
  });
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

}  // namespace vintage::harness::consumers::embedded
