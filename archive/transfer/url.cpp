#include "archive/transfer/url.h"

#include <memory>

#include <curl/curl.h>
#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::archive {

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
  constexpr std::pair<CURLUPart, const char*> kUnwanted[] = {
      {CURLUPART_USER, "a user"}, {CURLUPART_PASSWORD, "a password"},
      {CURLUPART_QUERY, "a query"}, {CURLUPART_FRAGMENT, "a fragment"}};
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
