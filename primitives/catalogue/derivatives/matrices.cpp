#include "primitives/catalogue/derivatives/matrices.h"

#include <fmt/format.h>

#include "primitives/lowering/operations.h"

namespace vintage::primitives::catalogue {

SsaValue matrixProduct(FunctionBuilder& builder, const SsaValue& a, const SsaValue& b, int64_t left,
                       int64_t right) {
  return dotGeneral(builder, a, b, {{}, {}, {left}, {right}}, "HIGHEST");
}

SsaValue conjugateOf(FunctionBuilder& builder, const SsaValue& x) {
  if (!isComplex(x.type)) return x;
  const SsaValue real = builder.real(x);
  const SsaValue imaginary = builder.same("stablehlo.negate", builder.imaginary(x));
  return builder.complex(real, imaginary);
}

SsaValue triangleWithin(FunctionBuilder& builder, const SsaValue& x, bool lower, bool strict) {
  const SsaValue rows = builder.iota(ElementType::kI32, x.shape, 0);
  const SsaValue columns = builder.iota(ElementType::kI32, x.shape, 1);
  const char* direction = lower ? (strict ? "GT" : "GE") : (strict ? "LT" : "LE");
  const SsaValue inside = builder.compare(direction, rows, columns);
  return builder.select(inside, x, builder.zerosLike(x));
}

SsaValue identityLike(FunctionBuilder& builder, const SsaValue& x) {
  const SsaValue rows = builder.iota(ElementType::kI32, x.shape, 0);
  const SsaValue columns = builder.iota(ElementType::kI32, x.shape, 1);
  return builder.convert(builder.compare("EQ", rows, columns), x.type);
}

}  // namespace vintage::primitives::catalogue
