#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/dialects/stablehlo/contraction_ops.h"
#include "golden/dialects/stablehlo/control_flow_ops.h"
#include "golden/dialects/stablehlo/dynamic_ops.h"
#include "golden/dialects/stablehlo/gather_scatter_ops.h"
#include "golden/dialects/stablehlo/shape_ops.h"
#include "golden/program/static_results.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "mlir/IR/Builders.h"

namespace vintage::golden {
using namespace mlir;

namespace {

using Known = ArrayRef<DenseIntElementsAttr>;
using Sizes = SmallVector<int64_t>;

Sizes integersOf(DenseIntElementsAttr elements) {
  return llvm::map_to_vector(elements.getValues<APInt>(),
                             [](const APInt& value) { return value.getSExtValue(); });
}

// The elements of operand `index`, which is named `name` in the specification.
Result<Sizes> knownOperand(Known known, size_t index, const std::string& name) {
  if (!known[index])
    return unsupported("takes its shape from {}, which is only known when it runs", name);
  return integersOf(known[index]);
}

Result<Sizes> knownShape(Known known, size_t index, const std::string& name) {
  ASSIGN_OR_RETURN(auto sizes, knownOperand(known, index, name));
  for (int64_t size : sizes)
    if (size < 0) return badInput("has the negative size {} in {}", size, name);
  return sizes;
}

struct Rewriter {
  mlir::Operation& from;
  Known known;
  OpBuilder& builder;

  OperationState start(StringRef name, size_t operands) const {
    OperationState to(from.getLoc(), name);
    to.addOperands(from.getOperands().take_front(operands));
    return to;
  }
  DenseI64ArrayAttr list(const Sizes& sizes) const {
    return DenseI64ArrayAttr::get(from.getContext(), sizes);
  }

  // `to` with results of these types and the attributes that have the same names in both forms.
  OperationState typed(OperationState to, TypeRange types, ArrayRef<StringRef> attributes) const {
    for (StringRef name : attributes)
      if (mlir::Attribute value = from.getAttr(name)) to.addAttribute(name, value);
    // Attributes that the operation does not define, such as mhlo.sharding.
    for (NamedAttribute attribute : from.getDiscardableAttrs())
      to.addAttribute(attribute.getName(), attribute.getValue());
    to.addTypes(types);
    return to;
  }

  // The operation `name` on the first `operands` operands; the next one, `shape`, is the shape of
  // its result.
  Result<OperationState> fromShape(StringRef name, size_t operands, const char* shape,
                                   ArrayRef<StringRef> attributes) const {
    ASSIGN_OR_RETURN(auto sizes, knownShape(known, operands, shape));
    return typed(start(name, operands), withShape(from.getResult(0).getType(), sizes), attributes);
  }

  // The same with the next ones as the attributes `lists`, from which its result is inferred.
  Result<OperationState> fromLists(StringRef name, size_t operands,
                                   std::initializer_list<const char*> lists,
                                   ArrayRef<StringRef> attributes) const {
    OperationState to = start(name, operands);
    for (const char* each : lists) {
      ASSIGN_OR_RETURN(auto values, knownOperand(known, operands++, each));
      to.addAttribute(each, list(values));
    }
    return typed(std::move(to), from.getResultTypes(), attributes);
  }

  // A slice of known size whose place is only known when the program runs, as JAX writes one: the
  // limits are the starts and the sizes. None where it is another.
  std::optional<Sizes> movingSizes() const {
    mlir::Operation* limits = from.getOperand(2).getDefiningOp();
    if (!limits || limits->getName().getStringRef() != "stablehlo.add" || known[1] || !known[3])
      return std::nullopt;
    for (const APInt& stride : known[3].getValues<APInt>())
      if (!stride.isOne()) return std::nullopt;
    DenseIntElementsAttr sizes;
    for (const unsigned side : {0u, 1u})
      if (limits->getOperand(side) == from.getOperand(1))
        if (mlir::Operation* constant = limits->getOperand(1 - side).getDefiningOp();
            constant && constant->getName().getStringRef() == "stablehlo.constant")
          sizes = constant->getAttrOfType<DenseIntElementsAttr>("value");
    if (!sizes) return std::nullopt;
    return integersOf(sizes);
  }

