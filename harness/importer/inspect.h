// What an artifact's bytes say about themselves.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "golden/compare/recorded_comparators.h"
#include "golden/program/program.h"

namespace vintage::harness {

struct InspectOptions {
  bool text = false;            // The module as StableHLO text.
  bool locations = false;       // In that text.
  bool minimumVersion = false;  // The lowest version that could carry it.
  bool operations = false;      // details["operations"]: how many of each, with its derivatives'.
  bool outputs = false;         // Inspection::program, for how its outputs compare.
};

struct Inspection {
  // What the bytes say; name, producer, build date and golden are left empty.
  archive::ArtifactRecord record;
  nlohmann::json details;  // For `vintage show --json`: complete.
  std::string text;        // Empty unless asked for.
  golden::RecordedProgram program;
};

// ProgramContext::read, with a message that names a dialect that is not known.
// In this process: for a child that may crash.
Result<golden::Program> readProgram(golden::ProgramContext& context,
                                    std::span<const std::byte> bytes, const std::string& name);

// Reads an Exported, a portable artifact or StableHLO text in a child process,
// so that bytes that the reader cannot survive are one kBadInput.
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

// The source framework's primitive, by the custom-call targets; empty
// where they do not show it.
std::string primitiveOfTargets(std::span<const std::string> targets);

// For somebody to look at: as Inspection::text; of an artifact beyond kHeldWhole
// (golden/base/memory_pages.h), whose text would be twice as long as it is, the elements of
// constants of more than kElementsShown are left out.
Result<std::string> textForPeople(std::span<const std::byte> bytes, const std::string& name);

inline constexpr int64_t kElementsShown = 1024;

}  // namespace vintage::harness
