#include "harness/consumers/pjrt/compile_options.h"

#include <cstdint>

namespace vintage::harness::consumers::pjrt {
namespace {

void appendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void appendNumber(std::string& out, unsigned field, int64_t value) {
  appendVarint(out, uint64_t{field} << 3);
  appendVarint(out, static_cast<uint64_t>(value));
}

void appendMessage(std::string& out, unsigned field, const std::string& message) {
  appendVarint(out, uint64_t{field} << 3 | 2);
  appendVarint(out, message.size());
  out += message;
}

}  // namespace

std::string encodeCompileOptions(const CompileOptions& options) {
  const auto partitions = static_cast<int64_t>(options.devices.size());
  std::string assignment;                   // DeviceAssignmentProto
  appendNumber(assignment, 1, 1);           // replica_count
  appendNumber(assignment, 2, partitions);  // computation_count
  for (int device : options.devices) {
    std::string id, ids;
    appendVarint(id, static_cast<uint64_t>(device));
    appendMessage(ids, 1, id);          // replica_device_ids, a packed list
    appendMessage(assignment, 3, ids);  // computation_devices
  }
  std::string build;                       // ExecutableBuildOptionsProto
  appendNumber(build, 1, -1);              // device_ordinal: as the assignment says
  appendNumber(build, 4, 1);               // num_replicas
  appendNumber(build, 5, partitions);      // num_partitions
  appendNumber(build, 6, partitions > 1);  // use_spmd_partitioning
  appendMessage(build, 9, assignment);     // device_assignment
  // An output without a sharding of its own is whole on each device, as far as XLA heeds this.
  appendMessage(build, 12, std::string(1, '\0'));  // allow_spmd_sharding_propagation_to_output
  if (options.shardy) appendNumber(build, 19, 1);  // use_shardy_partitioner
  std::string proto;
  appendMessage(proto, 3, build);  // executable_build_options
  return proto;
}

}  // namespace vintage::harness::consumers::pjrt
