// The sdy attributes in MLIR's bytecode. Codes and fields are Shardy's; a code
// is never reused.
//
//   0 ManualAxes       attributes
//   1 MeshAxis         string name, svarint size
//   2 Mesh             attributes axes, svarints device ids
//   3 SubAxisInfo      svarint pre-size, svarint size
//   4 AxisRef          string name, optional attribute sub-axis
//   5 DimensionSharding attributes axes, bool closed, varint with flag priority
//   6 TensorSharding   mesh or reference, dimensions, replicated axes
//   7 TensorShardingPerValue attributes
//   8 DimMapping       svarints
//   9 TensorMapping    attributes
//  10 OpShardingRule   svarints sizes, attributes operands, attributes results,
//                      svarints reduction, replication, permutation, blocked, bool custom
//  15 TensorSharding with unreduced axes
//  16 TensorShardingPerValue, some with unreduced axes
//  17 TensorSharding with unreduced axes and an svarint reduction
#include "golden/dialects/sdy/sdy_dialect.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::sdy {
namespace {

enum Code : uint64_t {
  kManualAxes = 0,
  kMeshAxis = 1,
  kMesh = 2,
  kSubAxisInfo = 3,
  kAxisRef = 4,
  kDimensionSharding = 5,
  kTensorSharding = 6,
  kTensorShardingPerValue = 7,
  kDimMapping = 8,
  kTensorMapping = 9,
  kOpShardingRule = 10,
  kTensorShardingUnreduced = 15,
  kTensorShardingPerValueUnreduced = 16,
  kTensorShardingReduction = 17,
};

using Integers = SmallVector<int64_t>;

struct Reader {
  DialectBytecodeReader& reader;
  MLIRContext* context;

  Attribute tensorSharding(bool unreducedAxes, bool reductionOp) {
    Attribute mesh;
    SmallVector<DimensionShardingAttr> dimensions;
    SmallVector<AxisRefAttr> replicated, unreduced;
    int64_t reduction = 0;
    if (failed(reader.readAttribute(mesh)) || failed(reader.readAttributes(dimensions)) ||
        failed(reader.readAttributes(replicated)) ||
        (unreducedAxes && failed(reader.readAttributes(unreduced))) ||
        (reductionOp && failed(reader.readSignedVarInt(reduction))))
      return {};
    auto op = symbolizeReductionOp(static_cast<uint64_t>(reduction));
    if (!isa<MeshAttr, FlatSymbolRefAttr>(mesh) || !op) {
      reader.emitError("a sharding needs a mesh and a known reduction");
      return {};
    }
    return TensorShardingAttr::get(context, mesh, dimensions, replicated, unreduced, *op);
  }

  // A list of attributes of one class is all there is to several codes.
  template <typename ResultT, typename ElementT>
  Attribute listOf() {
    SmallVector<ElementT> elements;
    if (failed(reader.readAttributes(elements))) return {};
    return ResultT::get(context, elements);
  }

  Attribute mesh() {
    SmallVector<MeshAxisAttr> axes;
    Integers devices;
    if (failed(reader.readAttributes(axes)) || failed(reader.readSignedVarInts(devices)))
      return {};
    return MeshAttr::get(context, axes, devices);
  }

  Attribute dimensionSharding() {
    SmallVector<AxisRefAttr> axes;
    bool closed = false, hasPriority = false;
    uint64_t priority = 0;
    if (failed(reader.readAttributes(axes)) || failed(reader.readBool(closed)) ||
        failed(reader.readVarIntWithFlag(priority, hasPriority)))
      return {};
    return DimensionShardingAttr::get(
        context, axes, closed, hasPriority ? std::optional<uint64_t>(priority) : std::nullopt);
  }

  Attribute opShardingRule() {
    SmallVector<TensorMappingAttr> operands, results;
    Integers sizes, reduction, replication, permutation, blocked;
    bool custom = false;
    if (failed(reader.readSignedVarInts(sizes)) || failed(reader.readAttributes(operands)) ||
        failed(reader.readAttributes(results)) || failed(reader.readSignedVarInts(reduction)) ||
        failed(reader.readSignedVarInts(replication)) ||
        failed(reader.readSignedVarInts(permutation)) ||
        failed(reader.readSignedVarInts(blocked)) || failed(reader.readBool(custom)))
      return {};
    return OpShardingRuleAttr::get(context, sizes, operands, results, reduction, replication,
                                   permutation, blocked, custom);
  }

  Attribute attribute(uint64_t code) {
    StringRef name;
    int64_t first = 0, second = 0;
    switch (code) {
      case kManualAxes:
        return listOf<ManualAxesAttr, StringAttr>();
      case kMeshAxis:
        if (failed(reader.readString(name)) || failed(reader.readSignedVarInt(first))) return {};
        return MeshAxisAttr::get(context, name, first);
      case kMesh:
        return mesh();
      case kSubAxisInfo:
        if (failed(reader.readSignedVarInt(first)) || failed(reader.readSignedVarInt(second)))
          return {};
        return SubAxisInfoAttr::get(context, first, second);
      case kAxisRef: {
        SubAxisInfoAttr subAxis;
        if (failed(reader.readString(name)) || failed(reader.readOptionalAttribute(subAxis)))
          return {};
        return AxisRefAttr::get(context, name, subAxis);
      }
      case kDimensionSharding:
        return dimensionSharding();
      case kTensorSharding:
        return tensorSharding(false, false);
      case kTensorShardingUnreduced:
        return tensorSharding(true, false);
      case kTensorShardingReduction:
        return tensorSharding(true, true);
      case kTensorShardingPerValue:
      case kTensorShardingPerValueUnreduced:
        return listOf<TensorShardingPerValueAttr, TensorShardingAttr>();
      case kDimMapping: {
        Integers factors;
        if (failed(reader.readSignedVarInts(factors))) return {};
        return DimMappingAttr::get(context, factors);
      }
      case kTensorMapping:
        return listOf<TensorMappingAttr, DimMappingAttr>();
      case kOpShardingRule:
        return opShardingRule();
    }
    reader.emitError() << "unknown sdy attribute code " << code
                       << "; known are 0 to 10 and 15 to 17";
    return {};
  }
};

struct Writer {
  DialectBytecodeWriter& writer;

