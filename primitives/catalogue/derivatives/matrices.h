// The operations on single matrices that derivatives of linear algebra share.
#pragma once

#include "primitives/catalogue/room.h"
#include "primitives/lowering/module_writer.h"

namespace vintage::primitives::catalogue {

// The product over dimension `left` of `a` and dimension `right` of `b`.
SsaValue matrixProduct(FunctionWriter& writer, const SsaValue& a, const SsaValue& b, int64_t left,
                       int64_t right);
// Of real types the value itself.
SsaValue conjugateOf(FunctionWriter& writer, const SsaValue& x);
// Zeros outside the triangle, and on the diagonal where `strict`.
SsaValue triangleWithin(FunctionWriter& writer, const SsaValue& x, bool lower, bool strict);
// Ones where the row is the column.
SsaValue identityLike(FunctionWriter& writer, const SsaValue& x);

// f32, f64 and the complex types: what the solver libraries have.
std::span<const ElementType> solvedTypes();

}  // namespace vintage::primitives::catalogue
