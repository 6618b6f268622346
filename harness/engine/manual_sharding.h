// How values are laid out over the devices of a mesh: split for the body of an
// sdy.manual_computation, and joined from what its devices return.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "golden/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernel.h"

namespace vintage {

struct DeviceMesh {
  std::vector<int64_t> sizes;    // Of the axes, major first.
  std::vector<int64_t> devices;  // The device at each place, row-major.

  // The place of a device along each axis.
  std::vector<int64_t> coordinates(size_t place) const;
};

// For each dimension the axes that split it, major first, by their place in the
// mesh. Along the other axes of the mesh the value is the same.
struct ValueSharding {
  std::vector<std::vector<size_t>> axes;

  int64_t pieces(const DeviceMesh& mesh, size_t dimension) const;
  // Which piece of each dimension lies at these coordinates.
  Shape piece(const DeviceMesh& mesh, std::span<const int64_t> coordinates) const;
};

struct ManualSharding {
  DeviceMesh mesh;
  std::vector<ValueSharding> operands, results;
};

// The shape of one piece; kBadInput names a dimension that cannot be split evenly.
Result<Shape> localShape(const DeviceMesh& mesh, const ValueSharding& sharding,
                         std::span<const int64_t> global);

// The operands of each device, by its number.
Result<std::vector<std::vector<Value>>> splitOperands(const ManualSharding& sharding,
                                                      std::span<const Value> operands);
// Of what several devices have the first one's is taken.
Result<std::vector<Value>> joinResults(const ManualSharding& sharding,
                                       std::span<const std::vector<Value>> results);

}  // namespace vintage
