#include "primitives/catalogue/derivatives/matrices.h"

#include <fmt/format.h>

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/movement.h"

namespace vintage::primitives::catalogue {

SsaValue matrixProduct(FunctionWriter& writer, const SsaValue& a, const SsaValue& b, int64_t left,
                       int64_t right) {
  const SsaValue both[] = {a, b};
  const Shape shape{a.shape[static_cast<size_t>(1 - left)],
                    b.shape[static_cast<size_t>(1 - right)]};
  return writer.emit(a.type, shape,
                     fmt::format("stablehlo.dot_general {}, contracting_dims = [{}] x [{}], "
                                 "precision = [HIGHEST, HIGHEST] : ({}) -> {}",
                                 namesText(both), left, right, typesText(both),
                                 tensorText(a.type, shape)));
}

SsaValue conjugateOf(FunctionWriter& writer, const SsaValue& x) {
  if (!isComplex(x.type)) return x;
  const SsaValue real = writer.real(x);
  const SsaValue imaginary = writer.same("stablehlo.negate", writer.imaginary(x));
  return writer.emit(x.type, x.shape,
                     fmt::format("stablehlo.complex {}, {} : {}", real.name, imaginary.name,
                                 typeText(x)));
}

SsaValue triangleWithin(FunctionWriter& writer, const SsaValue& x, bool lower, bool strict) {
  const SsaValue rows = writer.iota(ElementType::kI32, x.shape, 0);
  const SsaValue columns = writer.iota(ElementType::kI32, x.shape, 1);
  const char* direction = lower ? (strict ? "GT" : "GE") : (strict ? "LT" : "LE");
  const SsaValue inside = writer.compare(direction, rows, columns);
  return writer.select(inside, x, zerosLike(writer, x));
}

SsaValue identityLike(FunctionWriter& writer, const SsaValue& x) {
  const SsaValue rows = writer.iota(ElementType::kI32, x.shape, 0);
  const SsaValue columns = writer.iota(ElementType::kI32, x.shape, 1);
  return writer.convert(writer.compare("EQ", rows, columns), x.type);
}

std::span<const ElementType> solvedTypes() { return types::inexact().subspan(2); }

}  // namespace vintage::primitives::catalogue
