// What a request asks, checked: the fields of its JSON body, and the archive's queries as
// parameters (docs/service.md).
#pragma once

#include <cstdint>
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

}  // namespace vintage::archive
