// The operations of VHLO, derived from those of StableHLO. They carry few traits and
// no verifiers: what a portable artifact says is checked once, on the StableHLO that
// it becomes.
//
// The order of attributes is part of the format: from bytecode version 5 on they are
// written in it. It is StableHLO's own, the parts of a structure in its place.

include "golden/dialects/stablehlo/StablehloOps.td"
include "golden/dialects/vhlo/VhloEnums.td"
include "golden/dialects/vhlo/VhloTypes.td"
include "golden/dialects/vhlo/VhloAttributes.td"

class VHLO_Op<string mnemonic, list<Trait> traits = []> : Op<Vhlo_Dialect, mnemonic, traits> {
  let skipDefaultBuilders = 1;
  // ODS wants one; operations are created from an OperationState.
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
}

// The attributes that VHLO has for one of StableHLO: its parts, or one of its name.
class VHLO_Names<string name, Constraint argument> {
  list<string> parts = !cond(
      !isa<Stablehlo_Attr>(argument) : !cast<Stablehlo_Attr>(argument).portableParts,
      !isa<Stablehlo_Optional>(argument) : !cast<Stablehlo_Optional>(argument).portableParts,
      true : []);
  list<string> names = !if(!empty(parts), [name], parts);
}

class VHLO_Constraint<Constraint argument, bit single> {
  Constraint kind = !cond(!isa<Attr>(argument) : AnyAttr,
                          !and(!isa<Variadic>(argument), !not(single)) : Variadic<AnyType>,
                          true : AnyType);
}

// Operands, results or attributes of StableHLO as VHLO has them, without `dropped`;
// `single`: one value where StableHLO takes several, and named like one.
class VHLO_Arguments<dag from, bit single, list<string> dropped> {
  list<string> names = !foldl([]<string>, !range(!size(from)), before, i, !listconcat(before,
      VHLO_Names<!getdagname(from, i), !getdagarg<Constraint>(from, i)>.names));
  list<Constraint> kinds = !foldl([]<Constraint>, !range(!size(from)), before, i,
      !listconcat(before, !foreach(name,
          VHLO_Names<!getdagname(from, i), !getdagarg<Constraint>(from, i)>.names,
          VHLO_Constraint<!getdagarg<Constraint>(from, i), single>.kind)));
  list<int> kept = !filter(i, !range(!size(names)),
                           !not(!foldl(false, dropped, found, each, !or(found, !eq(each, names[i])))));
  dag all = !dag(ins, !foreach(i, kept, kinds[i]), !foreach(i, kept, !if(single,
      !subst("operands", "operand", !subst("results", "result", names[i])), names[i])));
}

class VHLO_Regions<dag from> {
  dag all = !dag(region, !foreach(i, !range(!size(from)),
      !if(!isa<VariadicRegion>(!getdagarg<Region>(from, i)), VariadicRegion<AnyRegion>, AnyRegion)),
      !foreach(i, !range(!size(from)), !getdagname(from, i)));
}

class VHLO_Form<Stablehlo_Op op, int number, bit isFirst>
    : VHLO_Op<op.opName # "_v" # number,
              !filter(each, op.traits, !or(!eq(!cast<string>(each), "SameVariadicOperandSize"),
                                           !eq(!cast<string>(each), "Terminator")))> {
  defvar single = !and(isFirst, op.second.oneOperandBefore);
  let arguments = VHLO_Arguments<op.arguments, single,
                                 !if(isFirst, op.second.added, []<string>)>.all;
  let results = !setdagop(VHLO_Arguments<op.results, single, []>.all, outs);
  let regions = !if(!and(isFirst, op.second.noRegionsBefore), (region),
                    VHLO_Regions<op.regions>.all);
}

foreach op = !instances<Stablehlo_Op>() in {
  defvar name = !subst("Stablehlo_", "VHLO_", !cast<string>(op));
  if !empty(op.second.feature) then {
    def name # "V1" : VHLO_Form<op, 1, false>;
  } else {
    def name # "V2" : VHLO_Form<op, 2, false>;
    if !not(op.second.otherBefore) then
      def name # "V1" : VHLO_Form<op, 1, true>;
  }
}

// Convolutions with dynamic padding once had a static padding as well, which meant nothing.
def VHLO_DynamicConvOpV1 : VHLO_Op<"dynamic_conv_v1"> {
  defvar now = VHLO_DynamicConvOpV2.arguments;
  defvar count = !size(now);
  let arguments = !con((ins AnyType:$lhs, AnyType:$rhs, AnyType:$d_padding,
                        AnyAttr:$window_strides, AnyAttr:$padding),
      !dag(ins, !foreach(i, !range(4, count), AnyAttr),
           !foreach(i, !range(4, count), !getdagname(now, i))));
  let results = (outs AnyType:$result);
}

// The operations of the func dialect have a portable form too.
def VHLO_CallOpV1 : VHLO_Op<"call_v1"> {
  let arguments = (ins AnyAttr:$callee, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
}
def VHLO_FuncOpV1 : VHLO_Op<"func_v1", [IsolatedFromAbove]> {
  let arguments = (ins AnyAttr:$sym_name, AnyAttr:$function_type, AnyAttr:$sym_visibility,
                       AnyAttr:$arg_attrs, AnyAttr:$res_attrs);
  let regions = (region AnyRegion:$body);
}
