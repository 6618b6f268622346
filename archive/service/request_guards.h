// What keeps one request from harming the others: refusals of what is too much, and
// nothing that a library throws gets further.
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "archive/service/problem.h"
#include "archive/service/room.h"

namespace vintage::archive::service {

inline Problem cutShort() {
  return {400, "length_mismatch", "the body ended before its length",
          "send it again, or continue the upload at the offset that HEAD reports"};
}

inline Problem tooMuchAtOnce() {
  return {503, "busy", "too many large bodies are under way",
          "try again after the time in Retry-After"};
}

inline Problem tooManyAtOnce(std::string_view what) {
  return {503, "busy", fmt::format("too many {} are under way", what),
          "wait until one of yours has ended, or for the time in Retry-After"};
}

// Nothing that a library throws may end the service.
template <typename Function>
Response guarded(const Function& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return respond(Problem{503, "busy", "memory ran out", "try again later, with less at once"});
  } catch (const std::exception& exception) {
    return respond(Problem{500, "internal", fmt::format("a library threw: {}", exception.what()),
                           "report this to the archive's owner"});
  }
}

}  // namespace vintage::archive::service
