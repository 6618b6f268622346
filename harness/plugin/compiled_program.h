// A program that was read and planned: what executables share, and what never changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/recorded_comparators.h"
#include "golden/module/module_tree.h"
#include "harness/engine/engine.h"
#include "harness/plugin/compile_request.h"
#include "harness/plugin/program_reader.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

struct ProgramOutput {
  ElementType type = ElementType::kF32;
  int code = 0;  // The type in the PJRT C API.
  Shape shape;   // Of what one device holds.
};

struct CompiledProgram {
  explicit CompiledProgram(Plan planned) : plan(std::move(planned)) {}

  std::string name;             // Of the module: "jit_f".
  std::vector<std::byte> code;  // As it came: a portable artifact, or text.
  std::string options;          // CompileOptionsProto
  std::string fingerprint;      // SHA-256 of both.
  CompileRequest request;
  ExecutionMode mode = ExecutionMode::kGraph;
  Plan plan;
  std::optional<Placements> placements;       // Of a program over several partitions.
  std::vector<ValueType> arguments, results;  // Of main: whole values.
  std::vector<ProgramOutput> outputs;
  std::vector<size_t> donated;  // Arguments whose memory the program may take.

  // What is known of it beside its values: for the recorder, and for those who ask.
  std::optional<StablehloVersion> version;
  std::vector<std::string> targets;
  RecordedProgram recorded;
  int64_t operations = 0, argumentBytes = 0, outputBytes = 0, accessedBytes = 0;
};

// kUnsupported names what the engine lacks: an operation, a custom-call target, a kind of value.
Result<std::shared_ptr<const CompiledProgram>> compileProgram(ProgramReader& reader,
                                                              std::string_view code,
                                                              std::string_view format,
                                                              std::string_view options,
                                                              ExecutionMode mode);

}  // namespace vintage::harness::plugin
