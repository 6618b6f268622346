#include "primitives/lowering/literals.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>


namespace vintage::primitives::lowering {

std::string listText(std::span<const int64_t> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string arrayText(std::span<const int64_t> values) {
  return values.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(values, ", "));
}

std::string layoutText(std::span<const int64_t> minorToMajor) {
  if (minorToMajor.empty()) return "dense<> : tensor<0xindex>";
  // One element prints without brackets, as a splat.
  std::string list =
      minorToMajor.size() == 1 ? fmt::format("{}", minorToMajor[0]) : listText(minorToMajor);
  return fmt::format("dense<{}> : tensor<{}xindex>", list, minorToMajor.size());
}

std::string integerLiteralText(ElementType type, __int128 value) {
  if (isPredicate(type)) return value != 0 ? "true" : "false";
  if (value < 0) return fmt::format("{}", static_cast<int64_t>(value));
  return fmt::format("{}", static_cast<uint64_t>(value));
}

std::string literalText(ElementType type, double value) {
  if (isComplex(type)) {
    ElementType part = realPart(type);
    return fmt::format("({},{})", literalText(part, value), literalText(part, 0.0));
  }
  if (!isFloat(type)) return integerLiteralText(type, static_cast<__int128>(value));
  if (!std::isfinite(value)) {
    // Sign, all ones in the exponent, and for NaN the quiet bit.
    const bool nan = std::isnan(value);
    const bool negative = std::signbit(value) && !nan;
    switch (type) {
      case ElementType::kF64:
        return nan ? "0x7FF8000000000000" : negative ? "0xFFF0000000000000" : "0x7FF0000000000000";
      case ElementType::kF16:
        return nan ? "0x7E00" : negative ? "0xFC00" : "0x7C00";
      case ElementType::kBF16:
        return nan ? "0x7FC0" : negative ? "0xFF80" : "0x7F80";
      default:
        return nan ? "0x7FC00000" : negative ? "0xFF800000" : "0x7F800000";
    }
  }
  std::string shortest = fmt::format("{:.6e}", value);
  const double read = std::strtod(shortest.c_str(), nullptr);
  const bool exact = type == ElementType::kF32
                         ? static_cast<float>(read) == static_cast<float>(value)
                         : read == value;
  return exact ? shortest : fmt::format("{:.17e}", value);
}

}  // namespace vintage::primitives::lowering
