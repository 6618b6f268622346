#include <algorithm>

#include "golden/base/failures.h"
#include "golden/exported/dtypes.h"
#include "golden/exported/exported.h"
#include "golden/exported/exported_generated.h"

namespace vintage::golden {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
template <typename T>
using Offsets = std::vector<Offset<T>>;

// Offsets are signed 32-bit numbers; beyond this size the builder would stop
// the process.
constexpr size_t kMostModuleBytes = size_t{1} << 30;

// Position of each different element, in the order of first appearance.
template <typename T>
class Uniques {
 public:
  uint32_t add(const T& value) {
    const auto found = std::ranges::find(all_, value);
    if (found != all_.end()) return static_cast<uint32_t>(found - all_.begin());
    all_.push_back(value);
    return static_cast<uint32_t>(all_.size() - 1);
  }
  const std::vector<T>& all() const { return all_; }

 private:
  std::vector<T> all_;
};

class Writer {
 public:
  Writer(FlatBufferBuilder& builder, int version) : builder_(builder), version_(version) {}

  Offset<wire::Exported> write(const Exported& exported) {
    std::vector<uint32_t> inputIndices, outputIndices, inputShardingIndices, outputShardingIndices;
    collect(exported.inputs, exported.inputShardings, inputIndices, inputShardingIndices);
    collect(exported.outputs, exported.outputShardings, outputIndices, outputShardingIndices);

    const auto functionName = builder_.CreateString(exported.functionName);
    const auto inputTree = tree(exported.inputTree);
    const auto outputTree = tree(exported.outputTree);
    // JAX goes on writing values and shardings in full beside the tables of
    // unique ones, for readers from before version 10.
    const auto inputs = all(exported.inputs, &Writer::value);
    const auto outputs = all(exported.outputs, &Writer::value);
    const auto inputShardings = all(exported.inputShardings, &Writer::sharding);
    const auto outputShardings = all(exported.outputShardings, &Writer::sharding);
    const auto platforms = strings(exported.platforms);
    const auto ordered = all(exported.orderedEffects, &Writer::effect);
    const auto unordered = all(exported.unorderedEffects, &Writer::effect);
    const auto checks = all(exported.disabledChecks, &Writer::check);
    const auto module = bytes(exported.module);
    const auto kept = builder_.CreateVector(exported.keptInputs);
    const Offset<wire::Exported> derivative =
        exported.vjp ? Writer(builder_, version_).write(*exported.vjp) : Offset<wire::Exported>();

    Offset<flatbuffers::Vector<Offset<wire::AbstractValue>>> uniqueValues;
    Offset<flatbuffers::Vector<Offset<wire::AbstractMesh>>> uniqueMeshes;
    Offset<flatbuffers::Vector<Offset<wire::NamedSharding>>> uniqueShardings;
    Offset<flatbuffers::Vector<uint32_t>> indices[4];
    if (version_ >= 10) {
      uniqueValues = all(values_.all(), &Writer::value);
      uniqueMeshes = all(meshes_.all(), &Writer::mesh);
      uniqueShardings = all(shardings_.all(), &Writer::named);
      indices[0] = builder_.CreateVector(inputIndices);
      indices[1] = builder_.CreateVector(outputIndices);
      indices[2] = builder_.CreateVector(inputShardingIndices);
      indices[3] = builder_.CreateVector(outputShardingIndices);
    }
    const auto jaxVersion = stringIf(version_ >= 12, exported.jaxVersion);

    // Fields without an offset are left out.
    wire::ExportedBuilder table(builder_);
    table.add_serialization_version(statedVersion());
    table.add_function_name(functionName);
    table.add_in_tree(inputTree);
    table.add_in_avals(inputs);
    table.add_out_tree(outputTree);
    table.add_out_avals(outputs);
    // Versions 5 and 6 have both; where the count does not fit into the older
    // field, the newer one wins.
    if (version_ < 8)
      table.add_nr_devices_short(
          static_cast<int16_t>(std::min<uint32_t>(exported.deviceCount, INT16_MAX)));
    table.add_in_shardings(inputShardings);
    table.add_out_shardings(outputShardings);
    table.add_platforms(platforms);
    table.add_ordered_effects(ordered);
    table.add_unordered_effects(unordered);
    table.add_disabled_checks(checks);
    table.add_mlir_module_serialized(module);
    table.add_calling_convention_version(exported.callingConventionVersion);
    table.add_module_kept_var_idx(kept);
    table.add_uses_global_constants(exported.usesGlobalConstants);
    table.add_vjp(derivative);
    if (version_ >= 5) table.add_nr_devices(exported.deviceCount);
    table.add_unique_avals(uniqueValues);
    table.add_unique_abstract_meshes(uniqueMeshes);
    table.add_unique_named_shardings(uniqueShardings);
    table.add_in_avals_idxs(indices[0]);
    table.add_out_avals_idxs(indices[1]);
    table.add_in_shardings_idxs(indices[2]);
    table.add_out_shardings_idxs(indices[3]);
    table.add_jax_version(jaxVersion);
    return table.Finish();
  }

