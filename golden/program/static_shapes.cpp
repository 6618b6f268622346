#include "golden/program/static_shapes.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/dialects/stablehlo/control_flow_ops.h"
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/program/module_translation.h"
#include "golden/program/program_module.h"
#include "golden/program/static_results.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/DebugStringHelper.h"

namespace vintage::golden {
using namespace mlir;

namespace {

using func::FuncOp;
using KnownValues = SmallVector<DenseIntElementsAttr>;

// A hostile program may call functions in any number of shapes.
constexpr size_t kMostFunctions = 4096;
constexpr int kDeepestCall = 256;

// Copies functions from one module to another, each for given argument types.
class StaticModule {
 public:
  StaticModule(ModuleOp from, std::string name)
      : from_(from),
        name_(std::move(name)),
        source_(from),
        module_(copyWithoutFunctions(from)),
        symbols_(*module_) {}

  Result<OwningOpRef<ModuleOp>> run(std::span<const StaticArgument> arguments,
                                    const std::string& entry) {
    auto function = source_.lookup<FuncOp>(entry);
    if (!function || function.isExternal())
      return usageError("{}: there is no function @{}", name_, entry);
    SmallVector<Type> types;
    KnownValues known;
    RETURN_IF_ERROR(bind(function, arguments, types, known));
    if (!specialize(function, types, known)) return tl::unexpected<Error>(error_);
    return std::move(module_);
  }

 private:
  struct Specialized {
    FuncOp function;
    KnownValues results;
  };
  // The function, its argument types and known arguments; the last two are uniqued.
  using Signature = std::pair<mlir::Operation*, std::vector<const void*>>;

  // Meshes and other declarations beside the functions.
  static OwningOpRef<ModuleOp> copyWithoutFunctions(ModuleOp from) {
    OwningOpRef<ModuleOp> copy = ModuleOp::create(from.getLoc());
    copy->getOperation()->setAttrs(from->getAttrDictionary());
    for (mlir::Operation& operation : *from.getBody())
      if (!isa<FuncOp>(operation)) copy->getBody()->push_back(operation.clone());
    return copy;
  }

  Status bind(FuncOp function, std::span<const StaticArgument> arguments, SmallVector<Type>& types,
              KnownValues& known) {
    size_t next = 0;
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
      types.push_back(type);
      known.emplace_back();
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor) continue;
      const std::string place =
          fmt::format("{}: argument {} of @{}", name_, index, function.getName().str());
      if (next == arguments.size())
        return failure(Error::Kind::kUsage, place + " is not given a shape");
      const StaticArgument& argument = arguments[next++];
      types.back() = withShape(type, argument.shape);
      if (!refines(types.back(), type) ||
          llvm::any_of(argument.shape, [](int64_t size) { return size < 0; }))
        return usageError("{} is {}, which {} does not fit", place, debugString(type),
                          debugString(types.back()));
      if (!argument.value) continue;
      const auto count = checkedCount(argument.shape);
      if (!tensor.getElementType().isInteger() || count != argument.value->size())
        return usageError("{} is {}, and cannot have {} known integers", place,
                          debugString(types.back()), argument.value->size());
      SmallVector<APInt> elements;
      for (int64_t value : *argument.value)
        elements.push_back(
            APInt(64, value).zextOrTrunc(tensor.getElementType().getIntOrFloatBitWidth()));
      known.back() = DenseIntElementsAttr::get(cast<RankedTensorType>(types.back()), elements);
    }
    if (next == arguments.size()) return {};
    return usageError("{}: @{} takes {} tensors, {} shapes are given", name_,
                      function.getName().str(), next, arguments.size());
  }

  static std::optional<size_t> checkedCount(const std::vector<int64_t>& shape) {
    __int128 count = 1;
    for (int64_t size : shape)
      if ((count *= size) > kLargestKnownValue) return std::nullopt;
    return static_cast<size_t>(count);
  }

