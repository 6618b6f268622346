// The enumerations of VHLO; their values are those of the portable bytecode.
#ifndef VINTAGE_VHLO_ENUMS
#define VINTAGE_VHLO_ENUMS

include "golden/dialects/EnumCases.td"
include "golden/dialects/vhlo/VhloDialect.td"

// With its number in the bytecode and what messages call it.
class VHLO_EnumAttr<SharedEnum shared>
    : EnumAttr<Vhlo_Dialect, !cast<EnumInfo>("VHLO_" # shared.className # "V1"),
               shared.keyword # "_v1"> {
  let extraClassDeclaration = VHLO_Portable<shared.number, shared.since>.declarations #
      "static constexpr ::llvm::StringLiteral kWhat = \"" # shared.what # "\";\n" #
      "static auto symbolize(uint32_t value) { return symbolize" # shared.className #
      "V1(value); }\n";
}
foreach shared = !instances<SharedEnum>() in {
  def "VHLO_" # shared.className # "V1" : DialectEnum<shared, Vhlo_Dialect, "V1">;
  def "VHLO_" # shared.className # "V1Attr" : VHLO_EnumAttr<shared>;
}

#endif
