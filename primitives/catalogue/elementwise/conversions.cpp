// convert_element_type, bitcast_convert_type.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Number;

// Values that both types hold, or that the target rounds. Values beyond an integer's range have no
// specified result, and no case uses them.
Domain domainOf(ElementType from, ElementType to) {
  Domain domain{.low = -100, .high = 100};
  if (isUnsignedInteger(to)) domain.low = 0;
  const bool toInteger = isInteger(to);
  if (toInteger && bitWidth(to) < 8) {
    domain.low = static_cast<double>(oracle::lowest(to));
    domain.high = static_cast<double>(oracle::highest(to));
  }
  if (from == ElementType::kF8E8M0FNU || to == ElementType::kF8E8M0FNU) {
    // Powers of two, without sign and zero; rounding may double the largest one.
    return {.low = 0.01, .high = domain.high / 2};
  }
  if (isFloat(from) && toInteger) {
    // The smallest formats end before the integers do. XLA's CPU converts 6, the largest number of
    // four bits, to the largest integer; in JAX's own programs too (docs/howto/jax.md).
    const double largest =
        from == ElementType::kF4E2M1FN ? 4 : oracle::floatFormat(from).largestFinite();
    domain.low = std::max(domain.low, -largest);
    domain.high = std::min(domain.high, largest);
    return domain;
  }
  if (isFloat(to) && !oracle::floatFormat(to).hasNan()) domain.nan = false;
  domain.edges = Domain::Edges::kAll;
  if (isComplex(from)) domain.edges = Domain::Edges::kNone;
  return domain;
}

Number converted(ElementType from, ElementType to, const Number& value) {
  const bool fromInteger = isInteger(from) || isPredicate(from);
  if (isPredicate(to)) return {fromInteger ? value.integer != 0 : value.real != 0};
  if (isInteger(to))
    return {fromInteger ? value.integer : static_cast<oracle::Wide>(std::trunc(value.real))};
  if (fromInteger) return {0, oracle::roundTo(to, static_cast<oracle::Quad>(value.integer)), 0};
  return {0, oracle::roundTo(to, value.real),
          isComplex(to) ? oracle::roundTo(to, value.imaginary) : 0};
}

SsaValue emitConversion(SsaValue operand, ElementType to) {
  const ElementType from = operand.type;
  if (isComplex(from) && !isComplex(to)) operand = realPart(operand);
  if (isPredicate(to) && !isPredicate(from))
    operand = compare("NE", operand, operand.builder->fill(operand.type, 0, operand.shape));
  // Even if the type is already right.
  return from == to ? operand : convert("stablehlo.convert", operand, to, operand.shape);
}

CaseSpecification conversionCase(ElementType from, ElementType to) {
  return {.primitive = "convert_element_type",
          .label = fmt::format("to={}", shortName(to)),
          .arguments = {{from, {6, 7}}},
          .domains = {domainOf(from, to)},
          .emit = [to](Arguments x) { return emitConversion(x[0], to); },
          .expect =
              [to](Tensors inputs) {
                // JAX takes the real part first: only that decides.
                return oracle::eachElement(to, inputs[0].shape(), [&](int64_t i) {
                  return converted(inputs[0].type(), to, oracle::load(inputs[0], i));
                });
              }};
}

CaseSpecification bitcastCase(ElementType from, ElementType to) {
  const auto fromWidth = static_cast<int64_t>(byteWidth(from));
  const auto toWidth = static_cast<int64_t>(byteWidth(to));
  // A narrower type adds a last dimension, a wider one takes it away.
  Shape shape{2, 3}, result{2, 3};
  if (fromWidth > toWidth) result.push_back(fromWidth / toWidth);
  if (toWidth > fromWidth) shape.push_back(toWidth / fromWidth);
  return {
      .primitive = "bitcast_convert_type",
      .label = fmt::format("to={}", shortName(to)),
      .arguments = {{from, shape}},
      .domains = {Domain{.edges = Domain::Edges::kFew, .nan = false}},
      .emit = [to, result](
                  Arguments x) { return convert("stablehlo.bitcast_convert", x[0], to, result); },
      .expect = [to, result](
                    Tensors inputs) { return Tensor::fromBytes(to, result, inputs[0].bytes()); }};
}

}  // namespace

VINTAGE_FAMILY(addConversionCases) {
  using enum ElementType;
  for (ElementType narrow : types::kSmall) {
    for (ElementType wide : {kI8, kI32, kBF16, kF16, kF32, kF64}) {
      cases.add(conversionCase(narrow, wide));
      cases.add(conversionCase(wide, narrow));
    }
    if (isFloat(narrow) && bitWidth(narrow) == 8) {
      cases.add(bitcastCase(narrow, kUi8));
      cases.add(bitcastCase(kUi8, narrow));
    }
  }
  for (ElementType from : types::kSmallFloats) {
    for (ElementType to : {kF8E4M3FN, kF8E5M2, kF4E2M1FN}) {
      if (from != to) cases.add(conversionCase(from, to));
    }
  }
  for (ElementType from : types::kAll) {
    for (ElementType to : types::kAll) {
      if (from != to) cases.add(conversionCase(from, to));
      const bool sizes = isPredicate(from) == isPredicate(to) && isComplex(from) == isComplex(to);
      if (sizes && (from == to || !isComplex(from))) cases.add(bitcastCase(from, to));
    }
  }
}

}  // namespace vintage::primitives
