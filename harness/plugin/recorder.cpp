#include "harness/plugin/client.h"

#include <algorithm>
#include <cstdio>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/compare/recorded_comparators.h"
#include "golden/program/entry_changes.h"
#include "harness/importer/inspect.h"
#include "harness/importer/measure_noise.h"
#include "harness/plugin/partitioned_calls.h"
#include "harness/plugin/python_callbacks.h"
#include "harness/runtimes/embedded/executor.h"
#include "harness/runtimes/pjrt/element_codes.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

constexpr size_t kHashInName = 8;

std::vector<std::string> dtypesOf(const CompiledProgram& program) {
  std::set<std::string> names;
  for (const ValueType& type : program.arguments)
    if (type.kind == ValueType::Kind::kTensor) names.emplace(stablehloName(type.element));
  for (const ProgramOutput& output : program.outputs)
    if (output.code != kTokenCode) names.emplace(stablehloName(output.type));
  return {names.begin(), names.end()};
}

}  // namespace

Recorder::Recorder(Archive archive, const PluginSettings& settings)
    : archive_(std::move(archive)),
      producer_(settings.producer),
      date_(settings.producerDate.value_or(compiledOn())) {}

Result<std::unique_ptr<Recorder>> Recorder::open(const PluginSettings& settings) {
  auto archive = Archive::open(settings.recordFolder, Archive::Mode::kCreate);
  if (!archive) return within("VINTAGE_PLUGIN_RECORD", archive.error());
  return std::unique_ptr<Recorder>(new Recorder(std::move(*archive), settings));
}

void Recorder::record(const CompiledProgram& program, const TensorRows& inputs,
                      const TensorRows& outputs) {
  const std::lock_guard lock(mutex_);
  if (!seen_.insert(program.fingerprint).second) return;
  if (Status status = keep(program, inputs, outputs); !status)
    fmt::print(stderr, "vintage: {} is not recorded: {}\n", program.name, status.error().message);
}

Status Recorder::keep(const CompiledProgram& program, const TensorRows& inputs,
                      const TensorRows& outputs) {
  if (std::ranges::any_of(program.targets, isPythonCallback))
    return unsupported("it calls Python while it runs, which a replay cannot");
  if (std::ranges::any_of(program.targets, isSplitWhenCompiled))
    return unsupported("its client splits it while it is compiled, which a replay cannot");
  if (program.request.grid.replicas > 1)
    return unsupported("it runs on {} replicas, and an artifact holds the values of one",
                       program.request.grid.replicas);
  Archive::Put put;
  put.bytes = program.code;
  const StablehloVersion version = program.version.value_or(kCurrentStablehloVersion);
  if (!program.version || program.layouts.annotated) {
    ProgramContext context;
    ASSIGN_OR_RETURN(const auto read, context.read(program.code, kProgramName));
    // A golden's values are row-major, and consumers take them as they are.
    ASSIGN_OR_RETURN(const auto plain, withoutLayouts(read));
    ASSIGN_OR_RETURN(put.bytes, plain.writePortableArtifact(version));
  }
  Golden golden;
  golden.inputs = inputs.front();
  golden.expected = outputs.front();
  if (program.placements) {
    ASSIGN_OR_RETURN(golden.inputs, joinRows(program.placements->inputs, inputs));
    ASSIGN_OR_RETURN(golden.expected, joinRows(program.placements->outputs, outputs));
  }
  golden.comparators = comparatorsForRecorded(program.recorded, golden.inputs, golden.expected);
  golden.oracle = fmt::format("{}, while it recorded", embeddedEngineBuild(compiledOn()).name);

  ArtifactRecord& record = put.record;
  record.format = ArtifactRecord::Format::kPortableArtifact;
  record.id = contentHash(put.bytes);
  record.name = fmt::format("{}-{}", program.name, record.id.substr(0, kHashInName));
  record.producer = producer_;
  record.buildDate = date_;
  record.stablehloVersion = formatStablehloVersion(version);
  record.primitive = primitiveOfTargets(program.targets);
  record.dtypes = dtypesOf(program);
  record.platforms = {"cpu"};
  record.variant = program.placements ? "sharded" : "static";
  record.deviceCount = static_cast<int>(program.request.grid.partitions);
  record.customCallTargets = program.targets;
  put.golden = std::move(golden);

  // An earlier session recorded it, perhaps with other inputs.
  const auto known = archive_.find(record.id);
  if (known && known->name == record.name && known->producer == record.producer) return {};
  if (Status status = measureNoiseHere(put, {}); !status)
    fmt::print(stderr, "vintage: {} is recorded without its noise: {}\n", program.name,
               status.error().message);
  auto kept = archive_.putAll({&put, 1});
  if (kept) return {};
  // Another process did so meanwhile.
  if (kept.error().kind == Error::Kind::kConflict && archive_.find(record.name)) return {};
  return tl::unexpected(kept.error());
}

}  // namespace vintage::harness
