#include "archive/store/row_values.h"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

bool needsEscaping(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char character) {
    return character < 0x20 || character == '"' || character == '\\' || character == 0x7f;
  });
}

}  // namespace

std::string listText(std::span<const std::string> values) {
  // By hand where nothing needs escaping, which is nearly every list.
  if (!std::any_of(values.begin(), values.end(), needsEscaping)) {
    std::string text = "[";
    for (const std::string& value : values) {
      if (text.size() > 1) text += ',';
      text += '"';
      text += value;
      text += '"';
    }
    return text += ']';
  }
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& value : values) list.push_back(value);
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace {

// ["f32","i32"] without escapes, which is nearly every list; none where the text
// is anything else, which the JSON library then judges.
std::optional<std::vector<std::string>> parsePlainList(std::string_view text) {
  const bool plain = text.size() >= 2 && text.front() == '[' && text.back() == ']' &&
                     text.find('\\') == std::string_view::npos &&
                     std::none_of(text.begin(), text.end(), [](char character) {
                       return static_cast<unsigned char>(character) < 0x20 || character < 0;
                     });
  if (!plain) return std::nullopt;
  std::vector<std::string> values;
  for (std::string_view rest = text.substr(1, text.size() - 2); !rest.empty();) {
    const size_t close = rest.find('"', 1);
    if (rest.front() != '"' || close == std::string_view::npos) return std::nullopt;
    values.emplace_back(rest.substr(1, close - 1));
    rest.remove_prefix(close + 1);
    if (rest.empty()) break;
    if (rest.size() < 2 || rest.front() != ',') return std::nullopt;
    rest.remove_prefix(1);
  }
  return values;
}

}  // namespace

Result<std::vector<std::string>> parseList(const std::string& text) {
  if (auto plain = parsePlainList(text)) return std::move(*plain);
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> values;
  for (const nlohmann::json& value : list) {
    if (list.is_array() && value.is_string()) values.push_back(value.get<std::string>());
  }
  if (!list.is_array() || values.size() != list.size())
    return badInput(
        "the index holds '{}' where a JSON array of texts belongs; the archive is damaged",
        text.substr(0, 80));
  return values;
}

std::string detailsText(const BuildDetails& details) {
  const nlohmann::json document = detailsJson(details);
  if (document.empty()) return "";
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<BuildDetails> parseDetails(const std::string& text) {
  if (text.empty()) return BuildDetails();
  ASSIGN_OR_RETURN(const auto document, parseOutsideJson(text));
  return detailsOfJson(document);
}

}  // namespace vintage::archive
