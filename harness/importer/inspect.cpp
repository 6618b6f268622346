#include "harness/importer/inspect.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "archive/store/record_json.h"
#include "golden/base/failures.h"
#include "golden/base/isolate.h"
#include "golden/base/memory_pages.h"
#include "golden/exported/exported.h"
#include "harness/importer/described_module.h"
#include "harness/importer/kernel_precision.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using nlohmann::json;
using Format = ArtifactRecord::Format;

constexpr size_t kLongestMessage = 2000;
constexpr int kArtifactsPerContext = 100;  // A context keeps all types and attributes that it saw.

// MLIR's parser says that a dialect is unknown, but of an operation in generic
// form not which one: its message points behind the operation's quoted name.
std::string nameUnknownDialect(std::string message, std::span<const std::byte> bytes,
                               const std::string& name) {
  int line = 0, column = 0;
  if (message.find("unregistered dialect") == std::string::npos || !message.starts_with(name) ||
      std::sscanf(message.c_str() + name.size(), ":%d:%d", &line, &column) != 2)
    return message;
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (; line > 1 && !text.empty(); --line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  text = text.substr(0, static_cast<size_t>(std::max(column - 1, 0)));
  const size_t close = text.rfind('"');
  const size_t open = close == text.npos || close == 0 ? text.npos : text.rfind('"', close - 1);
  if (open == text.npos) return message;
  const std::string_view operation = text.substr(open + 1, close - open - 1);
  return fmt::format(
      "{}: the operation '{}' is of the dialect '{}', which is not known; "
      "stablehlo, chlo, vhlo, sdy, check, interpreter and func are",
      message.substr(0, message.find(": ")), operation, operation.substr(0, operation.find('.')));
}

void countOperations(const Region& region, std::map<std::string, int64_t>& counts) {
  for (const Block& block : region.blocks)
    for (const Operation& operation : block.operations) {
      ++counts[operation.name];
      for (const Region& inner : operation.regions) countOperations(inner, counts);
    }
}

Result<std::map<std::string, int64_t>> operationCounts(ProgramContext& context,
                                                       const ModuleTree& tree,
                                                       const Exported* derivative,
                                                       const std::string& name) {
  std::map<std::string, int64_t> counts;
  for (const Function& function : tree.functions) countOperations(function.body, counts);
  for (; derivative; derivative = derivative->vjp.get()) {
    ASSIGN_OR_RETURN(auto program, readProgram(context, derivative->module, name));
    ASSIGN_OR_RETURN(auto derivativeTree, program.tree());
    for (const Function& function : derivativeTree.functions)
      countOperations(function.body, counts);
  }
  return counts;
}

// Large constants are not copied, but for a text that shows them and the search for the lowest
// version, which read them where MLIR keeps them.
Result<Program> readModule(ProgramContext& context, std::span<std::byte> bytes,
                           const std::string& name, const InspectOptions& options) {
  const bool showsConstants = options.text && !options.text->largestConstant;
  if (isBytecode(bytes) && !showsConstants && !options.minimumVersion)
    return context.readInPlace(bytes, name);
  return readProgram(context, bytes, name);
}

// Runs in the child, which may take bytes apart in place. The text and the fields of the record
// travel inside the details.
Result<std::string> inspectHere(ProgramContext& context, std::span<const std::byte> read,
                                Format format, const std::string& name,
                                const InspectOptions& options) {
  std::span<std::byte> bytes(const_cast<std::byte*>(read.data()), read.size());
  json details{{"format", formatName(format)}};
  Exported exported;
  std::vector<std::string> ofDerivatives;
  if (format == Format::kExported) {
    ASSIGN_OR_RETURN(exported, readExportedInPlace(bytes, name));
    describeExported(exported, details);
    ASSIGN_OR_RETURN(ofDerivatives, derivativeTargets(context, exported, name));
    bytes = exported.module;
  }
  ASSIGN_OR_RETURN(auto program, readModule(context, bytes, name, options));
  if (options.text) details["text"] = program.print(*options.text);
  ASSIGN_OR_RETURN(auto tree, program.tree());

  ModuleFacts facts = factsOf(tree);
  details["module"] = tree.name;
  details["dtypes"] = facts.dtypes;
  if (format == Format::kExported) {
    facts.devices = exported.deviceCount;
    facts.platforms = exported.platforms.size();
    facts.tokens |= !exported.orderedEffects.empty();
  } else {
    describeMain(tree, details);
  }
  details["device_count"] = facts.devices;
  const std::vector<std::string> targets = program.customCallTargets();
  details["custom_call_targets"] = mergedTargets(targets, ofDerivatives);
  details["primitive"] = primitiveOfTargets(targets);
  if (const auto version = program.artifactVersion()) {
    details["stablehlo_version"] = formatStablehloVersion(*version);
    if (isNewerThanKnown(*version))
      details["newer_than_known"] = fmt::format(
          "StableHLO {} came after {}, the newest that is known here; all that this "
          "artifact holds is known",
          formatStablehloVersion(*version), formatStablehloVersion(kCurrentStablehloVersion));
  }
  details["variant"] = variantOf(facts);
  if (options.minimumVersion) {
    ASSIGN_OR_RETURN(auto minimum, program.minimumVersion());
    details["minimum_version"] = {{"version", formatStablehloVersion(minimum.version)},
                                  {"reason", minimum.reason}};
  }
  if (options.operations) {
    ASSIGN_OR_RETURN(details["operations"],
                     operationCounts(context, tree, exported.vjp.get(), name));
    if (const auto roundings = kernelRoundings(tree); !roundings.empty())
      details["kernel_roundings"] = roundings;
  }
  if (options.outputs)
    details["recorded_program"] = toJson(recordedProgramOf(tree, program.customCallTargets()));
  return jsonText(details);
}

Result<Format> readableFormat(std::span<const std::byte> bytes, const std::string& name) {
  ASSIGN_OR_RETURN(auto format, recognizeFormat(bytes, name));
  if (format == Format::kSavedModel)
    return unsupported(
        "{}: it wraps a TensorFlow SavedModel rather than a StableHLO module; Vintage keeps such "
        "files, and builds of TensorFlow execute them",
        name);
  return format;
}

// A parser quotes the text at the error, which may have megabytes.
tl::unexpected<Error> shortened(Error error) {
  if (error.message.size() > kLongestMessage)
    error.message = error.message.substr(0, kLongestMessage) + " … (cut off)";
  return tl::unexpected<Error>(std::move(error));
}

Result<Inspection> fromAnswer(const std::string& answer, const std::string& name) {
  json details = json::parse(answer, nullptr, false);
  if (details.is_array() && details.size() == 2)
    return shortened(
        {static_cast<Error::Kind>(details[0].get<int>()), details[1].get<std::string>()});
  if (!details.is_object()) return ioError("{}: the reader's answer was cut off", name);
  Inspection inspection;
  ASSIGN_OR_RETURN(inspection.record, within(name, artifactOfJson(details)));
  inspection.text = details.value("text", "");
  inspection.program = recordedProgramFromJson(details.value("recorded_program", json::object()));
  for (const char* field : {"primitive", "text", "recorded_program"}) details.erase(field);
  inspection.details = std::move(details);
  return inspection;
}

}  // namespace

