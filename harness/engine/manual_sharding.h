// How the operands of a program's manual part are split for its body, and its
// results joined from what the devices return.
#pragma once

#include <span>
#include <vector>

#include "golden/base/result.h"
#include "harness/engine/device_placement.h"
#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

struct ManualSharding {
  size_t devices = 0;
  std::vector<DevicePlacement> operands, results;
};

// The operands of each device, by its number.
Result<std::vector<std::vector<Value>>> splitOperands(const ManualSharding& sharding,
                                                      std::span<const Value> operands);
// Where several devices hold the same piece, the first one's is taken.
Result<std::vector<Value>> joinResults(const ManualSharding& sharding,
                                       std::span<const std::vector<Value>> results);

}  // namespace vintage::harness::engine
