// VHLO: the versioned operations, types and attributes in which StableHLO's
// portable artifacts are written.
#ifndef VINTAGE_VHLO_DIALECT
#define VINTAGE_VHLO_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/DialectBase.td"
include "golden/dialects/Fields.td"

def Vhlo_Dialect : Dialect {
  let name = "vhlo";
  let cppNamespace = "::mlir::vhlo";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = "void registerBytecode();";
}

// What the portable encoding knows of an attribute or type.
class VHLO_Portable<int number, string version> {
  string declarations = "static constexpr uint64_t kCode = " # number # ";\n" #
      "static constexpr ::vintage::StablehloVersion kSince{" # version # "};\n";
}

#endif
