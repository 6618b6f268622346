#include "archive/service/event_loop.h"

#include <ctime>

#include <fmt/format.h>

namespace vintage::archive::service {

std::string endpointText(const asio::ip::tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

const std::string& EventLoop::httpDate() {
  const std::time_t now = std::time(nullptr);
  if (now == dateSecond_) return date_;
  dateSecond_ = now;
  std::tm utc;
  ::gmtime_r(&now, &utc);
  // Not strftime: its names depend on the locale.
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  date_ = fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                      kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
  return date_;
}

}  // namespace vintage::archive::service
