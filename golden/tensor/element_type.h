// Element types of StableHLO tensors, without MLIR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vintage::golden {

// Names follow StableHLO: kI1 is a predicate, kUi* are unsigned integers.
enum class ElementType : uint8_t {
  kI1,
  kI2,
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kUi2,
  kUi4,
  kUi8,
  kUi16,
  kUi32,
  kUi64,
  kF4E2M1FN,
  kF6E2M3FN,
  kF6E3M2FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3B11FNUZ,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kBF16,
  kF16,
  kF32,
  kF64,
  kC64,
  kC128,
};
inline constexpr int kElementTypeCount = static_cast<int>(ElementType::kC128) + 1;

// Bytes of one element in a Tensor. Types below eight bits take one byte each:
// integers as the sign- or zero-extended value, floats as the bit pattern in
// the low bits.
constexpr size_t byteWidth(ElementType type) {
  using enum ElementType;
  switch (type) {
    case kC128:
      return 16;
    case kI64:
    case kUi64:
    case kF64:
    case kC64:
      return 8;
    case kI32:
    case kUi32:
    case kF32:
      return 4;
    case kI16:
    case kUi16:
    case kBF16:
    case kF16:
      return 2;
    default:
      return 1;
  }
}
// Bits of the type itself: 1, 2, 4, 6, 8, 16, 32, 64, 128.
int bitWidth(ElementType type);

bool isPredicate(ElementType type);
bool isSignedInteger(ElementType type);  // kI2..kI64, not kI1
bool isUnsignedInteger(ElementType type);
bool isInteger(ElementType type);  // signed or unsigned, not kI1
bool isFloat(ElementType type);
bool isComplex(ElementType type);
// kF32 for kC64, kF64 for kC128; the type itself otherwise.
ElementType realPart(ElementType type);

// MLIR's spelling: "i1", "ui8", "f8E4M3FN", "bf16", "complex<f32>".
std::string_view stablehloName(ElementType type);
std::optional<ElementType> parseStablehloName(std::string_view name);
// NumPy's and JAX's spelling: "bool", "uint8", "float8_e4m3fn", "complex64".
std::string_view dtypeName(ElementType type);
std::optional<ElementType> parseDtypeName(std::string_view name);
// As JAX prints types, in messages and in names of cases: "bool", "u8",
// "f8_e4m3fn", "bf16", "c64".
std::string_view shortName(ElementType type);

}  // namespace vintage::golden
