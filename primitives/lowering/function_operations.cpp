// Single operations in the forms in which they are printed.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "primitives/lowering/symbolic_dimension.h"
#include "primitives/lowering/writer_text.h"

namespace vintage::primitives::lowering {
namespace {

// What stands in a constant, where one of its numbers is a symbolic dimension.
std::vector<int64_t> sizesIn(const std::string& literal) {
  std::vector<int64_t> sizes;
  bool symbolic = false;
  for (size_t i = 0; i < literal.size();) {
    char* end = nullptr;
    const double number = std::strtod(literal.c_str() + i, &end);
    const size_t length = static_cast<size_t>(end - (literal.c_str() + i));
    if (length == 0) {
      ++i;
      continue;
    }
    // Floats are written with an exponent; the integers that they are do not.
    const bool whole = literal.find_first_of(".xXnN", i) >= i + length;
    if (!whole && (std::abs(number) > 1e18 || number != std::floor(number))) return {};
    sizes.push_back(whole ? std::strtoll(literal.c_str() + i, nullptr, 10)
                          : static_cast<int64_t>(number));
    symbolic = symbolic || isSymbolic(sizes.back());
    i += length;
  }
  return symbolic ? sizes : std::vector<int64_t>{};
}

const char* comparisonType(ElementType type) {
  if (isFloat(type) || isComplex(type)) return "FLOAT";
  return isSignedInteger(type) ? "SIGNED" : "UNSIGNED";
}

}  // namespace

SsaValue FunctionWriter::constant(ElementType type, Shape shape, std::string literal) {
  if (!module_.dimensionVariables().empty()) {
    if (const std::vector<int64_t> sizes = sizesIn(literal); !sizes.empty()) {
      return computedConstant(type, sizes, shape.empty());
    }
    if (std::ranges::any_of(shape, isSymbolic)) return broadcast(constant(type, literal), shape);
  }
  size_t index = 0;
  for (; index < constants_.size(); ++index) {
    const Constant& known = constants_[index];
    if (known.type == type && known.shape == shape && known.literal == literal) break;
  }
  if (index == constants_.size()) constants_.push_back(Constant{type, shape, std::move(literal)});
  return SsaValue{fmt::format("{0}{1}{0}", kConstantMark, index), type, std::move(shape)};
}

SsaValue FunctionWriter::fill(ElementType type, double value, Shape shape) {
  return fillLiteral(type, literalText(type, value), std::move(shape));
}

SsaValue FunctionWriter::fillLiteral(ElementType type, std::string literal, Shape shape) {
  SsaValue scalar = constant(type, std::move(literal));
  return shape.empty() ? scalar : broadcast(scalar, {}, std::move(shape));
}

SsaValue FunctionWriter::broadcast(const SsaValue& operand, std::span<const int64_t> dimensions,
                                   Shape shape) {
  std::string text = fmt::format("stablehlo.broadcast_in_dim {}, dims = {} : ({}) -> {}",
                                 operand.name, listText(dimensions), primitives::lowering::typeText(operand),
                                 tensorText(operand.type, shape));
  return emit(operand.type, std::move(shape), text);
}

SsaValue FunctionWriter::same(std::string_view name, std::span<const SsaValue> operands) {
  const SsaValue& first = operands.front();
  return emit(first.type, first.shape,
              fmt::format("{} {} : {}", name, namesText(operands), primitives::lowering::typeText(first)));
}

SsaValue FunctionWriter::same(std::string_view name, const SsaValue& left, const SsaValue& right) {
  const SsaValue operands[] = {left, right};
  return same(name, operands);
}

SsaValue FunctionWriter::convert(std::string_view name, const SsaValue& operand, ElementType type,
                                 Shape shape) {
  std::string text = fmt::format("{} {} : ({}) -> {}", name, operand.name,
                                 primitives::lowering::typeText(operand), tensorText(type, shape));
  return emit(type, std::move(shape), text);
}

SsaValue FunctionWriter::convert(const SsaValue& operand, ElementType type) {
  if (operand.type == type) return operand;
  return convert("stablehlo.convert", operand, type, operand.shape);
}

SsaValue FunctionWriter::reshape(const SsaValue& operand, Shape shape) {
  return convert("stablehlo.reshape", operand, operand.type, std::move(shape));
}

SsaValue FunctionWriter::transpose(const SsaValue& operand, std::span<const int64_t> permutation) {
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(operand.shape[static_cast<size_t>(axis)]);
  std::string text = fmt::format("stablehlo.transpose {}, dims = {} : ({}) -> {}", operand.name,
                                 listText(permutation), primitives::lowering::typeText(operand),
                                 tensorText(operand.type, shape));
  return emit(operand.type, std::move(shape), text);
}

SsaValue FunctionWriter::iota(ElementType type, Shape shape, int64_t dimension) {
  std::string text =
      fmt::format("stablehlo.iota dim = {} : {}", dimension, tensorText(type, shape));
  return emit(type, std::move(shape), text);
}

SsaValue FunctionWriter::compare(std::string_view direction, const SsaValue& left,
                                 const SsaValue& right) {
  return emit(ElementType::kI1, left.shape,
              fmt::format("stablehlo.compare  {}, {}, {},  {} : ({}, {}) -> {}", direction,
                          left.name, right.name, comparisonType(left.type), primitives::lowering::typeText(left),
                          primitives::lowering::typeText(right), tensorText(ElementType::kI1, left.shape)));
}

SsaValue FunctionWriter::compareTotalOrder(std::string_view direction, const SsaValue& left,
                                           const SsaValue& right) {
  return emit(ElementType::kI1, left.shape,
              fmt::format("stablehlo.compare  {}, {}, {},  TOTALORDER : ({}, {}) -> {}", direction,
                          left.name, right.name, primitives::lowering::typeText(left), primitives::lowering::typeText(right),
                          tensorText(ElementType::kI1, left.shape)));
}

SsaValue FunctionWriter::select(const SsaValue& predicate, const SsaValue& onTrue,
                                const SsaValue& onFalse) {
  return emit(onTrue.type, onTrue.shape,
              fmt::format("stablehlo.select {}, {}, {} : {}, {}", predicate.name, onTrue.name,
                          onFalse.name, primitives::lowering::typeText(predicate), primitives::lowering::typeText(onTrue)));
}

SsaValue FunctionWriter::real(const SsaValue& operand) {
  return convert("stablehlo.real", operand, realPart(operand.type), operand.shape);
}

SsaValue FunctionWriter::imaginary(const SsaValue& operand) {
  return convert("stablehlo.imag", operand, realPart(operand.type), operand.shape);
}

std::vector<SsaValue> FunctionWriter::chlo(std::string_view name,
                                           std::span<const SsaValue> operands,
                                           std::span<const TensorType> results,
                                           std::string_view attributes) {
  return emit(results, fmt::format("stablehlo.custom_call @mhlo.{}({}) {{mhlo.attributes = {{{}}}, "
                                   "mhlo.version = 1 : i64}} : ({}) -> {}",
                                   name, namesText(operands), attributes, typesText(operands),
                                   resultText(results)));
}

std::vector<SsaValue> FunctionWriter::call(std::string_view function,
                                           std::span<const SsaValue> operands,
                                           std::span<const TensorType> results) {
  std::vector<SsaValue> all = dimensionValues_;
  all.insert(all.end(), operands.begin(), operands.end());
  return emit(results, fmt::format("{} @{}({}) : ({}) -> {}", outer_.empty() ? "call" : "func.call",
                                   function, namesText(all), typesText(all), resultText(results)));
}

}  // namespace vintage::primitives::lowering
