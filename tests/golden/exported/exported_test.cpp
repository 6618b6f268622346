#include "golden/exported/exported.h"

#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/golden/base/texts.h"
#include "tests/golden/exported/same_content.h"

#pragma clang diagnostic ignored "-Wmissing-designated-field-initializers"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

// Two inputs, one of them kept, a nested tree, no sharding: content that version 1 can hold.
Exported plainExported() {
  Exported exported;
  exported.functionName = "f";
  PyTree leaf, none{.kind = PyTree::Kind::kNone};
  PyTree arguments{.kind = PyTree::Kind::kTuple, .children = {leaf, leaf}};
  PyTree keywords{.kind = PyTree::Kind::kDict};
  exported.inputTree = {.kind = PyTree::Kind::kTuple, .children = {arguments, keywords}};
  exported.outputTree = {
      .kind = PyTree::Kind::kDict, .children = {leaf, none}, .childNames = {"a", "b"}};
  exported.inputs = {{.dtype = "f32", .shape = {"a", "2*b"}}, {.dtype = "bool"}};
  exported.outputs = {{.dtype = "bf16", .shape = {"3"}}};
  exported.inputShardings.resize(2);
  exported.outputShardings.resize(1);
  exported.platforms = {"cpu", "tpu"};
  exported.orderedEffects = {"<class 'print'>"};
  exported.disabledChecks = {
      {.kind = DisabledSafetyCheck::Kind::kCustomCall, .customCallTarget = "my_call"}};
  exported.module = {std::byte{'M'}, std::byte{'L'}};
  exported.keptInputs = {1};
  exported.callingConventionVersion = 9;
  exported.usesGlobalConstants = true;
  return exported;
}

Sharding namedSharding(bool withDevice, bool withProto) {
  NamedSharding named;
  named.mesh.axisSizes = {2, 4};
  named.mesh.axisNames = {"x", "y"};
  named.mesh.axisTypes = {AbstractMesh::AxisType::kAuto, AbstractMesh::AxisType::kManual};
  if (withDevice) named.mesh.device = AbstractDevice{.deviceKind = "TPU v5", .coreCount = 2};
  named.spec.partitions = {std::vector<std::string>{"x", "y"}, std::nullopt,
                           std::vector<std::string>{}};
  named.spec.unreduced = {"y"};
  named.memoryKind = "pinned_host";
  Sharding sharding{.kind = Sharding::Kind::kNamedSharding, .named = named};
  if (withProto) sharding.hloShardingProto = {std::byte{8}, std::byte{3}};
  return sharding;
}

TEST(Exported, RoundTripsAtEveryVersionThatCanHoldIt) {
  for (const uint16_t version : {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12}) {
    Exported exported = plainExported();
    exported.serializationVersion = version;
    exported.vjp = std::make_unique<Exported>(plainExported());
    exported.vjp->functionName = "f's derivative";
    exported.vjp->vjp = std::make_unique<Exported>(plainExported());
    const auto bytes = writeExported(exported);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto read = readExported(*bytes, "plain");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(sameContent(exported, *read)) << version;
    EXPECT_LE(read->serializationVersion, version);
    // The result of reading knows at least its own lowest version, so writing it again changes
    // nothing more.
    const auto again = writeExported(*read);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(readExported(*again, "again")->serializationVersion, read->serializationVersion);
  }
}

// An artifact with a dimension like this was rejected as damaged: its text must survive the round
// trip.
TEST(Exported, DimensionsWithLargeExponentsRoundTrip) {
  Exported exported = plainExported();
  exported.inputs[0].shape = {"a", "2*a^100000000*b + -1*b^63"};
  const auto bytes = writeExported(exported);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto read = readExported(*bytes, "powers");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->inputs[0].shape, exported.inputs[0].shape);
}

TEST(Exported, WritesTheSameBytesEachTime) {
  EXPECT_EQ(*writeExported(plainExported()), *writeExported(plainExported()));
}

struct Feature {
  const char* name;
  void (*add)(Exported&);
  uint16_t lowest;
};

