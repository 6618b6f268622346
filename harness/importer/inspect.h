// Reads the facts about an artifact from its bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "golden/compare/recorded_comparators.h"
#include "golden/module/module_tree.h"
#include "golden/program/program.h"

namespace vintage::harness {

// Which of the formats an artifact has, by its first bytes; kBadInput where it is none of them.
Result<archive::ArtifactRecord::Format> recognizeFormat(std::span<const std::byte> bytes,
                                                        std::string_view name);
// Whether they begin as MLIR's bytecode does; portable artifacts do.
bool isBytecode(std::span<const std::byte> bytes);

struct InspectOptions {
  std::optional<golden::Program::PrintOptions> text = {};  // The module as StableHLO text.
  bool minimumVersion = false;  // The lowest version that could carry it.
  bool operations = false;      // details["operations"]: how many of each, with its derivatives'.
  bool outputs = false;         // Inspection::program, for how its outputs compare.
};

struct Inspection {
  // From the bytes; name, producer, build date and golden stay empty.
  archive::ArtifactRecord record;
  nlohmann::json details;  // For `vintage show --json`: complete.
  std::string text;        // Empty unless asked for.
  golden::RecordedProgram program;
};

// ProgramContext::read, with a message that names an unknown dialect. Runs in this process: for a
// child that may crash.
Result<golden::Program> readProgram(golden::ProgramContext& context,
                                    std::span<const std::byte> bytes, const std::string& name);

// Reads an Exported, a portable artifact or StableHLO text in a child process,
// so that bytes that crash the reader are a kBadInput.
Result<Inspection> inspectArtifact(std::span<const std::byte> bytes, const std::string& name,
                                   const InspectOptions& options);

struct ArtifactToInspect {
  std::span<const std::byte> bytes;  // Outlives the call.
  std::string name;                  // The file, for messages.
  InspectOptions options;
};
// inspectArtifact of each one, in their order, by `jobs` child processes that each read many.
std::vector<Result<Inspection>> inspectArtifacts(std::span<const ArtifactToInspect> artifacts,
                                                 int jobs);

// The origin of a program's outputs decides how a golden that others recorded compares. Each output
// of @main is followed back through operations that keep values as they are (calls, reshapes,
// transposes, a select against a constant) to the custom call, the Cholesky factorization or the
// sort that gives it. `targets` are those of the program's custom calls.
golden::RecordedProgram recordedProgramOf(const golden::ModuleTree& module,
                                          std::vector<std::string> targets);
// The program as the process that reads artifacts sends it to its parent.
nlohmann::json toJson(const golden::RecordedProgram& program);
golden::RecordedProgram recordedProgramFromJson(const nlohmann::json& json);

// The source framework's primitive, by the custom-call targets; empty
// where they do not show it.
std::string primitiveOfTargets(std::span<const std::string> targets);

// For people: as Inspection::text. The text of an artifact larger than kHeldWhole
// (golden/base/memory_pages.h) omits the values of constants with more than
// kElementsShown elements: it would be twice as long as the artifact.
Result<std::string> textForPeople(std::span<const std::byte> bytes, const std::string& name);

inline constexpr int64_t kElementsShown = 1024;

}  // namespace vintage::harness
