// The types and attributes of Mosaic's `tpu` dialect that MLIR must know to read a kernel. Its
// operations are read in their generic form: a kernel of any version is, and harness/engine/kernels
// declares what each operation does.

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpBase.td"

def Tpu_Dialect : Dialect {
  let name = "tpu";
  let cppNamespace = "::mlir::tpu";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser& parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter& printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser& parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter& printer) const override;
  }];
}

// Any attribute, as its text behind "#tpu.": memory_space<vmem>, dot_dimension_numbers<[1], …>.
def Tpu_KeptAttr : AttrDef<Tpu_Dialect, "Kept"> {
  let attrName = "tpu.kept";
  let parameters = (ins StringRefParameter<"">:$text);
}

// tiled<(8,128),[2,1]>: where the elements of a memref lie, which is the compiler's business.
def Tpu_TiledAttr : AttrDef<Tpu_Dialect, "Tiled",
    [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["verifyLayout"]>]> {
  let attrName = "tpu.tiled";
  let parameters = (ins StringRefParameter<"">:$text);
}

// Any type: semaphore, dma_semaphore, float8_exmy<…>.
def Tpu_KeptType : TypeDef<Tpu_Dialect, "Kept", [MemRefElementTypeInterface]> {
  let typeName = "tpu.kept_type";
  let parameters = (ins StringRefParameter<"">:$text);
}