  // Null: fail() was called.
  Specialized* specialize(FuncOp function, ArrayRef<Type> types,
                          ArrayRef<DenseIntElementsAttr> known) {
    Signature signature{function, {}};
    for (Type type : types) signature.second.push_back(type.getAsOpaquePointer());
    for (DenseIntElementsAttr value : known) signature.second.push_back(value.getAsOpaquePointer());
    if (const auto found = specialized_.find(signature); found != specialized_.end())
      return &found->second;
    if (!active_.insert(function).second)
      return fail(Error::Kind::kUnsupported, *function, "calls itself"), nullptr;
    if (specialized_.size() >= kMostFunctions || active_.size() > kDeepestCall)
      return fail(Error::Kind::kResource, *function, "is one function too many"), nullptr;
    Specialized made{cast<FuncOp>(function->cloneWithoutRegions()), {}};
    symbols_.insert(made.function);
    if (!function.isExternal() && !fill(function, types, known, made)) return nullptr;
    active_.erase(function);
    return &specialized_.emplace(std::move(signature), std::move(made)).first->second;
  }

  bool fill(FuncOp from, ArrayRef<Type> types, ArrayRef<DenseIntElementsAttr> known,
            Specialized& made) {
    if (!translateRegion(from.getBody(), made.function.getBody(), types, known)) return false;
    mlir::Operation* terminator = made.function.getBody().front().getTerminator();
    made.function.setFunctionType(
        FunctionType::get(from.getContext(), types, terminator->getOperandTypes()));
    made.results = knownOf(terminator->getOperands());
    dropUnusedConstants(made.function);
    return true;
  }

  bool translateRegion(mlir::Region& from, mlir::Region& to, TypeRange types,
                       ArrayRef<DenseIntElementsAttr> known) {
    if (!from.hasOneBlock())
      return fail(Error::Kind::kUnsupported, *from.getParentOp(), "has more than one block");
    auto* block = new mlir::Block();
    to.push_back(block);
    auto builder = OpBuilder::atBlockBegin(block);
    for (auto [index, argument] : llvm::enumerate(from.getArguments())) {
      if (index >= types.size() || !refines(types[index], argument.getType()))
        return fail(Error::Kind::kBadInput, *from.getParentOp(),
                    fmt::format("gives its body an argument that is no {}",
                                debugString(argument.getType())));
      Value value = block->addArgument(types[index], argument.getLoc());
      if (index < known.size() && known[index])
        value = addConstant(builder, argument.getLoc(), known[index]);
      mapping_.map(argument, value);
    }
    for (mlir::Operation& operation : from.front())
      if (!translateOne(operation, builder)) return false;
    return true;
  }

  Value addConstant(OpBuilder& builder, Location where, DenseIntElementsAttr value) {
    OperationState state(where, "stablehlo.constant", {}, value.getType(),
                         builder.getNamedAttr("value", value));
    Value result = builder.create(state)->getResult(0);
    known_[result] = value;
    return result;
  }

  KnownValues knownOf(ValueRange values) const {
    return llvm::map_to_vector(values, [this](Value value) { return known_.lookup(value); });
  }

  bool translateOne(mlir::Operation& from, OpBuilder& builder) {
    SmallVector<Value> operands;
    for (Value operand : from.getOperands()) operands.push_back(mapping_.lookup(operand));
    if (isa<func::CallOp, stablehlo::CompositeOp>(from))
      return translateCall(from, operands, builder);
    if (isAssertionThatHolds(from, operands)) return true;
    if (mlir::Region* branch = takenBranch(from, operands))
      return putBranch(*branch, from, builder);
    // Attached to no block until it is known not to be a constant.
    mlir::Operation* copy = from.cloneWithoutRegions();
    copy->setOperands(operands);
    const KnownValues known = knownOf(operands);
    auto state = staticForm(*copy, known, builder);
    if (!state || *state) copy->destroy();
    if (!state) return fail(state.error().kind, from, state.error().message);
    if (*state) copy = mlir::Operation::create(**state);
    OwningOpRef<mlir::Operation*> owned(copy);
    if (from.getNumRegions() > 0 && !translateRegions(from, *copy)) return false;
    if (!bringComputations(from, *copy)) return false;
    DiagnosticCollector diagnostics(*from.getContext());
    auto types = staticResults(*copy);
    if (!types) return fail(types.error().kind, from, types.error().message);
    for (auto [result, type] : llvm::zip_equal(copy->getResults(), *types)) {
      if (!refines(type, from.getResult(result.getResultNumber()).getType()))
        return fail(Error::Kind::kBadInput, from,
                    fmt::format("gives {} where the program says {}", debugString(type),
                                debugString(from.getResult(result.getResultNumber()).getType())));
      result.setType(type);
    }
    // Before it is computed: the sizes may contradict the program.
    const bool isChecked = from.getNumRegions() == 0 || llvm::any_of(*types, isDynamicType);
    if (isChecked && !copy->hasTrait<OpTrait::IsTerminator>() && failed(verify(copy)))
      return fail(Error::Kind::kBadInput, from,
                  "contradicts these sizes: " + diagnostics.message(name_, "it is not valid"));
    if (DenseIntElementsAttr value = foldIntegers(*copy, knownOf(copy->getOperands()))) {
      mapping_.map(from.getResult(0), addConstant(builder, from.getLoc(), value));
      return true;
    }
    builder.insert(owned.release());
    for (auto [old, result] : llvm::zip_equal(from.getResults(), copy->getResults()))
      mapping_.map(old, result);
    return true;
  }

