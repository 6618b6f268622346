// next_after, on the bits of a float: they count the numbers of one sign upwards.
#include <limits>

#include "primitives/lowering/chlo/decompositions.h"
#include "primitives/lowering/chlo/values.h"

namespace vintage::primitives::lowering::chlo {
namespace {

ElementType bitsOf(ElementType type) {
  switch (bitWidth(type)) {
    case 8:
      return ElementType::kI8;
    case 16:
      return ElementType::kI16;
    case 32:
      return ElementType::kI32;
    default:
      return ElementType::kI64;
  }
}

Expression cast(const Expression& x, ElementType type) {
  return {x.builder(),
          x.builder().convert("stablehlo.bitcast_convert", x.value(), type, x.shape())};
}

}  // namespace

Expression nextAfter(const Expression& from, const Expression& to) {
  const ElementType bits = bitsOf(from.type());
  const int64_t sign = INT64_MIN >> (64 - bitWidth(bits));
  const Expression x = cast(from, bits), y = cast(to, bits);
  const auto integer = [&](int64_t value) { return constantLike(x, bits, value); };
  const Expression fromNan = compared("NE", from, from);
  const Expression anyNan = fromNan | compared("NE", to, to);
  const Expression nan = cast(constantLike(from, std::numeric_limits<double>::quiet_NaN()), bits);
  const Expression signMask = integer(sign), sizeMask = integer(~sign);
  const Expression xSize = x & sizeMask, ySize = y & sizeMask;
  const Expression alike = compared("EQ", from, to);
  const Expression zero = integer(0);
  const Expression xZero = compared("EQ", xSize, zero), yZero = compared("EQ", ySize, zero);
  const Expression xSign = x & signMask, ySign = y & signMask;
  const Expression one = integer(1);
  const Expression smallest = ySign | one;
  const Expression apart = compared("NE", xSign, ySign);
  const Expression inward = compared("GT", xSize, ySize) | apart;
  const Expression stepped = x + select(inward, integer(-1), one);
  const Expression fromZero = select(yZero, y, smallest);
  const Expression moved = select(xZero, fromZero, stepped);
  const Expression result = select(anyNan, nan, select(alike, y, moved));
  return cast(result, from.type());
}

}  // namespace vintage::primitives::lowering::chlo
