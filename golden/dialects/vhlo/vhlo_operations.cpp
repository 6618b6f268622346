#include "golden/dialects/vhlo/vhlo_operations.h"

#include <memory>

#include "golden/module/operation_facts.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::vhlo {
namespace {

using vintage::golden::PortableForm;

// The attributes of an operation by OperationName::getAttributeNames(), null where one is missing.
using Values = SmallVector<Attribute, 4>;

Values& stored(OpaqueProperties properties) { return *properties.as<Values*>(); }
// An operation without attributes stores nothing.
MutableArrayRef<Attribute> values(OpaqueProperties properties) {
  return properties ? MutableArrayRef<Attribute>(stored(properties)) : MutableArrayRef<Attribute>();
}
MutableArrayRef<Attribute> values(Operation* op) { return values(op->getPropertiesStorage()); }

struct AttributeBytecode : BytecodeOpInterface::FallbackModel<AttributeBytecode> {
  static LogicalResult readProperties(DialectBytecodeReader& reader, OperationState& state) {
    auto& read = state.getOrAddProperties<Values>();
    read.resize(state.name.getAttributeNames().size());
    return success(
        llvm::all_of(read, [&](Attribute& each) { return succeeded(reader.readAttribute(each)); }));
  }
  void writeProperties(Operation* op, DialectBytecodeWriter& writer) const {
    for (Attribute each : values(op)) writer.writeAttribute(each);
  }
};

mlir::detail::InterfaceMap interfaces() {
  mlir::detail::InterfaceMap map;
  map.insertModels<AttributeBytecode>();
  return map;
}

// One class for all forms, where ODS would generate one for each.
class PortableOperation final : public OperationName::Impl {
 public:
  PortableOperation(const PortableForm& form, Dialect& dialect, TypeID id)
      : Impl((dialect.getNamespace() + "." + llvm::StringRef(form.name)).str(), &dialect, id,
             interfaces()),
        form_(form) {}

  LogicalResult foldHook(Operation*, ArrayRef<Attribute>, SmallVectorImpl<OpFoldResult>&) override {
    return failure();
  }
  void getCanonicalizationPatterns(RewritePatternSet&, MLIRContext*) override {}
  bool hasTrait(TypeID trait) override {
    return (form_.isTerminator && trait == TypeID::get<OpTrait::IsTerminator>()) ||
           (form_.isIsolated && trait == TypeID::get<OpTrait::IsIsolatedFromAbove>());
  }

  OperationName::ParseAssemblyFn getParseAssemblyFn() override {
    return [](OpAsmParser& parser, OperationState&) {
      return parser.emitError(parser.getNameLoc(), "has no custom assembly form");
    };
  }
  void printAssembly(Operation* op, OpAsmPrinter& printer, StringRef) override {
    printer.printGenericOp(op);
  }

  LogicalResult verifyInvariants(Operation* op) override {
    namespace check = OpTrait::impl;
    if (failed(form_.moreRegions ? check::verifyAtLeastNRegions(op, form_.regions)
                                 : check::verifyNRegions(op, form_.regions)) ||
        failed(form_.moreResults ? check::verifyAtLeastNResults(op, form_.results)
                                 : check::verifyNResults(op, form_.results)) ||
        failed(check::verifyZeroSuccessors(op)) ||
        failed(form_.moreOperands ? check::verifyAtLeastNOperands(op, form_.operands)
                                  : check::verifyNOperands(op, form_.operands)))
      return failure();
    for (auto [name, value] : llvm::zip_equal(attributeNames, values(op)))
      if (!value) return op->emitOpError("requires attribute '") << name.getValue() << "'";
    return form_.isTerminator ? check::verifyIsTerminator(op) : success();
  }
  LogicalResult verifyRegionInvariants(Operation* op) override {
    return form_.isIsolated ? OpTrait::impl::verifyIsIsolatedFromAbove(op) : success();
  }

  void populateDefaultAttrs(const OperationName&, NamedAttrList&) override {}
  std::optional<Attribute> getInherentAttr(Operation* op, StringRef name) override {
    const auto* found = llvm::find(attributeNames, name);
    if (found == attributeNames.end()) return std::nullopt;
    return values(op)[found - attributeNames.begin()];
  }
  void setInherentAttr(Operation* op, StringAttr name, Attribute value) override {
    const auto* found = llvm::find(attributeNames, name);
    if (found != attributeNames.end()) values(op)[found - attributeNames.begin()] = value;
  }
  void populateInherentAttrs(Operation* op, NamedAttrList& attributes) override {
    for (auto [name, value] : llvm::zip_equal(attributeNames, values(op)))
      if (value) attributes.append(name, value);
  }
  LogicalResult verifyInherentAttrs(OperationName, NamedAttrList&,
                                    function_ref<InFlightDiagnostic()>) override {
    return success();
  }

  int getOpPropertyByteSize() override { return attributeNames.empty() ? 0 : sizeof(Values); }
  void initProperties(OperationName, OpaqueProperties storage, OpaqueProperties init) override {
    if (init)
      new (storage.as<void*>()) Values(stored(init));
    else
      new (storage.as<void*>()) Values(attributeNames.size());
  }
  void deleteProperties(OpaqueProperties properties) override { stored(properties).~Values(); }
  void populateDefaultProperties(OperationName, OpaqueProperties) override {}
  LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties properties, Attribute from,
                                      function_ref<InFlightDiagnostic()> emitError) override {
    auto dictionary = dyn_cast<DictionaryAttr>(from);
    if (!dictionary) return emitError() << "expected DictionaryAttr to set properties";
    for (auto [name, value] : llvm::zip_equal(attributeNames, values(properties)))
      if (Attribute given = dictionary.get(name)) value = given;
    return success();
  }
  Attribute getPropertiesAsAttr(Operation* op) override {
    NamedAttrList attributes;
    populateInherentAttrs(op, attributes);
    return attributes.empty() ? Attribute() : attributes.getDictionary(op->getContext());
  }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) override {
    stored(to) = stored(from);
  }
  bool compareProperties(OpaqueProperties left, OpaqueProperties right) override {
    return values(left) == values(right);
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) override {
    return llvm::hash_combine_range(values(properties).begin(), values(properties).end());
  }

 private:
  const PortableForm& form_;
};

}  // namespace

void registerOperations(Dialect& dialect) {
  const auto forms = vintage::golden::portableForms();
  static const auto ids = std::make_unique<SelfOwningTypeID[]>(forms.size());
  for (auto [form, id] : llvm::zip_equal(forms, llvm::ArrayRef(ids.get(), forms.size()))) {
    SmallVector<StringRef> names;
    StringRef(form.attributes).split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    // From bytecode version 5 on they are written in this order.
    llvm::sort(names);
    RegisteredOperationName::insert(std::make_unique<PortableOperation>(form, dialect, id), names);
  }
}

}  // namespace mlir::vhlo