  // A custom call names the functions that it uses, such as the comparison of a top_k, in an
  // attribute, and no operation calls them.
  bool bringComputations(mlir::Operation& from, mlir::Operation& copy) {
    auto named = copy.getAttrOfType<ArrayAttr>("called_computations");
    if (!isa<stablehlo::CustomCallOp>(from) || !named) return true;
    SmallVector<mlir::Attribute> brought;
    for (mlir::Attribute one : named) {
      auto reference = dyn_cast<FlatSymbolRefAttr>(one);
      auto function = reference ? source_.lookup<FuncOp>(reference.getValue()) : FuncOp();
      if (!function)
        return fail(Error::Kind::kBadInput, from, "names a computation that the module lacks");
      Specialized* made = specialize(function, function.getArgumentTypes(),
                                     KnownValues(function.getNumArguments()));
      if (!made) return false;
      brought.push_back(FlatSymbolRefAttr::get(made->function.getNameAttr()));
    }
    copy.setAttr("called_computations", ArrayAttr::get(from.getContext(), brought));
    return true;
  }

  // The branch of a choice whose operand is known. JAX chooses so between platforms; the other
  // branches call what this one does not have.
  mlir::Region* takenBranch(mlir::Operation& from, ArrayRef<Value> operands) const {
    if (!isa<stablehlo::IfOp, stablehlo::CaseOp>(from)) return nullptr;
    const DenseIntElementsAttr known = known_.lookup(operands[0]);
    if (!known || known.getNumElements() != 1) return nullptr;
    const APInt value = known.getValues<APInt>()[0];
    if (isa<stablehlo::IfOp>(from)) return &from.getRegion(value.isZero() ? 1 : 0);
    const int64_t index = value.getSExtValue(), last = from.getNumRegions() - 1;
    return &from.getRegion(index < 0 || index > last ? last : index);
  }

  bool putBranch(mlir::Region& branch, mlir::Operation& from, OpBuilder& builder) {
    if (!branch.hasOneBlock() || !branch.front().mightHaveTerminator())
      return fail(Error::Kind::kUnsupported, from, "has more than one block in a branch");
    for (mlir::Operation& operation : branch.front().without_terminator())
      if (!translateOne(operation, builder)) return false;
    for (auto [result, value] :
         llvm::zip(from.getResults(), branch.front().getTerminator()->getOperands()))
      mapping_.map(result, mapping_.lookup(value));
    return true;
  }

  // The bodies of loops see the operands, all others what they declare; branches
  // decide the types of the results.
  bool translateRegions(mlir::Operation& from, mlir::Operation& copy) {
    const bool loop = isa<stablehlo::WhileOp>(from);
    const KnownValues invariant = loop ? invariants(from, copy) : KnownValues();
    for (auto [region, to] : llvm::zip_equal(from.getRegions(), copy.getRegions())) {
      SmallVector<Type> types(region.getArgumentTypes());
      if (loop) types.assign(copy.operand_type_begin(), copy.operand_type_end());
      if (!translateRegion(region, to, types, invariant)) return false;
    }
    if (loop &&
        copy.getRegion(1).front().getTerminator()->getOperandTypes() != copy.getOperandTypes())
      return fail(Error::Kind::kUnsupported, from, "changes a shape from one turn to the next");
    if (!isa<stablehlo::IfOp, stablehlo::CaseOp>(from)) return true;
    if (copy.getNumRegions() == 0) return true;
    const auto first = copy.getRegion(0).front().getTerminator()->getOperandTypes();
    for (mlir::Region& region : copy.getRegions())
      if (region.front().getTerminator()->getOperandTypes() != first)
        return fail(Error::Kind::kUnsupported, from, "has branches that give different shapes");
    for (auto [result, type] : llvm::zip(copy.getResults(), first)) result.setType(type);
    return true;
  }

