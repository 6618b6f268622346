#include "golden/dialects/stablehlo/constraint_checks.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace mlir::stablehlo {
namespace {

LogicalResult readList(Operation* operation, unsigned sizeNumber, unsigned positiveNumber,
                       StringRef name, int64_t rank, Attribute attribute, Shape& values) {
  if (!attribute) {
    values.assign(rank, 1);
    return success();
  }
  values = dimensionsOf(attribute);
  if (failed(checkSize({operation, sizeNumber}, name, rank, values.size()))) return failure();
  return checkPositive({operation, positiveNumber}, name, values);
}

}  // namespace

InFlightDiagnostic violation(Constraint constraint) {
  StringRef name = constraint.operation->getName().stripDialect();
  return constraint.operation->emitOpError() << "[" << name << "_c" << constraint.number << "] ";
}

std::string shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty()) return "scalar";
  const auto text = [](int64_t size) { return isKnown(size) ? std::to_string(size) : "?"; };
  return llvm::join(llvm::map_range(shape, text), "x");
}

std::string listText(ArrayRef<int64_t> values) {
  const auto text = [](int64_t value) { return std::to_string(value); };
  return "[" + llvm::join(llvm::map_range(values, text), ", ") + "]";
}

bool shapesAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) { return llvm::equal(a, b, sizesAgree); }

ArrayRef<int64_t> shapeOf(Type type) { return cast<ShapedType>(type).getShape(); }
int64_t rankOf(Type type) { return cast<ShapedType>(type).getRank(); }
Type elementOf(Type type) { return cast<ShapedType>(type).getElementType(); }

Type expressedElementOf(Type type) {
  Type element = elementOf(type);
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return quantized ? quantized.getExpressedType() : element;
}

unsigned bitsOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element)) return 2 * bitsOf(complex.getElementType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

bool elementsAgree(Type a, Type b) { return expressedElementOf(a) == expressedElementOf(b); }

bool typesAgree(Type a, Type b) {
  if (a == b) return true;
  auto first = dyn_cast<ShapedType>(a), second = dyn_cast<ShapedType>(b);
  if (auto left = dyn_cast<TupleType>(a), right = dyn_cast<TupleType>(b); left && right)
    return llvm::equal(left.getTypes(), right.getTypes(), typesAgree);
  if (!first || !second || !elementsAgree(a, b)) return false;
  return !first.hasRank() || !second.hasRank() || shapesAgree(shapeOf(a), shapeOf(b));
}

bool isPromotable(Type from, Type to) {
  if (from == to) return true;
  const auto kind = [](Type element) {
    unsigned mask = elementKind(element);
    return mask == kPerAxisQuantized ? unsigned{kPerTensorQuantized} : mask;
  };
  return kind(from) != 0 && kind(from) == kind(to) && bitsOf(from) <= bitsOf(to);
}

std::optional<int64_t> elementCount(ArrayRef<int64_t> shape) {
  // A zero makes the product zero, whatever else overflows.
  if (llvm::is_contained(shape, 0)) return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, size, count)) return std::nullopt;
  return count;
}

Shape joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  Shape result(a);
  llvm::append_range(result, b);
  return result;
}

Shape without(ArrayRef<int64_t> sizes, ArrayRef<int64_t> dimensions) {
  Shape rest;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(d))) rest.push_back(size);
  return rest;
}

LogicalResult checkSameElements(Constraint constraint, StringRef name, Type a, StringRef otherName,
                                Type b) {
  if (elementsAgree(a, b)) return success();
  return violation(constraint) << name << " and " << otherName
                               << " must have the same element type: " << name << " has "
                               << elementOf(a) << ", " << otherName << " has " << elementOf(b);
}

LogicalResult checkSameType(Constraint constraint, StringRef name, Type a, StringRef otherName,
                            Type b) {
  if (typesAgree(a, b)) return success();
  return violation(constraint) << name << " and " << otherName << " must have the same type: found "
                               << a << " and " << b;
}

LogicalResult checkSameRank(Constraint constraint, StringRef name, Type a, StringRef otherName,
                            Type b) {
  if (rankOf(a) == rankOf(b)) return success();
  return violation(constraint) << name << " must have the rank of " << otherName << ": " << name
                               << " has " << rankOf(a) << ", " << otherName << " has " << rankOf(b);
}

