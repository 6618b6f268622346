#include "archive/row_values.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vintage {

std::string listText(std::span<const std::string> values) {
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
    return failure(Error::Kind::kBadInput,
                   fmt::format("the index holds '{}' where a JSON array of texts belongs; the "
                               "archive is damaged",
                               text.substr(0, 80)));
  return values;
}

std::string timeText(std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{}T{:02}:{:02}:{:02}Z", formatDate(day), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

}  // namespace vintage
