#include "golden/kernels/kept_dialects.h"

#include "golden/kernels/kept_syntax.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectImplementation.h"

namespace vintage::golden::kept {
using namespace mlir;

namespace {

class KeptDialect : public ExtensibleDialect {
 public:
  KeptDialect(const Operations& operations, MLIRContext* context, TypeID id, Counts& found)
      : ExtensibleDialect(operations.dialect, context, id), counts(found) {}

  Type parseType(DialectAsmParser& parser) const override {
    return OpaqueType::get(name(), parser.getFullSymbolSpec());
  }
  void printType(Type, DialectAsmPrinter&) const override {}
  Attribute parseAttribute(DialectAsmParser& parser, Type) const override {
    return OpaqueAttr::get(name(), parser.getFullSymbolSpec(), NoneType::get(getContext()));
  }
  void printAttribute(Attribute, DialectAsmPrinter&) const override {}

  Counts& counts;

 private:
  StringAttr name() const { return StringAttr::get(getContext(), getNamespace()); }
};

// Numbers up to the end of an operation's attributes. MLIR reports the end as an error.
std::vector<uint64_t> readNumbers(DialectBytecodeReader& reader, MLIRContext* context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic&) { return success(); });
  std::vector<uint64_t> numbers;
  for (uint64_t number = 0; succeeded(reader.readVarInt(number));) numbers.push_back(number);
  return numbers;
}

SmallVector<StringRef> namesOf(const Form& form) {
  SmallVector<StringRef> names;
  StringRef(form.attributes).split(names, ' ', -1, /*KeepEmpty=*/false);
  return names;
}

// Whether the numbers are those of a form. The sizes of groups are all there behind twice their
// number, or, where few are not 0, those behind a width and twice their number and one.
bool fits(const Form& form, ArrayRef<uint64_t> numbers) {
  const size_t attributes = namesOf(form).size();
  if (form.groups == 0) return numbers.size() == attributes;
  if (numbers.size() <= attributes) return false;
  const uint64_t sizes = numbers[attributes] >> 1, rest = numbers.size() - attributes - 1;
  if (numbers[attributes] & 1) return sizes > 0 && rest == sizes + 1;
  return sizes == static_cast<uint64_t>(form.groups) && rest == sizes;
}

const Form* formOf(StringRef name, ArrayRef<uint64_t> numbers, bool& isListed) {
  const auto [dialect, operation] = name.split('.');
  for (const Operations& each : operations()) {
    if (dialect != StringRef(each.dialect)) continue;
    for (const Form& form : each.forms) {
      if (operation != StringRef(form.operation)) continue;
      isListed = true;
      if (fits(form, numbers)) return &form;
    }
  }
  return nullptr;
}

LogicalResult readOne(DialectBytecodeReader& reader, OperationState& state, StringRef name) {
  Attribute value;
  const bool mayBeAbsent = name.consume_back("?");
  if (failed(mayBeAbsent ? reader.readOptionalAttribute(value) : reader.readAttribute(value)))
    return failure();
  if (value) state.addAttribute(name, value);
  return success();
}

struct KeptAttributes : BytecodeOpInterface::FallbackModel<KeptAttributes> {
  static LogicalResult readProperties(DialectBytecodeReader& reader, OperationState& state) {
    Counts& counts = static_cast<KeptDialect*>(state.name.getDialect())->counts;
    if (counts.isCounting) {
      counts.numbers.push_back(readNumbers(reader, state.getContext()));
      return success();
    }
    if (counts.numbers.empty()) return reader.emitError("an operation was not counted");
    const std::vector<uint64_t> numbers = std::move(counts.numbers.front());
    counts.numbers.pop_front();
    const StringRef name = state.name.getStringRef();
    bool isListed = false;
    const Form* form = formOf(name, numbers, isListed);
    if (!form) {
      if (isListed)
        return reader.emitError() << name << " has attributes of " << numbers.size()
                                  << " numbers, which no release of JAX up to 0.12 writes";
      for (size_t i = 0; i < numbers.size(); ++i)
        if (failed(readOne(reader, state, ("hint" + Twine(i) + "?").str()))) return failure();
      return success();
    }
    for (StringRef each : namesOf(*form))
      if (failed(readOne(reader, state, each))) return failure();
    if (form->groups == 0) return success();
    SmallVector<int32_t> groups(form->groups);
    if (failed(reader.readSparseArray(MutableArrayRef(groups)))) return failure();
    state.addAttribute("operandSegmentSizes", DenseI32ArrayAttr::get(state.getContext(), groups));
    return success();
  }
  void writeProperties(mlir::Operation*, DialectBytecodeWriter&) const {}
};

// MLIR knows a dialect's class by an id; these have one class, and each its own id.
TypeID idOf(const Operations& dialect) {
  static const auto ids = std::make_unique<SelfOwningTypeID[]>(operations().size());
  return ids[static_cast<size_t>(&dialect - operations().data())].getTypeID();
}

}  // namespace

void load(MLIRContext& context, Counts& counts) {
  for (const Operations& each : operations()) {
    const TypeID id = idOf(each);
    auto* dialect = static_cast<KeptDialect*>(context.getOrLoadDialect(each.dialect, id, [&] {
      return std::make_unique<KeptDialect>(each, &context, id, counts);
    }));
    SmallVector<StringRef> names;
    StringRef(each.names).split(names, ' ');
    for (StringRef name : names) {
      const auto holds = [](mlir::Operation*) { return success(); };
      const auto print = [](mlir::Operation* op, OpAsmPrinter& printer, StringRef) {
        printer.printGenericOp(op);
      };
      dialect->registerDynamicOp(
          DynamicOpDefinition::get(name, dialect, holds, holds, parseOwnSyntax, print));
      RegisteredOperationName::lookup((dialect->getNamespace() + "." + name).str(), &context)
          ->attachInterface<KeptAttributes>();
    }
  }
}

}  // namespace vintage::golden::kept
