#include "archive/service/request_values.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/date.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

Refusal wrong(const char* name, const json& value, std::string_view expected) {
  return invalid(fmt::format("'{}' is {}; {} is expected", name, jsonExcerpt(value), expected),
                 "correct the field; GET /v1/openapi.json describes it");
}

template <typename Value>
Answer<Value> field(const json& body, const char* name, Value missing,
                    bool (json::*fits)() const noexcept, std::string_view expected) {
  const auto found = body.find(name);
  if (found == body.end()) return missing;
  if (!((*found).*fits)()) return wrong(name, *found, expected);
  return found->get<Value>();
}

std::string notAnObject(std::string_view what, const Result<json>& read) {
  return fmt::format("{} is not a JSON object{}", what, read ? "" : ": " + read.error().message);
}

// A value takes two bytes of a body, and dozens once it was read.
Answer<void> checkValues(std::string_view body) {
  constexpr size_t kMostValues = 2'000'000;
  const auto separates = [](char c) { return c == ',' || c == '[' || c == '{'; };
  // Those within texts count too: only what is over the limit is looked at closely.
  if (static_cast<size_t>(std::ranges::count_if(body, separates)) <= kMostValues) return {};
  size_t values = 0;
  bool inText = false;
  for (size_t at = 0; at < body.size(); ++at) {
    if (inText && body[at] == '\\')
      ++at;
    else if (body[at] == '"')
      inText = !inText;
    else if (!inText && separates(body[at]))
      ++values;
  }
  if (values <= kMostValues) return {};
  return refuse(
      413, "too_large",
      fmt::format("the body holds {} values of JSON; {} are accepted", values, kMostValues),
      "send it in several requests");
}

std::vector<std::string> all(const Request& request, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : request.parameters)
    if (key == name) values.push_back(value);
  return values;
}

Status readDate(const Request& request, std::string_view name, std::optional<Date>& place) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return {};
  ASSIGN_OR_RETURN(place, within(std::string(name), parseDate(*text)));
  return {};
}

Status readVersion(const Request& request, std::string_view name, std::optional<int>& place) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return {};
  const auto number = parseNumber(*text);
  if (!number || *number > static_cast<uint64_t>(std::numeric_limits<int>::max()))
    return usageError("{} is '{}'; a whole number is expected", name, *text);
  place = static_cast<int>(*number);
  return {};
}

Result<ArtifactFilter> readArtifactFilter(const Request& request) {
  ArtifactFilter filter;
  for (const auto& [name, list] : kFilterLists) filter.*list = all(request, name);
  for (const Status& status :
       {readDate(request, "built_from", filter.builtFrom),
        readDate(request, "built_until", filter.builtUntil),
        readVersion(request, "oldest_calling_convention", filter.oldestCallingConvention),
        readVersion(request, "newest_calling_convention", filter.newestCallingConvention)}) {
    RETURN_IF_ERROR(status);
  }
  RETURN_IF_ERROR(checkFilter(filter));
  return filter;
}

Result<OutcomeFilter> readOutcomeFilter(const Request& request) {
  OutcomeFilter filter;
  filter.artifacts = all(request, "artifact");
  for (const ContentId& id : filter.artifacts)
    if (!isContentHash(id))
      return usageError("artifact is '{}'; 64 lower-case hexadecimal digits are expected",
                        id.substr(0, 80));
  filter.builds = all(request, "build");
  filter.platforms = all(request, "platform");
  filter.modes = all(request, "mode");
  filter.runs = all(request, "run");
  for (const std::string& name : all(request, "outcome")) {
    ASSIGN_OR_RETURN(const auto outcome, parseOutcome(name));
    filter.outcomes.push_back(outcome);
  }
  if (const std::string* latest = request.parameter("latest")) {
    if (*latest != "true" && *latest != "false")
      return usageError("latest is '{}'; true or false is expected", *latest);
    filter.latestOnly = *latest == "true";
  }
  return filter;
}

Problem wrongParameter(const Error& error) {
  return badRequest(error.message, "correct the parameter").value();
}

}  // namespace

Refusal tooManyRecords(size_t most) {
  return refuse(413, "too_large", fmt::format("the body holds more than {} records", most),
                "send them in several requests; nothing was kept");
}

Answer<json> jsonBody(const Request& request) {
  if (request.body.empty()) return json::object();
  RETURN_IF_ERROR(checkValues(request.body));
  auto body = parseOutsideJson(request.body);
  if (!body || !body->is_object())
    return badRequest(notAnObject("the body", body), "send one; GET /v1/openapi.json describes it");
  return std::move(*body);
}

Answer<std::string> textField(const json& body, const char* name) {
  return field<std::string>(body, name, "", &json::is_string, "a text");
}

Answer<uint64_t> numberField(const json& body, const char* name, uint64_t missing) {
  return field(body, name, missing, &json::is_number_unsigned, "a whole number from 0 on");
}

Answer<bool> flagField(const json& body, const char* name) {
  return field(body, name, false, &json::is_boolean, "true or false");
}

Answer<ContentId> contentId(const std::string& text) {
  if (isContentHash(text)) return text;
  return badRequest(fmt::format("'{}' is not an id; ids are 64 lower-case hexadecimal digits",
                                text.substr(0, 80)),
                    "use the SHA-256 of the content");
}

Answer<std::vector<ContentId>> idsField(const json& body, const char* name, size_t most) {
  std::vector<ContentId> ids;
  const auto field = body.find(name);
  if (field == body.end()) return ids;
  if (!field->is_array()) return wrong(name, *field, "a list of ids");
  if (field->size() > most)
    return invalid(fmt::format("'{}' has {} ids; {} are accepted", name, field->size(), most),
                   "ask in several requests");
  for (const json& element : *field) {
    if (!element.is_string()) return wrong(name, element, "an id");
    ASSIGN_OR_RETURN(auto id, contentId(element.get_ref<const std::string&>()));
    ids.push_back(std::move(id));
  }
  return ids;
}

Answer<std::vector<json>> jsonLines(const Request& request, size_t most) {
  RETURN_IF_ERROR(checkValues(request.body));
  std::vector<json> lines;
  std::string_view rest = request.body;
  for (size_t number = 1; !rest.empty(); ++number) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto value = parseOutsideJson(line);
    if (!value || !value->is_object())
      return badRequest(notAnObject(fmt::format("line {} of the body", number), value),
                        "send one record a line (application/x-ndjson); nothing was kept");
    if (lines.size() == most) return tooManyRecords(most);
    lines.push_back(std::move(*value));
  }
  if (lines.empty()) return badRequest("the body holds no record", "send one record a line");
  return lines;
}

Answer<ArtifactFilter> artifactFilterOf(const Request& request) {
  return readArtifactFilter(request).map_error(wrongParameter);
}

Answer<OutcomeFilter> outcomeFilterOf(const Request& request) {
  return readOutcomeFilter(request).map_error(wrongParameter);
}

}  // namespace vintage::archive
