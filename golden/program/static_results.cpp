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
#include "mlir/IR/OpDefinition.h"

namespace vintage::golden {
namespace {

namespace stablehlo = mlir::stablehlo;
using stablehlo::Shape;
using MaybeShape = std::optional<Shape>;

llvm::ArrayRef<int64_t> shapeAt(mlir::Operation* operation, unsigned operand) {
  return stablehlo::shapeOf(operation->getOperand(operand).getType());
}

MaybeShape concatenate(stablehlo::ConcatenateOp op) {
  Shape shape(shapeAt(op, 0));
  shape[op.getDimension()] = 0;
  for (mlir::Type type : op.getInputs().getTypes())
    if (__builtin_add_overflow(shape[op.getDimension()],
                               stablehlo::shapeOf(type)[op.getDimension()],
                               &shape[op.getDimension()]))
      return std::nullopt;
  return shape;
}

MaybeShape transpose(stablehlo::TransposeOp op) {
  Shape shape;
  for (int64_t d : stablehlo::dimensionsOf(op.getPermutation())) shape.push_back(shapeAt(op, 0)[d]);
  return shape;
}

MaybeShape slice(stablehlo::SliceOp op) {
  const Shape start = stablehlo::dimensionsOf(op.getStartIndices());
  const Shape limit = stablehlo::dimensionsOf(op.getLimitIndices());
  const Shape stride = stablehlo::dimensionsOf(op.getStrides());
  Shape shape;
  if (limit.size() != start.size() || stride.size() != start.size()) return std::nullopt;
  for (size_t d = 0; d < start.size(); ++d) {
    // Limits below the start are the verifier's to refuse.
    const int64_t extent = std::max<int64_t>(limit[d] - start[d], 0);
    if (stride[d] < 1) return std::nullopt;
    shape.push_back(extent / stride[d] + (extent % stride[d] != 0));
  }
  return shape;
}

MaybeShape pad(stablehlo::PadOp op) {
  const Shape low = stablehlo::dimensionsOf(op.getEdgePaddingLow());
  const Shape high = stablehlo::dimensionsOf(op.getEdgePaddingHigh());
  const Shape interior = stablehlo::dimensionsOf(op.getInteriorPadding());
  Shape shape(shapeAt(op, 0));
  if (low.size() != shape.size() || high.size() != shape.size() || interior.size() != shape.size())
    return std::nullopt;
  for (size_t d = 0; d < shape.size(); ++d) {
    const __int128 size = static_cast<__int128>(shape[d]) + low[d] + high[d] +
                          static_cast<__int128>(std::max<int64_t>(shape[d] - 1, 0)) * interior[d];
    if (size < 0 || size > std::numeric_limits<int64_t>::max()) return std::nullopt;
    shape[d] = static_cast<int64_t>(size);
  }
  return shape;
}

// One unknown dimension is what remains of the elements.
MaybeShape reshape(stablehlo::ReshapeOp op) {
  const auto count = stablehlo::elementCount(shapeAt(op, 0));
  Shape shape(stablehlo::shapeOf(op.getResult().getType()));
  int64_t known = 1;
  for (int64_t size : shape)
    if (stablehlo::isKnown(size) && __builtin_mul_overflow(known, size, &known))
      return std::nullopt;
  if (!count || known <= 0 || *count % known != 0 || llvm::count_if(shape, [](int64_t size) {
        return !stablehlo::isKnown(size);
      }) != 1)
    return std::nullopt;
  for (int64_t& size : shape)
    if (!stablehlo::isKnown(size)) size = *count / known;
  return shape;
}

MaybeShape gather(stablehlo::GatherOp op) {
  const auto numbers = op.getDimensionNumbers();
  const Shape sizes = stablehlo::dimensionsOf(op.getSliceSizes());
  Shape batch(shapeAt(op, 1)), window;
  if (numbers.getIndexVectorDim() < static_cast<int64_t>(batch.size()))
    batch.erase(batch.begin() + numbers.getIndexVectorDim());
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), static_cast<int64_t>(d)) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), static_cast<int64_t>(d)))
      window.push_back(size);
  if (window.size() != numbers.getOffsetDims().size()) return std::nullopt;
  Shape shape;
  size_t nextBatch = 0, nextWindow = 0;
  for (size_t d = 0; d < batch.size() + window.size(); ++d) {
    const bool isWindow = llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(d));
    if (isWindow ? nextWindow == window.size() : nextBatch == batch.size()) return std::nullopt;
    shape.push_back(isWindow ? window[nextWindow++] : batch[nextBatch++]);
  }
  return shape;
}

