#include "archive/service/request_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/outside_json.h"
#include "golden/base/content_hash.h"

namespace vintage::archive::service {
namespace {

using nlohmann::json;

tl::unexpected<Problem> wrong(const char* name, const json& value, std::string_view expected) {
  return tl::unexpected(invalid(
      fmt::format("'{}' is {}; {} is expected", name, jsonExcerpt(value), expected),
      "correct the field; GET /v1/openapi.json describes it"));
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
  return tl::unexpected(Problem{413, "too_large",
                                fmt::format("the body holds {} values of JSON; {} are accepted",
                                            values, kMostValues),
                                "send it in several requests"});
}

}  // namespace

Problem tooManyRecords(size_t most) {
  return {413, "too_large", fmt::format("the body holds more than {} records", most),
          "send them in several requests; nothing was kept"};
}

Answer<json> jsonBody(const Request& request) {
  if (request.body.empty()) return json::object();
  RETURN_IF_ERROR(checkValues(request.body));
  auto body = parseOutsideJson(request.body);
  if (!body || !body->is_object())
    return tl::unexpected(badRequest(notAnObject("the body", body),
                                     "send one; GET /v1/openapi.json describes it"));
  return std::move(*body);
}

Answer<std::string> textField(const json& body, const char* name) {
  const auto field = body.find(name);
  if (field == body.end()) return std::string();
  if (!field->is_string()) return wrong(name, *field, "a text");
  return field->get<std::string>();
}

Answer<uint64_t> numberField(const json& body, const char* name, uint64_t missing) {
  const auto field = body.find(name);
  if (field == body.end()) return missing;
  if (!field->is_number_unsigned()) return wrong(name, *field, "a whole number from 0 on");
  return field->get<uint64_t>();
}

Answer<bool> flagField(const json& body, const char* name) {
  const auto field = body.find(name);
  if (field == body.end()) return false;
  if (!field->is_boolean()) return wrong(name, *field, "true or false");
  return field->get<bool>();
}

Answer<ContentId> contentId(const std::string& text) {
  if (isContentHash(text)) return text;
  return tl::unexpected(badRequest(
      fmt::format("'{}' is not an id; ids are 64 lower-case hexadecimal digits",
                  text.substr(0, 80)),
      "use the SHA-256 of the content"));
}

Answer<std::vector<ContentId>> idsField(const json& body, const char* name, size_t most) {
  std::vector<ContentId> ids;
  const auto field = body.find(name);
  if (field == body.end()) return ids;
  if (!field->is_array()) return wrong(name, *field, "a list of ids");
  if (field->size() > most)
    return tl::unexpected(invalid(fmt::format("'{}' has {} ids; {} are accepted", name,
                                              field->size(), most),
                                  "ask in several requests"));
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
      return tl::unexpected(badRequest(
          notAnObject(fmt::format("line {} of the body", number), value),
          "send one record a line (application/x-ndjson); nothing was kept"));
    if (lines.size() == most) return tl::unexpected(tooManyRecords(most));
    lines.push_back(std::move(*value));
  }
  if (lines.empty())
    return tl::unexpected(badRequest("the body holds no record", "send one record a line"));
  return lines;
}

}  // namespace vintage::archive::service