  OperationState movingSlice(const Sizes& sizes) const {
    const Value starts = from.getOperand(1);
    const auto element = cast<RankedTensorType>(starts.getType()).getElementType();
    const auto scalar = RankedTensorType::get({}, element),
               single = RankedTensorType::get({1}, element);
    OperationState to = start("stablehlo.dynamic_slice", 1);
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      OperationState part(from.getLoc(), "stablehlo.slice", starts, single);
      part.addAttribute("start_indices", list({d}));
      part.addAttribute("limit_indices", list({d + 1}));
      part.addAttribute("strides", list({1}));
      OperationState index(from.getLoc(), "stablehlo.reshape", builder.create(part)->getResults(),
                           scalar);
      to.addOperands(builder.create(index)->getResult(0));
    }
    to.addAttribute("slice_sizes", list(sizes));
    return typed(std::move(to), withShape(from.getResult(0).getType(), sizes), {});
  }

  Result<OperationState> convolution() const {
    ASSIGN_OR_RETURN(auto padding, knownOperand(known, 2, "padding"));
    OperationState to = start("stablehlo.convolution", 2);
    const auto rows = static_cast<int64_t>(padding.size() / 2);
    to.addAttribute("padding",
                    DenseIntElementsAttr::get(
                        RankedTensorType::get({rows, 2}, IntegerType::get(from.getContext(), 64)),
                        ArrayRef<int64_t>(padding)));
    // jax2tf wrote more strides than there are spatial dimensions; what is too
    // much has nothing to stride over.
    if (mlir::Attribute attribute = from.getAttr("window_strides")) {
      Sizes strides = stablehlo::dimensionsOf(attribute);
      if (static_cast<int64_t>(strides.size()) > rows) strides.truncate(rows);
      to.addAttribute("window_strides", list(strides));
    }
    return typed(std::move(to), from.getResultTypes(),
                 {"lhs_dilation", "rhs_dilation", "window_reversal", "dimension_numbers",
                  "feature_group_count", "batch_group_count", "precision_config"});
  }
};

constexpr StringRef kShapeOperands = "indices_of_shape_operands";
constexpr StringRef kBackendConfig = "mhlo.backend_config";

Result<Type> shapedBy(Type type, Known known, int64_t index) {
  if (index < 0 || index >= static_cast<int64_t>(known.size()))
    return badInput("names operand {} as a shape, and has {}", index, known.size());
  ASSIGN_OR_RETURN(auto shape,
                   knownShape(known, static_cast<size_t>(index), fmt::format("operand {}", index)));
  return withShape(type, shape);
}

// The static form of one custom call.
class Call {
 public:
  Call(stablehlo::CustomCallOp call, Known known)
      : call_(call), known_(known), state_(call.getLoc(), "stablehlo.custom_call") {}

  Result<OperationState> withoutShapeOperands(DenseIntElementsAttr indices) {
    RETURN_IF_ERROR(shapeResults(indices));
    addOperandsUpTo(firstShape_);
    for (NamedAttribute attribute : call_->getAttrs())
      if (attribute.getName() != kShapeOperands) addAttribute(attribute);
    return std::move(state_);
  }

  // Its operands are the values and their places, an initial value for each, k, and the shapes.
  Result<OperationState> approxTopK(DenseIntElementsAttr indices) {
    RETURN_IF_ERROR(shapeResults(indices));
    if (firstShape_ == 0) return badInput("has no operand for k");
    const size_t k = firstShape_ - 1;
    ASSIGN_OR_RETURN(auto count, knownOperand(known_, k, fmt::format("operand {}", k)));
    auto fields = call_->getAttrOfType<DictionaryAttr>(kBackendConfig);
    if (count.size() != 1 || !fields)
      return badInput("needs a single k and {}", kBackendConfig.str());
    addOperandsUpTo(k);
    Builder builder(call_.getContext());
    for (NamedAttribute attribute : call_->getAttrs()) {
      if (attribute.getName() == kShapeOperands) continue;
      if (attribute.getName() == "call_target_name")
        attribute.setValue(builder.getStringAttr("ApproxTopK"));
      if (attribute.getName() == kBackendConfig) {
        NamedAttrList all(fields);
        all.set("top_k", builder.getI64IntegerAttr(count[0]));
        attribute.setValue(all.getDictionary(call_.getContext()));
      }
      addAttribute(attribute);
    }
    return std::move(state_);
  }

