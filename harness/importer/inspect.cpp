#include "harness/importer/inspect.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "golden/base/isolate.h"
#include "golden/base/memory_pages.h"
#include "golden/base/utf8.h"
#include "golden/exported/exported.h"
#include "golden/exported/read_in_place.h"
#include "golden/program/in_place.h"
#include "harness/importer/derivative_targets.h"
#include "harness/importer/program_outputs.h"
#include "harness/importer/text_for_people.h"

namespace vintage::harness::importer {
namespace {

using nlohmann::json;
using Format = ArtifactRecord::Format;

constexpr size_t kLongestMessage = 2000;
constexpr int kArtifactsPerContext = 100;  // A context keeps all types and attributes that it saw.

bool startsWith(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool holds(std::span<const std::byte> bytes, std::string_view text) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.find(text) != std::string_view::npos;
}

bool isText(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return !bytes.empty() && isUtf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
    return (c >= 0 && c < 9) || (c > 13 && c < 32);
  });
}

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

// The bytes behind base64 text; empty where it is not that.
std::vector<std::byte> decodeBase64(std::span<const std::byte> text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> decoded;
  decoded.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  int count = 0;
  for (std::byte byte : text) {
    const char character = std::to_integer<char>(byte);
    if (character == '=' || character == '\n') continue;
    const size_t value = kAlphabet.find(character);
    if (value == std::string_view::npos) return {};
    bits = (bits << 6) | static_cast<uint32_t>(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    decoded.push_back(static_cast<std::byte>((bits >> count) & 0xff));
  }
  return decoded;
}

// A SavedModel's folder as one file (docs/tensorflow.md).
bool isTarOfSavedModel(std::span<const std::byte> bytes) {
  constexpr size_t kTarMagicOffset = 257;  // "ustar" in POSIX's header block of 512 bytes.
  return bytes.size() >= 512 && startsWith(bytes.subspan(kTarMagicOffset), "ustar") &&
         holds(bytes, "saved_model");
}

// As it is, or in base64, as jax2tf's tests kept it.
bool isArchivedSavedModel(std::span<const std::byte> bytes) {
  return isTarOfSavedModel(bytes) || (isText(bytes) && isTarOfSavedModel(decodeBase64(bytes)));
}

// A protobuf whose first field is a GraphDef's node or a SavedModel's version,
// with the operations that jax2tf writes.
bool isSavedModel(std::span<const std::byte> bytes) {
  if (isArchivedSavedModel(bytes)) return true;
  if (bytes.empty() || isText(bytes)) return false;
  const auto first = std::to_integer<unsigned>(bytes.front());
  return (first == 0x0a || first == 0x08) &&
         (holds(bytes, "Placeholder") || holds(bytes, "saved_model") ||
          holds(bytes, "XlaCallModule") || holds(bytes, "PartitionedCall"));
}

// The element types and properties of a module's main.
struct ModuleFacts {
  std::set<std::string> dtypes;
  bool dynamic = false, tokens = false;
  int64_t devices = 1;
};

void addType(const ValueType& type, ModuleFacts& facts) {
  if (type.kind == ValueType::Kind::kToken) facts.tokens = true;
  for (const ValueType& element : type.elements) addType(element, facts);
  if (type.kind != ValueType::Kind::kTensor && type.kind != ValueType::Kind::kUnrankedTensor)
    return;
  facts.dtypes.emplace(stablehloName(type.element));
  facts.dynamic |=
      type.kind == ValueType::Kind::kUnrankedTensor ||
      std::find(type.shape.begin(), type.shape.end(), kDynamicDimension) != type.shape.end();
}

ModuleFacts factsOf(const ModuleTree& tree) {
  ModuleFacts facts;
  for (const char* name : {"mhlo.num_partitions", "mhlo.num_replicas"}) {
    const auto found = tree.attributes.find(name);
    if (found == tree.attributes.end()) continue;
    if (const auto* count = std::get_if<int64_t>(&found->second.value); count && *count > 0)
      facts.devices = std::max(facts.devices, *count);
  }
  if (const Function* entry = tree.find("main")) {
    for (const ValueType& type : entry->argumentTypes) addType(type, facts);
    for (const ValueType& type : entry->resultTypes) addType(type, facts);
  }
  return facts;
}

std::string variantOf(const ModuleFacts& facts, const json& details) {
  if (details.at("device_count").get<int64_t>() > 1) return "sharded";
  if (details.contains("ordered_effects") && !details["ordered_effects"].empty()) return "effects";
  if (facts.tokens) return "effects";
  if (details.contains("platforms") && details["platforms"].size() > 1) return "multi_platform";
  if (facts.dynamic) return "poly";
  return "static";
}

json describeValues(const std::vector<AbstractValue>& values) {
  json list = json::array();
  for (const AbstractValue& value : values)
    list.push_back(value.isToken ? json("token")
                                 : json({{"dtype", value.dtype}, {"shape", value.shape}}));
  return list;
}

void describeExported(const Exported& exported, json& details) {
  details["function_name"] = exported.functionName;
  details["serialization_version"] = exported.serializationVersion;
  details["calling_convention_version"] = exported.callingConventionVersion;
  details["platforms"] = exported.platforms;
  details["device_count"] = exported.deviceCount;
  details["inputs"] = describeValues(exported.inputs);
  details["outputs"] = describeValues(exported.outputs);
  details["kept_inputs"] = exported.keptInputs;
  details["ordered_effects"] = exported.orderedEffects;
  details["unordered_effects"] = exported.unorderedEffects;
  details["uses_global_constants"] = exported.usesGlobalConstants;
  json disabled = json::array();
  for (const DisabledSafetyCheck& check : exported.disabledChecks)
    disabled.push_back(check.kind == DisabledSafetyCheck::Kind::kCustomCall
                           ? "custom_call:" + check.customCallTarget
                       : check.kind == DisabledSafetyCheck::Kind::kPlatform ? "platform"
                                                                            : "shape_assertions");
  details["disabled_checks"] = disabled;
  int derivatives = 0;
  for (const Exported* next = exported.vjp.get(); next; next = next->vjp.get()) ++derivatives;
  details["derivatives"] = derivatives;
  if (!exported.jaxVersion.empty()) details["jax_version"] = exported.jaxVersion;
}

// What the main of a bare module takes and gives, as an Exported says it: a dimension that is not
// known is a variable of its own.
void describeMain(const ModuleTree& tree, json& details) {
  const Function* entry = tree.find("main");
  if (entry == nullptr) return;
  int unknown = 0;
  const auto describeTypes = [&](const std::vector<ValueType>& types) {
    json list = json::array();
    for (const ValueType& type : types) {
      json shape = json::array();
      for (const int64_t size : type.shape)
        shape.push_back(size == kDynamicDimension ? "d" + std::to_string(unknown++)
                                                  : std::to_string(size));
      list.push_back(type.kind == ValueType::Kind::kTensor
                         ? json({{"dtype", dtypeName(type.element)}, {"shape", shape}})
                         : json("token"));
    }
    return list;
  };
  details["inputs"] = describeTypes(entry->argumentTypes);
  details["outputs"] = describeTypes(entry->resultTypes);
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

// What is asked of an artifact; larger constants are elided in its text.
struct Looks {
  InspectOptions options;
  std::optional<int64_t> largestConstant = {};
};

// Whether large constants need not be copied: a text that shows them, and the search for the lowest
// version, read them where MLIR keeps them.
bool readsInPlace(std::span<const std::byte> bytes, Format format, const Looks& looks) {
  const InspectOptions& options = looks.options;
  const bool showsConstants = options.text && !looks.largestConstant;
  const bool isBytecode = format == Format::kExported || startsWith(bytes, "ML\xefR");
  return isBytecode && bytes.size() > kHeldWhole && !showsConstants && !options.minimumVersion;
}

// Runs in the child, whose memory nobody else sees: large bytes are taken apart where they are. The
// text travels inside the details.
Result<std::string> inspectHere(ProgramContext& context, std::span<const std::byte> read,
                                Format format, const std::string& name, const Looks& looks) {
  const InspectOptions& options = looks.options;
  std::span<std::byte> bytes(const_cast<std::byte*>(read.data()), read.size());
  const bool inPlace = readsInPlace(bytes, format, looks);
  json details{{"format", formatName(format)}, {"device_count", 1}};
  std::vector<std::byte> module;
  std::vector<std::string> ofDerivatives;
  std::unique_ptr<Exported> derivative;
  if (format == Format::kExported) {
    ASSIGN_OR_RETURN(auto exported,
                     inPlace ? readExportedInPlace(bytes, name) : readExported(bytes, name));
    describeExported(exported, details);
    ASSIGN_OR_RETURN(ofDerivatives, derivativeTargets(context, exported, name));
    module = std::move(exported.module);
    derivative = std::move(exported.vjp);
    bytes = module;
  }
  ASSIGN_OR_RETURN(auto program,
                   inPlace ? readInPlace(context, bytes, name) : readProgram(context, bytes, name));
  if (options.text) {
    Program::PrintOptions print;
    print.locations = options.locations;
    print.largestConstant = looks.largestConstant;
    details["text"] = program.print(print);
  }
  ASSIGN_OR_RETURN(auto tree, inPlace ? takeTree(program) : program.tree());

  const ModuleFacts facts = factsOf(tree);
  details["module"] = tree.name;
  details["dtypes"] = facts.dtypes;
  if (format != Format::kExported) {
    details["device_count"] = facts.devices;
    describeMain(tree, details);
  }
  const std::vector<std::string> targets = program.customCallTargets();
  details["custom_call_targets"] = mergedTargets(targets, ofDerivatives);
  details["primitive"] = primitiveOfTargets(targets);
  if (const auto version = program.artifactVersion())
    details["stablehlo_version"] = formatStablehloVersion(*version);
  details["variant"] = variantOf(facts, details);
  if (options.minimumVersion) {
    ASSIGN_OR_RETURN(auto minimum, program.minimumVersion());
    details["minimum_version"] = {{"version", formatStablehloVersion(minimum.version)},
                                  {"reason", minimum.reason}};
  }
  if (options.operations) {
    ASSIGN_OR_RETURN(details["operations"], operationCounts(context, tree, derivative.get(), name));
  }
  if (options.outputs)
    details["recorded_program"] = toJson(recordedProgramOf(tree, program.customCallTargets()));
  return details.dump(-1, ' ', false, json::error_handler_t::replace);
}

Inspection fromDetails(json details, Format format) {
  Inspection inspection;
  ArtifactRecord& record = inspection.record;
  record.format = format;
  record.callingConventionVersion = details.value("calling_convention_version", 0);
  record.serializationVersion = details.value("serialization_version", 0);
  record.stablehloVersion = details.value("stablehlo_version", "");
  record.dtypes = details.value("dtypes", std::vector<std::string>{});
  record.platforms = details.value("platforms", std::vector<std::string>{});
  record.variant = details.value("variant", "static");
  record.deviceCount = details.value("device_count", 1);
  record.customCallTargets = details.value("custom_call_targets", std::vector<std::string>{});
  record.primitive = details.value("primitive", "");
  details.erase("primitive");
  inspection.text = details.value("text", "");
  details.erase("text");
  inspection.program = recordedProgramFromJson(details.value("recorded_program", json::object()));
  details.erase("recorded_program");
  inspection.details = std::move(details);
  return inspection;
}

Result<Format> readableFormat(std::span<const std::byte> bytes, const std::string& name) {
  ASSIGN_OR_RETURN(auto format, recognizeFormat(bytes, name));
  if (format == Format::kSavedModel)
    return failure(
        Error::Kind::kUnsupported,
        fmt::format("{}: it wraps a TensorFlow SavedModel rather than a StableHLO "
                    "module; Vintage keeps such files, and builds of TensorFlow execute them",
                    name));
  return format;
}

// A parser quotes what it stumbles over, be it megabytes.
tl::unexpected<Error> shortened(Error error) {
  if (error.message.size() > kLongestMessage)
    error.message = error.message.substr(0, kLongestMessage) + " … (cut off)";
  return tl::unexpected<Error>(std::move(error));
}

Result<Inspection> fromAnswer(const std::string& answer, const std::string& name, Format format) {
  json details = json::parse(answer, nullptr, false);
  if (details.is_array() && details.size() == 2)
    return shortened(
        {static_cast<Error::Kind>(details[0].get<int>()), details[1].get<std::string>()});
  if (!details.is_object())
    return failure(Error::Kind::kIo, fmt::format("{}: the reader's answer was cut off", name));
  return fromDetails(std::move(details), format);
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

Result<ArtifactRecord::Format> recognizeFormat(std::span<const std::byte> bytes,
                                               std::string_view name) {
  if (startsWith(bytes, "ML\xefR")) return Format::kPortableArtifact;
  if (isSavedModel(bytes)) return Format::kSavedModel;
  if (isText(bytes)) return Format::kPortableArtifact;  // StableHLO text, by its parser's leave.
  // A flatbuffer begins with the offset of its root table, which lies inside.
  uint32_t root = 0;
  if (bytes.size() >= 8) std::memcpy(&root, bytes.data(), sizeof root);
  if (root >= 4 && root < bytes.size()) return Format::kExported;
  return failure(Error::Kind::kBadInput,
                 fmt::format("{}: {} bytes that are not an artifact; accepted are a serialized "
                             "jax.export.Exported, a StableHLO portable artifact (it begins with "
                             "ML\xc3\xafR) and StableHLO text",
                             name, bytes.size()));
}

namespace {

Result<Inspection> inspectAlone(std::span<const std::byte> bytes, const std::string& name,
                                const Looks& looks) {
  ASSIGN_OR_RETURN(auto format, readableFormat(bytes, name));
  auto text = runIsolated(
      name,
      [&]() {
        ProgramContext context;
        return inspectHere(context, bytes, format, name, looks);
      },
      IsolationLimits{});
  if (!text) return shortened(text.error());
  return fromAnswer(*text, name, format);
}

}  // namespace

Result<Inspection> inspectArtifact(std::span<const std::byte> bytes, const std::string& name,
                                   const InspectOptions& options) {
  return inspectAlone(bytes, name, {options});
}

Result<std::string> textForPeople(std::span<const std::byte> bytes, const std::string& name) {
  Looks looks{{.text = true}};
  if (bytes.size() > kHeldWhole) looks.largestConstant = kElementsShown;
  ASSIGN_OR_RETURN(auto inspection, inspectAlone(bytes, name, looks));
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
    auto text = inspectHere(*context, artifact.bytes, format, artifact.name, {artifact.options});
    // The reader answers with an object; an error of its own travels as a list.
    return text ? *text
                : json::array({static_cast<int>(text.error().kind), text.error().message})
                      .dump(-1, ' ', false, json::error_handler_t::replace);
  };
  const auto sink = [&](size_t place, const Result<std::string>& answer) {
    const auto [index, format] = readable[place];
    const ArtifactToInspect& artifact = artifacts[index];
    // Alone, one that breaks its child says how.
    inspections[index] = answer ? fromAnswer(*answer, artifact.name, format)
                                : inspectArtifact(artifact.bytes, artifact.name, artifact.options);
  };
  const int children = std::min(std::max(jobs, 1), static_cast<int>(readable.size()));
  const Status status = runIsolatedMany(readable.size(), children, {}, work, sink);
  if (!status)
    for (const auto& [index, format] : readable)
      inspections[index] = tl::unexpected<Error>(status.error());
  return inspections;
}

}  // namespace vintage::harness::importer
