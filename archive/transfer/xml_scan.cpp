#include "archive/transfer/xml_scan.h"

#include <utility>

namespace vintage {
namespace {

std::string withoutEntities(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    bool replaced = false;
    for (const auto& [entity, letter] : kEntities) {
      if (!text.substr(at).starts_with(entity)) continue;
      plain += letter;
      at += entity.size();
      replaced = true;
      break;
    }
    if (!replaced) plain += text[at++];
  }
  return plain;
}

}  // namespace

std::vector<std::string> xmlTexts(std::string_view xml, std::string_view element) {
  const std::string open = "<" + std::string(element) + ">";
  const std::string close = "</" + std::string(element) + ">";
  std::vector<std::string> texts;
  for (size_t at = 0; (at = xml.find(open, at)) != std::string_view::npos;) {
    at += open.size();
    const size_t end = xml.find(close, at);
    if (end == std::string_view::npos) break;
    texts.push_back(withoutEntities(xml.substr(at, end - at)));
    at = end + close.size();
  }
  return texts;
}

std::optional<std::string> firstXmlText(std::string_view xml, std::string_view element) {
  auto texts = xmlTexts(xml, element);
  if (texts.empty()) return std::nullopt;
  return std::move(texts.front());
}

}  // namespace vintage
