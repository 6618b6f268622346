// JAX's `Exported`: a flatbuffer around a StableHLO portable artifact.
//
// Reads serialization versions 1 to 12 and writes them; the wire schema is
// golden/exported/exported.fbs, the calling conventions 4 to 10 are told in
// golden/exported/calling_convention.h. Plain data: nothing here is checked
// until readExported or validateExported looks at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/result.h"

namespace vintage {

struct PyTree {
  enum class Kind : int8_t { kLeaf, kNone, kTuple, kList, kDict, kCustom };
  Kind kind = Kind::kLeaf;
  std::vector<PyTree> children;
  std::vector<std::string> childNames;  // Of a dict: its keys, sorted.
  std::string customName;               // Of a custom node (serialization 3).
  std::vector<std::byte> customAuxiliaryData;
};

struct AbstractValue {
  bool isToken = false;
  std::string dtype;               // JAX's wire names: "f32", "bool", "key_fry", …
  std::vector<std::string> shape;  // Each a number or a dimension expression: "2*h".
  enum class MemorySpace : int8_t { kMissing, kDevice, kHost, kAny };
  MemorySpace memorySpace = MemorySpace::kMissing;
};

struct AbstractDevice {
  std::string deviceKind;
  std::optional<uint32_t> coreCount;
  std::string platform;
};

struct AbstractMesh {
  std::vector<uint32_t> axisSizes;
  std::vector<std::string> axisNames;
  enum class AxisType : int8_t { kMissing, kAuto, kExplicit, kManual };
  std::vector<AxisType> axisTypes;
  std::optional<AbstractDevice> device;
};

struct PartitionSpec {
  // One entry for each dimension; empty: not partitioned. An absent entry is
  // told apart from an empty list of axes, as on the wire.
  std::vector<std::optional<std::vector<std::string>>> partitions;
  std::vector<std::string> reduced, unreduced;
};

struct NamedSharding {
  AbstractMesh mesh;
  PartitionSpec spec;
  std::string memoryKind;
};

struct Sharding {
  enum class Kind : int8_t { kUnspecified, kHloSharding, kNamedSharding };
  Kind kind = Kind::kUnspecified;
  std::vector<std::byte> hloShardingProto;
  std::optional<NamedSharding> named;
};

struct DisabledSafetyCheck {
  enum class Kind : int8_t { kPlatform, kCustomCall, kShapeAssertions };
  Kind kind = Kind::kPlatform;
  std::string customCallTarget;
};

struct Exported {
  uint16_t serializationVersion = 12;
  std::string functionName;
  PyTree inputTree, outputTree;
  std::vector<AbstractValue> inputs, outputs;
  uint32_t deviceCount = 1;
  std::vector<Sharding> inputShardings, outputShardings;
  std::vector<std::string> platforms;
  std::vector<std::string> orderedEffects, unorderedEffects;
  std::vector<DisabledSafetyCheck> disabledChecks;
  std::vector<std::byte> module;  // The portable artifact.
  uint16_t callingConventionVersion = 10;
  std::vector<uint16_t> keptInputs;  // Indices into `inputs` that `main` takes.
  bool usesGlobalConstants = false;
  std::unique_ptr<Exported> vjp;
  std::string jaxVersion;  // Serialization 12.
};

inline constexpr uint16_t kNewestSerializationVersion = 12;

// `name` (a path) stands in messages.
Result<Exported> readExported(std::span<const std::byte> bytes, std::string_view name);
// Deterministic. Fails where `exported.serializationVersion` cannot hold the
// content (a named sharding at version 5), naming the lowest version that can.
Result<std::vector<std::byte>> writeExported(const Exported& exported);

}  // namespace vintage
