// VHLO's attributes and types: their text, as far as ODS formats name it as custom<…>, and what
// numbers of them are; and what is known since when.
#include "golden/dialects/vhlo/vhlo_dialect.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_operations.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/module/operation_facts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "golden/dialects/vhlo/VhloDialect.cpp.inc"
#include "golden/dialects/vhlo/VhloEnums.cpp.inc"

namespace mlir::vhlo {
namespace {

// 2x?x3x
ParseResult parseDimensions(AsmParser& parser, SmallVector<int64_t>& dimensions) {
  return parser.parseDimensionList(dimensions);
}
void printDimensions(AsmPrinter& printer, ArrayRef<int64_t> dimensions) {
  for (int64_t dimension : dimensions) {
    if (dimension == ShapedType::kDynamic)
      printer << "?x";
    else
      printer << dimension << 'x';
  }
}

ParseResult parseAttributePairs(AsmParser& parser,
                                SmallVector<std::pair<Attribute, Attribute>>& pairs) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    auto& pair = pairs.emplace_back();
    return failure(parser.parseAttribute(pair.first) || parser.parseEqual() ||
                   parser.parseAttribute(pair.second));
  });
}
void printAttributePairs(AsmPrinter& printer, ArrayRef<std::pair<Attribute, Attribute>> pairs) {
  printer << '{';
  llvm::interleaveComma(pairs, printer.getStream(),
                        [&](const auto& pair) { printer << pair.first << " = " << pair.second; });
  printer << '}';
}

template <typename Value>
ParseResult parseDouble(AsmParser& parser, Value& value) {
  double number = 0;
  if (failed(parser.parseFloat(number))) return failure();
  value = llvm::APFloat(number);
  return success();
}
void printDouble(AsmPrinter& printer, const llvm::APFloat& value) { printer.printFloat(value); }

ParseResult parseDoubles(AsmParser& parser, SmallVector<llvm::APFloat>& values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&] { return parseDouble(parser, values.emplace_back(0.0)); });
}
void printDoubles(AsmPrinter& printer, ArrayRef<llvm::APFloat> values) {
  printer << '[';
  llvm::interleaveComma(values, printer.getStream(),
                        [&](const llvm::APFloat& value) { printer.printFloat(value); });
  printer << ']';
}

// "0x3F80…"
ParseResult parseHexBytes(AsmParser& parser, SmallVector<char>& bytes) {
  std::string text, decoded;
  const SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseString(&text))) return failure();
  if (!llvm::tryGetFromHex(text, decoded))
    return parser.emitError(place, "expected an even number of hexadecimal digits");
  bytes.assign(decoded.begin(), decoded.end());
  return success();
}
void printHexBytes(AsmPrinter& printer, ArrayRef<char> bytes) {
  printer.printString(llvm::toHex(StringRef(bytes.data(), bytes.size())));
}

// The bits of a float or integer, and its type: 0x3F800000 : !vhlo.f32_v1.
ParseResult parseBits(AsmParser& parser, llvm::APInt& bits, Type& type) {
  return failure(parser.parseInteger(bits) || parser.parseColon() || parser.parseType(type));
}

ParseResult parseTypedFloat(AsmParser& parser, FailureOr<llvm::APFloat>& value, Type& type) {
  const SMLoc place = parser.getCurrentLocation();
  llvm::APInt bits;
  if (failed(parseBits(parser, bits, type))) return failure();
  const llvm::fltSemantics* format = floatFormat(type);
  if (!format) return parser.emitError(place, "expected a VHLO float type");
  const unsigned width = llvm::APFloat::getSizeInBits(*format);
  if (bits.getActiveBits() > width) return parser.emitError(place, "the bits do not fit the type");
  value = llvm::APFloat(*format, bits.zextOrTrunc(width));
  return success();
}

void printTypedFloat(AsmPrinter& printer, const llvm::APFloat& value, Type type) {
  printer << llvm::toString(value.bitcastToAPInt(), 16, /*Signed=*/false, /*formatAsCLiteral=*/true)
          << " : " << type;
}

ParseResult parseTypedInteger(AsmParser& parser, llvm::APInt& value, Type& type) {
  const SMLoc place = parser.getCurrentLocation();
  if (failed(parseBits(parser, value, type))) return failure();
  const std::optional<unsigned> width = integerWidth(type);
  if (!width) return parser.emitError(place, "expected a VHLO integer type");
  value = value.sextOrTrunc(*width);
  return success();
}