 private:
  // Readers of versions 3 to 11 insisted on the number 2 or 3.
  uint16_t statedVersion() const {
    return static_cast<uint16_t>(version_ >= 3 && version_ <= 11 ? 3 : version_);
  }

  void collect(const std::vector<AbstractValue>& values, const std::vector<Sharding>& shardings,
               std::vector<uint32_t>& valueIndices, std::vector<uint32_t>& shardingIndices) {
    if (version_ < 10) return;
    for (const AbstractValue& value : values) valueIndices.push_back(values_.add(value));
    for (const Sharding& sharding : shardings) {
      if (sharding.named) meshes_.add(sharding.named->mesh);
      shardingIndices.push_back(sharding.named ? 1 + shardings_.add(*sharding.named) : 0);
    }
  }

  template <typename T, typename Wire>
  Offset<flatbuffers::Vector<Offset<Wire>>> all(const std::vector<T>& from,
                                                Offset<Wire> (Writer::*writeOne)(const T&)) {
    Offsets<Wire> offsets;
    for (const T& one : from) offsets.push_back((this->*writeOne)(one));
    return builder_.CreateVector(offsets);
  }

  Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> strings(
      const std::vector<std::string>& texts) {
    return builder_.CreateVectorOfStrings(texts);
  }

  // No string, and so no field in the table, where it is not wanted.
  Offset<flatbuffers::String> stringIf(bool wanted, const std::string& text) {
    return wanted ? builder_.CreateString(text) : Offset<flatbuffers::String>();
  }

  Offset<flatbuffers::Vector<int8_t>> bytes(const std::vector<std::byte>& data) {
    return builder_.CreateVector(reinterpret_cast<const int8_t*>(data.data()), data.size());
  }

  Offset<wire::PyTreeDef> tree(const PyTree& from) {
    const auto children = all(from.children, &Writer::tree);
    const auto names = strings(from.childNames);
    const bool custom = from.kind == PyTree::Kind::kCustom;
    const auto name = stringIf(custom, from.customName);
    Offset<flatbuffers::Vector<int8_t>> data;
    if (custom) data = bytes(from.customAuxiliaryData);
    wire::PyTreeDefBuilder table(builder_);
    table.add_kind(static_cast<wire::PyTreeDefKind>(from.kind));
    if (!from.children.empty()) table.add_children(children);
    if (from.kind == PyTree::Kind::kDict) table.add_children_names(names);
    table.add_custom_name(name);
    table.add_custom_auxdata(data);
    return table.Finish();
  }

  Offset<wire::AbstractValue> value(const AbstractValue& from) {
    const auto shape = strings(from.shape);
    wire::AbstractValueBuilder table(builder_);
    table.add_kind(from.isToken ? wire::AbstractValueKind::abstractToken
                                : wire::AbstractValueKind::shapedArray);
    table.add_shape(shape);
    table.add_dtype(*wireDtype(from.dtype));
    if (version_ >= 5) table.add_memory_space(static_cast<int8_t>(from.memorySpace));
    return table.Finish();
  }

  Offset<wire::AbstractMesh> mesh(const AbstractMesh& from) {
    const auto sizes = builder_.CreateVector(from.axisSizes);
    const auto names = strings(from.axisNames);
    std::vector<int8_t> types;
    for (const AbstractMesh::AxisType type : from.axisTypes)
      types.push_back(static_cast<int8_t>(type));
    const auto axisTypes = builder_.CreateVector(types);
    Offset<wire::AbstractDevice> device;
    if (from.device) {
      const auto kind = builder_.CreateString(from.device->deviceKind);
      const auto platform =
          stringIf(version_ >= 11 && !from.device->platform.empty(), from.device->platform);
      wire::AbstractDeviceBuilder table(builder_);
      table.add_device_kind(kind);
      if (from.device->coreCount) table.add_num_cores(*from.device->coreCount);
      table.add_platform(platform);
      device = table.Finish();
    }
    wire::AbstractMeshBuilder table(builder_);
    table.add_axis_sizes(sizes);
    table.add_axis_names(names);
    table.add_axis_types(axisTypes);
    table.add_abstract_device(device);
    return table.Finish();
  }

