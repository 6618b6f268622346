#include "golden/exported/dtypes.h"

#include <algorithm>

namespace vintage::golden {
namespace {

struct Dtype {
  std::string_view name;
  int8_t number;
  int8_t since;
  Carrier carrier;
};

using enum ElementType;

constexpr Dtype kDtypes[] = {
    {"bool", 0, 1, {kI1, 0}},
    {"i8", 1, 1, {kI8, 0}},
    {"i16", 2, 1, {kI16, 0}},
    {"i32", 3, 1, {kI32, 0}},
    {"i64", 4, 1, {kI64, 0}},
    {"ui8", 5, 1, {kUi8, 0}},
    {"ui16", 6, 1, {kUi16, 0}},
    {"ui32", 7, 1, {kUi32, 0}},
    {"ui64", 8, 1, {kUi64, 0}},
    {"f16", 9, 1, {kF16, 0}},
    {"f32", 10, 1, {kF32, 0}},
    {"f64", 11, 1, {kF64, 0}},
    {"c64", 12, 1, {kC64, 0}},
    {"c128", 13, 1, {kC128, 0}},
    {"bf16", 14, 1, {kBF16, 0}},
    {"i4", 15, 1, {kI4, 0}},
    {"ui4", 16, 1, {kUi4, 0}},
    {"f8_e4m3b11fnuz", 17, 1, {kF8E4M3B11FNUZ, 0}},
    {"f8_e4m3fn", 18, 1, {kF8E4M3FN, 0}},
    {"f8_e4m3fnuz", 19, 1, {kF8E4M3FNUZ, 0}},
    {"f8_e5m2", 20, 1, {kF8E5M2, 0}},
    {"f8_e5m2fnuz", 21, 1, {kF8E5M2FNUZ, 0}},
    {"f0", 22, 2, {kI1, 0}},
    {"f8_e4m3", 23, 1, {kF8E4M3, 0}},
    {"f8_e3m4", 24, 1, {kF8E3M4, 0}},
    {"f8_e8m0fnu", 25, 1, {kF8E8M0FNU, 0}},
    {"f4_e2m1fn", 26, 1, {kF4E2M1FN, 0}},
    {"key_fry", 27, 4, {kUi32, 2}},
    {"key_rbg", 28, 4, {kUi32, 4}},
    {"key_unsafe_rbg", 29, 4, {kUi32, 4}},
};

const Dtype* find(std::string_view name) {
  const Dtype* found = std::ranges::find(kDtypes, name, &Dtype::name);
  return found == std::end(kDtypes) ? nullptr : found;
}

}  // namespace

std::optional<int8_t> wireDtype(std::string_view name) {
  const Dtype* found = find(name);
  return found ? std::optional(found->number) : std::nullopt;
}

std::optional<std::string_view> wireDtypeName(int8_t number) {
  const Dtype* found = std::ranges::find(kDtypes, number, &Dtype::number);
  return found == std::end(kDtypes) ? std::nullopt : std::optional(found->name);
}

int dtypeSerializationVersion(std::string_view name) {
  const Dtype* found = find(name);
  return found ? found->since : 1;
}

std::optional<Carrier> dtypeCarrier(std::string_view name) {
  const Dtype* found = find(name);
  return found ? std::optional(found->carrier) : std::nullopt;
}

}  // namespace vintage::golden