  // Values that a loop hands on as they are stay known inside.
  KnownValues invariants(mlir::Operation& loop, mlir::Operation& copy) const {
    KnownValues known = knownOf(copy.getOperands());
    mlir::Region& body = loop.getRegion(1);
    if (!body.hasOneBlock() || !body.front().mightHaveTerminator()) return {};
    mlir::Operation* terminator = body.front().getTerminator();
    for (size_t i = 0; i < known.size(); ++i)
      if (i >= terminator->getNumOperands() || i >= body.getNumArguments() ||
          terminator->getOperand(i) != body.getArgument(i))
        known[i] = {};
    return known;
  }

  bool translateCall(mlir::Operation& from, ArrayRef<Value> operands, OpBuilder& builder) {
    const bool call = isa<func::CallOp>(from);
    const char* attribute = call ? "callee" : "decomposition";
    auto reference = from.getAttrOfType<FlatSymbolRefAttr>(attribute);
    auto callee = reference ? source_.lookup<FuncOp>(reference.getValue()) : FuncOp();
    if (!callee || callee.getNumArguments() != operands.size())
      return fail(Error::Kind::kBadInput, from, "does not call a function of the module");
    const SmallVector<Type> types(ValueRange(operands).getTypes());
    for (auto [type, declared] : llvm::zip_equal(types, callee.getArgumentTypes()))
      if (!refines(type, declared))
        return fail(
            Error::Kind::kBadInput, from,
            fmt::format("hands {} to an argument {}", debugString(type), debugString(declared)));
    Specialized* made = specialize(callee, types, knownOf(operands));
    if (!made) return false;
    mlir::Operation* copy = from.cloneWithoutRegions();
    copy->setOperands(operands);
    FunctionType signature = made->function.getFunctionType();
    copy->setAttr(attribute, FlatSymbolRefAttr::get(made->function.getNameAttr()));
    builder.insert(copy);
    for (auto [index, result] : llvm::enumerate(copy->getResults())) {
      result.setType(signature.getResult(index));
      mapping_.map(from.getResult(index), result);
      if (index < made->results.size() && made->results[index])
        known_[result] = made->results[index];
    }
    return true;
  }

  // JAX asserts its constraints on dimensions; those that hold have done their work.
  bool isAssertionThatHolds(mlir::Operation& from, ArrayRef<Value> operands) const {
    auto call = dyn_cast<stablehlo::CustomCallOp>(from);
    if (!call || call.getCallTargetName() != "shape_assertion" || operands.empty()) return false;
    const DenseIntElementsAttr condition = known_.lookup(operands[0]);
    return from.getNumResults() == 0 && condition && condition.getNumElements() == 1 &&
           condition.getValues<APInt>()[0].isOne();
  }

  void dropUnusedConstants(FuncOp function) {
    function.walk([&](mlir::Operation* operation) {
      if (operation->getName().getStringRef() != "stablehlo.constant" || !operation->use_empty())
        return;
      // Another value may come to lie at its address.
      known_.erase(operation->getResult(0));
      operation->erase();
    });
  }

  bool fail(Error::Kind kind, mlir::Operation& operation, const std::string& what) {
    if (error_.message.empty())
      error_ = {kind, fmt::format("{}: {} {}", name_, placeOf(operation), what)};
    return false;
  }

  ModuleOp from_;
  std::string name_;
  SymbolTable source_;
  OwningOpRef<ModuleOp> module_;
  SymbolTable symbols_;
  IRMapping mapping_;  // Of the function that is translated, and its callers.
  DenseMap<Value, DenseIntElementsAttr> known_;
  std::map<Signature, Specialized> specialized_;
  std::set<mlir::Operation*> active_;
  Error error_{Error::Kind::kBadInput, ""};
};

}  // namespace

Result<Program> makeShapesStatic(const Program& program, std::span<const StaticArgument> arguments,
                                 const std::string& entry) {
  const Program::Implementation& source = program.implementation();
  ModuleOp from = *source.module;
  ASSIGN_OR_RETURN(auto module, StaticModule(from, source.name).run(arguments, entry));
  DiagnosticCollector diagnostics(*from.getContext());
  if (failed(verify(*module)))
    return failure(Error::Kind::kBadInput,
                   source.name + ": with these sizes the program is not valid: " +
                       diagnostics.message(source.name, "it does not verify"));
  return programOf(std::move(module), source.name, source.artifactVersion);
}

}  // namespace vintage::golden
