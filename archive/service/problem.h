// The answer where something is wrong: docs/reference/openapi.json lists the kinds.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/service/exchange.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct Problem {
  Problem(int status, std::string_view kind, std::string message, std::string next,
          nlohmann::json more = nlohmann::json::object())
      : status(status),
        kind(kind),
        message(std::move(message)),
        next(std::move(next)),
        more(std::move(more)) {}
  // An Error of the archive's. Damage of what is kept is 500: what the client sent
  // was checked before the archive saw it.
  Problem(const Error& error);

  int status;
  std::string_view kind;
  std::string message;
  std::string next;
  // Further fields of the error, such as `missing`.
  nlohmann::json more;
  std::vector<std::pair<std::string_view, std::string>> headers;  // Of the response.
};
template <typename T>
using Answer = tl::expected<T, Problem>;
// The return value of a function that answers with a problem.
using Refusal = tl::unexpected<Problem>;

inline Refusal refuse(int status, std::string_view kind, std::string message, std::string next,
                      nlohmann::json more = nlohmann::json::object()) {
  return Refusal(Problem(status, kind, std::move(message), std::move(next), std::move(more)));
}
Refusal badRequest(std::string message, std::string next = "correct the request");
Refusal invalid(std::string message, std::string next = "correct the record and send it again");
Refusal notFound(std::string message, std::string next);
Refusal checksumMismatch(std::string_view what, std::string_view actual, std::string_view stated);

inline Refusal nothingThere() {
  return notFound("there is nothing at this path", "GET /v1/openapi.json describes every path");
}

inline Refusal tooMuchAtOnce() {
  return refuse(503, "busy", "too many large bodies are under way",
                "try again after the time in Retry-After");
}

// {"kind", "message", "next", …}
nlohmann::json problemJson(const Problem& problem);
Response respond(const Problem& problem);
Response respondText(std::string_view mediaType, std::string text);
Response respondJson(int status, const nlohmann::json& json);
Response respondEmpty(int status);

// Nothing that a library throws may end the service.
template <typename Function>
std::invoke_result_t<Function> guarded(const Function& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return respond({503, "busy", "memory ran out", "try again later, with less at once"});
  } catch (const std::exception& exception) {
    return respond({500, "internal", fmt::format("a library threw: {}", exception.what()),
                    "report this to the archive's owner"});
  }
}

}  // namespace vintage::archive
