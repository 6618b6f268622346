// Enumerations.

include "golden/dialects/EnumCases.td"
include "golden/dialects/stablehlo/StablehloBase.td"

// Printed as #stablehlo<keyword CASE>, but for #stablehlo.result_accuracy_mode<CASE>.
class Stablehlo_EnumAttr<SharedEnum shared>
    : EnumAttr<Stablehlo_Dialect, !cast<EnumInfo>("Stablehlo_" # shared.className),
               shared.keyword> {
  let assemblyFormat = !if(!eq(shared.keyword, "result_accuracy_mode"), "`<` $value `>`", "$value");
  let extraClassDeclaration = "static auto symbolize(uint32_t value) { return symbolize" #
                              shared.className # "(value); }\n";
}
foreach shared = !instances<SharedEnum>() in
  // An API version is written as a plain number: `api_version = 4 : i32`.
  if !ne(shared.keyword, "api_version") then {
    def "Stablehlo_" # shared.className : DialectEnum<shared, Stablehlo_Dialect>;
    def "Stablehlo_" # shared.className # "Attr" : Stablehlo_EnumAttr<shared>;
  }
def Stablehlo_CustomCallApiVersionAttr
    : DialectEnum<Shared_CustomCallApiVersion, Stablehlo_Dialect> {
  let genSpecializedAttr = 1;
}