  Offset<wire::PartitionSpec> spec(const PartitionSpec& from) {
    Offsets<wire::PartitionSpecOneAxis> partitions;
    for (const auto& partition : from.partitions) {
      Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> axes;
      if (partition) axes = strings(*partition);
      wire::PartitionSpecOneAxisBuilder table(builder_);
      table.add_axes(axes);
      partitions.push_back(table.Finish());
    }
    const auto partitionVector = builder_.CreateVector(partitions);
    const auto reduced = strings(from.reduced);
    const auto unreduced = strings(from.unreduced);
    return wire::CreatePartitionSpec(builder_, partitionVector, reduced, unreduced);
  }

  Offset<wire::NamedSharding> named(const NamedSharding& from) {
    const auto meshOffset = mesh(from.mesh);
    const auto specOffset = spec(from.spec);
    const auto memoryKind = stringIf(!from.memoryKind.empty(), from.memoryKind);
    const uint32_t index = version_ >= 10 ? meshes_.add(from.mesh) : 0;
    wire::NamedShardingBuilder table(builder_);
    table.add_mesh(meshOffset);
    table.add_spec(specOffset);
    table.add_memory_kind(memoryKind);
    table.add_abstract_mesh_idx(index);
    return table.Finish();
  }

  Offset<wire::Sharding> sharding(const Sharding& from) {
    const bool withProto = version_ < 9 && from.kind != Sharding::Kind::kUnspecified &&
                           !(from.named && from.hloShardingProto.empty());
    Offset<flatbuffers::Vector<int8_t>> proto;
    if (withProto) proto = bytes(from.hloShardingProto);
    Offset<wire::NamedSharding> namedOffset;
    if (from.named) namedOffset = named(*from.named);
    wire::ShardingBuilder table(builder_);
    if (withProto) {
      table.add_kind(wire::ShardingKind::hlo_sharding);
      table.add_hlo_sharding_proto(proto);
    }
    table.add_named_sharding(namedOffset);
    return table.Finish();
  }

  Offset<wire::Effect> effect(const std::string& name) {
    return wire::CreateEffect(builder_, builder_.CreateString(name));
  }

  Offset<wire::DisabledSafetyCheck> check(const DisabledSafetyCheck& from) {
    const auto target =
        stringIf(from.kind == DisabledSafetyCheck::Kind::kCustomCall, from.customCallTarget);
    wire::DisabledSafetyCheckBuilder table(builder_);
    table.add_kind(static_cast<wire::DisabledSafetyCheckKind>(from.kind));
    table.add_custom_call_target(target);
    return table.Finish();
  }

  FlatBufferBuilder& builder_;
  const int version_;
  Uniques<AbstractValue> values_;
  Uniques<AbstractMesh> meshes_;
  Uniques<NamedSharding> shardings_;
};

// The large parts; the rest is short text.
size_t roughSize(const Exported& exported) {
  size_t size = exported.module.size();
  for (const auto* shardings : {&exported.inputShardings, &exported.outputShardings})
    for (const Sharding& sharding : *shardings) size += sharding.hloShardingProto.size();
  return size + (exported.vjp ? roughSize(*exported.vjp) : 0);
}

}  // namespace

Result<std::vector<std::byte>> writeExported(const Exported& exported) {
  RETURN_IF_ERROR(validateExported(exported));
  RETURN_IF_ERROR(checkHolds(exported, exported.serializationVersion));
  if (const size_t size = roughSize(exported); size > kMostModuleBytes)
    return noResource("{} bytes of module do not fit into an Exported, which holds up to {}", size,
                      kMostModuleBytes);
  FlatBufferBuilder builder(exported.module.size() + 4096);
  builder.Finish(Writer(builder, exported.serializationVersion).write(exported));
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return std::vector<std::byte>(begin, begin + builder.GetSize());
}

}  // namespace vintage::golden
