#include "harness/worker/executor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/engine.h"

namespace vintage {
namespace {

// Attributes are uniqued for as long as a context lives, so a worker that
// lives for a whole run renews it; making one costs milliseconds.
constexpr int kProgramsPerContext = 500;

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
  reply.outcome = error.kind == Error::Kind::kUnsupported ? OutcomeKind::kUnsupported
                                                          : OutcomeKind::kError;
  reply.detail = error.message;
  reply.outputs.clear();
}

// What is executed: the module inside the artifact and how it is called.
struct Callable {
  std::vector<std::byte> module;
  CallingMetadata metadata;
  // A bare portable artifact tells its platforms only, not its inputs.
  bool tellsInputs = false;
};

Result<Callable> open(const ExecuteRequest& request) {
  Callable callable;
  switch (request.format) {
    case ArtifactRecord::Format::kSavedModel:
      return failure(Error::Kind::kUnsupported,
                     "it wraps a TensorFlow SavedModel rather than a StableHLO module; "
                     "this needs TensorFlow and is not executed");
    case ArtifactRecord::Format::kPortableArtifact:
      callable.module = request.artifact;
      callable.metadata.platforms = request.platforms;
      break;
    case ArtifactRecord::Format::kExported: {
      auto exported = readExported(request.artifact, request.name);
      if (!exported) return tl::unexpected<Error>(exported.error());
      callable.metadata = callingMetadata(*exported);
      callable.tellsInputs = true;
      callable.module = std::move(exported->module);
      if (exported->deviceCount > 1)
        return failure(Error::Kind::kUnsupported,
                       fmt::format("it was exported for {} devices; the embedded engine runs "
                                   "artifacts for one",
                                   exported->deviceCount));
      break;
    }
  }
  if (!callable.metadata.platforms.empty())
    if (auto index = platformIndex(callable.metadata, request.platform); !index)
      return tl::unexpected<Error>(index.error());
  return callable;
}

// A platform index or a dimension variable: `type` is a scalar integer.
Tensor integerScalar(const ValueType& type, int64_t value) {
  Tensor scalar(type.element, {});
  // Little-endian: the low bytes come first.
  std::memcpy(scalar.mutableBytes().data(), &value, byteWidth(type.element));
  return scalar;
}

// The arguments of an Exported's `main`, tokens left out.
Result<std::vector<Tensor>> bindExported(const CallingMetadata& metadata, const Function& main,
                                         const ExecuteRequest& request) {
  auto signature = matchMain(metadata, main);
  if (!signature) return tl::unexpected<Error>(signature.error());
  std::vector<Tensor> arguments;
  std::optional<DimensionValues> dimensions;
  for (size_t i = 0; i < signature->arguments.size(); ++i) {
    const MainArgument& argument = signature->arguments[i];
    switch (argument.kind) {
      case MainArgument::Kind::kToken:
        break;
      case MainArgument::Kind::kPlatformIndex: {
        auto index = platformIndex(metadata, request.platform);
        if (!index) return tl::unexpected<Error>(index.error());
        arguments.push_back(integerScalar(main.argumentTypes[i], static_cast<int64_t>(*index)));
        break;
      }
      case MainArgument::Kind::kDimensionVariable: {
        if (!dimensions) {
          auto solved = solveInputs(metadata, request.inputs);
          if (!solved) return tl::unexpected<Error>(solved.error());
          dimensions = std::move(*solved);
        }
        const auto value = dimensions->find(argument.dimensionVariable);
        if (value == dimensions->end())
          return failure(Error::Kind::kBadInput,
                         fmt::format("argument {} of main is the dimension variable '{}', which "
                                     "the shapes of the inputs do not tell",
                                     i, argument.dimensionVariable));
        arguments.push_back(integerScalar(main.argumentTypes[i], value->second));
        break;
      }
      case MainArgument::Kind::kInput:
        if (argument.index >= request.inputs.size())
          return failure(Error::Kind::kBadInput,
                         fmt::format("{} inputs were given; the module keeps input number {}, "
                                     "counted from 0",
                                     request.inputs.size(), argument.index));
        arguments.push_back(request.inputs[argument.index]);
        break;
    }
  }
  return arguments;
}

// The arguments of a bare module's `main`: the inputs, and before them, where
// it serves several platforms, the index of the one that runs.
Result<std::vector<Tensor>> bindBare(const CallingMetadata& metadata, const Function& main,
                                     const ExecuteRequest& request) {
  std::vector<Tensor> arguments = request.inputs;
  const auto first = std::ranges::find_if(main.argumentTypes, [](const ValueType& type) {
    return type.kind != ValueType::Kind::kToken;
  });
  const auto arrays = std::ranges::count_if(main.argumentTypes, [](const ValueType& type) {
    return type.kind != ValueType::Kind::kToken;
  });
  if (metadata.platforms.size() > 1 && static_cast<size_t>(arrays) == arguments.size() + 1 &&
      first->shape.empty() && isInteger(first->element)) {
    auto index = platformIndex(metadata, request.platform);
    if (!index) return tl::unexpected<Error>(index.error());
    arguments.insert(arguments.begin(), integerScalar(*first, static_cast<int64_t>(*index)));
  }
  return arguments;
}

}  // namespace