  // Its operands are the state and the shape of the bits.
  Result<OperationState> rngBitGenerator() {
    if (call_->getNumOperands() != 2 || call_->getNumResults() != 2)
      return badInput("takes a state and a shape, and gives a state and bits");
    OperationState state(call_.getLoc(), "stablehlo.rng_bit_generator");
    state.addOperands(call_->getOperand(0));
    if (mlir::Attribute algorithm = call_->getAttr("rng_algorithm"))
      state.addAttribute("rng_algorithm", algorithm);
    ASSIGN_OR_RETURN(auto bits, shapedBy(call_->getResult(1).getType(), known_, 1));
    state.addTypes({call_->getOperand(0).getType(), bits});
    return state;
  }

 private:
  Status shapeResults(DenseIntElementsAttr indices) {
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

  void addAttribute(NamedAttribute attribute) {
    auto layouts = dyn_cast<ArrayAttr>(attribute.getValue());
    if (attribute.getName() == "operand_layouts" && layouts && layouts.size() > operands_)
      attribute.setValue(
          ArrayAttr::get(call_.getContext(), layouts.getValue().take_front(operands_)));
    state_.addAttribute(attribute.getName(), attribute.getValue());
  }

  stablehlo::CustomCallOp call_;
  const Known known_;
  OperationState state_;
  size_t firstShape_ = 0, operands_ = 0;
};

// Replaces a custom call with results of unknown size, as XLA refines it:
//   - indices_of_shape_operands names an operand for each result. They and the attribute go;
//   - @stablehlo.dynamic_rng_bit_generator becomes stablehlo.rng_bit_generator;
//   - @stablehlo.dynamic_approx_top_k becomes @ApproxTopK, with k in the backend's configuration.
Result<std::optional<OperationState>> staticCustomCall(stablehlo::CustomCallOp operation,
                                                       Known known) {
  if (llvm::none_of(operation.getResultTypes(), isDynamicType)) return std::nullopt;
  Call call(operation, known);
  const StringRef target = operation.getCallTargetName();
  if (target == "stablehlo.dynamic_rng_bit_generator") return call.rngBitGenerator();
  auto indices = operation->getAttrOfType<DenseIntElementsAttr>(kShapeOperands);
  if (!indices || !indices.getElementType().isInteger(64)) return std::nullopt;
  if (target == "stablehlo.dynamic_approx_top_k") return call.approxTopK(indices);
  return call.withoutShapeOperands(indices);
}

}  // namespace

Result<std::optional<OperationState>> staticForm(mlir::Operation& operation, Known known,
                                                 OpBuilder& builder) {
  const Rewriter rewriter{operation, known, builder};
  if (isa<stablehlo::DynamicBroadcastInDimOp>(operation))
    return rewriter.fromShape("stablehlo.broadcast_in_dim", 1, "output_dimensions",
                              {"broadcast_dimensions"});
  if (isa<stablehlo::DynamicIotaOp>(operation))
    return rewriter.fromShape("stablehlo.iota", 0, "output_shape", {"iota_dimension"});
  if (isa<stablehlo::DynamicReshapeOp>(operation))
    return rewriter.fromShape("stablehlo.reshape", 1, "output_shape", {});
  if (isa<stablehlo::RealDynamicSliceOp>(operation)) {
    if (const auto sizes = rewriter.movingSizes()) return rewriter.movingSlice(*sizes);
    return rewriter.fromLists("stablehlo.slice", 1, {"start_indices", "limit_indices", "strides"},
                              {});
  }
  if (isa<stablehlo::DynamicPadOp>(operation))
    return rewriter.fromLists("stablehlo.pad", 2,
                              {"edge_padding_low", "edge_padding_high", "interior_padding"}, {});
  if (isa<stablehlo::DynamicGatherOp>(operation))
    return rewriter.fromLists("stablehlo.gather", 2, {"slice_sizes"},
                              {"dimension_numbers", "indices_are_sorted"});
  if (isa<stablehlo::DynamicConvOp>(operation)) return rewriter.convolution();
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(operation))
    return staticCustomCall(call, known);
  return std::nullopt;
}

}  // namespace vintage::golden
