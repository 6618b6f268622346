#include "golden/base/visible_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "golden/base/utf8.h"

namespace vintage {
namespace {

struct Range {
  uint32_t first, last;
};
// Controls of ASCII, ISO 6429 and Unicode: those of bidirectional text, separators of lines, what
// has no width, annotations, what is no character, tags and variants. Joiners are left alone: words
// and emoji are made with them.
constexpr Range kHidden[] = {{0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},
                             {0x61c, 0x61c},   {0x200b, 0x200b}, {0x200e, 0x200f},
                             {0x2028, 0x202e}, {0x2060, 0x2069}, {0xfeff, 0xfeff},
                             {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff}};

uint32_t codePoint(std::string_view character) {
  const auto lead = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return lead;
  uint32_t point = lead & (0xFFu >> (character.size() + 1));
  for (const char next : character.substr(1))
    point = point << 6 | (static_cast<uint8_t>(next) & 0x3Fu);
  return point;
}

bool isPlain(char byte) { return (byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t'; }

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  const auto out = std::back_inserter(shown);
  while (!text.empty()) {
    const auto plain = static_cast<size_t>(std::ranges::find_if_not(text, isPlain) - text.begin());
    shown += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const size_t length = characterLength(text);
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(character.size());
    const uint32_t point = length == 0 ? 0 : codePoint(character);
    if (length == 0)
      fmt::format_to(out, "\\x{:02x}", static_cast<uint8_t>(character[0]));
    else if (std::ranges::none_of(
                 kHidden, [&](const Range& r) { return r.first <= point && point <= r.last; }))
      shown += character;
    else if (point < 0x10000)
      fmt::format_to(out, "\\u{:04x}", point);
    else  // As JSON has it.
      fmt::format_to(out, "\\u{:04x}\\u{:04x}", 0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff));
  }
  return shown;
}

}  // namespace vintage