void printTypedInteger(AsmPrinter& printer, const llvm::APInt& value, Type type) {
  printer << llvm::toString(value, 10, /*Signed=*/true) << " : " << type;
}

}  // namespace
}  // namespace mlir::vhlo

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/vhlo/VhloAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/vhlo/VhloTypes.cpp.inc"

namespace mlir::vhlo {
namespace {

using vintage::kCurrentStablehloVersion;
using vintage::kOldestStablehloVersion;
using vintage::StablehloVersion;
using vintage::golden::OperationFacts;
using vintage::golden::operationFacts;

// None has been withdrawn. Cases of enumerations have come later than their enumeration.
template <typename Base, typename... T>
StablehloVersion arrival(Base value, ClassList<T...>) {
  static const llvm::DenseMap<TypeID, StablehloVersion (*)(Base)> arrivals = {
      {TypeID::get<T>(), [](Base each) -> StablehloVersion {
         if constexpr (requires { &T::since; }) return cast<T>(each).since();
         return T::kSince;
       }}...};
  const auto known = arrivals.lookup(value.getTypeID());
  return known ? known(value) : kOldestStablehloVersion;
}

struct PlainType {
  TypeID id;
  Type (*portable)(MLIRContext*);
  Type (*working)(MLIRContext*);
};

ArrayRef<PlainType> plainTypes() {
  static const auto kTypes = []<typename... T>(ClassList<T...>) {
    SmallVector<PlainType> types;
    const auto add = [&]<typename Each>(std::type_identity<Each>) {
      if constexpr (requires { &Each::twin; })
        types.push_back({TypeID::get<Each>(),
                         [](MLIRContext* context) -> Type { return Each::get(context); },
                         &Each::twin});
    };
    (add(std::type_identity<T>()), ...);
    return types;
  }(TypeClasses());
  return kTypes;
}

}  // namespace

Type workingTwin(Type type) {
  if (!type) return {};
  for (const PlainType& each : plainTypes())
    if (each.id == type.getTypeID()) return each.working(type.getContext());
  return {};
}

Type portableTwin(Type type) {
  for (const PlainType& each : plainTypes())
    if (each.working(type.getContext()) == type) return each.portable(type.getContext());
  return {};
}

const llvm::fltSemantics* floatFormat(Type type) {
  auto twin = dyn_cast_or_null<FloatType>(workingTwin(type));
  return twin ? &twin.getFloatSemantics() : nullptr;
}

std::optional<unsigned> integerWidth(Type type) {
  Type twin = workingTwin(type);
  if (isa_and_nonnull<IndexType>(twin)) return 64;
  auto integer = dyn_cast_or_null<IntegerType>(twin);
  if (!integer || integer.getWidth() == 1) return std::nullopt;  // Booleans are no integers.
  return integer.getWidth();
}

void VhloDialect::initialize() {
  registerOperations(*this);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "golden/dialects/vhlo/VhloAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "golden/dialects/vhlo/VhloTypes.cpp.inc"
      >();
  registerBytecode();
}

VersionRange operationVersions(std::string_view name) {
  const auto [stem, number] = StringRef(name).rsplit("_v");
  const OperationFacts* facts = operationFacts(("stablehlo." + stem).str());
  if (!facts) return {kOldestStablehloVersion, kCurrentStablehloVersion};
  if (!facts->hasSecondForm()) return {facts->since, kCurrentStablehloVersion};
  StablehloVersion last = facts->secondSince;
  --last.minor;
  return number == "1" ? VersionRange{facts->since, last}
                       : VersionRange{facts->secondSince, kCurrentStablehloVersion};
}

std::string currentOperation(std::string_view name) {
  const OperationFacts* facts = operationFacts("stablehlo." + std::string(name));
  return std::string(name) + (facts && facts->hasSecondForm() ? "_v2" : "_v1");
}

StablehloVersion firstVersion(Type type) { return arrival(type, TypeClasses()); }
StablehloVersion firstVersion(Attribute attribute) {
  return arrival(attribute, AttributeClasses());
}

}  // namespace mlir::vhlo
