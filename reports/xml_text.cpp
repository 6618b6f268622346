#include "reports/xml_text.h"

#include <algorithm>

#include "golden/base/utf8.h"

namespace vintage::reports {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// U+FFFE and U+FFFF, which XML may not hold.
bool isNoCharacter(std::string_view text) {
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
}

}  // namespace

std::string xmlText(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    // Each byte of what is no character is replaced.
    const size_t length = isNoCharacter(text) ? 1 : std::max<size_t>(1, characterLength(text));
    const auto character = static_cast<unsigned char>(text[0]);
    if (character > 0x7f) {
      escaped += length > 1 ? text.substr(0, length) : kReplacement;
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
