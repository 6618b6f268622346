// Types that only StableHLO has.
#ifndef VINTAGE_STABLEHLO_TYPES
#define VINTAGE_STABLEHLO_TYPES

include "golden/dialects/stablehlo/StablehloAttrs.td"

class Stablehlo_TypeDef<string name, string keyword> : TypeDef<Stablehlo_Dialect, name> {
  let mnemonic = keyword;
}

def Stablehlo_TokenType : Stablehlo_TypeDef<"Token", "token"> {
  let summary = "Orders side effects";
}

def Stablehlo_FutureType : Stablehlo_TypeDef<"Future", "future"> {
  let summary = "What an asynchronous operation will deliver";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

#endif
