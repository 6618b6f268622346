// The parameters of attributes and types as named fields that code can visit, so that
// their text, bytecode and other forms are written once for all.
#ifndef VINTAGE_FIELDS
#define VINTAGE_FIELDS

include "mlir/IR/AttrTypeBase.td"

// "pre_size" is PreSize, "lhsDilation" LhsDilation.
class CamelCase<string name> {
  string text = !toupper(!substr(name, 0, 1)) # !foldl("", !range(1, !size(name)), before, k,
      before # !cond(
          !eq(!substr(name, k, 1), "_") : "",
          !eq(!substr(name, !sub(k, 1), 1), "_") : !toupper(!substr(name, k, 1)),
          true : !substr(name, k, 1)));
}

class StorageOf<AttrOrTypeParameter parameter> { string type = parameter.cppStorageType; }

// lhsBatchingDimensions and pre_size: lhs_batching_dimensions and pre_size in texts,
// getLhsBatchingDimensions and getPreSize in C++.
class Field<dag parameters, int i> {
  string parameter = !getdagname(parameters, i);
  string name = !foldl("", !range(!size(parameter)), before, k,
      before # !if(!eq(!substr(parameter, k, 1), !tolower(!substr(parameter, k, 1))), "", "_") #
      !tolower(!substr(parameter, k, 1)));
  string getter = "get" # CamelCase<parameter>.text;
  string type = !if(!initialized(!getdagarg<string>(parameters, i)),
                    !getdagarg<string>(parameters, i),
                    StorageOf<!getdagarg<AttrOrTypeParameter>(parameters, i)>.type);
  string initial = !if(!eq(type, "::llvm::APFloat"), "{0.0}", "{}");
}

class FieldList<dag parameters, string className> {
  list<Field> fields = !foreach(i, !range(!size(parameters)), Field<parameters, i>);
  string declarations = "// Calls visit(name, value) for each field.\n" #
      "template <typename Visitor> void visitFields(Visitor&& visit) const {\n" #
      !foldl("", fields, text, each,
             text # "  visit(\"" # each.name # "\", " # each.getter # "());\n") # "}\n" #
      // The fields alone, for a reader that reads them one by one and then calls fromFields().
      "struct Fields {\n" #
      !foldl("", fields, text, each,
             text # "  " # each.type # " " # each.parameter # each.initial # ";\n") #
      "  template <typename Visitor> void visit(Visitor&& visit) {\n" #
      !foldl("", fields, text, each,
             text # "    visit(\"" # each.name # "\", " # each.parameter # ");\n") #
      "  }\n};\n" #
      "static " # className # " fromFields(::mlir::MLIRContext* context, const Fields& fields) {\n" #
      "  return get(context" #
      !foldl("", fields, text, each, text # ", fields." # each.parameter) # ");\n}\n";
}

#endif
