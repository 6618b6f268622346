#include "archive/service/foreign_pages.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <boost/beast/core/string.hpp>

namespace vintage::archive {
namespace {

using boost::beast::iequals;

std::string_view withoutPort(std::string_view host) {
  const size_t colon = host.rfind(':');
  // An IPv6 address without a port ends with its bracket.
  return host.ends_with(']') || colon == host.npos ? host : host.substr(0, colon);
}

bool isAddress(std::string_view name) {
  std::array<unsigned char, 16> bytes;
  if (name.starts_with('[') && name.ends_with(']'))
    return ::inet_pton(AF_INET6, std::string(name.substr(1, name.size() - 2)).c_str(), &bytes) == 1;
  return ::inet_pton(AF_INET, std::string(name).c_str(), &bytes) == 1;
}

bool isAmong(std::string_view name, std::span<const std::string> names) {
  return std::ranges::any_of(names, [&](const std::string& own) { return iequals(own, name); });
}

Refusal foreign(std::string_view header, const std::string& value, std::string next) {
  return refuse(
      403, "forbidden",
      fmt::format("the {} header is '{}': another page sends this", header, value.substr(0, 120)),
      std::move(next));
}

}  // namespace

bool isOwnHost(std::string_view host, std::span<const std::string> names) {
  const std::string_view name = withoutPort(host);
  constexpr std::string_view kLocal = ".localhost";
  const bool isLocal =
      iequals(name, kLocal.substr(1)) ||
      (name.size() > kLocal.size() && iequals(name.substr(name.size() - kLocal.size()), kLocal));
  return isLocal || isAddress(name) || isAmong(name, names);
}

Answer<void> refuseForeignPages(const Request& request, std::span<const std::string> names) {
  constexpr const char* kOwnPage = "ask from the service's own page, or from a program";
  const std::string* host = request.header("host");
  if (const std::string* site = request.header("sec-fetch-site");
      site != nullptr && *site != "same-origin" && *site != "none")
    return foreign("Sec-Fetch-Site", *site, kOwnPage);
  if (const std::string* origin = request.header("origin")) {
    const size_t scheme = origin->find("://");
    const std::string_view from =
        scheme == origin->npos ? *origin : std::string_view(*origin).substr(scheme + 3);
    // A proxy may have put its own address into Host.
    if ((host == nullptr || !iequals(from, *host)) && !isAmong(withoutPort(from), names))
      return foreign("Origin", *origin, kOwnPage);
  }
  if (request.header("authorization") != nullptr) return {};
  if (host != nullptr && !isOwnHost(*host, names))
    return foreign(
        "Host", *host,
        fmt::format("ask by an address or by localhost, or send a token; if the service has this "
                    "name, start it with --host {}",
                    withoutPort(*host).substr(0, 120)));
  if (request.hasBody() && request.header("content-type") == nullptr)
    return refuse(415, "unsupported_media_type", "the body has no Content-Type",
                  "state it, as openapi.json does for this path, or send a token");
  return {};
}

}  // namespace vintage::archive