TEST(Exported, EachFeatureNeedsItsVersion) {
  const Feature features[] = {
      {"nothing", [](Exported&) {}, 1},
      {"f0", [](Exported& e) { e.outputs[0].dtype = "f0"; }, 2},
      {"custom node",
       [](Exported& e) {
         e.outputTree.kind = PyTree::Kind::kCustom;
         e.outputTree.childNames.clear();
         e.outputTree.customName = "my.Node";
         e.outputTree.customAuxiliaryData = {std::byte{7}};
       },
       3},
      {"key", [](Exported& e) { e.inputs[1].dtype = "key_fry"; }, 4},
      {"host memory",
       [](Exported& e) { e.inputs[0].memorySpace = AbstractValue::MemorySpace::kHost; }, 5},
      {"any memory",
       [](Exported& e) { e.outputs[0].memorySpace = AbstractValue::MemorySpace::kAny; }, 5},
      {"as many devices as 16 bits hold", [](Exported& e) { e.deviceCount = 32767; }, 1},
      {"many devices", [](Exported& e) { e.deviceCount = 40000; }, 5},
      {"named sharding", [](Exported& e) { e.inputShardings[0] = namedSharding(false, true); }, 6},
      {"abstract device", [](Exported& e) { e.inputShardings[1] = namedSharding(true, true); }, 8},
      {"no HLO sharding", [](Exported& e) { e.outputShardings[0] = namedSharding(false, false); },
       9},
      {"platform",
       [](Exported& e) {
         e.inputShardings[0] = namedSharding(true, false);
         e.inputShardings[0].named->mesh.device->platform = "new_chip";
       },
       11},
  };
  for (const Feature& feature : features) {
    SCOPED_TRACE(feature.name);
    for (const uint16_t version : {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12}) {
      Exported exported = plainExported();
      feature.add(exported);
      exported.serializationVersion = version;
      const auto bytes = writeExported(exported);
      ASSERT_EQ(bytes.has_value(), version >= feature.lowest) << version;
      if (!bytes) {
        EXPECT_THAT(bytes.error().message,
                    HasSubstr(fmt::format("version {} is the lowest", feature.lowest)));
        continue;
      }
      const auto read = readExported(*bytes, "feature");
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_GE(read->serializationVersion, feature.lowest);
      // A fuzzer found 40000 devices to read back from version 6 as version 8.
      EXPECT_LE(read->serializationVersion, version);
      // Version 9 and later keep no HLO form beside a named sharding.
      for (auto* shardings : {&exported.inputShardings, &exported.outputShardings})
        for (Sharding& sharding : *shardings)
          if (version >= 9) sharding.hloShardingProto.clear();
      EXPECT_TRUE(sameContent(exported, *read)) << version;
    }
  }
}

// Content that only the derivative has did not raise the version: old readers read only a part of
// the file.
TEST(Exported, ADerivativeNeedsItsVersionToo) {
  Exported exported = plainExported();
  exported.vjp = std::make_unique<Exported>(plainExported());
  EXPECT_EQ(lowestSerializationVersion(exported).version, 1);
  exported.vjp->inputs[1].dtype = "key_fry";
  const SerializationNeed need = lowestSerializationVersion(exported);
  EXPECT_EQ(need.version, 4);
  EXPECT_THAT(need.reason, HasSubstr("in its derivative, input 1"));
}

TEST(Exported, AnHloShardingAloneEndsAtVersion8) {
  Exported exported = plainExported();
  exported.inputShardings[0] = {.kind = Sharding::Kind::kHloSharding,
                                .hloShardingProto = {std::byte{1}}};
  exported.serializationVersion = 8;
  EXPECT_TRUE(writeExported(exported));
  exported.serializationVersion = 9;
  EXPECT_THAT(writeExported(exported).error().message, HasSubstr("version 8 is the newest"));
}

TEST(Exported, RefusesWithdrawnAndNewerVersions) {
  Exported exported = plainExported();
  for (const uint16_t version : {7, 13, 0}) {
    exported.serializationVersion = version;
    const auto bytes = writeExported(exported);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().kind, Error::Kind::kUnsupported);
  }
  exported.serializationVersion = 12;
  std::vector<std::byte> bytes = *writeExported(exported);
  // The stated version: the only 16-bit number at the place that the root table's first entry
  // gives.
  const auto at = [&](size_t i) {
    return static_cast<size_t>(bytes[i]) | static_cast<size_t>(bytes[i + 1]) << 8;
  };
  const size_t root = at(0);
  const size_t vtable =
      root - static_cast<size_t>(static_cast<int32_t>(at(root) | at(root + 2) << 16));
  const size_t place = root + at(vtable + 4);
  ASSERT_EQ(at(place), 12u);
  for (const int version : {7, 13, 255}) {
    bytes[place] = static_cast<std::byte>(version);
    const auto read = readExported(bytes, "future.bin");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, Error::Kind::kUnsupported);
    EXPECT_THAT(read.error().message, HasSubstr("future.bin"));
    EXPECT_THAT(read.error().message, HasSubstr("versions 1 to 6 and 8 to 12"));
  }
}

