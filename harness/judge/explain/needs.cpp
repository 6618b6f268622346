#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/json_fields.h"
#include "golden/base/failures.h"
#include "golden/base/isolate.h"
#include "golden/exported/exported.h"
#include "golden/kernels/kernel_facts.h"
#include "harness/importer/inspect.h"
#include "harness/importer/kernel_precision.h"
#include "harness/judge/explain/explain.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using nlohmann::json;

constexpr auto kNeedsFields = [](auto& fields, auto& needs) {
  fields.required("minimum_stablehlo", needs.minimumStablehlo);
  fields.required("stablehlo_forced_by", needs.stablehloForcedBy);
  fields.required("minimum_serialization", needs.minimumSerialization);
  fields.required("serialization_forced_by", needs.serializationForcedBy);
  fields.list("targets", needs.targets, [](auto& one, auto& target) {
    one.required("name", target.name);
    one.required("operation", target.operation);
    one.required("calls", target.calls);
    one.optional("kernel", target.kernel);
  });
  fields.optional("kernel_roundings", needs.kernelRoundings);
};

using Calls = std::map<std::string, ForcedNeeds::Target>;  // By target.

std::string typesText(const Function& function, const std::vector<ValueId>& values) {
  std::vector<std::string> texts;
  for (const ValueId value : values)
    texts.push_back(describe(function.valueTypes[value].element, function.valueTypes[value].shape));
  return fmt::format("({})", fmt::join(texts, ", "));
}

std::string kernelOf(const Function& function, const Operation& call) {
  const auto facts = kernelFacts(call);
  if (!facts) return {};
  return fmt::format("{}, from {} to {}",
                     *facts ? kernelText(**facts) : "a kernel: " + facts->error().message,
                     typesText(function, call.operands), typesText(function, call.results));
}

// Operations of a function are counted in the order in which they are printed.
void findCalls(const Region& region, const Function& of, const std::string& function, int& number,
               Calls& calls) {
  for (const Block& block : region.blocks)
    for (const Operation& operation : block.operations) {
      ++number;
      if (operation.name == "stablehlo.custom_call") {
        const auto target = operation.attributes.find("call_target_name");
        if (target != operation.attributes.end())
          if (const auto* text = std::get_if<std::string>(&target->second.value)) {
            ForcedNeeds::Target& call = calls[*text];
            call.name = *text;
            if (call.calls++ == 0) {
              call.operation = fmt::format("operation {} of @{}", number, function);
              if (!operation.location.empty()) call.operation += " (" + operation.location + ")";
              call.kernel = kernelOf(of, operation);
            }
          }
      }
      for (const Region& inner : operation.regions) findCalls(inner, of, function, number, calls);
    }
}

void findCalls(const ModuleTree& tree, const std::string& where, Calls& calls) {
  for (const Function& function : tree.functions) {
    int number = 0;
    findCalls(function.body, function, function.name + where, number, calls);
  }
}

Result<std::string> needsHere(std::span<const std::byte> bytes, ArtifactRecord::Format format,
                              const std::string& name) {
  ForcedNeeds needs;
  ProgramContext context;
  Exported exported;  // Empty where the bytes are something else.
  if (format == ArtifactRecord::Format::kExported) {
    ASSIGN_OR_RETURN(exported, readExported(bytes, name));
    const SerializationNeed need = lowestSerializationVersion(exported);
    needs.minimumSerialization = need.version;
    needs.serializationForcedBy = need.reason;
    bytes = exported.module;
  }
  ASSIGN_OR_RETURN(auto program, readProgram(context, bytes, name));
  ASSIGN_OR_RETURN(auto minimum, program.minimumVersion());
  ASSIGN_OR_RETURN(auto tree, program.tree());
  Calls calls;
  findCalls(tree, "", calls);
  if (std::ranges::any_of(calls, [](const auto& call) { return !call.second.kernel.empty(); }))
    needs.kernelRoundings = kernelRoundings(tree);
  for (const Exported* next = exported.vjp.get(); next; next = next->vjp.get()) {
    ASSIGN_OR_RETURN(auto derivative, readProgram(context, next->module, name));
    ASSIGN_OR_RETURN(auto derivativeTree, derivative.tree());
    findCalls(derivativeTree, " of its derivative", calls);
    ASSIGN_OR_RETURN(auto derivativeMinimum, derivative.minimumVersion());
    if (derivativeMinimum.version > minimum.version)
      minimum = {derivativeMinimum.version, derivativeMinimum.reason + ", of its derivative"};
  }
  needs.minimumStablehlo = formatStablehloVersion(minimum.version);
  needs.stablehloForcedBy = minimum.reason;
  for (const auto& [target, call] : calls) needs.targets.push_back(call);
  return toJson(needs).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Result<ForcedNeeds> forcedNeeds(std::span<const std::byte> bytes, ArtifactRecord::Format format,
                                const std::string& name) {
  if (format == ArtifactRecord::Format::kSavedModel)
    return unsupported("{}: it wraps a TensorFlow SavedModel rather than a StableHLO module", name);
  ASSIGN_OR_RETURN(auto text, runIsolated(name, [&] { return needsHere(bytes, format, name); }));
  const json read = json::parse(text, nullptr, false);
  if (!read.is_object()) return ioError("{}: the reader's answer was cut off", name);
  return readFields<ForcedNeeds>(read, name, kNeedsFields);
}

json toJson(const ForcedNeeds& needs) { return JsonFieldWriter::write(needs, kNeedsFields); }

}  // namespace vintage::harness
