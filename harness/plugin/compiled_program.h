// A program that a client compiles: the request, how it is read and planned, and its description.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/recorded_comparators.h"
#include "golden/module/module_tree.h"
#include "golden/program/program.h"
#include "harness/engine/device_placement.h"
#include "harness/engine/engine.h"
#include "harness/engine/kernel.h"
#include "harness/engine/process_grid.h"
#include "harness/plugin/array_layout.h"

namespace vintage::harness {

// The request of a client: the part of XLA's CompileOptionsProto that matters here.
struct CompileRequest {
  ProcessGrid grid;
  // The device of each process, by the process's number; empty where nothing is assigned.
  std::vector<int> devices;
  bool usesShardy = false;  // Else XLA's own propagation.
};

// kBadInput: damaged bytes, or an assignment that does not fit the grid. kUnsupported: a feature
// that this plugin lacks, such as arguments in a tuple.
Result<CompileRequest> readCompileRequest(std::string_view proto);

// DeviceAssignmentProto; empty where nothing is assigned.
std::string deviceAssignmentMessage(const CompileRequest& request);

// A program as MLIR read it.
struct ReadModule {
  golden::ModuleTree tree;
  std::optional<StablehloVersion> version;  // None: it was text.
  std::vector<std::string> targets;         // Of its custom calls.
};

// The name of a program in messages.
inline constexpr std::string_view kProgramName = "the program";

// Reads programs for all threads of a client, one after the other.
class ProgramReader {
 public:
  // A portable artifact, or StableHLO text.
  Result<ReadModule> read(std::span<const std::byte> bytes);

 private:
  std::mutex mutex_;
  std::optional<golden::ProgramContext> context_;
  int programsRead_ = 0;
};

struct ProgramOutput {
  golden::ElementType type = golden::ElementType::kF32;
  int code = 0;           // The type in the PJRT C API; kTokenCode: it has no value.
  golden::Shape shape;    // Of one device's piece.
  size_t memoryKind = 0;  // In kMemoryKinds.
};

// A program that was read and planned: the immutable part that executables share.
struct CompiledProgram {
  explicit CompiledProgram(Plan planned) : plan(std::move(planned)) {}

  std::string name;             // Of the module: "jit_f".
  std::vector<std::byte> code;  // As it came: a portable artifact, or text.
  std::string options;          // CompileOptionsProto
  std::string fingerprint;      // SHA-256 of both.
  CompileRequest request;
  Plan plan;
  std::optional<Placements> placements;  // Over several partitions; of no token.
  // For which operations the devices exchange pieces, by the placements of their operands:
  // "all-gather for stablehlo.custom_call @lapack_spotrf_ffi".
  std::set<std::string> exchanges;
  std::vector<golden::ValueType> arguments, results;  // One device's pieces of main's.
  ProgramLayouts layouts;
  std::vector<ProgramOutput> outputs;
  std::vector<size_t> donated;  // Arguments whose memory the program may take.

  // Facts beside its values: for the recorder, and for queries.
  std::optional<StablehloVersion> version;
  std::vector<std::string> targets;
  golden::RecordedProgram recorded;
  int64_t operations = 0, argumentBytes = 0, outputBytes = 0, accessedBytes = 0;
  int64_t aliasedBytes = 0;  // The bytes of results that lie in donated arguments.
};

// kUnsupported names what the engine lacks: an operation, a custom-call target, a kind of value.
Result<std::shared_ptr<const CompiledProgram>> compileProgram(ProgramReader& reader,
                                                              std::string_view code,
                                                              std::string_view format,
                                                              std::string_view options,
                                                              ExecutionMode mode);

// A compiled program as bytes that a client keeps: its code and options with a checksum. Loading
// plans it again.
std::string serializeProgram(const CompiledProgram& program);

struct SerializedProgram {
  std::string_view code, options;  // Within the bytes.
};
// kBadInput: damaged, cut off, or another plugin's. kUnsupported: of a newer plugin.
Result<SerializedProgram> readSerializedProgram(std::string_view bytes);

}  // namespace vintage::harness
