// How values lie on the logical devices of a mesh: which piece each of them holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

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
  golden::Shape piece(const DeviceMesh& mesh, std::span<const int64_t> coordinates) const;
};

// One value by itself: where each of its pieces lies.
struct DevicePlacement {
  DeviceMesh mesh;
  ValueSharding sharding;

  size_t rank() const { return sharding.axes.size(); }
  size_t devices() const { return mesh.devices.size(); }
  // Into how many pieces each dimension is split, and which one a device holds.
  golden::Shape pieces() const;
  golden::Shape pieceOn(int64_t device) const;
};

// A copy on each of `devices`.
DevicePlacement copiesOn(int64_t devices, size_t rank);
// Whether every device holds the same piece under both.
bool samePlacement(const DevicePlacement& a, const DevicePlacement& b);
// "2 x 1 pieces, (0, 0) on device 0, (1, 0) on device 1".
std::string describe(const DevicePlacement& placement);

// The shape of one piece; kBadInput names a dimension that cannot be split evenly.
Result<golden::Shape> localShape(const DeviceMesh& mesh, const ValueSharding& sharding,
                                 std::span<const int64_t> global);

// The piece of each device, by its number.
Result<std::vector<golden::Tensor>> splitOver(const DevicePlacement& placement,
                                              const golden::Tensor& whole);
// Among copies of one piece the first in the mesh is taken; kMustAgree: they must be
// the same bytes, and a kBadInput names two devices whose are not.
enum class Copies { kFirstIsTaken, kMustAgree };
Result<golden::Tensor> joinPieces(const DevicePlacement& placement,
                                  std::span<const golden::Tensor> pieces, Copies copies);

// How the operands of a program's manual part are split for its body, and its
// results joined from what the devices return.
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

}  // namespace vintage::harness
