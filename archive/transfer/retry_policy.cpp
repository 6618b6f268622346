#include "archive/transfer/retry_policy.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <curl/curl.h>

namespace vintage::archive::transfer {

std::chrono::milliseconds RetryPolicy::pause(int failures, std::mt19937_64& random) const {
  std::chrono::milliseconds whole = std::min(first, longest);
  for (int doubled = 1; doubled < failures && whole < longest; ++doubled)
    whole = std::min(whole * 2, longest);
  std::uniform_int_distribution<int64_t> half(0, whole.count() / 2);
  return whole - std::chrono::milliseconds(half(random));
}

bool isTransientStatus(int status) {
  switch (status) {
    case 408:  // Request Timeout
    case 425:  // Too Early
    case 429:  // Too Many Requests
    case 500:
    case 502:
    case 503:
    case 504: return true;
    default: return false;
  }
}

std::optional<std::chrono::milliseconds> parseRetryAfter(
    std::string_view value, std::chrono::system_clock::time_point now) {
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  if (value.empty()) return std::nullopt;
  if (value.front() >= '0' && value.front() <= '9') {
    // A year; what is longer means the same: do not wait for it.
    constexpr int64_t kLongest = 365 * 86'400;
    int64_t seconds = 0;
    const auto [end, problem] =
        std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (problem == std::errc::result_out_of_range) seconds = kLongest;
    if (end != value.data() + value.size()) return std::nullopt;
    return std::chrono::seconds(std::min(seconds, kLongest));
  }
  const time_t date = ::curl_getdate(std::string(value).c_str(), nullptr);
  if (date < 0) return std::nullopt;
  const auto wait = std::chrono::system_clock::from_time_t(date) - now;
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::ceil<std::chrono::milliseconds>(wait));
}

}  // namespace vintage::archive::transfer