LogicalResult checkSameShapes(Constraint constraint, StringRef name, TypeRange types) {
  for (auto [index, type] : llvm::enumerate(types))
    if (!shapesAgree(shapeOf(type), shapeOf(types.front())))
      return violation(constraint)
             << name << " must have the same shape: " << name.drop_back() << " 0 has "
             << shapeText(shapeOf(types.front())) << ", " << name.drop_back() << " " << index
             << " has " << shapeText(shapeOf(type));
  return success();
}

LogicalResult checkScalarOrSameShape(Constraint constraint, StringRef name, Type a,
                                     StringRef otherName, Type b) {
  if (rankOf(a) == 0 || shapesAgree(shapeOf(a), shapeOf(b))) return success();
  return violation(constraint) << name << " must be a scalar or have the shape of " << otherName
                               << ": " << name << " has " << shapeText(shapeOf(a)) << ", "
                               << otherName << " has " << shapeText(shapeOf(b));
}

LogicalResult checkRank(Constraint constraint, StringRef name, int64_t expected, Type found) {
  if (rankOf(found) == expected) return success();
  return violation(constraint) << name << " must have rank " << expected << ", found "
                               << rankOf(found);
}

LogicalResult checkShape(Constraint constraint, StringRef name, ArrayRef<int64_t> expected,
                         ArrayRef<int64_t> found) {
  if (shapesAgree(expected, found)) return success();
  return violation(constraint) << name << " must have shape " << shapeText(expected) << ", found "
                               << shapeText(found);
}

LogicalResult checkResultShapes(Constraint constraint, FailureOr<Shape> expected) {
  if (failed(expected)) return failure();
  for (Type result : constraint.operation->getResultTypes())
    if (failed(checkShape(constraint, "result", *expected, shapeOf(result)))) return failure();
  return success();
}

LogicalResult checkSize(Constraint constraint, StringRef name, int64_t expected, int64_t found) {
  if (expected == found) return success();
  return violation(constraint) << name << " must have " << expected << " elements, found " << found;
}

LogicalResult checkWithin(Constraint constraint, StringRef name, ArrayRef<int64_t> values,
                          int64_t limit) {
  if (llvm::all_of(values, [&](int64_t value) { return 0 <= value && value < limit; }))
    return success();
  return violation(constraint) << name << " must lie in [0, " << limit << "), found "
                               << listText(values);
}

LogicalResult checkUnique(Constraint constraint, StringRef name, ArrayRef<int64_t> values) {
  Shape sorted(values);
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return success();
  return violation(constraint) << name << " must be unique, found " << listText(values);
}

LogicalResult checkSorted(Constraint constraint, StringRef name, ArrayRef<int64_t> values) {
  if (llvm::is_sorted(values)) return success();
  return violation(constraint) << name << " must be sorted, found " << listText(values);
}

LogicalResult checkPositive(Constraint constraint, StringRef name, ArrayRef<int64_t> values) {
  if (llvm::all_of(values, [](int64_t value) { return value > 0; })) return success();
  return violation(constraint) << name << " must be positive, found " << listText(values);
}

LogicalResult checkNotNegative(Constraint constraint, StringRef name, ArrayRef<int64_t> values) {
  if (llvm::all_of(values, [](int64_t value) { return value >= 0; })) return success();
  return violation(constraint) << name << " must not be negative, found " << listText(values);
}

LogicalResult checkBroadcastInDim(Operation* operation, Type operand, ArrayRef<int64_t> dimensions,
                                  Type result) {
  if (failed(checkSameElements({operation, 1}, "operand", operand, "result", result)) ||
      failed(
          checkSize({operation, 2}, "broadcast_dimensions", rankOf(operand), dimensions.size())) ||
      failed(checkWithin({operation, 3}, "broadcast_dimensions", dimensions, rankOf(result))) ||
      failed(checkUnique({operation, 4}, "broadcast_dimensions", dimensions)))
    return failure();
  for (auto [d, size] : llvm::enumerate(shapeOf(operand))) {
    const int64_t target = shapeOf(result)[dimensions[d]];
    if (size != 1 && !sizesAgree(size, target))
      return violation({operation, 5}) << "dimension " << d << " of operand has size " << size
                                       << ", which is neither 1 nor the size " << target
                                       << " of dimension " << dimensions[d] << " of result";
  }
  return success();
}

