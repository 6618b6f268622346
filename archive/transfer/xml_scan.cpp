#include "archive/transfer/xml_scan.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace vintage::archive::transfer {
namespace {

using Entity = std::pair<std::string_view, char>;
constexpr Entity kEntities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

// "&#39;" or "&#x27;" at the beginning, as its character; only ASCII is written so
// (the rest is UTF-8). How long it is goes to `length`; 0: it is not one.
char numberedEntity(std::string_view text, size_t& length) {
  length = 0;
  const size_t end = text.substr(0, 8).find(';');
  if (!text.starts_with("&#") || end == std::string_view::npos) return 0;
  const bool hex = text.substr(2).starts_with('x');
  const char* first = text.data() + (hex ? 3 : 2);
  unsigned number = 0;
  const auto [stop, problem] = std::from_chars(first, text.data() + end, number, hex ? 16 : 10);
  if (problem != std::errc() || stop != text.data() + end || number >= 0x80) return 0;
  length = end + 1;
  return static_cast<char>(number);
}

std::string withoutEntities(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    size_t length = 0;
    char letter = numberedEntity(text, length);
    const auto named = std::ranges::find_if(
        kEntities, [&](const Entity& entity) { return text.starts_with(entity.first); });
    if (named != std::end(kEntities)) {
      letter = named->second;
      length = named->first.size();
    } else if (length == 0) {
      letter = text.front();
      length = 1;
    }
    plain += letter;
    text.remove_prefix(length);
  }
  return plain;
}

}  // namespace

std::vector<std::string_view> xmlElements(std::string_view xml, std::string_view element) {
  const std::string open = "<" + std::string(element) + ">";
  const std::string close = "</" + std::string(element) + ">";
  std::vector<std::string_view> insides;
  for (size_t at = 0; (at = xml.find(open, at)) != std::string_view::npos;) {
    at += open.size();
    const size_t end = xml.find(close, at);
    if (end == std::string_view::npos) break;
    insides.push_back(xml.substr(at, end - at));
    at = end + close.size();
  }
  return insides;
}

std::vector<std::string> xmlTexts(std::string_view xml, std::string_view element) {
  std::vector<std::string> texts;
  for (const std::string_view inside : xmlElements(xml, element))
    texts.push_back(withoutEntities(inside));
  return texts;
}

std::optional<std::string> firstXmlText(std::string_view xml, std::string_view element) {
  auto texts = xmlTexts(xml, element);
  if (texts.empty()) return std::nullopt;
  return std::move(texts.front());
}

std::string xmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    const auto entity = std::ranges::find(kEntities, letter, &Entity::second);
    if (entity == std::end(kEntities))
      escaped += letter;
    else
      escaped += entity->first;
  }
  return escaped;
}

}  // namespace vintage::archive::transfer
