#include "harness/engine/device_placement.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Where the piece of these numbers starts in the whole.
Shape startOf(const Shape& piece, std::span<const int64_t> shape) {
  Shape start;
  for (size_t i = 0; i < shape.size(); ++i) start.push_back(piece[i] * shape[i]);
  return start;
}

Result<Tensor> blockOf(const Tensor& whole, const Shape& shape, const Shape& piece) {
  const Shape start = startOf(piece, shape);
  Shape end = start;
  for (size_t i = 0; i < shape.size(); ++i) end[i] += shape[i];
  return sliceTensor(whole, start, end, Shape(shape.size(), 1));
}

}  // namespace

std::vector<int64_t> DeviceMesh::coordinates(size_t place) const {
  std::vector<int64_t> found(sizes.size());
  auto rest = static_cast<int64_t>(place);
  for (size_t i = sizes.size(); i-- > 0;) {
    found[i] = rest % sizes[i];
    rest /= sizes[i];
  }
  return found;
}

int64_t ValueSharding::pieces(const DeviceMesh& mesh, size_t dimension) const {
  int64_t count = 1;
  for (size_t axis : axes[dimension]) count *= mesh.sizes[axis];
  return count;
}

Shape ValueSharding::piece(const DeviceMesh& mesh, std::span<const int64_t> coordinates) const {
  Shape found;
  for (const std::vector<size_t>& dimension : axes) {
    int64_t number = 0;
    for (size_t axis : dimension) number = number * mesh.sizes[axis] + coordinates[axis];
    found.push_back(number);
  }
  return found;
}

Result<Shape> localShape(const DeviceMesh& mesh, const ValueSharding& sharding,
                         std::span<const int64_t> global) {
  if (sharding.axes.size() != global.size())
    return badInput("its sharding has {} dimensions, the value has {}", sharding.axes.size(),
                    global.size());
  Shape local;
  for (size_t i = 0; i < global.size(); ++i) {
    const int64_t pieces = sharding.pieces(mesh, i);
    if (global[i] < 0 || global[i] % pieces != 0)
      return badInput("dimension {} of size {} cannot be split evenly over {} devices", i,
                      global[i], pieces);
    local.push_back(global[i] / pieces);
  }
  return local;
}

Shape DevicePlacement::pieces() const {
  Shape counts;
  for (size_t i = 0; i < rank(); ++i) counts.push_back(sharding.pieces(mesh, i));
  return counts;
}

Shape DevicePlacement::pieceOn(int64_t device) const {
  const auto at = std::ranges::find(mesh.devices, device) - mesh.devices.begin();
  return sharding.piece(mesh, mesh.coordinates(static_cast<size_t>(at)));
}

DevicePlacement copiesOn(int64_t devices, size_t rank) {
  DevicePlacement placement;
  placement.mesh.sizes = {devices};
  placement.mesh.devices.resize(static_cast<size_t>(devices));
  std::iota(placement.mesh.devices.begin(), placement.mesh.devices.end(), 0);
  placement.sharding.axes.resize(rank);
  return placement;
}

bool samePlacement(const DevicePlacement& a, const DevicePlacement& b) {
  if (a.devices() != b.devices() || a.pieces() != b.pieces()) return false;
  return std::ranges::all_of(a.mesh.devices, [&](int64_t device) {
    return a.pieceOn(device) == b.pieceOn(device);
  });
}

std::string describe(const DevicePlacement& placement) {
  constexpr int64_t kMostTold = 4;
  const Shape pieces = placement.pieces();
  if (std::ranges::all_of(pieces, [](int64_t count) { return count == 1; }))
    return "a copy on each device";
  std::string text = fmt::format("{} pieces", fmt::join(pieces, " x "));
  const auto count = static_cast<int64_t>(placement.devices());
  for (int64_t device = 0; device < std::min(count, kMostTold); ++device)
    text += fmt::format(", ({}) on device {}", fmt::join(placement.pieceOn(device), ", "), device);
  return count > kMostTold ? text + ", …" : text;
}

Result<std::vector<Tensor>> splitOver(const DevicePlacement& placement, const Tensor& whole) {
  ASSIGN_OR_RETURN(auto shape, localShape(placement.mesh, placement.sharding, whole.shape()));
  if (shape == whole.shape()) return std::vector<Tensor>(placement.devices(), whole);
  std::vector<Tensor> pieces(placement.devices());
  for (size_t at = 0; at < pieces.size(); ++at) {
    const Shape piece = placement.sharding.piece(placement.mesh, placement.mesh.coordinates(at));
    ASSIGN_OR_RETURN(pieces[static_cast<size_t>(placement.mesh.devices[at])],
                     blockOf(whole, shape, piece));
  }
  return pieces;
}

Result<Tensor> joinPieces(const DevicePlacement& placement, std::span<const Tensor> pieces,
                          Copies copies) {
  const Tensor& first = pieces[static_cast<size_t>(placement.mesh.devices[0])];
  Shape shape = first.shape();
  const Shape counts = placement.pieces();
  if (shape.size() != counts.size())
    return badInput("its sharding has {} dimensions, the value has {}", counts.size(),
                    shape.size());
  for (size_t d = 0; d < shape.size(); ++d) shape[d] *= counts[d];
  ASSIGN_OR_RETURN(auto whole, Tensor::make(first.type(), shape));
  std::map<Shape, int64_t> holders;
  for (const int64_t device : placement.mesh.devices) {
    const Tensor& block = pieces[static_cast<size_t>(device)];
    const Shape piece = placement.pieceOn(device);
    if (block.shape() != first.shape())
      return badInput("its devices return pieces of different shapes");
    const auto [holder, isFirst] = holders.try_emplace(piece, device);
    if (isFirst) {
      ASSIGN_OR_RETURN(whole, updateSlice(std::move(whole), block, startOf(piece, block.shape())));
    } else if (copies == Copies::kMustAgree &&
               !block.identical(pieces[static_cast<size_t>(holder->second)])) {
      return badInput(
          "devices {} and {} hold different values of one piece, and its "
          "sharding says that they hold copies of it ({})",
          holder->second, device, describe(placement));
    }
  }
  return whole;
}

Result<std::vector<std::vector<Value>>> splitOperands(const ManualSharding& sharding,
                                                      std::span<const Value> operands) {
  std::vector<std::vector<Value>> split(sharding.devices);
  for (size_t i = 0; i < operands.size(); ++i) {
    ASSIGN_OR_RETURN(auto pieces, splitOver(sharding.operands[i], operands[i].tensor));
    for (size_t device = 0; device < split.size(); ++device)
      split[device].emplace_back().tensor = std::move(pieces[device]);
  }
  return split;
}

Result<std::vector<Value>> joinResults(const ManualSharding& sharding,
                                       std::span<const std::vector<Value>> results) {
  std::vector<Value> joined;
  for (size_t i = 0; i < sharding.results.size(); ++i) {
    std::vector<Tensor> pieces;
    for (const std::vector<Value>& device : results) pieces.push_back(device[i].tensor);
    ASSIGN_OR_RETURN(joined.emplace_back().tensor,
                     joinPieces(sharding.results[i], pieces, Copies::kFirstIsTaken));
  }
  return joined;
}

}  // namespace vintage::harness
