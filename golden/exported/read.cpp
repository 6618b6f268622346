#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/memory_pages.h"
#include "golden/base/utf8.h"
#include "golden/exported/dtypes.h"
#include "golden/exported/exported.h"
#include "golden/exported/exported_generated.h"

namespace vintage::golden {
namespace {

// A flatbuffer's tables may share their parts, so that a small file can unfold to any size. These
// bounds are far above anything that JAX writes.
constexpr flatbuffers::uoffset_t kDeepest = 512;
constexpr flatbuffers::uoffset_t kMostTables = 1000000;
constexpr int kDeepestTree = 200;
constexpr int kMostDerivatives = 32;
constexpr size_t kMostParts = size_t{1} << 24;
// Offsets are signed 32-bit numbers.
constexpr size_t kMostBytes = (size_t{1} << 31) - 1;

template <typename T>
using Vector = flatbuffers::Vector<T>;
template <typename T>
using Tables = Vector<flatbuffers::Offset<T>>;
using Strings = Tables<flatbuffers::String>;

// Reads one file. Each function returns false after an error, which is in error_.
class Reader {
 public:
  std::optional<Error> error;

  bool read(const wire::Exported& from, Exported& to, int derivatives) {
    if (derivatives > kMostDerivatives)
      return bad("vjp", fmt::format("more than {} derivatives are nested", kMostDerivatives));
    if (!readVersion(from)) return false;
    version_ = std::max<int>(from.serialization_version(), 1);
    if (!string(from.function_name(), "function_name", to.functionName) ||
        !tree(from.in_tree(), "in_tree", to.inputTree) ||
        !tree(from.out_tree(), "out_tree", to.outputTree) ||
        !strings(from.platforms(), "platforms", to.platforms) ||
        !effects(from.ordered_effects(), "ordered_effects", to.orderedEffects) ||
        !effects(from.unordered_effects(), "unordered_effects", to.unorderedEffects) ||
        !checks(from.disabled_checks(), to.disabledChecks) ||
        !string(from.jax_version(), "jax_version", to.jaxVersion))
      return false;
    if (from.jax_version()) needs(12);
    if (!devices(from, to) || !tables(from, to)) return false;
    modules_.push_back({from.mlir_module_serialized(), &to.module});
    to.callingConventionVersion = from.calling_convention_version();
    if (const auto* kept = from.module_kept_var_idx())
      to.keptInputs.assign(kept->begin(), kept->end());
    to.usesGlobalConstants = from.uses_global_constants();
    to.serializationVersion = static_cast<uint16_t>(version_);
    if (from.vjp()) {
      to.vjp = std::make_unique<Exported>();
      Reader derivative;
      derivative.parts_ = parts_;
      const bool good = derivative.read(*from.vjp(), *to.vjp, derivatives + 1);
      parts_ = derivative.parts_;
      modules_.insert(modules_.end(), derivative.modules_.begin(), derivative.modules_.end());
      if (!good) {
        error = Error{derivative.error->kind, "vjp: " + derivative.error->message};
        return false;
      }
    }
    return true;
  }

  // After everything else was read. `place`: the bytes, if the caller no longer needs them.
  void readModules(std::optional<std::span<std::byte>> place) {
    for (const Module& module : modules_) {
      if (module.from == nullptr) continue;
      if (!place || sharesBytes(module)) {
        bytes(module.from, *module.to);
        continue;
      }
      const auto offset = reinterpret_cast<const std::byte*>(module.from->data()) - place->data();
      moveOut(place->subspan(static_cast<size_t>(offset), module.from->size()), *module.to);
    }
  }

 private:
  struct Module {
    const Vector<int8_t>* from;
    std::vector<std::byte>* to;
  };

  // Parts of a flatbuffer may overlap, but no writer makes such modules.
  bool sharesBytes(const Module& module) const {
    const auto touches = [&](const Module& other) {
      return other.from != nullptr && other.to != module.to &&
             other.from->data() < module.from->data() + module.from->size() &&
             module.from->data() < other.from->data() + other.from->size();
    };
    return std::ranges::any_of(modules_, touches);
  }

  bool fail(Error::Kind kind, std::string message) {
    if (!error) error = Error{kind, std::move(message)};
    return false;
  }
  bool bad(std::string_view field, std::string_view message) {
    return fail(Error::Kind::kBadInput, fmt::format("{}: {}", field, message));
  }
  void needs(int version) { version_ = std::max(version_, version); }
  bool count(size_t parts, std::string_view field) {
    parts_ += parts;
    return parts_ <= kMostParts ||
           bad(field, fmt::format("it expands to more than {} parts", kMostParts));
  }

