#include "golden/program/portable_artifact.h"

#include <memory>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/program/bytecode_reading.h"
#include "golden/program/module_translation.h"
#include "golden/program/portable_attributes.h"
#include "golden/program/program.h"
#include "golden/program/program_module.h"
#include "golden/program/referred_constants.h"
#include "golden/program/version_conversion.h"
#include "mlir/IR/Verifier.h"

namespace vintage::golden {
using namespace mlir;

// The translations of portable types and operations, for the programs of one context.
struct UpgradeMemory {
  explicit UpgradeMemory(MLIRContext* context) : types(context), attributes(context, types) {}

  // An operation that returns from a function has an entry of its own: see endsFunction().
  OperationMemory<OwningOpRef<mlir::Operation*>> operations;
  PortableTypes types;
  PortableAttributes attributes;
};

namespace {

// VHLO has one terminator for functions and regions, and StableHLO has two.
bool endsFunction(mlir::Operation& operation) {
  mlir::Operation* parent = operation.getParentOp();
  return parent &&
         llvm::is_contained({"vhlo.func_v1", "func.func"}, parent->getName().getStringRef());
}

// Upgrades every operation to the current version and turns it into
// StableHLO, func or the operation of another dialect that it already is.
class StablehloFromVhlo : public ModuleTranslation {
 public:
  explicit StablehloFromVhlo(UpgradeMemory& memory) : memory_(memory) {}

 protected:
  Type translateType(Type type) override { return memory_.types.fromPortable(type); }
  bool isForeign(mlir::Operation& operation) override {
    return operation.getName().getDialectNamespace() != "vhlo";
  }

  mlir::Operation* modelOf(mlir::Operation& from) override {
    if (!from.isRegistered()) {
      fail(from, "is not an operation of any StableHLO version that this build knows");
      return nullptr;
    }
    const bool returnsFromFunction = endsFunction(from);
    if (const auto* known = memory_.operations.find(from, returnsFromFunction)) return known->get();
    OperationState state(UnknownLoc::get(from.getContext()), from.getName());
    if (!translateOperation(from, state)) return nullptr;
    OwningOpRef<mlir::Operation*> working(mlir::Operation::create(state));
    return memory_.operations.add(from, std::move(working), returnsFromFunction).get();
  }

  bool translateOperation(mlir::Operation& from, OperationState& to) override {
    const bool returnsFromFunction = endsFunction(from);
    const DictionaryAttr portable = from.getAttrDictionary();
    PortableOperation operation;
    operation.name = from.getName().stripDialect().str();
    operation.attributes = portable.getValue();
    upgradeOperation(operation, memory_.attributes);

    const StringRef unversioned = unversionedName(operation.name);
    const std::string name = workingOperationName(unversioned, returnsFromFunction);
    if (!RegisteredOperationName::lookup(name, from.getContext()))
      return fail(from, fmt::format("has no counterpart {} in this build", name));

    NamedAttrList working;
    std::string problem;
    if (!attributesFromPortable(unversioned, memory_.attributes, operation.attributes, working,
                                problem))
      return fail(from, fmt::format("cannot be read: {}", problem));
    to.name = OperationName(name, from.getContext());
    to.attributes = working.getDictionary(from.getContext());
    return true;
  }

 private:
  UpgradeMemory& memory_;
};

// `referred` makes constants that refer to `bytes`; null: they are copied.
Result<Program> readArtifact(ProgramContext::Implementation& reader,
                             std::span<const std::byte> bytes, std::string_view name,
                             ReferredConstants* referred) {
  ASSIGN_OR_RETURN(ArtifactHeader header, readArtifactHeader(bytes, name));

  MLIRContext& context = reader.context;
  DiagnosticCollector diagnostics(context);
  auto damaged = [&](std::string_view stage, const std::string& problem) {
    if (isNewerThanKnown(header.version))
      return unsupported(
          "{}: the portable artifact of StableHLO {} {}: {}. This build knows StableHLO up to {}; "
          "write the artifact for that version, or read it with a later Vintage.",
          name, formatStablehloVersion(header.version), stage, problem,
          formatStablehloVersion(kCurrentStablehloVersion));
    return badInput("{}: the portable artifact of StableHLO {} {}: {}", name,
                    formatStablehloVersion(header.version), stage, problem);
  };
  mlir::Block top;
  if (const std::string problem = readBytecode(context, bytes, name, referred, diagnostics, top);
      !problem.empty())
    return damaged("cannot be read", problem);
  ModuleOp portable;
  if (llvm::hasSingleElement(top)) portable = dyn_cast<ModuleOp>(top.front());
  if (!portable) return damaged("cannot be read", "it does not hold exactly one module");

  if (!reader.upgrades) reader.upgrades = std::make_shared<UpgradeMemory>(&context);
  StablehloFromVhlo upgrade(*reader.upgrades);
  OwningOpRef<ModuleOp> module = upgrade.translate(portable);
  if (!module) return damaged("cannot be upgraded", upgrade.problem());
  if (failed(verify(*module)))
    return damaged("is not valid", diagnostics.message(name, "the bytes are damaged"));

  Program program = programOf(std::move(module), name, header.version);
  if (referred != nullptr) program.implementation().taken = std::make_shared<TakenConstants>();
  if (!reader.trees) reader.trees = makeTreeMemory();
  program.implementation().trees = reader.trees;
  return program;
}

}  // namespace

Result<Program> ProgramContext::readPortableArtifact(std::span<const std::byte> bytes,
                                                     std::string_view name) {
  return readArtifact(*implementation_, bytes, name, nullptr);
}

Result<Program> ProgramContext::readInPlace(std::span<std::byte> bytes, std::string_view name) {
  // Sections that ask for an alignment are read from an aligned copy, which does not stay.
  if (bytes.size() < kLargeConstant || !isAligned(bytes, sectionAlignment(bytes)))
    return readPortableArtifact(bytes, name);
  ReferredConstants referred(&implementation_->context);
  auto program = readArtifact(*implementation_, bytes, name, &referred);
  // Read again with copies: a program with a large array that is no constant, which no known
  // producer writes; and one that fails, for the usual message.
  if (program && (!referred.any() || onlyConstantsRefer(*program->implementation().module)))
    return program;
  return readPortableArtifact(bytes, name);
}

}  // namespace vintage::golden
