#include "archive/service/request_values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "archive/store/records.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr size_t kDigestBytes = 32;
constexpr size_t kDigestBase64 = 44;  // 32 bytes, padded.

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string entityTag(const ContentId& id) { return '"' + id + '"'; }

bool listsTag(std::string_view list, const ContentId& id) {
  if (trimmed(list) == "*") return true;
  return std::ranges::any_of(split(list, ','), [&](std::string_view element) {
    element = trimmed(element);
    if (element.starts_with("W/")) element.remove_prefix(2);
    return sameStrongTag(element, id);
  });
}

bool sameStrongTag(std::string_view value, const ContentId& id) {
  return trimmed(value) == entityTag(id);
}

std::optional<uint64_t> parseNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.size() > 18)
    return std::nullopt;
  return number;
}

RangeChoice chooseRange(std::string_view value, uint64_t size) {
  const RangeChoice whole{200, 0, size}, beyond{416};
  value = trimmed(value);
  constexpr std::string_view kUnit = "bytes=";
  if (!value.starts_with(kUnit)) return whole;
  value.remove_prefix(kUnit.size());
  const size_t dash = value.find('-');
  if (dash == std::string_view::npos || value.find(',') != std::string_view::npos) return whole;
  const std::string_view from = trimmed(value.substr(0, dash));
  const std::string_view until = trimmed(value.substr(dash + 1));
  const auto first = parseNumber(from);
  const auto last = parseNumber(until);
  if (from.empty() && last) {  // The last bytes.
    if (*last == 0 || size == 0) return beyond;
    const uint64_t length = std::min(*last, size);
    return {206, size - length, length};
  }
  if (!first || (!until.empty() && !last) || (last && *last < *first)) return whole;
  if (*first >= size) return beyond;
  const uint64_t end = last ? std::min(*last + 1, size) : size;
  return {206, *first, end - *first};
}

Result<std::string> statedDigest(std::string_view value) {
  std::string stated;
  bool readable = true;
  for (std::string_view element : split(value, ',')) {
    constexpr std::string_view kKey = "sha-256=";
    element = trimmed(element);
    if (!element.starts_with(kKey)) continue;
    element.remove_prefix(kKey.size());
    std::array<unsigned char, kDigestBytes + 1> digest;  // OpenSSL writes the padding too.
    readable =
        readable && stated.empty() && element.size() == kDigestBase64 + 2 &&
        element.front() == ':' && element.back() == ':' && element[kDigestBase64] == '=' &&
        EVP_DecodeBlock(digest.data(), reinterpret_cast<const unsigned char*>(element.data() + 1),
                        kDigestBase64) == kDigestBytes + 1;
    if (readable) stated = hashText(std::as_bytes(std::span(digest)).first(kDigestBytes));
  }
  if (readable) return stated;
  return badInput(
      "Content-Digest is '{}'; sha-256=:BASE64: with the 44 characters of one SHA-256 is expected "
      "(RFC 9530)",
      value.substr(0, 120));
}

std::string digestField(const ContentId& id) {
  return fmt::format("sha-256=:{}:", base64Text(hashBytes(id)));
}

}  // namespace vintage::archive
