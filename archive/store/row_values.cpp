#include "archive/store/row_values.h"

#include <algorithm>

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

Result<std::vector<std::string>> parseList(const std::string& text) {
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