TEST(Exported, ValidatesWhatItReadsAndWrites) {
  const std::pair<void (*)(Exported&), const char*> faults[] = {
      {[](Exported& e) { e.inputs.pop_back(); }, "leaves"},
      {[](Exported& e) { e.inputs.push_back(e.inputs[1]); }, "in_avals has 3 values"},
      {[](Exported& e) { e.inputShardings.pop_back(); }, "in_shardings has 1 entries"},
      {[](Exported& e) { e.inputs[0].dtype = "f33"; }, "'f33'"},
      {[](Exported& e) { e.inputs[0].shape[0] = "2*("; }, "2*("},
      {[](Exported& e) { e.inputs[0].shape[0] = "-3"; }, "-3"},
      {[](Exported& e) { e.keptInputs = {2}; }, "input 2 is kept"},
      {[](Exported& e) { e.keptInputs = {1, 1}; }, "increase"},
      {[](Exported& e) { e.platforms.clear(); }, "platforms"},
      {[](Exported& e) { e.deviceCount = 0; }, "devices"},
      {[](Exported& e) { e.module.clear(); }, "no module"},
      {[](Exported& e) { e.outputTree.childNames = {"a", "a"}; }, "twice"},
      {[](Exported& e) { e.outputTree.childNames = {"a"}; }, "1 keys for 2 children"},
      {[](Exported& e) {
         e.inputShardings[0] = namedSharding(false, false);
         e.inputShardings[0].named->spec.partitions = {std::vector<std::string>{"z"}};
       },
       "'z'"},
      {[](Exported& e) {
         e.vjp = std::make_unique<Exported>(plainExported());
         e.vjp->deviceCount = 0;
       },
       "vjp: nr_devices"},
  };
  for (const auto& [break_, expected] : faults) {
    Exported exported = plainExported();
    break_(exported);
    const auto bytes = writeExported(exported);
    ASSERT_FALSE(bytes) << expected;
    EXPECT_THAT(bytes.error().message, HasSubstr(expected));
  }
}

TEST(Exported, TooDeepTreesAndDerivativesAreErrors) {
  Exported exported = plainExported();
  PyTree tree;
  for (int i = 0; i < 300; ++i) tree = {.kind = PyTree::Kind::kTuple, .children = {tree}};
  exported.outputTree = tree;
  EXPECT_THAT(writeExported(exported).error().message, HasSubstr("deep"));

  Exported chain = plainExported();
  for (int i = 0; i < 40; ++i) {
    Exported outer = plainExported();
    outer.vjp = std::make_unique<Exported>(std::move(chain));
    chain = std::move(outer);
  }
  const auto bytes = writeExported(chain);
  const auto read = bytes ? readExported(*bytes, "chain") : tl::unexpected(bytes.error());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("derivatives"));
}

TEST(Exported, SurvivesTruncationAndFlippedBits) {
  Exported exported = plainExported();
  exported.inputShardings[0] = namedSharding(true, false);
  exported.vjp = std::make_unique<Exported>(plainExported());
  const std::vector<std::byte> bytes = *writeExported(exported);
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto read = readExported(std::span(bytes).first(length), "short");
    if (read) (void)writeExported(*read);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> damaged = bytes;
    for (int flips = 0; flips < 3; ++flips)
      damaged[random() % damaged.size()] ^= static_cast<std::byte>(1u << random() % 8);
    const auto read = readExported(damaged, "damaged");
    if (!read) {
      EXPECT_FALSE(read.error().message.empty());
    } else if (const auto written = writeExported(*read); written) {
      EXPECT_TRUE(readExported(*written, "again"));
    }
  }
}

TEST(Exported, ReadsWhatJaxWrote) {
  const std::filesystem::path corpus = VINTAGE_SHARED "/corpus/jax-backcompat";
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "no corpus";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    const auto path = entry.path() / "exported.bin";
    if (!std::filesystem::exists(path)) continue;
    SCOPED_TRACE(path);
    ++count;
    const auto read = readExported(fileBytes(path), path.string());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->callingConventionVersion, 10);
    EXPECT_GT(read->module.size(), 100u);
    EXPECT_EQ(read->keptInputs.size(), read->inputs.size());
    const auto written = writeExported(*read);
    ASSERT_TRUE(written) << written.error().message;
    const auto again = readExported(*written, "written");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(sameContent(*read, *again));
    EXPECT_EQ(read->serializationVersion, again->serializationVersion);
    EXPECT_EQ(read->jaxVersion, again->jaxVersion);
  }
  EXPECT_EQ(count, 12);
}

}  // namespace
}  // namespace vintage::tests
