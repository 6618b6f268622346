// The sdy attributes in MLIR's bytecode: a code, then the fields in the order of their
// declaration. Codes are Shardy's and never used again. Shardings have further ones:
//   15 TensorSharding with unreduced axes
//   16 TensorShardingPerValue, some with unreduced axes
//   17 TensorSharding with unreduced axes and an svarint reduction
#include "golden/dialects/sdy/sdy_dialect.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::sdy {
namespace {

constexpr uint64_t kTensorShardingUnreduced = 15;
constexpr uint64_t kTensorShardingPerValueUnreduced = 16;
constexpr uint64_t kTensorShardingReduction = 17;

template <typename... T>
struct ClassList {};
using AttributeClasses = ClassList<
#define GET_ATTRDEF_LIST
#include "golden/dialects/sdy/SdyAttrs.cpp.inc"
    >;

struct Reader {
  DialectBytecodeReader& reader;
  MLIRContext* context;

  LogicalResult read(int64_t& value) { return reader.readSignedVarInt(value); }
  LogicalResult read(bool& value) { return reader.readBool(value); }
  LogicalResult read(Attribute& value) { return reader.readAttribute(value); }
  LogicalResult read(SubAxisInfoAttr& value) { return reader.readOptionalAttribute(value); }
  LogicalResult read(std::string& value) {
    StringRef text;
    if (failed(reader.readString(text))) return failure();
    value = text.str();
    return success();
  }
  LogicalResult read(std::optional<uint64_t>& value) {
    uint64_t number = 0;
    bool isThere = false;
    if (failed(reader.readVarIntWithFlag(number, isThere))) return failure();
    if (isThere) value = number;
    return success();
  }
  LogicalResult read(SmallVector<int64_t>& values) { return reader.readSignedVarInts(values); }
  template <typename T>
  LogicalResult read(SmallVector<T>& values) {
    return reader.readAttributes(values);
  }
  // For tensorSharding() alone.
  LogicalResult read(ReductionOp&) { return success(); }

  template <typename T>
  Attribute fields() {
    typename T::Fields fields;
    bool ok = true;
    fields.visit([&](const char*, auto& value) { ok = ok && succeeded(read(value)); });
    return ok ? T::fromFields(context, fields) : T();
  }

  Attribute tensorSharding(bool unreducedAxes, bool reductionOp) {
    Attribute mesh;
    SmallVector<DimensionShardingAttr> dimensions;
    SmallVector<AxisRefAttr> replicated, unreduced;
    int64_t reduction = 0;
    if (failed(read(mesh)) || failed(read(dimensions)) || failed(read(replicated)) ||
        (unreducedAxes && failed(read(unreduced))) || (reductionOp && failed(read(reduction))))
      return {};
    auto op = symbolizeReductionOp(static_cast<uint64_t>(reduction));
    if (!isa<MeshAttr, FlatSymbolRefAttr>(mesh) || !op) {
      reader.emitError("a sharding needs a mesh and a known reduction");
      return {};
    }
    return TensorShardingAttr::get(context, mesh, dimensions, replicated, unreduced, *op);
  }

  template <typename... T>
  Attribute attribute(uint64_t code, ClassList<T...>) {
    if (code == TensorShardingAttr::kCode) return tensorSharding(false, false);
    if (code == kTensorShardingUnreduced) return tensorSharding(true, false);
    if (code == kTensorShardingReduction) return tensorSharding(true, true);
    if (code == kTensorShardingPerValueUnreduced) code = TensorShardingPerValueAttr::kCode;
    Attribute result;
    if (!((code == T::kCode && (result = fields<T>(), true)) || ...))
      reader.emitError() << "unknown sdy attribute code " << code
                         << "; known are 0 to 10 and 15 to 17";
    return result;
  }
};

struct Writer {
  DialectBytecodeWriter& writer;

  void write(int64_t value) { writer.writeSignedVarInt(value); }
  void write(bool value) { writer.writeOwnedBool(value); }
  void write(Attribute value) { writer.writeAttribute(value); }
  void write(SubAxisInfoAttr value) { writer.writeOptionalAttribute(value); }
  void write(StringRef value) { writer.writeOwnedString(value); }
  void write(std::optional<uint64_t> value) {
    writer.writeVarIntWithFlag(value.value_or(0), value.has_value());
  }
  void write(ArrayRef<int64_t> values) { writer.writeSignedVarInts(values); }
  template <typename T>
  void write(ArrayRef<T> values) {
    writer.writeAttributes(values);
  }

  template <typename T>
  void fields(T attribute) {
    writer.writeVarInt(T::kCode);
    attribute.visitFields([&](const char*, const auto& value) { write(value); });
  }

  void fields(TensorShardingPerValueAttr shardings) {
    const bool unreduced = llvm::any_of(shardings.getShardings(), [](TensorShardingAttr each) {
      return !each.getUnreducedAxes().empty();
    });
    writer.writeVarInt(unreduced ? kTensorShardingPerValueUnreduced
                                 : TensorShardingPerValueAttr::kCode);
    write(shardings.getShardings());
  }

  void fields(TensorShardingAttr sharding) {
    const bool unreduced = !sharding.getUnreducedAxes().empty();
    const bool reduction = unreduced && sharding.getReductionOp() != ReductionOp::Sum;
    writer.writeVarInt(reduction   ? kTensorShardingReduction
                       : unreduced ? kTensorShardingUnreduced
                                   : TensorShardingAttr::kCode);
    write(sharding.getMesh());
    write(sharding.getDimensions());
    write(sharding.getReplicatedAxes());
    if (unreduced) write(sharding.getUnreducedAxes());
    if (reduction) write(static_cast<int64_t>(sharding.getReductionOp()));
  }

  template <typename... T>
  LogicalResult attribute(Attribute attribute, ClassList<T...>) {
    return success(((isa<T>(attribute) && (fields(cast<T>(attribute)), true)) || ...));
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
    return Reader{reader, getContext()}.attribute(code, AttributeClasses());
  }

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter& writer) const override {
    return Writer{writer}.attribute(attribute, AttributeClasses());
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

void SdyDialect::registerBytecode() { addInterfaces<SdyBytecodeInterface>(); }

}  // namespace mlir::sdy
