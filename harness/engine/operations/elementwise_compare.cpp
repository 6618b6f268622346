// stablehlo.compare, select and reduce_precision: elementwise operations whose types differ, or
// whose attributes choose the loop.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

using ComparisonLoops = std::map<FloatOrder, LoopTable>;

template <typename Compare, typename... Further>
ComparisonLoops comparison() {
  constexpr auto kUsual = [](auto x, auto y) { return Predicate(Compare()(x, y)); };
  constexpr auto kTotal = [](auto x, auto y) {
    return Predicate(Compare()(totalOrderKey(x), totalOrderKey(y)));
  };
  constexpr auto kWeak = [](auto x, auto y) {
    return Predicate(Compare()(weakOrderKey(x), weakOrderKey(y)));
  };
  return {
      {FloatOrder::kPartial,
       loopTable<kUsual, 2, PredicateTypes, SignedTypes, UnsignedTypes, FloatTypes, Further...>()},
      {FloatOrder::kTotal, loopTable<kTotal, 2, FloatTypes>()},
      {FloatOrder::kWeak, loopTable<kWeak, 2, FloatTypes>()}};
}

const std::map<std::string, ComparisonLoops>& comparisons() {
  static const std::map<std::string, ComparisonLoops> kLoops = {
      {"EQ", comparison<std::equal_to<>, ComplexTypes>()},
      {"NE", comparison<std::not_equal_to<>, ComplexTypes>()},
      {"LT", comparison<std::less<>>()},
      {"LE", comparison<std::less_equal<>>()},
      {"GT", comparison<std::greater<>>()},
      {"GE", comparison<std::greater_equal<>>()},
  };
  return kLoops;
}

template <typename Word>
[[gnu::always_inline]] inline void selectWords(const void* const* operands, void* result,
                                               size_t count) {
  const auto* choice = static_cast<const Predicate*>(operands[0]);
  const auto* yes = static_cast<const Word*>(operands[1]);
  const auto* no = static_cast<const Word*>(operands[2]);
  auto* out = static_cast<Word*>(result);
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i) {
    const Word first = yes[i], second = no[i];  // Both are read, so that no branch is left.
    out[i] = choice[i] ? first : second;
  }
}

RawLoop selectLoop(size_t width) {
  switch (width) {
    case 1:
      return &onAnyProcessor<&selectWords<uint8_t>>;
    case 2:
      return &onAnyProcessor<&selectWords<uint16_t>>;
    case 4:
      return &onAnyProcessor<&selectWords<uint32_t>>;
    case 8:
      return &onAnyProcessor<&selectWords<uint64_t>>;
    default:
      return &onAnyProcessor<&selectWords<std::complex<double>>>;
  }
}

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

MadeLoop makeCompareLoop(const LoopRequest& request) {
  if (request.operation.name != "stablehlo.compare") return std::nullopt;
  CheckedAttributes read(request.operation);
  const std::string direction = read.text("comparison_direction");
  const std::string compareType = read.text("compare_type", "NOTYPE");
  RETURN_IF_ERROR(read.status());
  const auto found = comparisons().find(direction);
  if (found == comparisons().end())
    return badInput("stablehlo.compare: there is no direction '{}'", direction);
  const auto types = request.operandTypes;
  if (types.size() != 2 || types[0] != types[1] || request.resultType != ElementType::kI1)
    return wrongTypes(request);
  const FloatOrder order = isFloat(types[0]) ? floatOrder(compareType) : FloatOrder::kPartial;
  const RawLoop loop = found->second.at(order)[static_cast<size_t>(computedIn(types[0]))];
  if (loop == nullptr) return wrongTypes(request);
  return staged(elementLoop(loop), request);
}

MadeLoop makeSelectLoop(const LoopRequest& request) {
  if (request.operation.name != "stablehlo.select") return std::nullopt;
  const auto types = request.operandTypes;
  if (types.size() != 3 || types[0] != ElementType::kI1 || types[1] != request.resultType ||
      types[2] != request.resultType)
    return wrongTypes(request);
  return elementLoop(selectLoop(byteWidth(request.resultType)));
}

MadeLoop makeReducePrecisionLoop(const LoopRequest& request) {
  if (request.operation.name != "stablehlo.reduce_precision") return std::nullopt;
  CheckedAttributes read(request.operation);
  const int64_t exponentBits = read.integer("exponent_bits");
  const int64_t mantissaBits = read.integer("mantissa_bits");
  RETURN_IF_ERROR(read.status());
  if (exponentBits < 1 || mantissaBits < 0)
    return badInput("{}: exponent_bits is {} and mantissa_bits {}; at least 1 and 0 are needed",
                    request.operation.name, exponentBits, mantissaBits);
  const ElementType type = request.resultType;
  if (request.operandTypes.size() != 1 || request.operandTypes[0] != type || !isFloat(type))
    return wrongTypes(request);
  const int exponent = static_cast<int>(std::min<int64_t>(exponentBits, 64));
  const int mantissa = static_cast<int>(std::min<int64_t>(mantissaBits, 64));
  switch (type) {
    case ElementType::kF64:
      return loopOver<uint64_t, 52>(exponent, mantissa);
    case ElementType::kF16:
      return loopOver<uint16_t, 10>(exponent, mantissa);
    case ElementType::kBF16:
      return loopOver<uint16_t, 7>(exponent, mantissa);
    default:
      return staged(loopOver<uint32_t, 23>(exponent, mantissa), request);
  }
}

}  // namespace vintage::harness
