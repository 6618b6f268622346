#include "harness/engine/device_placement.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "harness/engine/kernel.h"
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

// The piece of a device, which has this shape.
Result<Tensor> cut(const DevicePlacement& placement, const Tensor& whole, const Shape& shape,
                   int64_t device) {
  if (std::ranges::any_of(placement.addendOn(device), [](int64_t at) { return at != 0; }))
    return Tensor::make(whole.type(), shape);
  if (shape == whole.shape()) return whole;
  const Shape start = startOf(placement.pieceOn(device), shape);
  Shape end = start;
  for (size_t i = 0; i < shape.size(); ++i) end[i] += shape[i];
  return sliceTensor(whole, start, end, Shape(shape.size(), 1));
}

Result<Tensor> sumOf(const Tensor& a, const Tensor& b) {
  Operation add;
  add.name = "stablehlo.add";
  const ElementType types[] = {a.type(), a.type()};
  auto made = makeElementLoop({add, types, a.type()});
  if (!made) return unsupported("{} cannot be added up", describe(a));
  ASSIGN_OR_RETURN(const ElementLoop loop, *std::move(made));
  ASSIGN_OR_RETURN(auto sum, Tensor::makeUninitialized(a.type(), a.shape()));
  const void* const operands[] = {a.bytes().data(), b.bytes().data()};
  loop(operands, sum.mutableBytes().data(), static_cast<size_t>(sum.size()));
  return sum;
}

template <typename T>
Result<T> numbered(std::string_view what, size_t i, Result<T> made) {
  if (made || what.empty()) return made;
  return within(fmt::format("{} {}", what, i), made.error());
}

}  // namespace

Result<Shape> DevicePlacement::localShape(std::span<const int64_t> whole) const {
  if (rank() != whole.size())
    return badInput("its sharding has {} dimensions, the value has {}", rank(), whole.size());
  const Shape counts = pieces();
  Shape local;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] < 0 || whole[i] % counts[i] != 0)
      return badInput("dimension {} of size {} cannot be split evenly over {} devices", i, whole[i],
                      counts[i]);
    local.push_back(whole[i] / counts[i]);
  }
  return local;
}

Shape DevicePlacement::pieces() const {
  Shape counts(rank(), 1);
  for (size_t i = 0; i < rank(); ++i)
    for (const size_t axis : axes[i]) counts[i] *= mesh.sizes[axis];
  return counts;
}

Shape DevicePlacement::coordinatesOf(int64_t device) const {
  int64_t rest = std::ranges::find(mesh.devices, device) - mesh.devices.begin();
  Shape coordinates(mesh.sizes.size());
  for (size_t i = mesh.sizes.size(); i-- > 0; rest /= mesh.sizes[i])
    coordinates[i] = rest % mesh.sizes[i];
  return coordinates;
}

Shape DevicePlacement::addendOn(int64_t device) const {
  if (summed.empty()) return {};
  const Shape coordinates = coordinatesOf(device);
  Shape addend;
  for (const size_t axis : summed) addend.push_back(coordinates[axis]);
  return addend;
}

Shape DevicePlacement::pieceOn(int64_t device) const {
  const Shape coordinates = coordinatesOf(device);
  Shape piece(rank());
  for (size_t i = 0; i < rank(); ++i)
    for (const size_t axis : axes[i]) piece[i] = piece[i] * mesh.sizes[axis] + coordinates[axis];
  return piece;
}

Sharers sharersWith(int64_t device, const DevicePlacement& placement) {
  std::vector<size_t> used = placement.summed;
  for (const auto& axes : placement.axes) used.insert(used.end(), axes.begin(), axes.end());
  std::ranges::sort(used);
  Sharers sharers;
  Shape at = placement.coordinatesOf(device);
  const std::vector<int64_t> strides = rowMajorStrides(placement.mesh.sizes);
  DeviceMesh& mesh = sharers.placement.mesh;
  for (const size_t axis : used) mesh.sizes.push_back(placement.mesh.sizes[axis]);
  std::vector<int64_t> index(used.size());
  do {
    for (size_t i = 0; i < used.size(); ++i) at[used[i]] = index[i];
    const auto place = static_cast<size_t>(offsetOf(at, strides));
    mesh.devices.push_back(std::ssize(sharers.devices));
    sharers.devices.push_back(placement.mesh.devices[place]);
  } while (nextIndex(mesh.sizes, index));
  const auto renumbered = [&](const std::vector<size_t>& axes) {
    std::vector<size_t> places;
    for (const size_t axis : axes)
      places.push_back(static_cast<size_t>(std::ranges::find(used, axis) - used.begin()));
    return places;
  };
  for (const auto& axes : placement.axes) sharers.placement.axes.push_back(renumbered(axes));
  sharers.placement.summed = renumbered(placement.summed);
  return sharers;
}

