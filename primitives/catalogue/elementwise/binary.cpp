// Element-wise functions of two arguments of one type.
#include "golden/oracle/data_movement.h"
#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct BinaryPrimitive {
  const char* name;
  const char* operation;
  const char* function;  // The oracle's.
  std::span<const ElementType> types;
  int64_t ulps;  // For f32 and f64; narrow floats have at most one.
  Domain left = domains::kFewEdges, right = domains::kFewEdges;
};

constexpr Domain kDivisor{.edges = Domain::Edges::kFew, .zero = false};
constexpr Domain kAmount{.low = 0, .high = 7, .edges = Domain::Edges::kNone};

const BinaryPrimitive kBinaryPrimitives[] = {
    {"add", "stablehlo.add", "add", types::kNumbers, 0, domains::kComplexEdges,
     domains::kComplexEdges},
    {"add_any", "stablehlo.add", "add", types::kNumbers, 0},
    {"sub", "stablehlo.subtract", "sub", types::kNumbers, 0, domains::kComplexEdges,
     domains::kComplexEdges},
    {"mul", "stablehlo.multiply", "mul", types::kNumbers, 0},
    {"div", "stablehlo.divide", "div", types::kNumbers, 0, domains::kFewEdges, kDivisor},
    {"rem", "stablehlo.remainder", "rem", types::kOrdered, 0, domains::kFewEdges, kDivisor},
    {"max", "stablehlo.maximum", "max", types::kAll, 0},
    {"min", "stablehlo.minimum", "min", types::kAll, 0},
    {"and", "stablehlo.and", "and", types::kIntegersAndBool, 0},
    {"or", "stablehlo.or", "or", types::kIntegersAndBool, 0},
    {"xor", "stablehlo.xor", "xor", types::kIntegersAndBool, 0},
    {"shift_left", "stablehlo.shift_left", "shift_left", types::kIntegers, 0, domains::kFewEdges,
     kAmount},
    {"shift_right_logical", "stablehlo.shift_right_logical", "shift_right_logical",
     types::kIntegers, 0, domains::kFewEdges, kAmount},
    {"shift_right_arithmetic", "stablehlo.shift_right_arithmetic", "shift_right_arithmetic",
     types::kIntegers, 0, domains::kFewEdges, kAmount},
    {"pow", "stablehlo.power", "pow", types::kInexact, 2},
    {"atan2", "stablehlo.atan2", "atan2", types::kFloats, 2},
};

Comparator comparatorOf(const BinaryPrimitive& primitive, ElementType type) {
  const std::string_view name = primitive.name;
  if (isComplex(type) && (name == "mul" || name == "div")) return withinUlps(type, 8);
  if (isComplex(type) && name == "pow") return withinUlps(type, 32);
  // Products and quotients of normal numbers need not be normal.
  if (isFloat(type) && (name == "mul" || name == "div")) return withinUlps(type, 0);
  if (primitive.ulps == 0) return exactly();
  const bool narrow = bitWidth(type) < 32;
  return withinUlps(type, narrow ? 1 : primitive.ulps);
}

// The smaller argument, stretched along the dimensions where it has size one.
SsaValue stretched(const SsaValue& operand, const Shape& shape) {
  if (operand.shape == shape) return operand;
  return broadcast(operand, leadingAxes(operand.shape.size()), shape);
}

Tensor stretched(const Tensor& operand, const Shape& shape) {
  if (operand.shape() == shape) return operand;
  return oracle::broadcastInDim(operand, shape, leadingAxes(shape.size()));
}

const Shape& larger(const Shape& left, const Shape& right) {
  return elementCount(left) >= elementCount(right) ? left : right;
}

CaseSpecification binaryCase(const BinaryPrimitive& primitive, ElementType type, const Shape& left,
                             const Shape& right) {
  return {.primitive = primitive.name,
          .arguments = {{type, left}, {type, right}},
          .domains = {primitive.left, primitive.right},
          .emit =
              [&primitive](Arguments x) {
                const Shape& shape = larger(x[0].shape, x[1].shape);
                const SsaValue a = stretched(x[0], shape), b = stretched(x[1], shape);
                const std::string_view name = primitive.name;
                if (name == "max" || name == "min") return extremeOf(name == "max", a, b);
                return same(primitive.operation, a, b);
              },
          .expect =
              [&primitive](Tensors inputs) {
                const Shape& shape = larger(inputs[0].shape(), inputs[1].shape());
                return oracle::applyBinary(primitive.function, stretched(inputs[0], shape),
                                           stretched(inputs[1], shape));
              },
          .oracle = isFloat(type) || isComplex(type) ? "mpfr" : "exact",
          .comparators = {comparatorOf(primitive, type)}};
}

}  // namespace

VINTAGE_FAMILY(addBinaryCases) {
  // JAX computes these functions in the small types, too.
  for (const BinaryPrimitive& primitive : kBinaryPrimitives) {
    const std::string_view name = primitive.name;
    if (name == "rem" || name == "pow" || name == "atan2" || name.starts_with("shift")) continue;
    const bool bitwise = name == "and" || name == "or" || name == "xor";
    for (ElementType type : types::kSmallIntegers) {
      if (name != "div") cases.add(binaryCase(primitive, type, {10, 9}, {10, 9}));
    }
    for (ElementType type : types::kSmallFloats) {
      if (!bitwise) cases.add(binaryCase(primitive, type, {10, 9}, {10, 9}));
    }
  }
  for (const BinaryPrimitive& primitive : kBinaryPrimitives) {
    for (ElementType type : primitive.types) {
      if (primitive.name == std::string_view("rem") && isPredicate(type)) continue;
      cases.add(binaryCase(primitive, type, {10, 9}, {10, 9}));
      cases.add(binaryCase(primitive, type, {1, 5}, {4, 5}));
      if (type == ElementType::kF32 || type == ElementType::kI32) {
        cases.add(binaryCase(primitive, type, {4, 5}, {1, 5}));
        cases.add(binaryCase(primitive, type, {}, {}));
        cases.add(binaryCase(primitive, type, {0, 3}, {0, 3}));
      }
    }
  }
}

}  // namespace vintage::primitives
