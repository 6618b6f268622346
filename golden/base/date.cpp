#include "golden/base/date.h"

#include <charconv>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage {
namespace {

bool parseDigits(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && text.front() != '-';
}

}  // namespace

Result<Date> parseDate(std::string_view text) {
  int year = 0, month = 0, day = 0;
  const bool wellFormed = text.size() == 10 && text[4] == '-' && text[7] == '-' &&
                          parseDigits(text.substr(0, 4), year) &&
                          parseDigits(text.substr(5, 2), month) &&
                          parseDigits(text.substr(8, 2), day);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!wellFormed || !date.ok())
    return usageError("'{}' is not a date; write an existing day as YYYY-MM-DD, such as 2026-02-28",
                      text);
  return Date(date);
}

std::string formatDate(Date date) {
  const std::chrono::year_month_day parts(date);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(parts.year()),
                     static_cast<unsigned>(parts.month()), static_cast<unsigned>(parts.day()));
}

}  // namespace vintage
