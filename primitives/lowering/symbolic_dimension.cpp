#include "primitives/lowering/symbolic_dimension.h"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

namespace vintage::primitives {
namespace {

constexpr int64_t kLargestConstant = 4096, kLargestFactor = 64;

}  // namespace

std::optional<SymbolicDimension> symbolicDimension(int64_t size) {
  if (size > -kDimensionB / 2 && size < kDimensionB / 2) return std::nullopt;
  // Digits to the base kDimensionB, each nearest to zero.
  std::array<int64_t, 4> digits{};
  for (int64_t& digit : digits) {
    digit = size % kDimensionB;
    size /= kDimensionB;
    if (digit > kDimensionB / 2) {
      digit -= kDimensionB;
      ++size;
    } else if (digit < -(kDimensionB / 2)) {
      digit += kDimensionB;
      --size;
    }
  }
  if (size != 0 || std::abs(digits[0]) > kLargestConstant) return std::nullopt;
  for (size_t i = 1; i < digits.size(); ++i) {
    if (std::abs(digits[i]) > kLargestFactor) return std::nullopt;
  }
  return SymbolicDimension{digits[0], digits[1], digits[2], digits[3]};
}

std::string dimensionText(int64_t size) {
  const auto symbolic = symbolicDimension(size);
  if (!symbolic) return std::to_string(size);
  std::string text;
  const auto add = [&text](int64_t factor, const std::string& monomial) {
    if (factor == 0) return;
    const int64_t magnitude = std::abs(factor);
    if (text.empty())
      text = factor < 0 ? "-" : "";
    else
      text += factor < 0 ? " - " : " + ";
    if (monomial.empty())
      text += std::to_string(magnitude);
    else
      text += magnitude == 1 ? monomial : fmt::format("{}*{}", magnitude, monomial);
  };
  add(symbolic->bc, "b*c");
  add(symbolic->b, "b");
  add(symbolic->c, "c");
  add(symbolic->constant, "");
  return text;
}

}  // namespace vintage::primitives