ProgramContext& Executor::context() {
  if (!context_ || ++programsRead_ > kProgramsPerContext) {
    context_.emplace();
    programsRead_ = 0;
  }
  return *context_;
}

ExecuteReply Executor::execute(const ExecuteRequest& request) {
  ExecuteReply reply;
  reply.id = request.id;
  reply.stage = Stage::kLoad;
  try {
    Stopwatch watch;
    if (request.mode != "graph" && request.mode != "eager") {
      refuse(reply, {Error::Kind::kUnsupported,
                     fmt::format("mode '{}' is not one of this engine's; graph and eager are",
                                 request.mode)});
      return reply;
    }
    auto callable = open(request);
    if (!callable) return refuse(reply, callable.error()), reply;

    reply.stage = Stage::kUpgrade;
    auto program = context().readPortableArtifact(callable->module, request.name);
    if (!program) return refuse(reply, program.error()), reply;

    reply.stage = Stage::kVerify;
    auto tree = program->tree();
    if (!tree) return refuse(reply, tree.error()), reply;
    reply.loadSeconds = watch.lap();

    reply.stage = Stage::kCompile;
    PlanOptions options;
    options.mode = request.mode == "eager" ? ExecutionMode::kEager : ExecutionMode::kGraph;
    const Function* entry = tree->find(options.entry);
    if (!entry)
      return refuse(reply, {Error::Kind::kBadInput, "the module has no function 'main'"}), reply;
    auto plan = compile(*tree, options);
    if (!plan) return refuse(reply, plan.error()), reply;
    reply.compileSeconds = watch.lap();

    reply.stage = Stage::kRun;
    auto arguments = callable->tellsInputs ? bindExported(callable->metadata, *entry, request)
                                           : bindBare(callable->metadata, *entry, request);
    if (!arguments) return refuse(reply, arguments.error()), reply;
    RunOptions runOptions;
    runOptions.memoryLimitBytes = memoryLimitBytes_;
    auto outputs = plan->run(*arguments, runOptions);
    if (!outputs) return refuse(reply, outputs.error()), reply;
    reply.runSeconds = watch.lap();
    reply.outputs = std::move(*outputs);
  } catch (const std::bad_alloc&) {
    refuse(reply, {Error::Kind::kResource, "out of memory"});
  } catch (const std::exception& exception) {
    refuse(reply, {Error::Kind::kResource,
                   fmt::format("a library threw: {}", exception.what())});
  }
  return reply;
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

std::string vintageVersion() { return VINTAGE_VERSION; }

}  // namespace vintage
