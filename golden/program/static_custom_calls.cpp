
#include <vector>

#include "golden/base/failures.h"
#include "golden/dialects/stablehlo/control_flow_ops.h"
#include "golden/program/static_results.h"
#include "mlir/IR/Builders.h"

namespace vintage::golden {
namespace {

namespace stablehlo = mlir::stablehlo;
using Known = llvm::ArrayRef<mlir::DenseIntElementsAttr>;

constexpr llvm::StringRef kShapeOperands = "indices_of_shape_operands";
constexpr llvm::StringRef kBackendConfig = "mhlo.backend_config";

// The integers of operand `index`.
Result<std::vector<int64_t>> known(Known values, int64_t index) {
  if (index < 0 || index >= static_cast<int64_t>(values.size()))
    return badInput("names operand {} as a shape, and has {}", index, values.size());
  const auto place = static_cast<size_t>(index);
  if (!values[place])
    return unsupported("takes its shape from operand {}, which is only known when it runs", index);
  std::vector<int64_t> integers;
  for (const llvm::APInt& value : values[place].getValues<llvm::APInt>())
    integers.push_back(value.getSExtValue());
  return integers;
}

Result<mlir::Type> shapedBy(mlir::Type type, Known values, int64_t index) {
  ASSIGN_OR_RETURN(auto shape, known(values, index));
  for (const int64_t size : shape)
    if (size < 0) return badInput("has the negative size {} in operand {}", size, index);
  return withShape(type, shape);
}

class Call {
 public:
  Call(stablehlo::CustomCallOp call, Known known)
      : call_(call), known_(known), state_(call.getLoc(), "stablehlo.custom_call") {}

  Result<mlir::OperationState> withoutShapeOperands(mlir::DenseIntElementsAttr indices) {
    RETURN_IF_ERROR(shapeResults(indices));
    addOperandsUpTo(firstShape_);
    for (mlir::NamedAttribute attribute : call_->getAttrs())
      if (attribute.getName() != kShapeOperands) addAttribute(attribute);
    return std::move(state_);
  }

  // Its operands are the values and their places, an initial value for each, k, and the shapes.
  Result<mlir::OperationState> approxTopK(mlir::DenseIntElementsAttr indices) {
    RETURN_IF_ERROR(shapeResults(indices));
    if (firstShape_ == 0) return badInput("has no operand for k");
    const size_t k = firstShape_ - 1;
    ASSIGN_OR_RETURN(auto count, known(known_, static_cast<int64_t>(k)));
    auto fields = call_->getAttrOfType<mlir::DictionaryAttr>(kBackendConfig);
    if (count.size() != 1 || !fields)
      return badInput("needs a single k and {}", kBackendConfig.str());
    addOperandsUpTo(k);
    mlir::Builder builder(call_.getContext());
    for (mlir::NamedAttribute attribute : call_->getAttrs()) {
      if (attribute.getName() == kShapeOperands) continue;
      if (attribute.getName() == "call_target_name")
        attribute.setValue(builder.getStringAttr("ApproxTopK"));
      if (attribute.getName() == kBackendConfig) {
        mlir::NamedAttrList all(fields);
        all.set("top_k", builder.getI64IntegerAttr(count[0]));
        attribute.setValue(all.getDictionary(call_.getContext()));
      }
      addAttribute(attribute);
    }
    return std::move(state_);
  }

  // Its operands are the state and the shape of the bits.
  Result<mlir::OperationState> rngBitGenerator() {
    if (call_->getNumOperands() != 2 || call_->getNumResults() != 2)
      return badInput("takes a state and a shape, and gives a state and bits");
    mlir::OperationState state(call_.getLoc(), "stablehlo.rng_bit_generator");
    state.addOperands(call_->getOperand(0));
    if (mlir::Attribute algorithm = call_->getAttr("rng_algorithm"))
      state.addAttribute("rng_algorithm", algorithm);
    ASSIGN_OR_RETURN(auto bits, shapedBy(call_->getResult(1).getType(), known_, 1));
    state.addTypes({call_->getOperand(0).getType(), bits});
    return state;
  }

 private:
  Status shapeResults(mlir::DenseIntElementsAttr indices) {
    if (indices.getNumElements() != call_->getNumResults())
      return badInput("names {} operands for the shapes of {} results", indices.getNumElements(),
                      call_->getNumResults());
    firstShape_ = call_->getNumOperands();
    for (auto [result, index] :
         llvm::zip_equal(call_->getResults(), indices.getValues<int64_t>())) {
      ASSIGN_OR_RETURN(auto type, shapedBy(result.getType(), known_, index));
      state_.addTypes(type);
      firstShape_ = std::min(firstShape_, static_cast<size_t>(index));
    }
    // Layouts and aliases count operands from the front; JAX puts shapes behind all others.
    if (firstShape_ + static_cast<size_t>(indices.getNumElements()) != call_->getNumOperands())
      return unsupported("has operands behind those that are shapes");
    return {};
  }

  void addOperandsUpTo(size_t count) {
    operands_ = count;
    state_.addOperands(call_->getOperands().take_front(count));
  }

  void addAttribute(mlir::NamedAttribute attribute) {
    auto layouts = mlir::dyn_cast<mlir::ArrayAttr>(attribute.getValue());
    if (attribute.getName() == "operand_layouts" && layouts && layouts.size() > operands_)
      attribute.setValue(
          mlir::ArrayAttr::get(call_.getContext(), layouts.getValue().take_front(operands_)));
    state_.addAttribute(attribute.getName(), attribute.getValue());
  }

  stablehlo::CustomCallOp call_;
  const Known known_;
  mlir::OperationState state_;
  size_t firstShape_ = 0, operands_ = 0;
};

}  // namespace

Result<std::optional<mlir::OperationState>> staticCustomCall(mlir::Operation& operation,
                                                             Known known) {
  auto op = mlir::dyn_cast<stablehlo::CustomCallOp>(operation);
  if (!op || llvm::none_of(operation.getResultTypes(), isDynamicType)) return std::nullopt;
  Call call(op, known);
  if (op.getCallTargetName() == "stablehlo.dynamic_rng_bit_generator") {
    ASSIGN_OR_RETURN(auto state, call.rngBitGenerator());
    return std::optional(std::move(state));
  }
  auto indices = operation.getAttrOfType<mlir::DenseIntElementsAttr>(kShapeOperands);
  if (!indices || !indices.getElementType().isInteger(64)) return std::nullopt;
  if (op.getCallTargetName() == "stablehlo.dynamic_approx_top_k") {
    ASSIGN_OR_RETURN(auto state, call.approxTopK(indices));
    return std::optional(std::move(state));
  }
  ASSIGN_OR_RETURN(auto state, call.withoutShapeOperands(indices));
  return std::optional(std::move(state));
}

}  // namespace vintage::golden
