// VHLO: the versioned operations, types and attributes in which StableHLO's portable artifacts are
// written. Here are the dialect and its enumerations, whose values are those of the bytecode.
#ifndef VINTAGE_VHLO_ENUMS
#define VINTAGE_VHLO_ENUMS

include "golden/dialects/EnumCases.td"
include "golden/dialects/Fields.td"
include "mlir/IR/OpBase.td"

def Vhlo_Dialect : Dialect {
  let name = "vhlo";
  let cppNamespace = "::mlir::vhlo";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = "void registerBytecode();";
}

// The code of an attribute or type in the portable encoding, and the version that introduced it.
class VHLO_Portable<int number, string version> {
  string declarations = "static constexpr uint64_t kCode = " # number # ";\n" #
      "static constexpr ::vintage::StablehloVersion kSince{" # version # "};\n";
}

// With its number in the bytecode and what messages call it.
class VHLO_EnumAttr<SharedEnum shared>
    : EnumAttr<Vhlo_Dialect, !cast<EnumInfo>("VHLO_" # shared.className # "V1"),
               shared.keyword # "_v1"> {
  let extraClassDeclaration = VHLO_Portable<shared.number, shared.since>.declarations #
      "static constexpr ::llvm::StringLiteral kWhat = \"" # shared.what # "\";\n" #
      "static auto symbolize(uint32_t value) { return symbolize" # shared.className #
      "V1(value); }\n" #
      "::vintage::StablehloVersion since() const {\n  return static_cast<uint32_t>(getValue()) == " #
      shared.lastCase # "u ? ::vintage::StablehloVersion{" # shared.lastCaseSince #
      "} : kSince;\n}\n";
}
foreach shared = !instances<SharedEnum>() in {
  def "VHLO_" # shared.className # "V1" : DialectEnum<shared, Vhlo_Dialect, "V1">;
  def "VHLO_" # shared.className # "V1Attr" : VHLO_EnumAttr<shared>;
}

#endif