  // The enumerator up to `last` with this number.
  template <typename Number, typename Enumeration>
  bool oneOf(Number number, Enumeration last, std::string_view field, std::string_view what,
             Enumeration& to) {
    to = static_cast<Enumeration>(number);
    return (static_cast<int8_t>(number) >= 0 && to <= last) ||
           bad(field, fmt::format("{} {} is unknown", what, static_cast<int8_t>(number)));
  }

  bool readVersion(const wire::Exported& from) {
    const int stated = from.serialization_version();
    if (stated == kWithdrawnSerializationVersion || stated > kNewestSerializationVersion)
      return fail(
          Error::Kind::kUnsupported,
          fmt::format("serialization version {} {}; versions 1 to 6 and 8 to {} can be "
                      "read. Export again with {}",
                      stated,
                      stated == kWithdrawnSerializationVersion ? "was withdrawn"
                                                               : "is newer than this build knows",
                      kNewestSerializationVersion,
                      stated == kWithdrawnSerializationVersion ? "a later JAX"
                                                               : "an older JAX, or use a "
                                                                 "newer build of Vintage"));
    return true;
  }

  bool string(const flatbuffers::String* from, std::string_view field, std::string& to) {
    if (!from) return true;
    if (!count(1 + from->size() / 64, field)) return false;
    to.assign(from->c_str(), from->size());
    return isUtf8(to) || bad(field, "it is not UTF-8 text");
  }

  bool strings(const Strings* from, std::string_view field, std::vector<std::string>& to) {
    if (!from) return true;
    for (const flatbuffers::String* text : *from)
      if (!string(text, field, to.emplace_back())) return false;
    return true;
  }

  static void bytes(const Vector<int8_t>* from, std::vector<std::byte>& to) {
    if (!from || from->size() == 0) return;
    const auto* begin = reinterpret_cast<const std::byte*>(from->data());
    to.assign(begin, begin + from->size());
  }

  bool effects(const Tables<wire::Effect>* from, std::string_view field,
               std::vector<std::string>& to) {
    if (!from) return true;
    for (const wire::Effect* effect : *from)
      if (!string(effect->type_name(), field, to.emplace_back())) return false;
    return true;
  }

  bool checks(const Tables<wire::DisabledSafetyCheck>* from, std::vector<DisabledSafetyCheck>& to) {
    if (!from) return true;
    for (const wire::DisabledSafetyCheck* check : *from) {
      DisabledSafetyCheck& added = to.emplace_back();
      if (!oneOf(check->kind(), DisabledSafetyCheck::Kind::kShapeAssertions, "disabled_checks",
                 "kind", added.kind))
        return false;
      if (!string(check->custom_call_target(), "disabled_checks", added.customCallTarget))
        return false;
    }
    return true;
  }

  bool tree(const wire::PyTreeDef* from, std::string_view field, PyTree& to, int depth = 0) {
    if (!from) return bad(field, "it is missing");
    if (depth > kDeepestTree)
      return bad(field, fmt::format("it is nested more than {} deep", kDeepestTree));
    if (!oneOf(from->kind(), PyTree::Kind::kCustom, field, "the node kind", to.kind)) return false;
    if (to.kind == PyTree::Kind::kCustom) needs(3);
    if (!strings(from->children_names(), field, to.childNames) ||
        !string(from->custom_name(), field, to.customName))
      return false;
    if (const auto* data = from->custom_auxdata()) {
      if (!count(1 + data->size() / 64, field)) return false;
      bytes(data, to.customAuxiliaryData);
    }
    if (!from->children()) return true;
    if (!count(from->children()->size(), field)) return false;
    to.children.resize(from->children()->size());
    for (flatbuffers::uoffset_t i = 0; i < from->children()->size(); ++i)
      if (!tree(from->children()->Get(i), field, to.children[i], depth + 1)) return false;
    return true;
  }

