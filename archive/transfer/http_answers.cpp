// What answers say: errors, and when to ask again.
#include <algorithm>
#include <charconv>

#include <curl/curl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "archive/transfer/bucket_request.h"
#include "archive/transfer/http_client.h"

namespace vintage::archive {
namespace {

Error::Kind kindOfStatus(int status) {
  switch (status) {
    case 401:
    case 403:
      return Error::Kind::kUsage;
    case 404:
      return Error::Kind::kNotFound;
    case 409:
    case 412:
      return Error::Kind::kConflict;
    case 413:
    case 507:
      return Error::Kind::kResource;
    case 400:
    case 422:
      return Error::Kind::kBadInput;
    default:
      return status >= 300 && status < 400 ? Error::Kind::kUsage : Error::Kind::kIo;
  }
}

// What the server wrote, on one line and not too long.
std::string said(const std::string& body) {
  const auto json = parseOutsideJson(body).value_or(nlohmann::json());
  if (json.is_object() && json.contains("error") && json["error"].is_object()) {
    const nlohmann::json& error = json["error"];
    const std::string next = textIn(error, "next");
    return textIn(error, "message") + (next.empty() ? "" : "; " + next);
  }
  if (const auto code = firstXmlText(body, "Code")) {
    const auto message = firstXmlText(body, "Message");
    return *code + (message && !message->empty() ? ": " + *message : "");
  }
  std::string line = body.substr(0, 200);
  std::replace_if(
      line.begin(), line.end(),
      [](char letter) { return static_cast<unsigned char>(letter) < 0x20; }, ' ');
  return line;
}

const char* advice(int status) {
  switch (status) {
    case 401:
      return "; give a token with --token-file or VINTAGE_TOKEN";
    case 403:
      return "; the token or the keys do not allow it";
    default:
      return "";
  }
}

}  // namespace

Error errorOfResponse(const std::string& what, const HttpResponse& response) {
  std::string message = fmt::format("{}: the server answered {}", what, response.status);
  if (response.status >= 300 && response.status < 400) {
    message += fmt::format(
        " and redirects to '{}'; Vintage follows no redirects, which could send "
        "a token elsewhere: name that address itself",
        response.header("location"));
  } else if (const std::string text = said(response.body); !text.empty()) {
    message += ": " + text;
  } else {
    message += advice(response.status);
  }
  return {kindOfStatus(response.status), std::move(message)};
}

std::string errorKindOf(const HttpResponse& response) {
  const auto json = parseOutsideJson(response.body).value_or(nlohmann::json());
  const auto error = json.find("error");
  return error == json.end() ? std::string() : textIn(*error, "kind");
}

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
    case 504:
      return true;
    default:
      return false;
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
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (problem == std::errc::result_out_of_range) seconds = kLongest;
    if (end != value.data() + value.size()) return std::nullopt;
    return std::chrono::seconds(std::min(seconds, kLongest));
  }
  const time_t date = ::curl_getdate(std::string(value).c_str(), nullptr);
  if (date < 0) return std::nullopt;
  const auto wait = std::chrono::system_clock::from_time_t(date) - now;
  return std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(wait));
}

}  // namespace vintage::archive
