// Element types as the PJRT C API numbers them.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "golden/tensor/element_type.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

// PJRT_Buffer_Type; 23 is a token.
inline constexpr std::pair<int, ElementType> kElementCodes[] = {
    {1, ElementType::kI1},          {2, ElementType::kI8},          {3, ElementType::kI16},
    {4, ElementType::kI32},         {5, ElementType::kI64},         {6, ElementType::kUi8},
    {7, ElementType::kUi16},        {8, ElementType::kUi32},        {9, ElementType::kUi64},
    {10, ElementType::kF16},        {11, ElementType::kF32},        {12, ElementType::kF64},
    {13, ElementType::kBF16},       {14, ElementType::kC64},        {15, ElementType::kC128},
    {16, ElementType::kF8E5M2},     {17, ElementType::kF8E4M3FN},   {18, ElementType::kF8E4M3B11FNUZ},
    {19, ElementType::kF8E5M2FNUZ}, {20, ElementType::kF8E4M3FNUZ}, {21, ElementType::kI4},
    {22, ElementType::kUi4},        {24, ElementType::kI2},         {25, ElementType::kUi2},
    {26, ElementType::kF8E4M3},     {27, ElementType::kF8E3M4},     {28, ElementType::kF8E8M0FNU},
    {29, ElementType::kF4E2M1FN}};

// None: the API has no such type (f6E2M3FN, f6E3M2FN).
inline std::optional<int> elementCode(ElementType type) {
  const auto found = std::ranges::find(kElementCodes, type, &std::pair<int, ElementType>::second);
  return found == std::end(kElementCodes) ? std::nullopt : std::optional(found->first);
}

inline std::optional<ElementType> elementOfCode(int code) {
  const auto found = std::ranges::find(kElementCodes, code, &std::pair<int, ElementType>::first);
  return found == std::end(kElementCodes) ? std::nullopt : std::optional(found->second);
}

}  // namespace vintage::harness::consumers::pjrt
