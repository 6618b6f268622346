#include "archive/service/utc_time.h"

#include <string>

#include "archive/service/header_values.h"
#include "golden/base/date.h"

namespace vintage::archive::service {

std::optional<std::chrono::system_clock::time_point> parseUtcTime(std::string_view text) {
  if (text.size() != 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z')
    return std::nullopt;
  const auto date = parseDate(std::string(text.substr(0, 10)));
  const auto hours = parseNumber(text.substr(11, 2));
  const auto minutes = parseNumber(text.substr(14, 2));
  const auto seconds = parseNumber(text.substr(17, 2));
  if (!date || !hours || !minutes || !seconds || *hours > 23 || *minutes > 59 || *seconds > 59)
    return std::nullopt;
  return std::chrono::sys_days(*date) + std::chrono::hours(*hours) +
         std::chrono::minutes(*minutes) + std::chrono::seconds(*seconds);
}

}  // namespace vintage::archive::service
