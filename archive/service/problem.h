// What is answered where something is wrong: docs/service.md lists the kinds.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/service/exchange.h"
#include "archive/service/room.h"
#include "golden/base/result.h"

namespace vintage::archive::service {

struct Problem {
  int status = 500;
  std::string_view kind;
  std::string message;
  std::string next;
  // Further fields of the error, such as `missing`.
  nlohmann::json more = nlohmann::json::object();
};

Problem badRequest(std::string message, std::string next = "correct the request");
Problem invalid(std::string message, std::string next = "correct the record and send it again");
Problem notFound(std::string message, std::string next);
Problem checksumMismatch(std::string_view what, std::string_view actual, std::string_view stated);

// An Error of the archive's. Damage of what is kept is 500: what the client sent
// was checked before the archive saw it.
Problem problemOf(const Error& error);

// {"kind", "message", "next", …}
nlohmann::json problemJson(const Problem& problem);
Response respond(const Problem& problem);
Response respondJson(int status, const nlohmann::json& json);

}  // namespace vintage::archive::service
