// The `interpreter` dialect: how a test program asks for several processes.

include "mlir/IR/OpBase.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::mlir::interpreter";
}

class Interpreter_Op<string mnemonic, list<Trait> traits = []>
    : Op<Interpreter_Dialect, mnemonic, traits>;

// Runs `programs[replica][partition]`, functions of the module, side by side.
// The inputs and the results are those of all processes in a row; `infeed`
// names functions whose results are taken by stablehlo.infeed one after the
// other.
def Interpreter_RunParallelOp : Interpreter_Op<"run_parallel"> {
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<FlatSymbolRefArrayAttr>:$infeed,
                       TypedArrayAttrBase<FlatSymbolRefArrayAttr, "programs">:$programs);
  let results = (outs Variadic<AnyType>:$results);
}

def Interpreter_PrintOp : Interpreter_Op<"print"> {
  let arguments = (ins AnyTensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

// The identity; a debugger may look at the value under its name.
def Interpreter_ProbeOp : Interpreter_Op<"probe", [AllTypesMatch<["operand", "result"]>]> {
  let arguments = (ins AnyTensor:$operand, StrAttr:$probe_id);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$operand `,` `probe_id` `=` $probe_id attr-dict `:` type($operand)";
}
