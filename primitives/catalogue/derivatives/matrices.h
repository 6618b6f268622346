// The operations on single matrices that derivatives of linear algebra share.
#pragma once

#include "primitives/catalogue/room.h"
#include "primitives/lowering/builder.h"

namespace vintage::primitives::catalogue {

// The product over dimension `left` of `a` and dimension `right` of `b`.
SsaValue matrixProduct(FunctionBuilder& builder, const SsaValue& a, const SsaValue& b, int64_t left,
                       int64_t right);
// A real value is its own conjugate.
SsaValue conjugateOf(FunctionBuilder& builder, const SsaValue& x);
// Zeros outside the triangle, and on the diagonal where `strict`.
SsaValue triangleWithin(FunctionBuilder& builder, const SsaValue& x, bool lower, bool strict);
// Ones where the row is the column.
SsaValue identityLike(FunctionBuilder& builder, const SsaValue& x);

}  // namespace vintage::primitives::catalogue
