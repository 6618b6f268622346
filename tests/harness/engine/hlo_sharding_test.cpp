// XLA's form of a sharding: messages as JAX wrote them, and texts.
#include "harness/engine/sharding_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::byte> message(std::initializer_list<int> bytes) {
  std::vector<std::byte> all;
  for (int byte : bytes) all.push_back(static_cast<std::byte>(byte));
  return all;
}

// The bytes that JAX wrote in its own compatibility artifacts for P("a", None)
// over two devices: type 3, tiles [2, 1], counted by [2] in the order (0).
const std::vector<std::byte> kFromJax =
    message({0x08, 0x03, 0x1a, 0x02, 0x02, 0x01, 0x4a, 0x01, 0x02, 0x52, 0x01, 0x00});

TEST(HloSharding, ReadsWhatJaxWrote) {
  const auto sharding = readHloSharding(kFromJax);
  ASSERT_TRUE(sharding) << sharding.error().message;
  EXPECT_EQ(sharding->kind, HloSharding::Kind::kTiled);
  EXPECT_THAT(sharding->tiles, ElementsAre(2, 1));
  EXPECT_THAT(sharding->devices, ElementsAre(0, 1));
  const auto placement = placementOf(*sharding, 2, 2);
  ASSERT_TRUE(placement) << placement.error().message;
  EXPECT_EQ(placement->pieceOn(1), (Shape{1, 0}));
}

TEST(HloSharding, AMessageThatIsCutShortIsDamagedAndNothingElse) {
  for (size_t size = 0; size < kFromJax.size(); ++size) {
    const auto sharding = readHloSharding(std::span(kFromJax).first(size));
    if (sharding) continue;  // Cut between two fields.
    EXPECT_EQ(sharding.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(sharding.error().message, HasSubstr("HLO sharding"));
  }
  EXPECT_FALSE(readHloSharding(message({0x08})));
  EXPECT_FALSE(readHloSharding(message({0x1a, 0x7f, 0x01})));
  EXPECT_FALSE(readHloSharding(message({0x08, 0x63})));        // Type 99.
  EXPECT_FALSE(readHloSharding(message({0x4a, 0x01, 0x00})));  // No devices along an axis.
  const auto unknownFields = readHloSharding(message({0x3a, 0x01, 0x00, 0x60, 0x05}));
  ASSERT_TRUE(unknownFields);
  EXPECT_EQ(unknownFields->kind, HloSharding::Kind::kReplicated);
}

TEST(HloSharding, TextsAndMessagesMeanTheSame) {
  struct Use {
    const char* text;
    int64_t devices;
    size_t rank;
    std::vector<Shape> pieces;  // By device.
  };
  const Use uses[] = {
      {"{replicated}", 2, 1, {{0}, {0}}},
      {"{devices=[2,1]<=[2]}", 2, 2, {{0, 0}, {1, 0}}},
      {"{devices=[1,2]1,0}", 2, 2, {{0, 1}, {0, 0}}},
      {"{devices=[2,2]<=[4] last_tile_dim_replicate}", 4, 1, {{0}, {0}, {1}, {1}}},
      // Along y of a mesh x=2, y=2, and copies along x.
      {"{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", 4, 1, {{0}, {1}, {0}, {1}}},
      {"{devices=[4,1,2]<=[8] last_tile_dims={replicated}}",
       8,
       2,
       {{0, 0}, {0, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}, {3, 0}, {3, 0}}},
      {"{devices=[3]2,0,1}", 3, 1, {{1}, {2}, {0}}},
  };
  for (const Use& use : uses) {
    const auto sharding = parseHloSharding(use.text);
    ASSERT_TRUE(sharding) << sharding.error().message;
    const auto placement = placementOf(*sharding, use.devices, use.rank);
    ASSERT_TRUE(placement) << use.text << placement.error().message;
    for (int64_t device = 0; device < use.devices; ++device)
      EXPECT_EQ(placement->pieceOn(device), use.pieces[static_cast<size_t>(device)]) << use.text;
  }
}

TEST(HloSharding, WhatIsNotOnePieceOnEachDeviceIsRefused) {
  for (const char* text : {"{maximal device=1}", "{manual}", "{unknown}", "{{replicated}}",
                           "{devices=[2,2]<=[4] last_tile_dims={manual}}"}) {
    const auto sharding = parseHloSharding(text);
    ASSERT_TRUE(sharding) << text << sharding.error().message;
    const auto placement = placementOf(*sharding, 4, 1);
    ASSERT_FALSE(placement) << text;
    EXPECT_EQ(placement.error().kind, Error::Kind::kUnsupported);
  }
  for (const char* text : {"", "{", "{devices=[2", "{devices=[2]<=[", "{devices=[2]<=[2]T(1)}",
                           "{devices=[0]<=[0]}", "sharded"})
    EXPECT_FALSE(parseHloSharding(text)) << text;
  const auto two = parseHloSharding("{devices=[2,1]<=[2]}");
  ASSERT_TRUE(two);
  EXPECT_FALSE(placementOf(*two, 4, 2));  // Over other devices.
  EXPECT_FALSE(placementOf(*two, 2, 1));  // Of a value of another rank.
}

}  // namespace
}  // namespace vintage::tests