std::optional<TypeRange> yieldedTypes(Region& region) {
  if (region.empty() || region.front().empty()) return std::nullopt;
  Operation& last = region.front().back();
  if (last.getName().getStringRef() != "stablehlo.return") return std::nullopt;
  return TypeRange(last.getOperandTypes());
}

LogicalResult checkArgumentCount(Constraint constraint, StringRef name, Region& region,
                                 size_t count) {
  if (region.getNumArguments() == count) return success();
  return violation(constraint) << name << " must take " << count << " arguments, found "
                               << region.getNumArguments();
}

LogicalResult checkGivesPredicate(Constraint constraint, StringRef name, Region& region) {
  std::optional<TypeRange> yielded = yieldedTypes(region);
  if (!yielded || (yielded->size() == 1 && isTensorOf(yielded->front(), kBool, 0)))
    return success();
  return violation(constraint) << name << " must give one tensor<i1>";
}

LogicalResult checkReducer(Constraint constraint, StringRef name, Region& region,
                           ArrayRef<Type> arguments, size_t results) {
  if (failed(checkArgumentCount(constraint, name, region, arguments.size()))) return failure();
  for (auto [index, type] : llvm::enumerate(region.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() != 0 ||
        !isPromotable(elementOf(arguments[index]), tensor.getElementType()))
      return violation(constraint)
             << "argument " << index << " of " << name << " must be a scalar that holds "
             << elementOf(arguments[index]) << ", found " << type;
  }
  std::optional<TypeRange> yielded = yieldedTypes(region);
  if (!yielded) return success();
  if (yielded->size() != results)
    return violation(constraint) << name << " must give " << results << " values, found "
                                 << yielded->size();
  for (auto [index, type] : llvm::enumerate(*yielded)) {
    Type expected = region.getArgument(index).getType();
    if (!typesAgree(type, expected))
      return violation(constraint) << "result " << index << " of " << name << " must be "
                                   << expected << ", found " << type;
  }
  return success();
}

LogicalResult readWindow(Operation* operation, const WindowConstraints& numbers, int64_t rank,
                         Attribute strides, Attribute baseDilations, Attribute windowDilations,
                         DenseIntElementsAttr padding, Window& window) {
  if (failed(readList(operation, numbers.stridesSize, numbers.stridesPositive, "window_strides",
                      rank, strides, window.strides)) ||
      failed(readList(operation, numbers.baseDilationsSize, numbers.baseDilationsPositive,
                      "base dilations", rank, baseDilations, window.baseDilations)) ||
      failed(readList(operation, numbers.windowDilationsSize, numbers.windowDilationsPositive,
                      "window dilations", rank, windowDilations, window.windowDilations)))
    return failure();
  window.padding.assign(rank, {0, 0});
  if (!padding) return success();
  auto type = padding.getType();
  // A splat of no rows occurs for windows without dimensions, whatever its columns.
  const bool fits =
      type.getRank() == 2 && type.getDimSize(0) == rank && (rank == 0 || type.getDimSize(1) == 2);
  if (!fits)
    return violation({operation, numbers.padding})
           << "padding must have shape " << rank << "x2, found " << shapeText(type.getShape());
  auto values = padding.getValues<int64_t>();
  for (int64_t d = 0; d < rank; ++d) window.padding[d] = {values[2 * d], values[2 * d + 1]};
  return success();
}

FailureOr<Shape> windowedShape(Constraint constraint, ArrayRef<int64_t> shape,
                               const Window& window) {
  Shape result;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!isKnown(size) || !isKnown(window.sizes[d])) {
      result.push_back(ShapedType::kDynamic);
      continue;
    }
    // In 128 bits: hostile dilations and paddings must not overflow.
    const auto dilated = [](__int128 extent, __int128 dilation) {
      return extent == 0 ? extent : (extent - 1) * dilation + 1;
    };
    const __int128 padded =
        dilated(size, window.baseDilations[d]) + window.padding[d].first + window.padding[d].second;
    const __int128 extent = dilated(window.sizes[d], window.windowDilations[d]);
    const __int128 places =
        padded <= 0 || extent > padded ? 0 : (padded - extent) / window.strides[d] + 1;
    if (places > std::numeric_limits<int64_t>::max())
      return violation(constraint) << "number of windows in dimension " << d << " is too large";
    result.push_back(static_cast<int64_t>(places));
  }
  return result;
}

}  // namespace mlir::stablehlo
