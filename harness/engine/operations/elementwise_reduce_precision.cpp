// stablehlo.reduce_precision: rounds to a float format of given widths and
// gives the result back in the type that it came in.
#include <bit>
#include <cstdint>
#include <limits>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

// To nearest, ties to even; what is too large becomes infinity, what is below
// the normal numbers of the format zero, both with their sign. In the layout of
// the IEEE format of `Bits` with kMantissa bits of mantissa.
template <typename Bits, int kMantissa>
Bits reducePrecision(Bits bits, int exponentBits, int mantissaBits) {
  constexpr int kWidth = 8 * static_cast<int>(sizeof(Bits));
  constexpr int kExponent = kWidth - 1 - kMantissa;
  constexpr Bits kSign = Bits{1} << (kWidth - 1);
  constexpr Bits kInfinity = ((Bits{1} << kExponent) - 1) << kMantissa;
  const Bits sign = bits & kSign;
  // NaN, which a format without mantissa does not have.
  if ((bits & ~kSign) > kInfinity) return mantissaBits == 0 ? sign | kInfinity : bits;
  if (mantissaBits < kMantissa) {
    const int dropped = kMantissa - mantissaBits;
    const Bits lastKept = Bits{1} << dropped;
    // Half less one, and one more where the last bit that stays is odd.
    const Bits odd = (bits >> dropped) & 1;
    bits = (bits + (lastKept >> 1) - 1 + odd) & ~(lastKept - 1);
  }
  if (exponentBits < kExponent) {
    constexpr Bits kBias = (Bits{1} << (kExponent - 1)) - 1;
    const Bits reducedBias = (Bits{1} << (exponentBits - 1)) - 1;
    const Bits exponent = bits & kInfinity;
    if (exponent > ((kBias + reducedBias) << kMantissa)) return sign | kInfinity;
    if (exponent <= ((kBias - reducedBias) << kMantissa)) return sign;
  }
  return bits;
}

template <typename Bits, int kMantissa>
ElementLoop loopOver(int exponentBits, int mantissaBits) {
  return [=](std::span<const void* const> operands, void* result, size_t count) {
    const auto* in = static_cast<const Bits*>(operands[0]);
    auto* out = static_cast<Bits*>(result);
    for (size_t i = 0; i < count; ++i)
      out[i] = reducePrecision<Bits, kMantissa>(in[i], exponentBits, mantissaBits);
  };
}

}  // namespace

std::optional<Result<ElementLoop>> makeReducePrecisionLoop(
    const Operation& operation, std::span<const ElementType> operandTypes,
    ElementType resultType) {
  if (operation.name != "stablehlo.reduce_precision") return std::nullopt;
  CheckedAttributes read(operation);
  const int64_t exponentBits = read.integer("exponent_bits");
  const int64_t mantissaBits = read.integer("mantissa_bits");
  if (auto status = read.status(); !status)
    return Result<ElementLoop>(tl::unexpected(status.error()));
  if (exponentBits < 1 || mantissaBits < 0)
    return Result<ElementLoop>(
        badInput("{}: exponent_bits is {} and mantissa_bits {}; at least 1 and 0 are needed",
                 operation.name, exponentBits, mantissaBits));
  if (operandTypes.size() != 1 || operandTypes[0] != resultType || !isFloat(resultType))
    return Result<ElementLoop>(wrongTypes(operation, operandTypes, resultType));
  const int exponent = static_cast<int>(std::min<int64_t>(exponentBits, 64));
  const int mantissa = static_cast<int>(std::min<int64_t>(mantissaBits, 64));
  switch (resultType) {
    case ElementType::kF64: return Result<ElementLoop>(loopOver<uint64_t, 52>(exponent, mantissa));
    case ElementType::kF16: return Result<ElementLoop>(loopOver<uint16_t, 10>(exponent, mantissa));
    case ElementType::kBF16: return Result<ElementLoop>(loopOver<uint16_t, 7>(exponent, mantissa));
    default:
      return Result<ElementLoop>(
          staged(loopOver<uint32_t, 23>(exponent, mantissa), operandTypes, resultType));
  }
}

}  // namespace vintage::harness
