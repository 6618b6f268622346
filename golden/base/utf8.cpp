#include "golden/base/utf8.h"

#include <cstddef>
#include <cstdint>

namespace vintage::golden::base {

bool isUtf8(std::string_view text) {
  // Smallest code point of a sequence by its number of continuation bytes.
  constexpr uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<uint8_t>(text[i]);
    if (lead < 0x80) continue;
    const size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || more >= text.size() - i) return false;
    uint32_t point = lead & (0x3Fu >> more);
    for (size_t end = i + more; i < end;) {
      const auto next = static_cast<uint8_t>(text[++i]);
      if ((next & 0xC0) != 0x80) return false;
      point = point << 6 | (next & 0x3Fu);
    }
    if (point < kSmallest[more] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
      return false;
  }
  return true;
}

std::string_view wholeCharacters(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<uint8_t>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

std::string shortened(std::string_view line, size_t bytes) {
  if (line.size() <= bytes) return std::string(line);
  return std::string(wholeCharacters(line, bytes)) + " …";
}

}  // namespace vintage::golden::base
