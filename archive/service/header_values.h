// The headers whose values have a grammar of their own (RFC 9110, RFC 9530).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

// The parts between separators: one more than there are of these.
std::vector<std::string_view> split(std::string_view text, char separator);

// "\"ID\"": content is its id, so the ETag is strong.
std::string entityTag(const ContentId& id);

// Whether a list of ETags (If-None-Match) names this content, or is "*". Weak
// tags compare as If-None-Match wants it.
bool listsTag(std::string_view list, const ContentId& id);
// Whether If-Range holds: exactly this strong tag.
bool sameStrongTag(std::string_view value, const ContentId& id);

struct RangeChoice {
  int status = 200;  // 206: a part; 416: it lies beyond the content.
  uint64_t first = 0, length = 0;
};
// Several ranges and what is not a range of bytes are answered with the whole,
// as RFC 9110 allows.
RangeChoice chooseRange(std::string_view value, uint64_t size);

// The SHA-256 that a Content-Digest states, as 64 hexadecimal digits; empty
// where it states others only. kBadInput where it cannot be read.
Result<std::string> statedDigest(std::string_view value);
// "sha-256=:BASE64:" of an id.
std::string digestField(const ContentId& id);

// A whole number of at most 18 digits, nothing else.
std::optional<uint64_t> parseNumber(std::string_view text);

}  // namespace vintage::archive
