#include "harness/plugin/compiled_program.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "golden/base/failures.h"
#include "golden/base/lowercase.h"
#include "golden/module/protobuf_reader.h"
#include "harness/plugin/protobuf_fields.h"

namespace vintage::harness {
namespace {

constexpr std::string_view kOptions = "the compile options";

// JAX's compiler_options name XLA's options, or these of its executables. They change nothing here.
constexpr std::string_view kKnownOptions[] = {"exec_time_optimization_effort",
                                              "memory_fitting_effort", "optimization_level",
                                              "memory_fitting_level"};

// Options of XLA's CPU compiler that are true or false (xla/xla.proto, DebugOptions).
constexpr std::string_view kBooleanOptions[] = {
    "xla_allow_excess_precision",
    "xla_cpu_enable_concurrency_optimized_scheduler",
    "xla_cpu_enable_fast_math",
    "xla_cpu_enable_fast_min_max",
    "xla_cpu_fast_math_honor_division",
    "xla_cpu_fast_math_honor_functions",
    "xla_cpu_fast_math_honor_infs",
    "xla_cpu_fast_math_honor_nans",
    "xla_cpu_multi_thread_eigen",
    "xla_cpu_strict_dot_conv_math",
    "xla_disable_all_hlo_passes",
    "xla_dump_hlo_as_dot",
    "xla_dump_hlo_as_html",
    "xla_dump_hlo_as_proto",
    "xla_dump_hlo_as_text",
    "xla_dump_hlo_snapshots",
    "xla_eliminate_hlo_implicit_broadcast",
    "xla_embed_ir_in_executable",
    "xla_hlo_profile",
    "xla_llvm_disable_expensive_passes",
};

// JAX passes True as a boolean, and what an environment variable says as text.
Status checkBoolean(std::string_view name, std::string_view value) {
  golden::ProtobufReader fields(value, kOptions);
  while (!fields.done()) {
    RETURN_IF_ERROR(fields.next());
    if (fields.number != 1) continue;
    const std::string text = lowercase(std::string(fields.content));
    for (const std::string_view known :
         {"true", "t", "yes", "y", "1", "false", "f", "no", "n", "0"})
      if (text == known) return {};
    return badInput("{}: '{}' is not a valid bool value. It takes true or false", name,
                    fields.content);
  }
  return {};
}

// An entry of a map by names: an option, and its value (xla/pjrt/proto/compile_options.proto,
// OptionOverrideProto) as text, a boolean, an integer or a float.
Status checkOption(std::string_view entry) {
  golden::ProtobufReader fields(entry, kOptions);
  std::string_view name, value;
  while (!fields.done()) {
    RETURN_IF_ERROR(fields.next());
    if (fields.number == 1) name = fields.content;
    if (fields.number == 2) value = fields.content;
  }
  if (std::ranges::find(kBooleanOptions, name) != std::end(kBooleanOptions))
    return checkBoolean(name, value);
  if (name.starts_with("xla_") || std::ranges::find(kKnownOptions, name) != std::end(kKnownOptions))
    return {};
  return badInput(
      "No such compile option: '{}'; an option of XLA begins with xla_, the others are {}", name,
      fmt::join(kKnownOptions, ", "));
}

struct Assignment {
  uint64_t replicas = 0, computations = 0;
  std::vector<std::vector<int>> devices;  // For each computation, by replica.
};

Result<Assignment> readAssignment(std::string_view message) {
  Assignment assignment;
  golden::ProtobufReader fields(message, kOptions);
  while (!fields.done()) {
    RETURN_IF_ERROR(fields.next());
    if (fields.number == 1) assignment.replicas = fields.value;
    if (fields.number == 2) assignment.computations = fields.value;
    if (fields.number != 3) continue;
    std::vector<int>& ids = assignment.devices.emplace_back();
    golden::ProtobufReader computation(fields.content, kOptions);
    while (!computation.done()) {
      RETURN_IF_ERROR(computation.next());
      if (computation.number != 1) continue;
      ASSIGN_OR_RETURN(const auto numbers, computation.numbers());
      for (const int64_t id : numbers) ids.push_back(static_cast<int>(id));
    }
  }
  return assignment;
}

}  // namespace

Result<CompileRequest> readCompileRequest(std::string_view proto) {
  CompileRequest request;
  std::string_view build, assigned;
  int64_t ordinal = -1;
  golden::ProtobufReader options(proto, kOptions);
  while (!options.done()) {
    RETURN_IF_ERROR(options.next());
    if (options.number == 2 && options.value)
      return unsupported("this plugin compiles no program that takes its arguments in one tuple");
    if (options.number == 3) build = options.content;
    if (options.number == 7) RETURN_IF_ERROR(checkOption(options.content));
  }
  golden::ProtobufReader fields(build, kOptions);
  while (!fields.done()) {
    RETURN_IF_ERROR(fields.next());
    if (fields.number == 1) ordinal = static_cast<int64_t>(fields.value);
    if (fields.number == 4) request.grid.replicas = static_cast<int64_t>(fields.value);
    if (fields.number == 5) request.grid.partitions = static_cast<int64_t>(fields.value);
    if (fields.number == 9) assigned = fields.content;
    if (fields.number == 19) request.usesShardy = fields.value != 0;
  }
  request.grid.replicas = std::max<int64_t>(request.grid.replicas, 1);
  request.grid.partitions = std::max<int64_t>(request.grid.partitions, 1);
  RETURN_IF_ERROR(within("the compile options", checkGrid(request.grid)));
  if (assigned.empty()) {
    if (ordinal >= 0 && request.grid.count() == 1) request.devices = {static_cast<int>(ordinal)};
    return request;
  }
  ASSIGN_OR_RETURN(auto assignment, readAssignment(assigned));
  const auto replicas = static_cast<size_t>(request.grid.replicas);
  const auto partitions = static_cast<size_t>(request.grid.partitions);
  bool fits = assignment.devices.size() == partitions;
  for (const std::vector<int>& devices : assignment.devices) fits &= devices.size() == replicas;
  if (!fits)
    return badInput(
        "the compile options assign devices to {} replicas of {} partitions; they ask "
        "for {} of {}",
        assignment.replicas, assignment.computations, replicas, partitions);
  for (size_t replica = 0; replica < replicas; ++replica)
    for (size_t partition = 0; partition < partitions; ++partition)
      request.devices.push_back(assignment.devices[partition][replica]);
  return request;
}

std::string deviceAssignmentMessage(const CompileRequest& request) {
  const auto [replicas, partitions] = request.grid;
  if (std::ssize(request.devices) != request.grid.count()) return {};
  std::string message = field(1, replicas) + field(2, partitions);
  for (int64_t partition = 0; partition < partitions; ++partition) {
    std::vector<int64_t> ids;
    for (int64_t replica = 0; replica < replicas; ++replica)
      ids.push_back(request.devices[static_cast<size_t>(replica * partitions + partition)]);
    message += field(3, field(1, ids));
  }
  return message;
}

}  // namespace vintage::harness
