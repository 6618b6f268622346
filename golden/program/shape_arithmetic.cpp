#include "golden/program/static_results.h"

#include <functional>
#include <optional>

#include "golden/dialects/stablehlo/binary_ops.h"
#include "golden/dialects/stablehlo/shape_ops.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace vintage::golden {
using namespace mlir;

namespace {

using Values = SmallVector<APInt>;
using Index = SmallVector<int64_t>;
using MaybeValues = std::optional<Values>;

bool isUnsigned(Type element) { return element.isUnsignedInteger() || element.isInteger(1); }

// Elements of a tensor of one of them are that one.
const APInt& at(const Values& values, size_t index) {
  return values.size() == 1 ? values.front() : values[index];
}

bool isLess(const APInt& a, const APInt& b, bool isUnsigned) {
  return isUnsigned ? a.ult(b) : a.slt(b);
}

struct BinaryFold {
  StringLiteral operation;
  bool ofPredicates;  // Others mean something else there: add is or.
  APInt (*of)(const APInt& a, const APInt& b, bool isUnsigned);
};
constexpr BinaryFold kBinaryFolds[] = {
    {"stablehlo.and", true, [](const APInt& a, const APInt& b, bool) { return a & b; }},
    {"stablehlo.or", true, [](const APInt& a, const APInt& b, bool) { return a | b; }},
    {"stablehlo.xor", true, [](const APInt& a, const APInt& b, bool) { return a ^ b; }},
    {"stablehlo.add", false, [](const APInt& a, const APInt& b, bool) { return a + b; }},
    {"stablehlo.subtract", false, [](const APInt& a, const APInt& b, bool) { return a - b; }},
    {"stablehlo.multiply", false, [](const APInt& a, const APInt& b, bool) { return a * b; }},
    {"stablehlo.maximum", false,
     [](const APInt& a, const APInt& b, bool u) { return isLess(a, b, u) ? b : a; }},
    {"stablehlo.minimum", false,
     [](const APInt& a, const APInt& b, bool u) { return isLess(b, a, u) ? b : a; }},
    {"stablehlo.divide", false,
     [](const APInt& a, const APInt& b, bool u) { return u ? a.udiv(b) : a.sdiv(b); }},
    {"stablehlo.remainder", false,
     [](const APInt& a, const APInt& b, bool u) { return u ? a.urem(b) : a.srem(b); }},
};

// None where the operation is in no table, or would divide by zero.
MaybeValues foldBinary(StringRef operation, Type element, size_t count, const Values& lhs,
                       const Values& rhs) {
  const auto* fold = llvm::find_if(
      kBinaryFolds, [&](const BinaryFold& each) { return each.operation == operation; });
  if (fold == std::end(kBinaryFolds) || (element.isInteger(1) && !fold->ofPredicates))
    return std::nullopt;
  const bool divides = operation == "stablehlo.divide" || operation == "stablehlo.remainder";
  Values result;
  for (size_t i = 0; i < count; ++i) {
    if (divides && at(rhs, i).isZero()) return std::nullopt;
    result.push_back(fold->of(at(lhs, i), at(rhs, i), isUnsigned(element)));
  }
  return result;
}

std::optional<APInt> foldUnary(StringRef name, const APInt& value, Type from, Type to) {
  const bool predicate = from.isInteger(1);
  if (name == "stablehlo.not") return ~value;
  if (name == "stablehlo.convert") {
    const unsigned width = to.getIntOrFloatBitWidth();
    if (to.isInteger(1)) return APInt(1, value.isZero() ? 0 : 1);
    return isUnsigned(from) ? value.zextOrTrunc(width) : value.sextOrTrunc(width);
  }
  if (predicate) return std::nullopt;
  if (name == "stablehlo.negate") return -value;
  if (name == "stablehlo.abs") return isUnsigned(from) ? value : value.abs();
  if (name == "stablehlo.sign" && !isUnsigned(from))
    return APInt(value.getBitWidth(),
                 value.isZero()       ? 0
                 : value.isNegative() ? -1
                                      : 1,
                 /*isSigned=*/true);
  return std::nullopt;
}

Values compare(stablehlo::CompareOp op, size_t count, const Values& lhs, const Values& rhs) {
  const bool u = isUnsigned(op.getLhs().getType().getElementType());
  Values result;
  for (size_t i = 0; i < count; ++i) {
    const APInt &a = at(lhs, i), &b = at(rhs, i);
    bool holds = false;
    switch (op.getComparisonDirection()) {
      case stablehlo::ComparisonDirection::EQ:
        holds = a == b;
        break;
      case stablehlo::ComparisonDirection::NE:
        holds = a != b;
        break;
      case stablehlo::ComparisonDirection::GE:
        holds = !isLess(a, b, u);
        break;
      case stablehlo::ComparisonDirection::GT:
        holds = isLess(b, a, u);
        break;
      case stablehlo::ComparisonDirection::LE:
        holds = !isLess(b, a, u);
        break;
      case stablehlo::ComparisonDirection::LT:
        holds = isLess(a, b, u);
        break;
    }
    result.push_back(APInt(1, holds));
  }
  return result;
}

// The elements of `source`, of shape `sourceShape`, that `place` gives for each
// index of `shape`.
Values rearranged(ArrayRef<int64_t> shape, const Values& source, ArrayRef<int64_t> sourceShape,
                  const std::function<void(const Index& to, Index& from)>& place) {
  Values result;
  const int64_t count = ShapedType::getNumElements(shape);
  Index to(shape.size(), 0), from(sourceShape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    place(to, from);
    int64_t offset = 0;
    for (size_t d = 0; d < sourceShape.size(); ++d) offset = offset * sourceShape[d] + from[d];
    result.push_back(source[offset]);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++to[d] < shape[d]) break;
      to[d] = 0;
    }
  }
  return result;
}

