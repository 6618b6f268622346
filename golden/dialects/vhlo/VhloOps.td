// The operations of VHLO, derived from those of StableHLO: a table, with no class for each. A
// portable artifact is checked once, on the StableHLO that it becomes.

include "golden/dialects/stablehlo/StablehloOps.td"
include "golden/dialects/vhlo/VhloEnums.td"
include "golden/dialects/vhlo/VhloTypes.td"
include "golden/dialects/vhlo/VhloAttributes.td"

// The attributes that VHLO has for one of StableHLO: its parts, or one of its name.
class VHLO_Names<string name, Constraint argument> {
  list<string> parts = !cond(
      !isa<Stablehlo_Attr>(argument) : !cast<Stablehlo_Attr>(argument).portableParts,
      !isa<Stablehlo_Optional>(argument) : !cast<Stablehlo_Optional>(argument).portableParts,
      true : []);
  list<string> names = !if(!empty(parts), [name], parts);
}

// The names of attributes among StableHLO's arguments, without `dropped`, a space after each.
class VHLO_AttributeNames<dag from, list<string> dropped> {
  list<string> names = !foldl([]<string>, !range(!size(from)), before, i, !listconcat(before,
      !if(!isa<Attr>(!getdagarg<Constraint>(from, i)),
          VHLO_Names<!getdagname(from, i), !getdagarg<Constraint>(from, i)>.names, []<string>)));
  string text = !foldl("", names, before, name, before # !if(
      !foldl(false, dropped, found, each, !or(found, !eq(each, name))), "", name # " "));
}

// How many operands, results or regions an operation has at least, and whether it may have more.
class VHLO_Count<list<bit> variadic> {
  int least = !size(!filter(each, variadic, !not(each)));
  string atLeast = !repr(least);
  bit orMore = !ne(least, !size(variadic));
}

// `single`: one value where StableHLO takes several.
class VHLO_Values<dag from, bit single> : VHLO_Count<
    !foreach(i, !filter(i, !range(!size(from)), !not(!isa<Attr>(!getdagarg<Constraint>(from, i)))),
             !and(!isa<Variadic>(!getdagarg<Constraint>(from, i)), !not(single)))>;
class VHLO_Regions<dag from> : VHLO_Count<
    !foreach(i, !range(!size(from)), !isa<VariadicRegion>(!getdagarg<Region>(from, i)))>;

class VHLO_Form<string mnemonic, dag arguments, dag produced, dag bodies, bit single = 0,
                list<string> dropped = []> {
  string name = mnemonic;
  string attributes = VHLO_AttributeNames<arguments, dropped>.text;
  string operands = VHLO_Values<arguments, single>.atLeast;
  bit moreOperands = VHLO_Values<arguments, single>.orMore;
  string results = VHLO_Values<produced, single>.atLeast;
  bit moreResults = VHLO_Values<produced, single>.orMore;
  string regions = VHLO_Regions<bodies>.atLeast;
  bit moreRegions = VHLO_Regions<bodies>.orMore;
  bit isTerminator = 0;
  bit isIsolated = 0;
}

class VHLO_FormOf<Stablehlo_Op op, int number, bit isFirst>
    : VHLO_Form<op.opName # "_v" # number, op.arguments, op.results,
                !if(!and(isFirst, op.second.noRegionsBefore), (region), op.regions),
                !and(isFirst, op.second.oneOperandBefore),
                !if(isFirst, op.second.added, []<string>)> {
  let isTerminator = !foldl(false, op.traits, found, each,
                            !or(found, !eq(!cast<string>(each), "Terminator")));
}

foreach op = !instances<Stablehlo_Op>() in {
  defvar name = !subst("Stablehlo_", "VHLO_", !cast<string>(op));
  if !empty(op.second.feature) then {
    def name # "V1" : VHLO_FormOf<op, 1, false>;
  } else {
    def name # "V2" : VHLO_FormOf<op, 2, false>;
    if !not(op.second.otherBefore) then
      def name # "V1" : VHLO_FormOf<op, 1, true>;
  }
}

// Convolutions with dynamic padding once had a static padding as well, which meant nothing.
def VHLO_DynamicConvOpV1
    : VHLO_Form<"dynamic_conv_v1", Stablehlo_DynamicConvOp.arguments,
                Stablehlo_DynamicConvOp.results, (region)> {
  let attributes = VHLO_DynamicConvOpV2.attributes # "padding ";
}

// The operations of the func dialect have a portable form too.
def VHLO_CallOpV1 : VHLO_Form<"call_v1", (ins AnyAttr:$callee, Variadic<AnyType>:$operands),
                              (outs Variadic<AnyType>:$results), (region)>;
def VHLO_FuncOpV1 : VHLO_Form<"func_v1",
    (ins AnyAttr:$sym_name, AnyAttr:$function_type, AnyAttr:$sym_visibility, AnyAttr:$arg_attrs,
         AnyAttr:$res_attrs),
    (outs), (region AnyRegion:$body)> {
  let isIsolated = 1;
}
