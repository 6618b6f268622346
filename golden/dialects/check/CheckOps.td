// The `check` dialect: what a self-checking program says about its own values.

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::mlir::check";
}

class Check_Op<string mnemonic, list<Trait> traits = []> : Op<Check_Dialect, mnemonic, traits>;

// Bits are the same, except that every NaN equals every NaN.
def Check_ExpectEqConstOp : Check_Op<"expect_eq_const", [AllTypesMatch<["lhs", "value"]>]> {
  let arguments = (ins AnyStaticShapeTensor:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` $value attr-dict";
}

def Check_ExpectAlmostEqConstOp
    : Check_Op<"expect_almost_eq_const", [AllTypesMatch<["lhs", "value"]>]> {
  let arguments = (ins AnyStaticShapeTensor:$lhs, ElementsAttr:$value,
                       OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = "$lhs `,` $value attr-dict";
}

def Check_ExpectEqOp : Check_Op<"expect_eq", [AllTypesMatch<["lhs", "rhs"]>]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Check_ExpectAlmostEqOp : Check_Op<"expect_almost_eq", [AllTypesMatch<["lhs", "rhs"]>]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs, OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

// The distance in units in the last place lies between the two bounds.
def Check_ExpectCloseOp : Check_Op<"expect_close"> {
  let arguments = (ins AnyTensor:$actual, AnyTensor:$expected,
                       OptionalAttr<I64Attr>:$min_ulp_difference,
                       OptionalAttr<I64Attr>:$max_ulp_difference);
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual) `,` type($expected)";
}

// Compares with what a serialized probe in a file holds.
def Check_ExpectSerializedEqOp : Check_Op<"expect_serialized_eq"> {
  let arguments = (ins AnyTensor:$expected, StrAttr:$probe_id, OptionalAttr<I32Attr>:$iteration);
  let assemblyFormat =
      "$expected `,` `probe` `=` $probe_id (`,` `iter` `=` $iteration^)? attr-dict `:` type($expected)";
}