MaybeShape dotGeneral(stablehlo::DotGeneralOp op) {
  const auto numbers = op.getDotDimensionNumbers();
  Shape shape;
  for (int64_t d : numbers.getLhsBatchingDimensions()) shape.push_back(shapeAt(op, 0)[d]);
  const auto addFree = [&](unsigned operand, llvm::ArrayRef<int64_t> batching,
                           llvm::ArrayRef<int64_t> contracting) {
    for (auto [d, size] : llvm::enumerate(shapeAt(op, operand)))
      if (!llvm::is_contained(batching, static_cast<int64_t>(d)) &&
          !llvm::is_contained(contracting, static_cast<int64_t>(d)))
        shape.push_back(size);
  };
  addFree(0, numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions());
  addFree(1, numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions());
  return shape;
}

MaybeShape dot(stablehlo::DotOp op) {
  return stablehlo::joined(shapeAt(op, 0).drop_back(), shapeAt(op, 1).drop_front());
}

// The numbers of constraints are those of the verifiers, which say them again.
constexpr stablehlo::WindowConstraints kConvolution{2, 3, 5, 6, 7, 8, 4};
constexpr stablehlo::WindowConstraints kReduceWindow{6, 7, 8, 9, 10, 11, 12};

MaybeShape convolution(stablehlo::ConvolutionOp op) {
  const auto numbers = op.getDimensionNumbers();
  stablehlo::Window window;
  Shape base, places;
  const auto inputs = numbers.getInputSpatialDimensions();
  const auto kernels = numbers.getKernelSpatialDimensions();
  const auto outputs = numbers.getOutputSpatialDimensions();
  if (mlir::failed(stablehlo::readWindow(
          op, kConvolution, inputs.size(), op.getWindowStrides().value_or(nullptr),
          op.getLhsDilation().value_or(nullptr), op.getRhsDilation().value_or(nullptr),
          op.getPadding().value_or(nullptr), window)))
    return std::nullopt;
  for (auto [input, kernel] : llvm::zip_equal(inputs, kernels)) {
    base.push_back(shapeAt(op, 0)[input]);
    window.sizes.push_back(shapeAt(op, 1)[kernel]);
  }
  if (mlir::failed(stablehlo::windowedShape(op, 25, base, window, places))) return std::nullopt;
  Shape shape(shapeAt(op, 0).size(), 0);
  shape[numbers.getOutputBatchDimension()] =
      shapeAt(op, 0)[numbers.getInputBatchDimension()] / op.getBatchGroupCount();
  shape[numbers.getOutputFeatureDimension()] =
      shapeAt(op, 1)[numbers.getKernelOutputFeatureDimension()];
  for (auto [output, count] : llvm::zip_equal(outputs, places)) shape[output] = count;
  return shape;
}

MaybeShape reduce(stablehlo::ReduceOp op) {
  const Shape dimensions = stablehlo::dimensionsOf(op.getDimensions());
  Shape shape;
  for (auto [d, size] : llvm::enumerate(shapeAt(op, 0)))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(d))) shape.push_back(size);
  return shape;
}

