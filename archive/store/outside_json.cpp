#include "archive/store/outside_json.h"

#include <fmt/format.h>

#include "archive/store/record_json.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {

bool fitsJsonDepth(std::string_view text) {
  size_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '"') {
      // To the end of the string; one that has none is not JSON, whatever its depth.
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    }
    if (character == '[' || character == '{') ++depth;
    if ((character == ']' || character == '}') && depth > 0) --depth;
    if (depth > kDeepestJson) return false;
  }
  return true;
}

Result<nlohmann::json> parseOutsideJson(std::string_view text) {
  if (!fitsJsonDepth(text)) return badInput("its JSON nests deeper than {} levels", kDeepestJson);
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) return failure(Error::Kind::kBadInput, "it is not JSON");
  return value;
}

std::string jsonExcerpt(const nlohmann::json& value) {
  constexpr size_t kExcerptBytes = 80;
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_object()) return fmt::format("an object of {} fields", value.size());
  return jsonText(value).substr(0, kExcerptBytes);
}

std::string textIn(const nlohmann::json& value, const char* field) {
  const auto found = value.find(field);
  return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace vintage::archive::store
