// The facts of golden/module/operation_facts.h, as tables that compile without MLIR.
// Nothing is added here: what is true of an operation stands with the operation.
include "llvm/TableGen/SearchableTable.td"
include "golden/dialects/chlo/ChloOps.td"
include "golden/dialects/vhlo/VhloOps.td"

class OperationFacts<string fullName, ShapeRule rule> {
  string name = fullName;
  string shape = rule.cppName;
  bit isCommutative = 0;
  bit mayWiden = 0;
  string since = "{0, 9, 0}";
  string secondSince = "{0, 0, 0}";
  string secondFeature = "";
  bit oneOperandBefore = 0;
  bit noRegionsBefore = 0;
}
foreach op = !instances<Stablehlo_Op>() in
  def : OperationFacts<"stablehlo." # op.opName, op.shape> {
    let isCommutative = op.commutative;
    let mayWiden = op.mayWiden;
    let since = "{" # op.since # "}";
    let secondSince = "{" # op.second.since # "}";
    let secondFeature = op.second.feature;
    let oneOperandBefore = op.second.oneOperandBefore;
    let noRegionsBefore = op.second.noRegionsBefore;
  }
foreach op = !instances<Chlo_Op>() in
  def : OperationFacts<"chlo." # op.opName, op.shape>;

def OperationFactsTable : GenericTable {
  let FilterClass = "OperationFacts";
  let CppTypeName = "OperationFacts";
  let Fields = ["name", "shape", "isCommutative", "mayWiden", "since", "secondSince",
                "secondFeature", "oneOperandBefore", "noRegionsBefore"];
  string TypeOf_shape = "code";
  string TypeOf_since = "code";
  string TypeOf_secondSince = "code";
}

class PortableAttributeFacts<string operationName, string portableName, string reads,
                             string value, bit isAdded, string wholeName, string kind> {
  string operation = operationName;
  string attribute = portableName;
  string form = "AttributeForm::" # reads;
  string default = value;
  bit added = isAdded;
  string whole = wholeName;
  string structure = kind;
}

// The value of DefaultValuedOptionalAttr<…>, as VHLO writes it; quotes as C++ has them.
class DefaultOf<Constraint argument> {
  string text = !cond(!isa<Stablehlo_Optional>(argument) : "",
                      !isa<Attr>(argument) : !if(!initialized(!cast<Attr>(argument).defaultValue),
                                                 !cast<Attr>(argument).defaultValue, ""),
                      true : "");
  string value = !cond(
      !isa<Stablehlo_Optional>(argument) : !cast<Stablehlo_Optional>(argument).portableDefault,
      !or(!eq(text, ""), !eq(text, "false")) : text,
      !eq(text, "\"\"") : "\\\"\\\"",
      !or(!eq(text, "0"), !eq(text, "-1")) : text # " : i64",
      !ne(!find(text, "CustomCallApiVersion"), -1) : "#vhlo<api_version_v1 API_VERSION_ORIGINAL>",
      !ne(!find(!cast<Attr>(argument).storageType, "DictionaryAttr"), -1) : "{}",
      true : "[]");
}

// The attribute that may be absent or have a default.
class BaseOf<Constraint argument> {
  Attr attribute = !cond(!isa<OptionalAttr>(argument) : !cast<OptionalAttr>(argument).baseAttr,
                         !isa<DefaultValuedOptionalAttr>(argument) :
                             !cast<DefaultValuedOptionalAttr>(argument).baseAttr,
                         !isa<Attr>(argument) : !cast<Attr>(argument));
  string name = !cast<string>(attribute);
}

class FormOf<string attribute> {
  string form = !cond(!eq(attribute, "Dimensions") : "kIntegers",
                      !eq(attribute, "Booleans") : "kBooleans",
                      !eq(attribute, "UnitAttr") : "kFlag",
                      !eq(attribute, "FlatSymbolRefAttr") : "kSymbol",
                      !eq(attribute, "SymbolArray") : "kSymbols",
                      true : "kGeneric");
}

foreach op = !instances<Stablehlo_Op>() in
  foreach i = !range(!size(op.arguments)) in {
    defvar argument = !getdagarg<Constraint>(op.arguments, i);
    if !isa<Attr>(argument) then {
      defvar whole = !getdagname(op.arguments, i);
      defvar base = BaseOf<argument>.name;
      defvar parts = VHLO_Names<whole, argument>.parts;
      defvar value = DefaultOf<argument>.value;
      foreach name = VHLO_Names<whole, argument>.names in {
        defvar added = !foldl(false, op.second.added, found, each, !or(found, !eq(each, name)));
        def : PortableAttributeFacts<op.opName, name, FormOf<base>.form,
            !if(!and(added, !empty(value)), "array<i64>", value), added,
            !if(!empty(parts), "", whole),
            !if(!empty(parts), "", !cast<Stablehlo_Attr>(base).mnemonic)>;
      }
    }
  }
class FunctionAttribute<string operation, string name, string form, string value>
    : PortableAttributeFacts<operation, name, form, value, false, "", "">;
def : FunctionAttribute<"call", "callee", "kSymbol", "">;
def : FunctionAttribute<"func", "sym_visibility", "kGeneric", "\\\"\\\"">;
def : FunctionAttribute<"func", "arg_attrs", "kGeneric", "[]">;
def : FunctionAttribute<"func", "res_attrs", "kGeneric", "[]">;

def PortableAttributesTable : GenericTable {
  let FilterClass = "PortableAttributeFacts";
  let CppTypeName = "PortableAttributeFacts";
  let Fields = ["operation", "attribute", "form", "default", "added", "whole", "structure"];
  string TypeOf_form = "code";
}

def PortableFormsTable : GenericTable {
  let FilterClass = "VHLO_Form";
  let CppTypeName = "PortableForm";
  let Fields = ["name", "attributes", "operands", "moreOperands", "results", "moreResults",
                "regions", "moreRegions", "isTerminator", "isIsolated"];
  string TypeOf_operands = "code";
  string TypeOf_results = "code";
  string TypeOf_regions = "code";
}