MaybeShape reduceWindow(stablehlo::ReduceWindowOp op) {
  stablehlo::Window window;
  window.sizes = stablehlo::dimensionsOf(op.getWindowDimensions());
  Shape places;
  if (mlir::failed(stablehlo::readWindow(
          op, kReduceWindow, shapeAt(op, 0).size(), op.getWindowStrides().value_or(nullptr),
          op.getBaseDilations().value_or(nullptr), op.getWindowDilations().value_or(nullptr),
          op.getPadding().value_or(nullptr), window)) ||
      mlir::failed(stablehlo::windowedShape(op, 15, shapeAt(op, 0), window, places)))
    return std::nullopt;
  return places;
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

// One shape for all results.
MaybeShape resultShape(mlir::Operation& operation) {
  return llvm::TypeSwitch<mlir::Operation*, MaybeShape>(&operation)
      .Case([](stablehlo::ConcatenateOp op) { return concatenate(op); })
      .Case([](stablehlo::TransposeOp op) { return transpose(op); })
      .Case([](stablehlo::SliceOp op) { return slice(op); })
      .Case([](stablehlo::PadOp op) { return pad(op); })
      .Case([](stablehlo::ReshapeOp op) { return reshape(op); })
      .Case([](stablehlo::GatherOp op) { return gather(op); })
      .Case([](stablehlo::DotGeneralOp op) { return dotGeneral(op); })
      .Case([](stablehlo::DotOp op) { return dot(op); })
      .Case([](stablehlo::ConvolutionOp op) { return convolution(op); })
      .Case([](stablehlo::ReduceOp op) { return reduce(op); })
      .Case([](stablehlo::ReduceWindowOp op) { return reduceWindow(op); })
      .Case([](stablehlo::BitcastConvertOp op) { return bitcast(op); })
      .Case([](stablehlo::FftOp op) { return transform(op); })
      .Case([](stablehlo::DynamicSliceOp op) {
        return stablehlo::dimensionsOf(op.getSliceSizes());
      })
      .Case([](stablehlo::BroadcastOp op) {
        return stablehlo::joined(stablehlo::dimensionsOf(op.getBroadcastSizes()), shapeAt(op, 0));
      })
      .Case([](stablehlo::TriangularSolveOp op) { return Shape(shapeAt(op, 1)); })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

// All tensor operands of an elementwise operation that are no scalars have one
// shape, which is that of the result.
Shape elementwiseShape(mlir::Operation& operation) {
  std::optional<Shape> shape;
  for (mlir::Type type : operation.getOperandTypes())
    if (!shape || shape->empty()) shape = Shape(stablehlo::shapeOf(type));
  return shape.value_or(Shape());
}

}  // namespace

bool isDynamicType(mlir::Type type) {
  if (auto tuple = mlir::dyn_cast<mlir::TupleType>(type))
    return llvm::any_of(tuple.getTypes(), isDynamicType);
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  return shaped && !shaped.hasStaticShape();
}

mlir::Type withShape(mlir::Type type, llvm::ArrayRef<int64_t> shape) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return type;
  mlir::Attribute encoding = tensor.getEncoding();
  if (encoding && mlir::isa<stablehlo::TypeExtensionsAttr>(encoding)) encoding = {};
  return mlir::RankedTensorType::get(shape, tensor.getElementType(), encoding);
}

bool refines(mlir::Type found, mlir::Type declared) {
  auto a = mlir::dyn_cast<mlir::RankedTensorType>(found);
  auto b = mlir::dyn_cast<mlir::RankedTensorType>(declared);
  if (!a || !b) return found == declared || isDynamicType(declared);
  return a.getElementType() == b.getElementType() && a.getRank() == b.getRank() &&
         stablehlo::shapesAgree(a.getShape(), b.getShape());
}

Result<llvm::SmallVector<mlir::Type>> staticResults(mlir::Operation& operation) {
  llvm::SmallVector<mlir::Type> types(operation.getResultTypes());
  if (llvm::none_of(types, isDynamicType)) return types;
  if (auto tuple = mlir::dyn_cast<stablehlo::TupleOp>(operation))
    return llvm::SmallVector<mlir::Type>{
        mlir::TupleType::get(operation.getContext(), operation.getOperandTypes())};
  if (auto element = mlir::dyn_cast<stablehlo::GetTupleElementOp>(operation)) {
    const auto parts = mlir::cast<mlir::TupleType>(element.getOperand().getType()).getTypes();
    return llvm::SmallVector<mlir::Type>{parts[element.getIndex()]};
  }
  const OperationFacts* facts = operationFacts(operation.getName().getStringRef());
  const ShapeRule rule = facts ? facts->shape : ShapeRule::kOther;
  const MaybeShape shape =
      rule == ShapeRule::kElementwise ? elementwiseShape(operation) : resultShape(operation);
  const bool pairwise = rule == ShapeRule::kPairwise &&
                        operation.getNumOperands() >= operation.getNumResults();
  if (!shape && !pairwise)
    return unsupported("has a result with unknown dimensions, which its operands do not tell");
  for (size_t k = 0; k < types.size(); ++k)
    if (shape || mlir::isa<mlir::RankedTensorType>(types[k]))
      types[k] =
          withShape(types[k], shape ? llvm::ArrayRef<int64_t>(*shape) : shapeAt(&operation, k));
  return types;
}

}  // namespace vintage::golden
