#include "archive/service/request_json.h"

#include <fmt/format.h>

#include "archive/outside_json.h"
#include "golden/content_hash.h"

namespace vintage::service {
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

}  // namespace

Answer<json> jsonBody(const Request& request) {
  if (request.body.empty()) return json::object();
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
    auto id = contentId(element.get_ref<const std::string&>());
    if (!id) return tl::unexpected(id.error());
    ids.push_back(std::move(*id));
  }
  return ids;
}

Answer<std::vector<json>> jsonLines(const Request& request) {
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
    lines.push_back(std::move(*value));
  }
  if (lines.empty())
    return tl::unexpected(badRequest("the body holds no record", "send one record a line"));
  return lines;
}

}  // namespace vintage::service
