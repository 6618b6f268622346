#include "harness/engine/sharding_attributes.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/module/protobuf_reader.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/process_grid.h"

namespace vintage::harness {
namespace {

tl::unexpected<Error> bad(std::string message) {
  return failure(Error::Kind::kBadInput, "the HLO sharding " + std::move(message));
}

int64_t countOf(std::span<const int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    if (size < 1 || size > kMostProcesses || (count *= size) > kMostProcesses) return -1;
  return count;
}

// 0, 1, … as an array of `sizes`, its dimensions in another order.
Result<std::vector<int64_t>> iotaDevices(std::span<const int64_t> sizes,
                                         std::span<const int64_t> order) {
  if (countOf(sizes) < 0 || !isPermutation(order, std::ssize(sizes)))
    return bad(fmt::format("counts its devices by [{}] in the order ({})", fmt::join(sizes, ","),
                           fmt::join(order, ",")));
  std::vector<int64_t> devices, index(sizes.size());
  const std::vector<int64_t> ordered = chosen(sizes, order);
  const std::vector<int64_t> strides = chosen(rowMajorStrides(sizes), order);
  do {
    devices.push_back(offsetOf(index, strides));
  } while (nextIndex(ordered, index));
  return devices;
}

// Reads the text form from its front.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  bool skip(std::string_view word) {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Numbers with commas between them.
  std::vector<int64_t> numbers() {
    std::vector<int64_t> found;
    do {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) break;
      found.push_back(number);
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    } while (rest_.size() > 1 && rest_[0] == ',' && skip(","));
    return found;
  }

 private:
  std::string_view rest_;
};

}  // namespace

// Reads the fields of OpSharding that say where pieces lie; the others are passed over.
Result<HloSharding> readHloSharding(std::span<const std::byte> message) {
  HloSharding sharding;
  uint64_t type = 0;
  bool lastIsCopied = false;
  std::vector<int64_t> lastTileTypes, iotaSizes, iotaOrder;
  const std::pair<uint64_t, std::vector<int64_t>*> lists[] = {{3, &sharding.tiles},
                                                              {4, &sharding.devices},
                                                              {8, &lastTileTypes},
                                                              {9, &iotaSizes},
                                                              {10, &iotaOrder}};
  golden::ProtobufReader reader({reinterpret_cast<const char*>(message.data()), message.size()},
                                "the HLO sharding");
  while (!reader.done()) {
    RETURN_IF_ERROR(reader.next());
    if (reader.number == 1) type = reader.value;
    if (reader.number == 6) lastIsCopied = reader.value != 0;
    for (const auto& [number, list] : lists) {
      if (reader.number != number) continue;
      ASSIGN_OR_RETURN(const auto numbers, reader.numbers());
      list->insert(list->end(), numbers.begin(), numbers.end());
    }
  }
  constexpr HloSharding::Kind kKinds[] = {
      HloSharding::Kind::kReplicated, HloSharding::Kind::kMaximal, HloSharding::Kind::kTuple,
      HloSharding::Kind::kTiled,      HloSharding::Kind::kManual,  HloSharding::Kind::kUnknown};
  if (type >= std::size(kKinds)) return bad(fmt::format("has type {}", type));
  sharding.kind = kKinds[type];
  if (!iotaSizes.empty()) {
    ASSIGN_OR_RETURN(sharding.devices, iotaDevices(iotaSizes, iotaOrder));
  }
  sharding.copiedDimensions = lastIsCopied ? 1 : lastTileTypes.size();
  constexpr int64_t kReplicatedType = 0;
  if (std::ranges::any_of(lastTileTypes, [](int64_t each) { return each != kReplicatedType; }))
    sharding.kind = HloSharding::Kind::kManual;
  return sharding;
}

Result<HloSharding> parseHloSharding(std::string_view text) {
  const auto wrong = [&] { return bad(fmt::format("\"{}\" is not understood", text)); };
  TextReader reader(text);
  HloSharding sharding;
  if (!reader.skip("{")) return wrong();
  constexpr std::pair<std::string_view, HloSharding::Kind> kWords[] = {
      {"replicated", HloSharding::Kind::kReplicated},
      {"manual", HloSharding::Kind::kManual},
      {"unknown", HloSharding::Kind::kUnknown},
      {"{", HloSharding::Kind::kTuple},
      {"maximal device=", HloSharding::Kind::kMaximal}};
  for (const auto& [word, kind] : kWords) {
    if (!reader.skip(word)) continue;
    sharding.kind = kind;
    if (kind == HloSharding::Kind::kMaximal) sharding.devices = reader.numbers();
    return sharding;
  }
  if (!reader.skip("devices=[")) return wrong();
  sharding.kind = HloSharding::Kind::kTiled;
  sharding.tiles = reader.numbers();
  if (!reader.skip("]")) return wrong();
  if (reader.skip("<=[")) {
    const std::vector<int64_t> sizes = reader.numbers();
    std::vector<int64_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    if (!reader.skip("]")) return wrong();
    if (reader.skip("T(")) {
      order = reader.numbers();
      if (!reader.skip(")")) return wrong();
    }
    ASSIGN_OR_RETURN(sharding.devices, iotaDevices(sizes, order));
  } else {
    sharding.devices = reader.numbers();
  }
  if (reader.skip("last_tile_dim_replicate")) sharding.copiedDimensions = 1;
  if (reader.skip("last_tile_dims={")) {
    do {
      if (!reader.skip("replicated")) sharding.kind = HloSharding::Kind::kManual;
      ++sharding.copiedDimensions;
    } while (sharding.kind == HloSharding::Kind::kTiled && reader.skip(","));
    if (sharding.kind == HloSharding::Kind::kManual) return sharding;
    if (!reader.skip("}")) return wrong();
  }
  if (!reader.skip("}")) return wrong();
  return sharding;
}

Result<DevicePlacement> placementOf(const HloSharding& sharding, int64_t devices, size_t rank) {
  switch (sharding.kind) {
    case HloSharding::Kind::kReplicated:
      return copiesOn(devices, rank);
    case HloSharding::Kind::kTiled:
      break;
    default:
      return unsupported(
          "it is not one piece on each device (its HLO sharding is maximal, manual, "
          "unknown or a tuple's)");
  }
  if (!isPermutation(sharding.devices, devices))
    return bad(fmt::format("is over devices [{}], and there are {}",
                           fmt::join(sharding.devices, ","), devices));
  if (sharding.tiles.size() != rank + sharding.copiedDimensions ||
      countOf(sharding.tiles) != devices)
    return bad(fmt::format("has tiles [{}] of {} devices; the value has {} dimensions",
                           fmt::join(sharding.tiles, ","), devices, rank));
  DevicePlacement placement;
  placement.mesh.sizes = sharding.tiles;
  placement.mesh.devices = sharding.devices;
  for (size_t d = 0; d < rank; ++d) placement.axes.push_back({d});
  return placement;
}

}  // namespace vintage::harness
