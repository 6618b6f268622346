// How values lie on the logical devices of a mesh: which piece each of them holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

// The tensors of each device, or each process, by its number.
using TensorRows = std::vector<std::vector<golden::Tensor>>;

struct DeviceMesh {
  std::vector<int64_t> sizes;    // Of the axes, major first.
  std::vector<int64_t> devices;  // The device at each place, row-major.
};

// One value by itself: where each of its pieces lies.
struct DevicePlacement {
  DeviceMesh mesh;
  // For each dimension the axes that split it, major first, by their place in the
  // mesh. Along the other axes of the mesh the value is the same.
  std::vector<std::vector<size_t>> axes;
  // Along these axes the pieces add up to the value (Shardy's unreduced axes). Splitting gives
  // the value to the first device of each, and zeros to the others.
  std::vector<size_t> summed;

  size_t rank() const { return axes.size(); }
  size_t devices() const { return mesh.devices.size(); }
  // Into how many pieces each dimension is split, and which one a device holds.
  golden::Shape pieces() const;
  golden::Shape pieceOn(int64_t device) const;
  // Its place along the summed axes.
  golden::Shape addendOn(int64_t device) const;
  // Its place along all axes.
  golden::Shape coordinatesOf(int64_t device) const;
  // The shape of one piece; kBadInput names a dimension that cannot be split evenly.
  Result<golden::Shape> localShape(std::span<const int64_t> whole) const;
};

// The devices that differ from `device` only along axes that split or sum the value; and how it
// lies on these alone, numbered in this order. They are the same list for each of them.
struct Sharers {
  std::vector<int64_t> devices;
  DevicePlacement placement;
};
Sharers sharersWith(int64_t device, const DevicePlacement& placement);

// Dimension d of `placement` is dimension origin[d] of another value, if it has one: splits it
// along the axes of that one, if nothing splits it yet and none of them splits another dimension.
// Leaves placements over another mesh as they are.
void splitAlso(const DevicePlacement& other, std::span<const int64_t> origin,
               DevicePlacement& placement);

// A copy on each of `devices`.
DevicePlacement copiesOn(int64_t devices, size_t rank);
// Whether every device holds the same piece under both.
bool samePlacement(const DevicePlacement& a, const DevicePlacement& b);
// "2 x 1 pieces, (0, 0) on device 0, (1, 0) on device 1".
std::string describe(const DevicePlacement& placement);

Result<golden::Tensor> pieceOf(const DevicePlacement& placement, const golden::Tensor& whole,
                               int64_t device);
// The piece of each device, by its number.
Result<std::vector<golden::Tensor>> splitOver(const DevicePlacement& placement,
                                              const golden::Tensor& whole);
// Among copies of one piece the first in the mesh is taken; kMustAgree: they must be
// the same bytes, and a kBadInput names two devices whose are not.
enum class Copies { kFirstIsTaken, kMustAgree };
Result<golden::Tensor> joinPieces(const DevicePlacement& placement,
                                  std::span<const golden::Tensor> pieces, Copies copies);

// The same of several values. Errors begin with `what`, where it is given, and the value's number.
Result<TensorRows> splitRows(std::span<const DevicePlacement> placements,
                             std::span<const golden::Tensor> values, size_t devices,
                             std::string_view what = {});
Result<std::vector<golden::Tensor>> joinRows(std::span<const DevicePlacement> placements,
                                             std::span<const std::vector<golden::Tensor>> devices,
                                             Copies copies = Copies::kFirstIsTaken,
                                             std::string_view what = {});

}  // namespace vintage::harness
