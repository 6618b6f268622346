#include "golden/program/portable_operation_rules.h"

#include <fmt/format.h>

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/portable_defaults.h"
#include "golden/program/portable_structures.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vintage::golden::program {
namespace {

namespace vhlo = mlir::vhlo;
using mlir::Attribute;
using mlir::NamedAttrList;

AttributeForm formOf(llvm::StringRef operation, llvm::StringRef attribute) {
  for (const PortableAttributeFacts& facts : portableAttributes(operation))
    if (attribute == llvm::StringRef(facts.attribute)) return facts.form;
  return AttributeForm::kGeneric;
}

// Operations of the func dialect have a portable form too.
constexpr llvm::StringLiteral kFunctionOperations[] = {"func", "call", "return"};

}  // namespace

std::optional<std::string> portableOperationName(mlir::OperationName name) {
  llvm::StringRef full = name.getStringRef();
  const bool ofFunction = full.consume_front("func.");
  if (ofFunction ? !llvm::is_contained(kFunctionOperations, full)
                 : !full.consume_front("stablehlo."))
    return std::nullopt;
  std::string current = vhlo::currentOperation(full);
  if (!mlir::RegisteredOperationName::lookup("vhlo." + current, name.getContext()))
    return std::nullopt;
  return current;
}

llvm::StringRef unversionedName(llvm::StringRef portableName) {
  portableName.consume_front("vhlo.");
  const auto [name, version] = portableName.rsplit("_v");
  int number = 0;
  return version.getAsInteger(10, number) ? llvm::StringRef() : name;
}

std::string workingOperationName(llvm::StringRef unversioned, bool returnsFromFunction) {
  const bool ofFunction = unversioned == "return"
                              ? returnsFromFunction
                              : llvm::is_contained(kFunctionOperations, unversioned);
  return ((ofFunction ? "func." : "stablehlo.") + unversioned).str();
}

bool attributesFromPortable(llvm::StringRef unversioned, PortableAttributes& translator,
                            const NamedAttrList& portable, NamedAttrList& working,
                            std::string& problem) {
  llvm::StringSet<> consumed;
  // Defaults are left out. A structure of which all parts are at their defaults
  // is not there at all (a channel, an algorithm).
  for (const PortableAttributeFacts& facts : portableAttributes(unversioned)) {
    Attribute value = portable.get(facts.attribute);
    Attribute expected = portableDefault(facts.value, translator, portable);
    if (value && expected && saysDefault(value, expected)) consumed.insert(facts.attribute);
  }
  // Layouts come for operands and results together.
  if (consumed.contains("operand_layouts") != consumed.contains("result_layouts")) {
    consumed.erase("operand_layouts");
    consumed.erase("result_layouts");
  }
  for (const PortableStructure& structure : structuresOf(unversioned)) {
    if (llvm::all_of(structure.parts,
                     [&](llvm::StringRef part) { return consumed.contains(part); }))
      continue;
    for (llvm::StringRef part : structure.parts) consumed.insert(part);
    Attribute whole = readStructure(structure, translator, portable);
    if (!whole) {
      problem = fmt::format("the parts of its {} are missing or malformed", structure.attribute);
      return false;
    }
    working.set(structure.attribute, whole);
  }
  for (mlir::NamedAttribute attribute : portable) {
    const llvm::StringRef name = attribute.getName().getValue();
    if (consumed.contains(name)) continue;
    const AttributeForm form = formOf(unversioned, name);
    Attribute value = translator.fromPortable(attribute.getValue(), form);
    if (!value && form == AttributeForm::kFlag &&
        mlir::isa<vhlo::BooleanV1Attr>(attribute.getValue()))
      continue;
    // A discardable attribute may bear the name of an operation's own.
    if (!value && form != AttributeForm::kGeneric)
      value = translator.fromPortable(attribute.getValue(), AttributeForm::kGeneric);
    if (!value) {
      problem = fmt::format("its attribute {} is malformed", name.str());
      return false;
    }
    working.set(name, value);
  }
  return true;
}

bool attributesToPortable(llvm::StringRef unversioned, PortableAttributes& translator,
                          const NamedAttrList& working, NamedAttrList& portable,
                          std::string& problem) {
  const auto structures = structuresOf(unversioned);
  for (mlir::NamedAttribute attribute : working) {
    const llvm::StringRef name = attribute.getName().getValue();
    if (llvm::any_of(structures, [&](const PortableStructure& structure) {
          return name == structure.attribute &&
                 writeStructure(structure, attribute.getValue(), translator, portable);
        }))
      continue;
    Attribute value;
    if (formOf(unversioned, name) == AttributeForm::kFlag &&
        mlir::isa<mlir::UnitAttr>(attribute.getValue()))
      value = vhlo::BooleanV1Attr::get(translator.context(), true);
    else if (unversioned == "custom_call" && name == "api_version")
      value = translator.apiVersion(attribute.getValue());
    else
      value = translator.toPortable(attribute.getValue());
    if (!value) {
      problem = fmt::format("its attribute {} has no portable form", name.str());
      return false;
    }
    portable.set(name, value);
  }
  for (const PortableAttributeFacts& facts : portableAttributes(unversioned))
    if (!portable.get(facts.attribute))
      if (Attribute value = portableDefault(facts.value, translator, portable))
        portable.set(facts.attribute, value);
  return true;
}

}  // namespace vintage::golden::program
