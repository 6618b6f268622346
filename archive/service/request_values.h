// Checked values of a request: the fields of its JSON body, the archive's queries as parameters
// (docs/service.md), and headers whose values have a grammar of their own (RFC 9110, RFC 9530).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/service/exchange.h"
#include "archive/service/problem.h"
#include "archive/store/records.h"

namespace vintage::archive {

// An empty body is an empty object. 400 where it is not a JSON object.
Answer<nlohmann::json> jsonBody(const Request& request);
// 422 where a field is there and is something else.
Answer<std::string> textField(const nlohmann::json& json, const char* name);  // Missing: empty.
Answer<uint64_t> numberField(const nlohmann::json& json, const char* name, uint64_t missing);
Answer<bool> flagField(const nlohmann::json& json, const char* name);  // Missing: false.
// Missing: empty. 400 for a malformed id, 422 for more than `most`.
Answer<std::vector<ContentId>> idsField(const nlohmann::json& json, const char* name, size_t most);
// 400 unless it is 64 lower-case hexadecimal digits.
Answer<ContentId> contentId(const std::string& text);

// One JSON value a line, at most `most` of them: an empty record takes three bytes
// here, and hundreds once it was read. Empty lines do not count. 400 names the line.
Answer<std::vector<nlohmann::json>> jsonLines(const Request& request, size_t most);
Refusal tooManyRecords(size_t most);

inline constexpr std::string_view kArtifactParameters[] = {"id",
                                                           "name",
                                                           "primitive",
                                                           "dtype",
                                                           "platform",
                                                           "variant",
                                                           "target",
                                                           "producer",
                                                           "built_from",
                                                           "built_until",
                                                           "oldest_calling_convention",
                                                           "newest_calling_convention"};
inline constexpr std::string_view kOutcomeParameters[] = {"artifact", "build",   "platform", "mode",
                                                          "run",      "outcome", "latest"};

// 400 names the parameter that cannot be read.
Answer<ArtifactFilter> artifactFilterOf(const Request& request);
Answer<OutcomeFilter> outcomeFilterOf(const Request& request);

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
