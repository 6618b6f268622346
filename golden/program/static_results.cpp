#include "golden/program/static_results.h"

#include "golden/base/failures.h"
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/contraction_ops.h"
#include "golden/dialects/stablehlo/control_flow_ops.h"
#include "golden/dialects/stablehlo/gather_scatter_ops.h"
#include "golden/dialects/stablehlo/numerics_ops.h"
#include "golden/dialects/stablehlo/reduction_ops.h"
#include "golden/dialects/stablehlo/shape_ops.h"
#include "golden/dialects/stablehlo/unary_ops.h"
#include "golden/module/operation_facts.h"
#include "llvm/ADT/TypeSwitch.h"

namespace vintage::golden {
using namespace mlir;

namespace {

using stablehlo::Shape;
using MaybeShape = std::optional<Shape>;

ArrayRef<int64_t> shapeAt(mlir::Operation* operation, unsigned operand) {
  return stablehlo::shapeOf(operation->getOperand(operand).getType());
}

// One unknown dimension is what remains of the elements.
MaybeShape reshape(stablehlo::ReshapeOp op) {
  const auto count = stablehlo::elementCount(shapeAt(op, 0));
  Shape shape(stablehlo::shapeOf(op.getResult().getType()));
  int64_t known = 1;
  for (int64_t size : shape)
    if (stablehlo::isKnown(size) && __builtin_mul_overflow(known, size, &known))
      return std::nullopt;
  if (!count || known <= 0 || *count % known != 0 ||
      llvm::count_if(shape, [](int64_t size) { return !stablehlo::isKnown(size); }) != 1)
    return std::nullopt;
  for (int64_t& size : shape)
    if (!stablehlo::isKnown(size)) size = *count / known;
  return shape;
}

// From elements of one width to another, the last dimension appears or goes.
MaybeShape bitcast(stablehlo::BitcastConvertOp op) {
  const Shape declared(stablehlo::shapeOf(op.getResult().getType()));
  Shape shape(shapeAt(op, 0));
  if (declared.size() > shape.size()) shape.push_back(declared.back());
  if (declared.size() < shape.size()) shape.pop_back();
  return shape;
}

MaybeShape transform(stablehlo::FftOp op) {
  Shape shape(shapeAt(op, 0));
  const Shape length = stablehlo::dimensionsOf(op.getFftLength());
  if (length.empty() || shape.empty()) return shape;
  if (op.getFftType() == stablehlo::FftType::RFFT) shape.back() = length.back() / 2 + 1;
  if (op.getFftType() == stablehlo::FftType::IRFFT) shape.back() = length.back();
  return shape;
}

// One shape for all results, from operands and attributes; fails where the verifier finds another
// error. None: it does not follow from them.
std::optional<FailureOr<Shape>> resultShape(mlir::Operation& operation) {
  return TypeSwitch<mlir::Operation*, std::optional<FailureOr<Shape>>>(&operation)
      .Case<stablehlo::BroadcastOp, stablehlo::ConcatenateOp, stablehlo::ConvolutionOp,
            stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::DynamicSliceOp,
            stablehlo::GatherOp, stablehlo::PadOp, stablehlo::ReduceOp, stablehlo::ReduceWindowOp,
            stablehlo::SliceOp, stablehlo::TransposeOp>([](auto op) { return op.inferShape(); })
      .Case([](stablehlo::ReshapeOp op) { return reshape(op); })
      .Case([](stablehlo::BitcastConvertOp op) { return bitcast(op); })
      .Case([](stablehlo::FftOp op) { return transform(op); })
      .Case([](stablehlo::TriangularSolveOp op) { return Shape(shapeAt(op, 1)); })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

// All tensor operands of an elementwise operation that are no scalars have one
// shape, which is that of the result.
Shape elementwiseShape(mlir::Operation& operation) {
  std::optional<Shape> shape;
  for (Type type : operation.getOperandTypes())
    if (!shape || shape->empty()) shape = Shape(stablehlo::shapeOf(type));
  return shape.value_or(Shape());
}

}  // namespace

bool isDynamicType(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) return llvm::any_of(tuple.getTypes(), isDynamicType);
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && !shaped.hasStaticShape();
}

Type withShape(Type type, ArrayRef<int64_t> shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return type;
  mlir::Attribute encoding = tensor.getEncoding();
  if (encoding && isa<stablehlo::TypeExtensionsAttr>(encoding)) encoding = {};
  return RankedTensorType::get(shape, tensor.getElementType(), encoding);
}

bool refines(Type found, Type declared) {
  auto a = dyn_cast<RankedTensorType>(found);
  auto b = dyn_cast<RankedTensorType>(declared);
  if (!a || !b) return found == declared || isDynamicType(declared);
  return a.getElementType() == b.getElementType() && a.getRank() == b.getRank() &&
         stablehlo::shapesAgree(a.getShape(), b.getShape());
}

Result<SmallVector<Type>> staticResults(mlir::Operation& operation) {
  SmallVector<Type> types(operation.getResultTypes());
  if (llvm::none_of(types, isDynamicType)) return types;
  if (auto tuple = dyn_cast<stablehlo::TupleOp>(operation))
    return SmallVector<Type>{TupleType::get(operation.getContext(), operation.getOperandTypes())};
  if (auto element = dyn_cast<stablehlo::GetTupleElementOp>(operation)) {
    const auto parts = cast<TupleType>(element.getOperand().getType()).getTypes();
    return SmallVector<Type>{parts[element.getIndex()]};
  }
  const OperationFacts* facts = operationFacts(operation.getName().getStringRef());
  const ShapeRule rule = facts ? facts->shape : ShapeRule::kOther;
  const std::optional<FailureOr<Shape>> shape =
      rule == ShapeRule::kElementwise ? elementwiseShape(operation) : resultShape(operation);
  // The verifier runs next and reports this error.
  if (shape && failed(*shape)) return types;
  const bool pairwise =
      rule == ShapeRule::kPairwise && operation.getNumOperands() >= operation.getNumResults();
  if (!shape && !pairwise)
    return unsupported(
        "has a result with unknown dimensions, which do not follow from its operands");
  for (size_t k = 0; k < types.size(); ++k)
    if (shape || isa<RankedTensorType>(types[k]))
      types[k] = withShape(types[k], shape ? ArrayRef<int64_t>(**shape) : shapeAt(&operation, k));
  return types;
}

}  // namespace vintage::golden
