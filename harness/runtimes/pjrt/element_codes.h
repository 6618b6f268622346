// Element types as the PJRT C API numbers them.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "golden/tensor/element_type.h"

namespace vintage::harness {

// PJRT_Buffer_Type.
inline constexpr int kTokenCode = 23;
inline constexpr std::pair<int, golden::ElementType> kElementCodes[] = {
    {1, golden::ElementType::kI1},          {2, golden::ElementType::kI8},
    {3, golden::ElementType::kI16},         {4, golden::ElementType::kI32},
    {5, golden::ElementType::kI64},         {6, golden::ElementType::kUi8},
    {7, golden::ElementType::kUi16},        {8, golden::ElementType::kUi32},
    {9, golden::ElementType::kUi64},        {10, golden::ElementType::kF16},
    {11, golden::ElementType::kF32},        {12, golden::ElementType::kF64},
    {13, golden::ElementType::kBF16},       {14, golden::ElementType::kC64},
    {15, golden::ElementType::kC128},       {16, golden::ElementType::kF8E5M2},
    {17, golden::ElementType::kF8E4M3FN},   {18, golden::ElementType::kF8E4M3B11FNUZ},
    {19, golden::ElementType::kF8E5M2FNUZ}, {20, golden::ElementType::kF8E4M3FNUZ},
    {21, golden::ElementType::kI4},         {22, golden::ElementType::kUi4},
    {24, golden::ElementType::kI2},         {25, golden::ElementType::kUi2},
    {26, golden::ElementType::kF8E4M3},     {27, golden::ElementType::kF8E3M4},
    {28, golden::ElementType::kF8E8M0FNU},  {29, golden::ElementType::kF4E2M1FN},
    {32, golden::ElementType::kF6E2M3FN},   {33, golden::ElementType::kF6E3M2FN}};
static_assert(std::size(kElementCodes) == golden::kElementTypeCount);

inline int elementCode(golden::ElementType type) {
  return std::ranges::find(kElementCodes, type, &std::pair<int, golden::ElementType>::second)
      ->first;
}

// None: int1 and uint1 (30, 31), and what is newer.
inline std::optional<golden::ElementType> elementOfCode(int code) {
  const auto found =
      std::ranges::find(kElementCodes, code, &std::pair<int, golden::ElementType>::first);
  return found == std::end(kElementCodes) ? std::nullopt : std::optional(found->second);
}

}  // namespace vintage::harness
