#include "golden/program/portable_operation_rules.h"

#include <fmt/format.h>

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/portable_defaults.h"
#include "golden/program/portable_structures.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vintage::golden::program {
namespace {

namespace vhlo = mlir::vhlo;
using mlir::Attribute;
using mlir::NamedAttrList;

AttributeForm formOf(llvm::StringRef operation, llvm::StringRef attribute) {
  if (operation == "call" && attribute == "callee") return AttributeForm::kSymbol;
  if (operation == "composite" && attribute == "decomposition") return AttributeForm::kSymbol;
  if (operation == "custom_call" && attribute == "called_computations")
    return AttributeForm::kSymbols;
  return llvm::StringSwitch<AttributeForm>(attribute)
      .Cases({"base_dilations", "broadcast_dimensions", "broadcast_sizes", "dimensions",
              "edge_padding_high", "edge_padding_low", "fft_length", "interior_padding",
              "known_expanding_dimensions", "known_nonexpanding_dimensions", "lhs_dilation",
              "limit_indices", "permutation", "rhs_dilation", "slice_sizes", "start_indices",
              "strides", "window_dilations", "window_dimensions", "window_strides"},
             AttributeForm::kIntegers)
      .Case("window_reversal", AttributeForm::kBooleans)
      .Cases({"has_dynamic_root", "use_global_device_ids"}, AttributeForm::kFlag)
      .Default(AttributeForm::kGeneric);
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
  // Defaults are left out. A structure whose first part is at its default is
  // not there at all (a channel, an algorithm).
  for (const PortableDefault& each : portableDefaults(unversioned, translator, portable)) {
    Attribute value = portable.get(each.attribute);
    if (value && saysDefault(value, each.value)) consumed.insert(each.attribute);
  }
  // Layouts come for operands and results together.
  if (consumed.contains("operand_layouts") != consumed.contains("result_layouts")) {
    consumed.erase("operand_layouts");
    consumed.erase("result_layouts");
  }
  for (const PortableStructure* structure : structuresOf(unversioned)) {
    if (structure->isAbsent && structure->isAbsent(consumed)) continue;
    PortablePartReader parts(translator, portable, consumed);
    Attribute whole = structure->read(translator.context(), parts);
    if (!parts.ok || !whole) {
      problem = fmt::format("the parts of its {} are missing or malformed", structure->attribute);
      return false;
    }
    working.set(structure->attribute, whole);
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
  PortablePartWriter parts(translator, portable);
  for (mlir::NamedAttribute attribute : working) {
    const llvm::StringRef name = attribute.getName().getValue();
    bool split = false;
    for (const PortableStructure* structure : structuresOf(unversioned))
      split =
          split || (name == structure->attribute && structure->write(attribute.getValue(), parts));
    if (split) continue;
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
  for (const PortableDefault& each : portableDefaults(unversioned, translator, portable))
    if (!portable.get(each.attribute)) portable.set(each.attribute, each.value);
  return true;
}

}  // namespace vintage::golden::program
