// The operations that transposes of data movement are written with.
#pragma once

#include "golden/oracle/indexing.h"
#include "primitives/catalogue/room.h"
#include "primitives/lowering/module_writer.h"

namespace vintage::primitives::catalogue {

SsaValue sliceOf(FunctionWriter& writer, const SsaValue& operand, const Shape& start,
                 const Shape& limit, const Shape& strides);
SsaValue sliceOf(FunctionWriter& writer, const SsaValue& operand, const Shape& start,
                 const Shape& limit);
// With `value`, a scalar; negative edges remove elements.
SsaValue padOf(FunctionWriter& writer, const SsaValue& operand, const SsaValue& value,
               const Shape& low, const Shape& high, const Shape& interior);
SsaValue reverseOf(FunctionWriter& writer, const SsaValue& operand, const Shape& dimensions);
// The sum of all elements, a scalar.
SsaValue totalOf(FunctionWriter& writer, const SsaValue& operand);
// Zeros of the value's type, as one broadcast.
SsaValue zerosLike(FunctionWriter& writer, const SsaValue& value);

struct IndexPromise {
  bool sorted = false, unique = false;
};
SsaValue gatherOf(FunctionWriter& writer, const SsaValue& operand, const SsaValue& indices,
                  const oracle::IndexingDimensions& dimensions, const Shape& slice,
                  IndexPromise promise = {});
// `function` is "add" or "mul", or "replace".
SsaValue scatterOf(FunctionWriter& writer, std::string_view function, const SsaValue& operand,
                   const SsaValue& indices, const SsaValue& updates,
                   const oracle::IndexingDimensions& dimensions, IndexPromise promise = {});

}  // namespace vintage::primitives::catalogue
