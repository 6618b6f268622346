#include "harness/consumers/pjrt/element_codes.h"

#include <algorithm>
#include <utility>

namespace vintage::harness::consumers::pjrt {
namespace {

using enum ElementType;

// PJRT_Buffer_Type; 23 is a token.
constexpr std::pair<int, ElementType> kCodes[] = {
    {1, kI1},          {2, kI8},          {3, kI16},
    {4, kI32},         {5, kI64},         {6, kUi8},
    {7, kUi16},        {8, kUi32},        {9, kUi64},
    {10, kF16},        {11, kF32},        {12, kF64},
    {13, kBF16},       {14, kC64},        {15, kC128},
    {16, kF8E5M2},     {17, kF8E4M3FN},   {18, kF8E4M3B11FNUZ},
    {19, kF8E5M2FNUZ}, {20, kF8E4M3FNUZ}, {21, kI4},
    {22, kUi4},        {24, kI2},         {25, kUi2},
    {26, kF8E4M3},     {27, kF8E3M4},     {28, kF8E8M0FNU},
    {29, kF4E2M1FN}};

}  // namespace

std::optional<int> elementCode(ElementType type) {
  const auto found = std::ranges::find(kCodes, type, &std::pair<int, ElementType>::second);
  if (found == std::end(kCodes)) return std::nullopt;
  return found->first;
}

std::optional<ElementType> elementOfCode(int code) {
  const auto found = std::ranges::find(kCodes, code, &std::pair<int, ElementType>::first);
  if (found == std::end(kCodes)) return std::nullopt;
  return found->second;
}

}  // namespace vintage::harness::consumers::pjrt
