#include "golden/tensor/element_type.h"

#include <array>

namespace vintage::golden {
namespace {

enum class Class : uint8_t { kPredicate, kSigned, kUnsigned, kFloat, kComplex };

struct Entry {
  ElementType type;
  Class kind;
  uint8_t bits;
  std::string_view stablehlo, dtype, jax;
};

using enum ElementType;

// In the order of the enumeration; entry() relies on it.
constexpr std::array<Entry, kElementTypeCount> kEntries{{
    {kI1, Class::kPredicate, 1, "i1", "bool", "bool"},
    {kI2, Class::kSigned, 2, "i2", "int2", "i2"},
    {kI4, Class::kSigned, 4, "i4", "int4", "i4"},
    {kI8, Class::kSigned, 8, "i8", "int8", "i8"},
    {kI16, Class::kSigned, 16, "i16", "int16", "i16"},
    {kI32, Class::kSigned, 32, "i32", "int32", "i32"},
    {kI64, Class::kSigned, 64, "i64", "int64", "i64"},
    {kUi2, Class::kUnsigned, 2, "ui2", "uint2", "u2"},
    {kUi4, Class::kUnsigned, 4, "ui4", "uint4", "u4"},
    {kUi8, Class::kUnsigned, 8, "ui8", "uint8", "u8"},
    {kUi16, Class::kUnsigned, 16, "ui16", "uint16", "u16"},
    {kUi32, Class::kUnsigned, 32, "ui32", "uint32", "u32"},
    {kUi64, Class::kUnsigned, 64, "ui64", "uint64", "u64"},
    {kF4E2M1FN, Class::kFloat, 4, "f4E2M1FN", "float4_e2m1fn", "f4_e2m1fn"},
    {kF6E2M3FN, Class::kFloat, 6, "f6E2M3FN", "float6_e2m3fn", "f6_e2m3fn"},
    {kF6E3M2FN, Class::kFloat, 6, "f6E3M2FN", "float6_e3m2fn", "f6_e3m2fn"},
    {kF8E3M4, Class::kFloat, 8, "f8E3M4", "float8_e3m4", "f8_e3m4"},
    {kF8E4M3, Class::kFloat, 8, "f8E4M3", "float8_e4m3", "f8_e4m3"},
    {kF8E4M3B11FNUZ, Class::kFloat, 8, "f8E4M3B11FNUZ", "float8_e4m3b11fnuz", "f8_e4m3b11fnuz"},
    {kF8E4M3FN, Class::kFloat, 8, "f8E4M3FN", "float8_e4m3fn", "f8_e4m3fn"},
    {kF8E4M3FNUZ, Class::kFloat, 8, "f8E4M3FNUZ", "float8_e4m3fnuz", "f8_e4m3fnuz"},
    {kF8E5M2, Class::kFloat, 8, "f8E5M2", "float8_e5m2", "f8_e5m2"},
    {kF8E5M2FNUZ, Class::kFloat, 8, "f8E5M2FNUZ", "float8_e5m2fnuz", "f8_e5m2fnuz"},
    {kF8E8M0FNU, Class::kFloat, 8, "f8E8M0FNU", "float8_e8m0fnu", "f8_e8m0fnu"},
    {kBF16, Class::kFloat, 16, "bf16", "bfloat16", "bf16"},
    {kF16, Class::kFloat, 16, "f16", "float16", "f16"},
    {kF32, Class::kFloat, 32, "f32", "float32", "f32"},
    {kF64, Class::kFloat, 64, "f64", "float64", "f64"},
    {kC64, Class::kComplex, 64, "complex<f32>", "complex64", "c64"},
    {kC128, Class::kComplex, 128, "complex<f64>", "complex128", "c128"},
}};

constexpr bool inOrder() {
  for (size_t i = 0; i < kEntries.size(); ++i)
    if (static_cast<size_t>(kEntries[i].type) != i) return false;
  return true;
}
static_assert(inOrder());

constexpr bool fillTheirBytes() {
  for (const Entry& each : kEntries)
    if (byteWidth(each.type) != (each.bits <= 8 ? 1u : each.bits / 8u)) return false;
  return true;
}
static_assert(fillTheirBytes());

const Entry& entry(ElementType type) { return kEntries[static_cast<size_t>(type)]; }

std::optional<ElementType> find(std::string_view Entry::* spelling, std::string_view name) {
  for (const Entry& candidate : kEntries)
    if (candidate.*spelling == name) return candidate.type;
  return std::nullopt;
}

}  // namespace

int bitWidth(ElementType type) { return entry(type).bits; }

bool isPredicate(ElementType type) { return type == kI1; }
bool isSignedInteger(ElementType type) { return entry(type).kind == Class::kSigned; }
bool isUnsignedInteger(ElementType type) { return entry(type).kind == Class::kUnsigned; }
bool isInteger(ElementType type) { return isSignedInteger(type) || isUnsignedInteger(type); }
bool isFloat(ElementType type) { return entry(type).kind == Class::kFloat; }
bool isComplex(ElementType type) { return entry(type).kind == Class::kComplex; }

ElementType realPart(ElementType type) { return type == kC64 ? kF32 : type == kC128 ? kF64 : type; }

std::string_view stablehloName(ElementType type) { return entry(type).stablehlo; }
std::optional<ElementType> parseStablehloName(std::string_view name) {
  return find(&Entry::stablehlo, name);
}
std::string_view dtypeName(ElementType type) { return entry(type).dtype; }
std::optional<ElementType> parseDtypeName(std::string_view name) {
  return find(&Entry::dtype, name);
}
std::string_view shortName(ElementType type) { return entry(type).jax; }

}  // namespace vintage::golden
