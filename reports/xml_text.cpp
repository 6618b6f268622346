#include "reports/xml_text.h"

#include <cstdint>

namespace vintage::reports {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The length of the UTF-8 character at the beginning of `text`, which starts
// with a byte above 0x7f; 0 where it is none that XML may hold.
size_t characterLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  uint32_t code = lead & (0xff >> (length + 1));
  for (size_t index = 1; index < length; ++index) {
    const auto byte = static_cast<unsigned char>(text[index]);
    if ((byte & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool noCharacter = code > 0x10ffff || code == 0xfffe || code == 0xffff;
  return overlong || surrogate || noCharacter ? 0 : length;
}

}  // namespace

std::string xmlText(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const auto character = static_cast<unsigned char>(text[0]);
    size_t length = 1;
    if (character > 0x7f) {
      length = characterLength(text);
      escaped += length == 0 ? kReplacement : text.substr(0, length);
      if (length == 0) length = 1;
    } else if (character == '&') {
      escaped += "&amp;";
    } else if (character == '<') {
      escaped += "&lt;";
    } else if (character == '>') {
      escaped += "&gt;";
    } else if (character == '"') {
      escaped += "&quot;";
    } else if (character == '\n' || character == '\t' || character == '\r') {
      escaped += character == '\n' ? "&#10;" : character == '\t' ? "&#9;" : "&#13;";
    } else {
      escaped += character < 0x20 ? kReplacement : text.substr(0, 1);
    }
    text.remove_prefix(length);
  }
  return escaped;
}

}  // namespace vintage::reports
