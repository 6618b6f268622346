#include "harness/engine/manual_sharding.h"

#include <cstring>

#include <fmt/format.h>

namespace vintage {
namespace {

// Copies a block between a whole and a piece of it that starts at `start`.
template <typename Copy>
void forEachRow(std::span<const int64_t> whole, std::span<const int64_t> piece,
                std::span<const int64_t> start, Copy copy) {
  if (piece.empty()) return copy(0, 0, 1);
  const size_t rank = piece.size();
  const int64_t width = piece[rank - 1];
  Shape index(rank, 0);
  const int64_t rows = width == 0 ? 0 : elementCount(piece) / width;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t position = 0;
    for (size_t i = 0; i < rank; ++i) position = position * whole[i] + start[i] + index[i];
    copy(position, row * width, width);
    for (size_t i = rank - 1; i-- > 0;) {
      if (++index[i] < piece[i]) break;
      index[i] = 0;
    }
  }
}

Shape startOf(const Shape& piece, std::span<const int64_t> shape) {
  Shape start;
  for (size_t i = 0; i < shape.size(); ++i) start.push_back(piece[i] * shape[i]);
  return start;
}

Result<Tensor> blockOf(const Tensor& whole, const Shape& shape, const Shape& piece) {
  auto block = Tensor::make(whole.type(), shape);
  if (!block) return block;
  const size_t width = byteWidth(whole.type());
  const std::byte* from = whole.bytes().data();
  std::byte* to = block->mutableBytes().data();
  forEachRow(whole.shape(), shape, startOf(piece, shape),
             [&](int64_t source, int64_t target, int64_t count) {
               std::memcpy(to + static_cast<size_t>(target) * width,
                           from + static_cast<size_t>(source) * width,
                           static_cast<size_t>(count) * width);
             });
  return block;
}

void place(const Tensor& block, const Shape& piece, Tensor& whole) {
  const size_t width = byteWidth(whole.type());
  const std::byte* from = block.bytes().data();
  std::byte* to = whole.mutableBytes().data();
  forEachRow(whole.shape(), block.shape(), startOf(piece, block.shape()),
             [&](int64_t target, int64_t source, int64_t count) {
               std::memcpy(to + static_cast<size_t>(target) * width,
                           from + static_cast<size_t>(source) * width,
                           static_cast<size_t>(count) * width);
             });
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
    return failure(Error::Kind::kBadInput,
                   fmt::format("its sharding tells of {} dimensions, and it has {}",
                               sharding.axes.size(), global.size()));
  Shape local;
  for (size_t i = 0; i < global.size(); ++i) {
    const int64_t pieces = sharding.pieces(mesh, i);
    if (global[i] < 0 || global[i] % pieces != 0)
      return failure(Error::Kind::kBadInput,
                     fmt::format("dimension {} of size {} cannot be split evenly over {} devices",
                                 i, global[i], pieces));
    local.push_back(global[i] / pieces);
  }
  return local;
}

Result<std::vector<std::vector<Value>>> splitOperands(const ManualSharding& sharding,
                                                      std::span<const Value> operands) {
  const DeviceMesh& mesh = sharding.mesh;
  std::vector<std::vector<Value>> split(mesh.devices.size());
  for (size_t at = 0; at < mesh.devices.size(); ++at) {
    const std::vector<int64_t> coordinates = mesh.coordinates(at);
    std::vector<Value>& mine = split[static_cast<size_t>(mesh.devices[at])];
    for (size_t i = 0; i < operands.size(); ++i) {
      auto shape = localShape(mesh, sharding.operands[i], operands[i].tensor.shape());
      if (!shape) return tl::unexpected(shape.error());
      auto block = blockOf(operands[i].tensor, *shape,
                           sharding.operands[i].piece(mesh, coordinates));
      if (!block) return tl::unexpected(block.error());
      mine.emplace_back().tensor = std::move(*block);
    }
  }
  return split;
}

Result<std::vector<Value>> joinResults(const ManualSharding& sharding,
                                       std::span<const std::vector<Value>> results) {
  const DeviceMesh& mesh = sharding.mesh;
  std::vector<Value> joined;
  for (size_t i = 0; i < sharding.results.size(); ++i) {
    const ValueSharding& value = sharding.results[i];
    const Tensor& first = results[static_cast<size_t>(mesh.devices[0])][i].tensor;
    Shape shape = first.shape();
    for (size_t d = 0; d < shape.size(); ++d) shape[d] *= value.pieces(mesh, d);
    auto whole = Tensor::make(first.type(), shape);
    if (!whole) return tl::unexpected(whole.error());
    // Backwards, so that the first device's stays where several have a piece.
    for (size_t at = mesh.devices.size(); at-- > 0;) {
      const Tensor& block = results[static_cast<size_t>(mesh.devices[at])][i].tensor;
      if (block.shape() != first.shape())
        return failure(Error::Kind::kBadInput, "its devices return pieces of different shapes");
      place(block, value.piece(mesh, mesh.coordinates(at)), *whole);
    }
    joined.emplace_back().tensor = std::move(*whole);
  }
  return joined;
}

}  // namespace vintage