  bool value(const wire::AbstractValue& from, std::string_view field, AbstractValue& to) {
    auto kind = wire::AbstractValueKind::shapedArray;
    if (!oneOf(from.kind(), wire::AbstractValueKind::abstractToken, field, "the value kind", kind))
      return false;
    to.isToken = kind == wire::AbstractValueKind::abstractToken;
    const std::optional<std::string_view> dtype = wireDtypeName(from.dtype());
    if (!dtype)
      return fail(Error::Kind::kUnsupported,
                  fmt::format("{}: the element type number {} is unknown; 0 to 29 are known", field,
                              from.dtype()));
    to.dtype = *dtype;
    needs(dtypeSerializationVersion(to.dtype));
    if (!oneOf(from.memory_space(), AbstractValue::MemorySpace::kAny, field, "the memory space",
               to.memorySpace))
      return false;
    if (from.memory_space() != 0) needs(5);
    return strings(from.shape(), field, to.shape);
  }

  bool mesh(const wire::AbstractMesh& from, std::string_view field, AbstractMesh& to) {
    if (from.axis_sizes()) {
      if (!count(from.axis_sizes()->size(), field)) return false;
      to.axisSizes.assign(from.axis_sizes()->begin(), from.axis_sizes()->end());
    }
    if (!strings(from.axis_names(), field, to.axisNames)) return false;
    if (from.axis_types()) {
      if (!count(from.axis_types()->size(), field)) return false;
      for (const int8_t type : *from.axis_types())
        if (!oneOf(type, AbstractMesh::AxisType::kManual, field, "the axis type",
                   to.axisTypes.emplace_back()))
          return false;
    }
    if (const wire::AbstractDevice* device = from.abstract_device()) {
      needs(device->platform() ? 11 : 8);
      to.device.emplace();
      if (device->num_cores()) to.device->coreCount = *device->num_cores();
      return string(device->device_kind(), field, to.device->deviceKind) &&
             string(device->platform(), field, to.device->platform);
    }
    return true;
  }

  bool spec(const wire::PartitionSpec& from, std::string_view field, PartitionSpec& to) {
    if (from.partitions()) {
      for (const wire::PartitionSpecOneAxis* axis : *from.partitions()) {
        auto& added = to.partitions.emplace_back();
        if (!axis->axes()) continue;
        added.emplace();
        if (!strings(axis->axes(), field, *added)) return false;
      }
    }
    return strings(from.reduced(), field, to.reduced) &&
           strings(from.unreduced(), field, to.unreduced);
  }

  bool named(const wire::NamedSharding& from, std::string_view field, NamedSharding& to) {
    if (!meshes_.empty()) {
      if (from.abstract_mesh_idx() >= meshes_.size())
        return bad(field, fmt::format("it refers to mesh {} of {}", from.abstract_mesh_idx(),
                                      meshes_.size()));
      to.mesh = meshes_[from.abstract_mesh_idx()];
      if (!count(to.mesh.axisSizes.size() + to.mesh.axisNames.size(), field)) return false;
    } else if (!from.mesh() || !mesh(*from.mesh(), field, to.mesh)) {
      return bad(field, "its mesh is missing");
    }
    if (!from.spec()) return bad(field, "its partition spec is missing");
    return spec(*from.spec(), field, to.spec) && string(from.memory_kind(), field, to.memoryKind);
  }

  bool sharding(const wire::Sharding& from, std::string_view field, Sharding& to) {
    if (const auto* proto = from.hlo_sharding_proto()) {
      if (!count(1 + proto->size() / 64, field)) return false;
      bytes(proto, to.hloShardingProto);
      to.kind = Sharding::Kind::kHloSharding;
    }
    if (!from.named_sharding()) {
      if (to.kind == Sharding::Kind::kUnspecified && from.kind() != wire::ShardingKind::unspecified)
        return bad(field, "it names a sharding but holds none");
      return true;
    }
    // From version 9 on a named sharding stands alone.
    needs(from.hlo_sharding_proto() ? 6 : 9);
    to.kind = Sharding::Kind::kNamedSharding;
    return named(*from.named_sharding(), field, to.named.emplace());
  }

  bool devices(const wire::Exported& from, Exported& to) {
    if (from.nr_devices_short() < 0)
      return bad("nr_devices_short", fmt::format("{} devices", from.nr_devices_short()));
    to.deviceCount = from.nr_devices();
    if (from.nr_devices() != 0)
      // Version 8 dropped the number of 16 bits.
      needs(from.nr_devices_short() != 0 ? 5 : 8);
    else
      to.deviceCount = static_cast<uint32_t>(from.nr_devices_short());
    return true;
  }