void splitAlso(const DevicePlacement& other, std::span<const int64_t> origin,
               DevicePlacement& placement) {
  if (placement.mesh.sizes != other.mesh.sizes || placement.mesh.devices != other.mesh.devices)
    return;
  placement.axes.resize(origin.size());
  const auto splits = [&](size_t axis) {
    return std::ranges::any_of(placement.axes,
                               [&](const auto& of) { return std::ranges::count(of, axis) > 0; });
  };
  for (size_t d = 0; d < origin.size(); ++d) {
    if (origin[d] < 0 || origin[d] >= std::ssize(other.axes) || !placement.axes[d].empty())
      continue;
    const std::vector<size_t>& axes = other.axes[static_cast<size_t>(origin[d])];
    if (std::ranges::none_of(axes, splits)) placement.axes[d] = axes;
  }
}

DevicePlacement copiesOn(int64_t devices, size_t rank) {
  DevicePlacement placement;
  placement.mesh.sizes = {devices};
  placement.mesh.devices.resize(static_cast<size_t>(devices));
  std::iota(placement.mesh.devices.begin(), placement.mesh.devices.end(), 0);
  placement.axes.resize(rank);
  return placement;
}

bool samePlacement(const DevicePlacement& a, const DevicePlacement& b) {
  if (a.devices() != b.devices() || a.pieces() != b.pieces()) return false;
  return std::ranges::all_of(a.mesh.devices, [&](int64_t device) {
    return a.pieceOn(device) == b.pieceOn(device) && a.addendOn(device) == b.addendOn(device);
  });
}

std::string describe(const DevicePlacement& placement) {
  constexpr int64_t kMostTold = 4;
  const Shape pieces = placement.pieces();
  const bool isWhole = std::ranges::all_of(pieces, [](int64_t count) { return count == 1; });
  if (isWhole) return placement.summed.empty() ? "a copy on each device" : "parts of a sum";
  std::string text = fmt::format("{} pieces", fmt::join(pieces, " x "));
  const auto count = static_cast<int64_t>(placement.devices());
  for (int64_t device = 0; device < std::min(count, kMostTold); ++device)
    text += fmt::format(", ({}) on device {}", fmt::join(placement.pieceOn(device), ", "), device);
  return count > kMostTold ? text + ", …" : text;
}

Result<Tensor> pieceOf(const DevicePlacement& placement, const Tensor& whole, int64_t device) {
  ASSIGN_OR_RETURN(const auto shape, placement.localShape(whole.shape()));
  return cut(placement, whole, shape, device);
}

Result<std::vector<Tensor>> splitOver(const DevicePlacement& placement, const Tensor& whole) {
  ASSIGN_OR_RETURN(const auto shape, placement.localShape(whole.shape()));
  std::vector<Tensor> pieces(placement.devices());
  for (const int64_t device : placement.mesh.devices) {
    ASSIGN_OR_RETURN(pieces[static_cast<size_t>(device)], cut(placement, whole, shape, device));
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
  struct Addend {
    Tensor whole;
    std::map<Shape, int64_t> holders;  // By piece.
  };
  std::map<Shape, Addend> addends;
  for (const int64_t device : placement.mesh.devices) {
    const Tensor& block = pieces[static_cast<size_t>(device)];
    const Shape piece = placement.pieceOn(device);
    if (block.shape() != first.shape())
      return badInput("its devices return pieces of different shapes");
    const auto [place, isNew] = addends.try_emplace(placement.addendOn(device));
    Addend& addend = place->second;
    if (isNew) {
      ASSIGN_OR_RETURN(addend.whole, Tensor::make(first.type(), shape));
    }
    const auto [holder, isFirst] = addend.holders.try_emplace(piece, device);
    if (isFirst) {
      ASSIGN_OR_RETURN(addend.whole,
                       updateSlice(std::move(addend.whole), block, startOf(piece, block.shape())));
    } else if (copies == Copies::kMustAgree &&
               !block.identical(pieces[static_cast<size_t>(holder->second)])) {
      return badInput(
          "devices {} and {} hold different values of one piece, and its "
          "sharding says that they hold copies of it ({})",
          holder->second, device, describe(placement));
    }
  }
  Tensor sum = std::move(addends.begin()->second.whole);
  for (auto next = std::next(addends.begin()); next != addends.end(); ++next) {
    ASSIGN_OR_RETURN(sum, sumOf(sum, next->second.whole));
  }
  return sum;
}

Result<TensorRows> splitRows(std::span<const DevicePlacement> placements,
                             std::span<const Tensor> values, size_t devices,
                             std::string_view what) {
  TensorRows rows(devices);
  for (size_t i = 0; i < placements.size() && i < values.size(); ++i) {
    ASSIGN_OR_RETURN(auto pieces, numbered(what, i, splitOver(placements[i], values[i])));
    for (size_t device = 0; device < devices; ++device)
      rows[device].push_back(std::move(pieces[device]));
  }
  return rows;
}

Result<std::vector<Tensor>> joinRows(std::span<const DevicePlacement> placements,
                                     std::span<const std::vector<Tensor>> devices, Copies copies,
                                     std::string_view what) {
  std::vector<Tensor> whole;
  for (size_t i = 0; i < placements.size(); ++i) {
    std::vector<Tensor> pieces;
    for (const std::vector<Tensor>& device : devices) pieces.push_back(device[i]);
    ASSIGN_OR_RETURN(whole.emplace_back(),
                     numbered(what, i, joinPieces(placements[i], pieces, copies)));
  }
  return whole;
}

}  // namespace vintage::harness