Values slice(stablehlo::SliceOp op, RankedTensorType type, const Values& operand) {
  const auto start = stablehlo::dimensionsOf(op.getStartIndices());
  const auto stride = stablehlo::dimensionsOf(op.getStrides());
  return rearranged(type.getShape(), operand, op.getOperand().getType().getShape(),
                    [&](const Index& to, Index& from) {
                      for (size_t d = 0; d < to.size(); ++d) from[d] = start[d] + to[d] * stride[d];
                    });
}

Values broadcast(stablehlo::BroadcastInDimOp op, RankedTensorType type, const Values& operand) {
  const auto dimensions = stablehlo::dimensionsOf(op.getBroadcastDimensions());
  const auto shape = cast<RankedTensorType>(op.getOperand().getType()).getShape();
  return rearranged(type.getShape(), operand, shape, [&](const Index& to, Index& from) {
    for (size_t d = 0; d < from.size(); ++d) from[d] = shape[d] == 1 ? 0 : to[dimensions[d]];
  });
}

Values concatenate(stablehlo::ConcatenateOp op, ArrayRef<Values> operands) {
  // A block of each operand, again and again for the dimensions in front.
  const auto first = cast<RankedTensorType>(op.getInputs()[0].getType()).getShape();
  int64_t outer = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(op.getDimension()); ++d) outer *= first[d];
  Values result;
  for (int64_t block = 0; block < outer; ++block)
    for (const Values& values : operands) {
      const int64_t length = static_cast<int64_t>(values.size()) / outer;
      result.append(values.begin() + block * length, values.begin() + (block + 1) * length);
    }
  return result;
}

Values iota(stablehlo::IotaOp op, RankedTensorType type) {
  const unsigned width = type.getElementType().getIntOrFloatBitWidth();
  int64_t inner = 1, size = type.getDimSize(op.getIotaDimension());
  for (int64_t d = op.getIotaDimension() + 1; d < type.getRank(); ++d) inner *= type.getDimSize(d);
  Values result;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    result.push_back(APInt(64, i / inner % size).zextOrTrunc(width));
  return result;
}

MaybeValues fold(mlir::Operation& operation, RankedTensorType type, ArrayRef<Values> operands) {
  const size_t count = type.getNumElements();
  const StringRef name = operation.getName().getStringRef();
  return TypeSwitch<mlir::Operation*, MaybeValues>(&operation)
      .Case([&](stablehlo::CompareOp op) { return compare(op, count, operands[0], operands[1]); })
      .Case([&](stablehlo::SliceOp op) { return slice(op, type, operands[0]); })
      .Case([&](stablehlo::BroadcastInDimOp op) { return broadcast(op, type, operands[0]); })
      .Case([&](stablehlo::ConcatenateOp op) { return concatenate(op, operands); })
      .Case([&](stablehlo::IotaOp op) { return iota(op, type); })
      .Case([&](stablehlo::ReshapeOp) { return operands[0]; })
      .Case([&](stablehlo::SelectOp) {
        Values result;
        for (size_t i = 0; i < count; ++i)
          result.push_back(at(operands[at(operands[0], i).isZero() ? 2 : 1], i));
        return result;
      })
      .Default([&](mlir::Operation*) -> MaybeValues {
        if (operands.size() == 2)
          return foldBinary(name, type.getElementType(), count, operands[0], operands[1]);
        if (operands.size() != 1 || operands[0].size() != count) return std::nullopt;
        const auto from =
            cast<RankedTensorType>(operation.getOperand(0).getType()).getElementType();
        Values result;
        for (const APInt& value : operands[0]) {
          const auto one = foldUnary(name, value, from, type.getElementType());
          if (!one) return std::nullopt;
          result.push_back(*one);
        }
        return result;
      });
}

}  // namespace

DenseIntElementsAttr foldIntegers(mlir::Operation& operation,
                                  ArrayRef<DenseIntElementsAttr> operands) {
  if (operation.getNumResults() != 1 || operation.getNumRegions() != 0) return {};
  auto type = dyn_cast<RankedTensorType>(operation.getResult(0).getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isInteger()) return {};
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(operation)) {
    auto value = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    return value && value.getNumElements() <= kLargestKnownValue ? value : DenseIntElementsAttr();
  }
  if (auto size = dyn_cast<stablehlo::GetDimensionSizeOp>(operation)) {
    const auto operand = cast<RankedTensorType>(size.getOperand().getType());
    return DenseIntElementsAttr::get(
        type, ArrayRef<APInt>(APInt(32, operand.getDimSize(size.getDimension()))));
  }
  // In 128 bits: the sizes come from outside.
  __int128 count = 1;
  for (int64_t size : type.getShape())
    if ((count *= size) > kLargestKnownValue) return {};
  SmallVector<Values> values;
  for (DenseIntElementsAttr operand : operands) {
    if (!operand) return {};
    values.emplace_back(operand.getValues<APInt>());
  }
  const MaybeValues result = fold(operation, type, values);
  if (!result || static_cast<int64_t>(result->size()) != type.getNumElements()) return {};
  return DenseIntElementsAttr::get(type, ArrayRef<APInt>(*result));
}

}  // namespace vintage::golden