  LogicalResult code(uint64_t value) {
    writer.writeVarInt(value);
    return success();
  }

  LogicalResult tensorSharding(TensorShardingAttr sharding) {
    const bool unreduced = !sharding.getUnreducedAxes().empty();
    const bool reduction = unreduced && sharding.getReductionOp() != ReductionOp::Sum;
    (void)code(reduction ? kTensorShardingReduction
                         : unreduced ? kTensorShardingUnreduced : kTensorSharding);
    writer.writeAttribute(sharding.getMeshOrRef());
    writer.writeAttributes(sharding.getDimShardings());
    writer.writeAttributes(sharding.getReplicatedAxes());
    if (unreduced) writer.writeAttributes(sharding.getUnreducedAxes());
    if (reduction) writer.writeSignedVarInt(static_cast<int64_t>(sharding.getReductionOp()));
    return success();
  }

  LogicalResult attribute(Attribute attribute) {
    if (auto axes = dyn_cast<ManualAxesAttr>(attribute)) {
      (void)code(kManualAxes);
      writer.writeAttributes(axes.getValue());
    } else if (auto axis = dyn_cast<MeshAxisAttr>(attribute)) {
      (void)code(kMeshAxis);
      writer.writeOwnedString(axis.getName());
      writer.writeSignedVarInt(axis.getSize());
    } else if (auto mesh = dyn_cast<MeshAttr>(attribute)) {
      (void)code(kMesh);
      writer.writeAttributes(mesh.getAxes());
      writer.writeSignedVarInts(mesh.getDeviceIds());
    } else if (auto info = dyn_cast<SubAxisInfoAttr>(attribute)) {
      (void)code(kSubAxisInfo);
      writer.writeSignedVarInt(info.getPreSize());
      writer.writeSignedVarInt(info.getSize());
    } else if (auto reference = dyn_cast<AxisRefAttr>(attribute)) {
      (void)code(kAxisRef);
      writer.writeOwnedString(reference.getName());
      writer.writeOptionalAttribute(reference.getSubAxisInfo());
    } else if (auto dimension = dyn_cast<DimensionShardingAttr>(attribute)) {
      (void)code(kDimensionSharding);
      writer.writeAttributes(dimension.getAxes());
      writer.writeOwnedBool(dimension.getIsClosed());
      writer.writeVarIntWithFlag(dimension.getPriority().value_or(0),
                                 dimension.getPriority().has_value());
    } else if (auto sharding = dyn_cast<TensorShardingAttr>(attribute)) {
      return tensorSharding(sharding);
    } else if (auto shardings = dyn_cast<TensorShardingPerValueAttr>(attribute)) {
      const bool unreduced = llvm::any_of(shardings.getShardings(), [](TensorShardingAttr each) {
        return !each.getUnreducedAxes().empty();
      });
      (void)code(unreduced ? kTensorShardingPerValueUnreduced : kTensorShardingPerValue);
      writer.writeAttributes(shardings.getShardings());
    } else if (auto mapping = dyn_cast<DimMappingAttr>(attribute)) {
      (void)code(kDimMapping);
      writer.writeSignedVarInts(mapping.getFactorIndices());
    } else if (auto tensor = dyn_cast<TensorMappingAttr>(attribute)) {
      (void)code(kTensorMapping);
      writer.writeAttributes(tensor.getDimMappings());
    } else if (auto rule = dyn_cast<OpShardingRuleAttr>(attribute)) {
      (void)code(kOpShardingRule);
      writer.writeSignedVarInts(rule.getFactorSizes());
      writer.writeAttributes(rule.getOperandMappings());
      writer.writeAttributes(rule.getResultMappings());
      for (ArrayRef<int64_t> group :
           {rule.getReductionFactors(), rule.getNeedReplicationFactors(),
            rule.getPermutationFactors(), rule.getBlockedPropagationFactors()})
        writer.writeSignedVarInts(group);
      writer.writeOwnedBool(rule.getIsCustomRule());
    } else {
      return failure();
    }
    return success();
  }
};

// Shardy writes its own version as three numbers.
struct SdyVersion : DialectVersion {
  uint64_t major = 0, minor = 0, patch = 0;
};

struct SdyBytecodeInterface : BytecodeDialectInterface {
  explicit SdyBytecodeInterface(Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code))) return {};
    return Reader{reader, getContext()}.attribute(code);
  }

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter& writer) const override {
    return Writer{writer}.attribute(attribute);
  }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader& reader) const override {
    auto version = std::make_unique<SdyVersion>();
    if (failed(reader.readVarInt(version->major)) || failed(reader.readVarInt(version->minor)) ||
        failed(reader.readVarInt(version->patch)))
      return nullptr;
    return version;
  }
};

}  // namespace

void addBytecodeInterface(SdyDialect* dialect) { dialect->addInterfaces<SdyBytecodeInterface>(); }

}  // namespace mlir::sdy
