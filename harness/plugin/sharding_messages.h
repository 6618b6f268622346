// Shapes and shardings as XLA's text and messages (ShapeProto, OpSharding), by which a client and a
// partitioner speak.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/device_placement.h"

namespace vintage::harness {

// "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}"
std::string hloShardingText(const DevicePlacement& placement);

// kUnsupported: no array of a known size, or of an element type that XLA lacks.
Result<std::string> shapeMessage(const golden::ValueType& type);
std::string shardingMessage(const DevicePlacement& placement);
// Within a manual part.
std::string manualShardingMessage();

// For all results of an operation: one stands by itself, others are a tuple.
Result<std::string> shapeMessageOf(std::span<const golden::ValueType> types);
std::string shardingMessageOf(std::span<const DevicePlacement> placements);

// kBadInput: damaged, or not for a value of this rank on so many devices. kUnsupported: not one
// piece on each device.
Result<DevicePlacement> readShardingMessage(std::string_view message, int64_t devices, size_t rank);
// The shardings of as many results as `ranks` has.
Result<std::vector<DevicePlacement>> readShardingMessages(std::string_view message, int64_t devices,
                                                          std::span<const size_t> ranks);

}  // namespace vintage::harness
