#include "harness/plugin/sharding_messages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/module/protobuf_reader.h"
#include "harness/engine/sharding_attributes.h"
#include "harness/plugin/protobuf_fields.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr std::string_view kSharding = "the sharding";

// XLA's PrimitiveType.
constexpr int kTupleType = 13;
constexpr std::pair<ElementType, int> kPrimitiveTypes[] = {
    {ElementType::kI1, 1},          {ElementType::kI8, 2},
    {ElementType::kI16, 3},         {ElementType::kI32, 4},
    {ElementType::kI64, 5},         {ElementType::kUi8, 6},
    {ElementType::kUi16, 7},        {ElementType::kUi32, 8},
    {ElementType::kUi64, 9},        {ElementType::kF16, 10},
    {ElementType::kF32, 11},        {ElementType::kF64, 12},
    {ElementType::kC64, 15},        {ElementType::kBF16, 16},
    {ElementType::kC128, 18},       {ElementType::kF8E5M2, 19},
    {ElementType::kF8E4M3FN, 20},   {ElementType::kI4, 21},
    {ElementType::kUi4, 22},        {ElementType::kF8E4M3B11FNUZ, 23},
    {ElementType::kF8E5M2FNUZ, 24}, {ElementType::kF8E4M3FNUZ, 25},
    {ElementType::kI2, 26},         {ElementType::kUi2, 27},
    {ElementType::kF8E4M3, 28},     {ElementType::kF8E3M4, 29},
    {ElementType::kF4E2M1FN, 32},   {ElementType::kF8E8M0FNU, 33},
    {ElementType::kF6E3M2FN, 35},   {ElementType::kF6E2M3FN, 36}};

// Types of an OpSharding.
constexpr int kReplicated = 0, kTuple = 2, kOther = 3, kManual = 4, kUnreduced = 6;

// The pieces of a split value, and the devices that hold them.
struct Tiling {
  Shape tiles;  // Pieces of each dimension, then addends and copies where there are several.
  std::vector<int64_t> devices;  // In the order of tiles.
  int64_t addends = 1, copies = 1;
};

// None: each device has the whole.
std::optional<Tiling> tilingOf(const DevicePlacement& placement) {
  std::map<std::pair<Shape, Shape>, std::vector<int64_t>> holders;  // By piece and addend.
  for (const int64_t device : placement.mesh.devices)
    holders[{placement.pieceOn(device), placement.addendOn(device)}].push_back(device);
  if (holders.size() < 2) return std::nullopt;
  Tiling tiling{placement.pieces(), {}, 1, std::ssize(holders.begin()->second)};
  for (const size_t axis : placement.summed) tiling.addends *= placement.mesh.sizes[axis];
  for (const auto& [piece, held] : holders)
    tiling.devices.insert(tiling.devices.end(), held.begin(), held.end());
  if (tiling.addends > 1) tiling.tiles.push_back(tiling.addends);
  if (tiling.copies > 1) tiling.tiles.push_back(tiling.copies);
  return tiling;
}

}  // namespace

Result<std::string> shapeMessage(const ValueType& type) {
  const auto* const code =
      std::ranges::find(kPrimitiveTypes, type.element, &std::pair<ElementType, int>::first);
  if (type.kind != ValueType::Kind::kTensor || code == std::end(kPrimitiveTypes) ||
      std::ranges::count(type.shape, kDynamicDimension) > 0)
    return unsupported("a partitioner takes arrays of a known size; there is {}", type.text);
  // Readers up to JAX 0.5 want field 6: which dimensions are dynamic.
  return field(2, code->second) + field(3, type.shape) + field(6, Shape(type.shape.size()));
}

std::string hloShardingText(const DevicePlacement& placement) {
  const auto tiling = tilingOf(placement);
  if (!tiling) return "{replicated}";
  if (tiling->addends == static_cast<int64_t>(placement.devices())) return "{unreduced}";
  const bool areCopied = tiling->copies > 1;
  const std::string_view last = tiling->addends == 1 ? areCopied ? " last_tile_dim_replicate" : ""
                                : areCopied          ? " last_tile_dims={unreduced, replicated}"
                                                     : " last_tile_dims={unreduced}";
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiling->tiles, ","),
                     fmt::join(tiling->devices, ","), last);
}

std::string shardingMessage(const DevicePlacement& placement) {
  const auto tiling = tilingOf(placement);
  if (!tiling) return field(1, kReplicated);
  if (tiling->addends == static_cast<int64_t>(placement.devices())) return field(1, kUnreduced);
  const std::string tiles = field(1, kOther) + field(3, tiling->tiles) + field(4, tiling->devices);
  if (tiling->addends == 1) return tiling->copies > 1 ? tiles + field(6, 1) : tiles;
  Shape last = {kUnreduced};
  if (tiling->copies > 1) last.push_back(kReplicated);
  return tiles + field(8, last);
}

std::string manualShardingMessage() { return field(1, kManual); }

Result<std::string> shapeMessageOf(std::span<const ValueType> types) {
  if (types.size() == 1) return shapeMessage(types[0]);
  std::string message = field(2, kTupleType);
  for (const ValueType& type : types) {
    ASSIGN_OR_RETURN(const auto element, shapeMessage(type));
    message += field(4, element);
  }
  return message;
}

std::string shardingMessageOf(std::span<const DevicePlacement> placements) {
  if (placements.size() == 1) return shardingMessage(placements[0]);
  std::string message = field(1, kTuple);
  for (const DevicePlacement& placement : placements)
    message += field(5, shardingMessage(placement));
  return message;
}

Result<DevicePlacement> readShardingMessage(std::string_view message, int64_t devices,
                                            size_t rank) {
  ASSIGN_OR_RETURN(const auto sharding, readHloSharding(std::as_bytes(std::span(message))));
  return placementOf(sharding, devices, rank);
}

Result<std::vector<DevicePlacement>> readShardingMessages(std::string_view message, int64_t devices,
                                                          std::span<const size_t> ranks) {
  std::vector<std::string_view> elements;
  if (ranks.size() == 1) {
    elements.push_back(message);
  } else {
    ProtobufReader fields(message, kSharding);
    while (!fields.done()) {
      RETURN_IF_ERROR(fields.next());
      if (fields.number == 5) elements.push_back(fields.content);
    }
  }
  if (elements.size() != ranks.size())
    return badInput("the sharding is of {} results; there are {}", elements.size(), ranks.size());
  std::vector<DevicePlacement> placements;
  for (size_t i = 0; i < ranks.size(); ++i) {
    ASSIGN_OR_RETURN(
        placements.emplace_back(),
        within(fmt::format("result {}", i), readShardingMessage(elements[i], devices, ranks[i])));
  }
  return placements;
}

}  // namespace vintage::harness
