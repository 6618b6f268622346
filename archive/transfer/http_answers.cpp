// Addresses, and what answers say: errors, and when to ask again.
#include <algorithm>
#include <memory>

#include <curl/curl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "archive/transfer/bucket_xml.h"
#include "archive/transfer/http_client.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

Error::Kind kindOfStatus(int status) {
  constexpr std::pair<int, Error::Kind> kKinds[] = {
      {400, Error::Kind::kBadInput}, {401, Error::Kind::kUsage},    {403, Error::Kind::kUsage},
      {404, Error::Kind::kNotFound}, {409, Error::Kind::kConflict}, {412, Error::Kind::kConflict},
      {413, Error::Kind::kResource}, {422, Error::Kind::kBadInput}, {507, Error::Kind::kResource}};
  for (const auto& [known, kind] : kKinds)
    if (known == status) return kind;
  return status >= 300 && status < 400 ? Error::Kind::kUsage : Error::Kind::kIo;
}

// S3 refuses signatures that are minutes old or of the future.
const char* adviceOn(const std::string& code) {
  return code == "RequestTimeTooSkewed" ? "; set this machine's clock" : "";
}

// The server's message, on one line and not too long.
std::string said(const std::string& body) {
  const auto json = parseOutsideJson(body).value_or(nlohmann::json());
  if (json.is_object() && json.contains("error") && json["error"].is_object())
    return reasonIn(json["error"]);
  // A registry's.
  if (json.is_object() && json.contains("errors") && json["errors"].is_array() &&
      !json["errors"].empty() && json["errors"][0].is_object())
    return textIn(json["errors"][0], "code") + ": " + textIn(json["errors"][0], "message");
  const auto xml = parseXml(body);
  if (const auto code = xml ? xml->textOf("Code") : std::nullopt) {
    const auto message = xml->textOf("Message");
    return *code + (message && !message->empty() ? ": " + *message : "") + adviceOn(*code);
  }
  std::string line = body.substr(0, 200);
  std::ranges::replace_if(line, [](unsigned char letter) { return letter < 0x20; }, ' ');
  return line;
}

const char* advice(int status) {
  if (status == 401) return "; give a token with --token-file or VINTAGE_TOKEN";
  return status == 403 ? "; the token or the keys do not allow it" : "";
}

}  // namespace

Error errorOfResponse(const std::string& what, const HttpResponse& response) {
  std::string message = fmt::format("{}: the server answered {}", what, response.status);
  if (response.status >= 300 && response.status < 400)
    message += fmt::format(
        " and redirects to '{}'; Vintage follows no redirects, which could send "
        "a token elsewhere: name that address itself",
        response.header("location"));
  else if (const std::string text = said(response.body); !text.empty())
    message += ": " + text;
  else
    message += advice(response.status);
  return {kindOfStatus(response.status), std::move(message)};
}

std::string reasonIn(const nlohmann::json& error) {
  const std::string next = textIn(error, "next");
  return textIn(error, "message") + (next.empty() ? "" : "; " + next);
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
  // Request Timeout, Too Early, Too Many Requests, and errors of a server that may pass.
  constexpr int kTransient[] = {408, 425, 429, 500, 502, 503, 504};
  return std::ranges::find(kTransient, status) != std::end(kTransient);
}

std::string percentEncoded(std::string_view text, bool slashes) {
  std::string encoded;
  for (const char letter : text) {
    const bool plain = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '.' ||
                       letter == '_' || letter == '~' || (slashes && letter == '/');
    if (plain)
      encoded += letter;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return encoded;
}

Result<std::string> checkedBaseUrl(const std::string& url) {
  const std::unique_ptr<CURLU, void (*)(CURLU*)> parsed(::curl_url(), &::curl_url_cleanup);
  if (parsed == nullptr) return failure(Error::Kind::kResource, "out of memory");
  if (const CURLUcode code = ::curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0);
      code != CURLUE_OK)
    return usageError("'{}' is not an address: {}; one looks like https://HOST:PORT", url,
                      ::curl_url_strerror(code));
  constexpr std::pair<CURLUPart, const char*> kUnwanted[] = {{CURLUPART_USER, "a user"},
                                                             {CURLUPART_PASSWORD, "a password"},
                                                             {CURLUPART_QUERY, "a query"},
                                                             {CURLUPART_FRAGMENT, "a fragment"}};
  for (const auto& [part, what] : kUnwanted) {
    char* text = nullptr;
    if (::curl_url_get(parsed.get(), part, &text, 0) != CURLUE_OK) continue;
    ::curl_free(text);
    // Not repeated: it may be a secret.
    return usageError(
        "the address holds {}; one looks like https://HOST:PORT, and tokens come from --token-file "
        "or VINTAGE_TOKEN",
        what);
  }
  std::string base = url;
  while (base.ends_with('/')) base.pop_back();
  return base;
}

void addParameter(std::string& url, std::string_view name, std::string_view value) {
  url += url.find('?') == std::string::npos ? '?' : '&';
  url += percentEncoded(name);
  url += '=';
  url += percentEncoded(value);
}

}  // namespace vintage::archive
