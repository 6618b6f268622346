// Text in which something would be hidden on a terminal, found without the function under test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vintage::tests::command {

// A terminal's colour, its title, a C1 control, a change of direction, an isolate, a tag, and what
// has no width.
inline const std::string kHiddenText =
    "a\xc2\x9b"
    "31mb\xe2\x80\xae"
    "cba\xe2\x81\xa6x\xf3\xa0\x81\x81\xe2\x80\x8b"
    "end";

// The place of the first byte that hides something, as text; empty: there is none.
inline std::string hiddenIn(std::string_view text) {
  const auto at = [&](size_t place) {
    return place < text.size() ? static_cast<uint8_t>(text[place]) : uint8_t{0};
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const uint8_t one = at(i), two = at(i + 1), three = at(i + 2);
    const bool hides =
        (one < 0x20 && one != '\n' && one != '\t') || one == 0x7f || (one == 0xc2 && two < 0xa0) ||
        (one == 0xd8 && two == 0x9c) ||
        (one == 0xe2 && two == 0x80 &&
         (three == 0x8b || three == 0x8e || three == 0x8f || (three >= 0xa8 && three <= 0xae))) ||
        (one == 0xe2 && two == 0x81 && three >= 0xa0 && three <= 0xa9) ||
        (one == 0xef && two == 0xbb && three == 0xbf) || (one == 0xf3 && two == 0xa0);
    if (hides) return std::to_string(i) + ": " + std::string(text.substr(i > 20 ? i - 20 : 0, 40));
  }
  return "";
}

}  // namespace vintage::tests::command