  // Values and shardings: by index into the tables of unique ones if there are indices, otherwise
  // in full.
  bool tables(const wire::Exported& from, Exported& to) {
    if (from.unique_avals() || from.unique_abstract_meshes() || from.unique_named_shardings() ||
        from.in_avals_idxs() || from.in_shardings_idxs())
      needs(10);
    std::vector<AbstractValue> values;
    std::vector<NamedSharding> shardings;
    if (!each(from.unique_avals(), "unique_avals", values, &Reader::value) ||
        !each(from.unique_abstract_meshes(), "unique_abstract_meshes", meshes_, &Reader::mesh) ||
        !each(from.unique_named_shardings(), "unique_named_shardings", shardings, &Reader::named))
      return false;
    return chooseValues(from.in_avals_idxs(), from.in_avals(), values, "in_avals", to.inputs) &&
           chooseValues(from.out_avals_idxs(), from.out_avals(), values, "out_avals", to.outputs) &&
           chooseShardings(from.in_shardings_idxs(), from.in_shardings(), shardings, "in_shardings",
                           to.inputShardings) &&
           chooseShardings(from.out_shardings_idxs(), from.out_shardings(), shardings,
                           "out_shardings", to.outputShardings);
  }

  template <typename From, typename To>
  bool each(const Tables<From>* from, std::string_view field, std::vector<To>& to,
            bool (Reader::*readOne)(const From&, std::string_view, To&)) {
    if (!from) return true;
    if (!count(from->size(), field)) return false;
    for (const From* one : *from)
      if (!(this->*readOne)(*one, field, to.emplace_back())) return false;
    return true;
  }

  bool chooseValues(const Vector<uint32_t>* indices, const Tables<wire::AbstractValue>* full,
                    const std::vector<AbstractValue>& values, std::string_view field,
                    std::vector<AbstractValue>& to) {
    if (!indices || indices->size() == 0) return each(full, field, to, &Reader::value);
    for (const uint32_t index : *indices) {
      if (index >= values.size())
        return bad(field, fmt::format("it refers to value {} of {}", index, values.size()));
      if (!count(1 + values[index].shape.size(), field)) return false;
      to.push_back(values[index]);
    }
    return true;
  }

  // Index 0 is an unspecified sharding, i + 1 the one at i.
  bool chooseShardings(const Vector<uint32_t>* indices, const Tables<wire::Sharding>* full,
                       const std::vector<NamedSharding>& shardings, std::string_view field,
                       std::vector<Sharding>& to) {
    if (!indices || indices->size() == 0) return each(full, field, to, &Reader::sharding);
    for (const uint32_t index : *indices) {
      if (index > shardings.size())
        return bad(field, fmt::format("it refers to sharding {} of {}", index, shardings.size()));
      Sharding& added = to.emplace_back();
      if (index == 0) continue;
      const NamedSharding& chosen = shardings[index - 1];
      if (!count(1 + chosen.mesh.axisNames.size() + chosen.spec.partitions.size(), field))
        return false;
      added.kind = Sharding::Kind::kNamedSharding;
      added.named = chosen;
    }
    return true;
  }

  int version_ = 1;
  size_t parts_ = 0;
  std::vector<AbstractMesh> meshes_;
  std::vector<Module> modules_;
};

Result<Exported> read(std::span<const std::byte> bytes,
                      std::optional<std::span<std::byte>> place = std::nullopt) {
  if (bytes.size() < 8 || bytes.size() >= kMostBytes)
    return badInput("{} bytes cannot be a serialized Exported", bytes.size());
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                 kDeepest, kMostTables);
  if (!wire::VerifyExportedBuffer(verifier))
    return badInput(
        "this is not a serialized Exported, or it is damaged: its flatbuffer does not "
        "verify. Give what jax.export's serialize() returns");
  Exported exported;
  Reader reader;
  if (!reader.read(*wire::GetExported(bytes.data()), exported, 0))
    return tl::unexpected(std::move(*reader.error));
  reader.readModules(place);
  RETURN_IF_ERROR(validateExported(exported));
  return exported;
}

}  // namespace

Result<Exported> readExported(std::span<const std::byte> bytes, std::string_view name) {
  // A flatbuffer is read in place, where numbers must lie on their boundaries.
  std::vector<std::byte> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) != 0) {
    aligned.assign(bytes.begin(), bytes.end());
    bytes = aligned;
  }
  return within(std::string(name), read(bytes));
}

Result<Exported> readExportedInPlace(std::span<std::byte> bytes, std::string_view name) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) != 0)
    return readExported(bytes, name);
  return within(std::string(name), read(bytes, bytes));
}

}  // namespace vintage::golden
