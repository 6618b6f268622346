#include "harness/plugin/compiled_program.h"

#include <algorithm>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

// One field of a protocol buffer after the other.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  // Reads the next field; afterwards number, value or content are its own.
  Status next() {
    ASSIGN_OR_RETURN(const uint64_t key, varint());
    number = key >> 3;
    content = {};
    value = 0;
    switch (key & 7) {
      case 0: {
        ASSIGN_OR_RETURN(value, varint());
        return {};
      }
      case 1:
        return take(8);
      case 2: {
        ASSIGN_OR_RETURN(const uint64_t size, varint());
        return take(size);
      }
      case 5:
        return take(4);
      default:
        return badInput("the compile options are damaged: field {} has wire type {}", number,
                        key & 7);
    }
  }
  Result<uint64_t> varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return badInput("the compile options end within a number");
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      result |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return result;
    }
    return badInput("the compile options hold a number of more than 64 bits");
  }

  uint64_t number = 0, value = 0;
  std::string_view content;

 private:
  Status take(uint64_t size) {
    if (size > rest_.size())
      return badInput(
          "the compile options end within field {}: {} bytes are announced, {} are left", number,
          size, rest_.size());
    content = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return {};
  }

  std::string_view rest_;
};

struct Assignment {
  uint64_t replicas = 0, computations = 0;
  std::vector<std::vector<int>> devices;  // Of each computation, by replica.
};

Result<std::vector<int>> readDevices(std::string_view computation) {
  std::vector<int> ids;
  FieldReader fields(computation);
  while (!fields.done()) {
    RETURN_IF_ERROR(fields.next());
    if (fields.number != 1) continue;
    if (fields.content.empty()) {
      ids.push_back(static_cast<int>(fields.value));
      continue;
    }
    for (FieldReader packed(fields.content); !packed.done();) {
      ASSIGN_OR_RETURN(const uint64_t id, packed.varint());
      ids.push_back(static_cast<int>(id));
    }
  }
  return ids;
}

Result<Assignment> readAssignment(std::string_view message) {
  Assignment assignment;
  FieldReader fields(message);
  while (!fields.done()) {
    RETURN_IF_ERROR(fields.next());
    if (fields.number == 1) assignment.replicas = fields.value;
    if (fields.number == 2) assignment.computations = fields.value;
    if (fields.number == 3) {
      ASSIGN_OR_RETURN(auto devices, readDevices(fields.content));
      assignment.devices.push_back(std::move(devices));
    }
  }
  return assignment;
}

}  // namespace

Result<CompileRequest> readCompileRequest(std::string_view proto) {
  CompileRequest request;
  std::string_view build, assigned;
  int64_t ordinal = -1;
  FieldReader options(proto);
  while (!options.done()) {
    RETURN_IF_ERROR(options.next());
    if (options.number == 2 && options.value)
      return unsupported("a program that takes its arguments in one tuple is not compiled here");
    if (options.number == 3) build = options.content;
    if (options.number == 4) request.portable = options.value != 0;
  }
  FieldReader fields(build);
  while (!fields.done()) {
    RETURN_IF_ERROR(fields.next());
    if (fields.number == 1) ordinal = static_cast<int64_t>(fields.value);
    if (fields.number == 4) request.grid.replicas = static_cast<int64_t>(fields.value);
    if (fields.number == 5) request.grid.partitions = static_cast<int64_t>(fields.value);
    if (fields.number == 9) assigned = fields.content;
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

}  // namespace vintage::harness
