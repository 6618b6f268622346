// JAX's `Exported`: a flatbuffer around a StableHLO portable artifact.
//
// Reads serialization versions 1 to 12 and writes them; the wire schema is
// golden/exported/exported.fbs, the calling conventions 4 to 10 are described in
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

#include "golden/base/result.h"

namespace vintage::golden {

struct PyTree {
  enum class Kind : int8_t { kLeaf, kNone, kTuple, kList, kDict, kCustom };
  Kind kind = Kind::kLeaf;
  std::vector<PyTree> children;
  std::vector<std::string> childNames;  // A dict's keys, sorted.
  std::string customName;               // For a custom node (serialization 3).
  std::vector<std::byte> customAuxiliaryData;
  bool operator==(const PyTree&) const = default;
};

struct AbstractValue {
  bool isToken = false;
  std::string dtype;               // JAX's wire names: "f32", "bool", "key_fry", …
  std::vector<std::string> shape;  // Each a number or a dimension expression: "2*h".
  enum class MemorySpace : int8_t { kMissing, kDevice, kHost, kAny };
  MemorySpace memorySpace = MemorySpace::kMissing;
  bool operator==(const AbstractValue&) const = default;
};

struct AbstractDevice {
  std::string deviceKind;
  std::optional<uint32_t> coreCount;
  std::string platform;
  bool operator==(const AbstractDevice&) const = default;
};

struct AbstractMesh {
  std::vector<uint32_t> axisSizes;
  std::vector<std::string> axisNames;
  enum class AxisType : int8_t { kMissing, kAuto, kExplicit, kManual };
  std::vector<AxisType> axisTypes;
  std::optional<AbstractDevice> device;
  bool operator==(const AbstractMesh&) const = default;
};

struct PartitionSpec {
  // One entry for each dimension; empty: not partitioned. An absent entry is
  // distinct from an empty list of axes, as on the wire.
  std::vector<std::optional<std::vector<std::string>>> partitions;
  std::vector<std::string> reduced, unreduced;
  bool operator==(const PartitionSpec&) const = default;
};

struct NamedSharding {
  AbstractMesh mesh;
  PartitionSpec spec;
  std::string memoryKind;
  bool operator==(const NamedSharding&) const = default;
};

struct Sharding {
  enum class Kind : int8_t { kUnspecified, kHloSharding, kNamedSharding };
  Kind kind = Kind::kUnspecified;
  std::vector<std::byte> hloShardingProto;
  std::optional<NamedSharding> named;
  bool operator==(const Sharding&) const = default;
};

struct DisabledSafetyCheck {
  enum class Kind : int8_t { kPlatform, kCustomCall, kShapeAssertions };
  Kind kind = Kind::kPlatform;
  std::string customCallTarget;
  bool operator==(const DisabledSafetyCheck&) const = default;
};

struct Exported {
  // JAX kept writing the number 3 up to version 11, because readers of 2024 refused others.
  // readExported therefore sets this to the lowest version that explains the bytes: the stated
  // number, or that of the newest field in use.
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
// Withdrawn shortly after its release; nothing may be written in it.
inline constexpr uint16_t kWithdrawnSerializationVersion = 7;

// `name` (a path) appears in messages. Damaged bytes are distinguished from a version that this
// build cannot read. The content is validated.
Result<Exported> readExported(std::span<const std::byte> bytes, std::string_view name);
// The same for a caller that does not need `bytes` afterwards: modules are moved out of them, so
// that memory holds them once.
Result<Exported> readExportedInPlace(std::span<std::byte> bytes, std::string_view name);

// Checks the invariants of any Exported: as many leaves as values, known element types, dimensions
// that parse, kept inputs that exist, …
Status validateExported(const Exported& exported);

// The lowest serialization version that holds the content, and what forces it;
// an empty reason at version 1.
struct SerializationNeed {
  uint16_t version = 1;
  std::string reason;
};
SerializationNeed lowestSerializationVersion(const Exported& exported);
// Names the content that `version` cannot hold, and the lowest or highest version that can.
Status checkHolds(const Exported& exported, uint16_t version);

// Deterministic. Fails where `exported.serializationVersion` cannot hold the content (a named
// sharding at version 5), naming the lowest version that can. Leaves out facts about the export
// itself where a version has no field for them: `jaxVersion`, the platform of a device whose kind
// implies it, and an HLO sharding beside a named one from version 9 on.
Result<std::vector<std::byte>> writeExported(const Exported& exported);

}  // namespace vintage::golden