Result<Program> readProgram(ProgramContext& context, std::span<const std::byte> bytes,
                            const std::string& name) {
  auto program = context.read(bytes, name);
  if (program) return program;
  Error error = program.error();
  error.message = nameUnknownDialect(std::move(error.message), bytes, name);
  return tl::unexpected<Error>(std::move(error));
}

Result<Inspection> inspectArtifact(std::span<const std::byte> bytes, const std::string& name,
                                   const InspectOptions& options) {
  ASSIGN_OR_RETURN(auto format, readableFormat(bytes, name));
  auto text = runIsolated(
      name,
      [&]() {
        ProgramContext context;
        return inspectHere(context, bytes, format, name, options);
      },
      IsolationLimits{});
  if (!text) return shortened(text.error());
  return fromAnswer(*text, name);
}

Result<std::string> textForPeople(std::span<const std::byte> bytes, const std::string& name) {
  Program::PrintOptions print;
  if (bytes.size() > kHeldWhole) print.largestConstant = kElementsShown;
  ASSIGN_OR_RETURN(auto inspection, inspectArtifact(bytes, name, {.text = print}));
  return std::move(inspection.text);
}

std::vector<Result<Inspection>> inspectArtifacts(std::span<const ArtifactToInspect> artifacts,
                                                 int jobs) {
  std::vector<Result<Inspection>> inspections;
  std::vector<std::pair<size_t, Format>> readable;
  for (const ArtifactToInspect& artifact : artifacts) {
    const auto format = readableFormat(artifact.bytes, artifact.name);
    if (format) readable.emplace_back(inspections.size(), *format);
    inspections.emplace_back(tl::unexpected<Error>(format ? Error{} : format.error()));
  }
  std::optional<ProgramContext> context;  // A child's, once it has begun.
  int read = 0;
  const auto work = [&](size_t place) {
    if (read++ % kArtifactsPerContext == 0) context.emplace();
    const auto [index, format] = readable[place];
    const ArtifactToInspect& artifact = artifacts[index];
    auto text = inspectHere(*context, artifact.bytes, format, artifact.name, artifact.options);
    // The reader answers with an object; an error of its own travels as a list.
    return text
               ? *text
               : jsonText(json::array({static_cast<int>(text.error().kind), text.error().message}));
  };
  const auto sink = [&](size_t place, const Result<std::string>& answer) {
    const size_t index = readable[place].first;
    const ArtifactToInspect& artifact = artifacts[index];
    // Alone, one that breaks its child says how.
    inspections[index] = answer ? fromAnswer(*answer, artifact.name)
                                : inspectArtifact(artifact.bytes, artifact.name, artifact.options);
  };
  const int children = std::min(std::max(jobs, 1), static_cast<int>(readable.size()));
  const Status status = runIsolatedMany(readable.size(), children, {}, work, sink);
  if (!status)
    for (const auto& [index, format] : readable)
      inspections[index] = tl::unexpected<Error>(status.error());
  return inspections;
}

}  // namespace vintage::harness
