#include "archive/service/problem.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sqlite3.h>

#include "archive/store/record_json.h"

namespace vintage::archive {
namespace {

// The archive's errors have one kind for everything that ran out; the words of
// the system and of SQLite distinguish a full disk from a locked database.
bool isFull(const std::string& message) {
  for (const int code : {ENOSPC, EDQUOT, EFBIG})
    if (message.find(std::strerror(code)) != std::string::npos) return true;
  return message.find(sqlite3_errstr(SQLITE_FULL)) != std::string::npos;
}

Problem problemOf(const Error& error) {
  const std::string& message = error.message;
  const bool full =
      (error.kind == Error::Kind::kResource || error.kind == Error::Kind::kIo) && isFull(message);
  if (full) return {507, "full", message, "free space where the archive lies, then try again"};
  switch (error.kind) {
    case Error::Kind::kUsage:
      return {422, "invalid", message, "correct the record and send it again"};
    case Error::Kind::kNotFound:
    case Error::Kind::kNothing:
      return {404, "not_found", message, "look at what is kept with GET /v1/artifacts"};
    case Error::Kind::kConflict:
    case Error::Kind::kMismatch:
      return {409, "conflict", message,
              "compare with what is kept; the new one needs another name or producer"};
    case Error::Kind::kBadInput:
      return {500, "damaged", message,
              "push the same content again, which heals it; 'vintage fsck' finds what else is "
              "damaged"};
    case Error::Kind::kUnsupported:
      return {503, "unavailable", message,
              "serve the archive with a Vintage that knows its format"};
    case Error::Kind::kResource:
      return {503, "busy", message, "try again after the time in Retry-After"};
    case Error::Kind::kIo:
      break;
  }
  return {500, "internal", message, "look at the service's machine"};
}

}  // namespace

Problem::Problem(const Error& error) : Problem(problemOf(error)) {}

Refusal badRequest(std::string message, std::string next) {
  return refuse(400, "bad_request", std::move(message), std::move(next));
}

Refusal invalid(std::string message, std::string next) {
  return refuse(422, "invalid", std::move(message), std::move(next));
}

Refusal notFound(std::string message, std::string next) {
  return refuse(404, "not_found", std::move(message), std::move(next));
}

Refusal checksumMismatch(std::string_view what, std::string_view actual, std::string_view stated) {
  return refuse(
      422, "checksum_mismatch",
      fmt::format("{} hashes to {}; the request states {}", what, actual, stated),
      "read the content again, and send it again with its SHA-256; nothing of it was kept");
}

nlohmann::json problemJson(const Problem& problem) {
  nlohmann::json json = problem.more;
  json["kind"] = problem.kind;
  json["message"] = problem.message;
  json["next"] = problem.next;
  return json;
}

Response respond(const Problem& problem) {
  Response response = respondJson(problem.status, {{"error", problemJson(problem)}});
  // Clients come too fast now and then, and use their quota up; the others need a person.
  if (problem.status >= 500 && problem.kind != "busy" && problem.kind != "quota")
    response.fault = problem.message;
  if (problem.status == 401)
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"vintage\"");
  response.headers.insert(response.headers.end(), problem.headers.begin(), problem.headers.end());
  if ((problem.status == 503 || problem.status == 429) && problem.headers.empty())
    response.headers.emplace_back("Retry-After", "1");
  if (const auto offset = problem.more.find("offset"); offset != problem.more.end())
    response.headers.emplace_back("Upload-Offset", offset->dump());
  return response;
}

Response respondEmpty(int status) {
  Response response;
  response.status = status;
  return response;
}

Response respondText(std::string_view mediaType, std::string text) {
  Response response;
  response.contentType = mediaType;
  response.text = std::move(text);
  return response;
}

Response respondJson(int status, const nlohmann::json& json) {
  Response response = respondText("application/json", jsonText(json) + '\n');
  response.status = status;
  return response;
}

}  // namespace vintage::archive
