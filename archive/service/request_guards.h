// What keeps one request from harming the others: limits of memory, and nothing
// that a library throws gets further.
#pragma once

#include <cstdint>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "archive/service/application.h"
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

// Counts what a body takes of the memory that all of them may take.
class MemoryShare {
 public:
  explicit MemoryShare(Application& application) : application_(application) {}
  ~MemoryShare() { application_.metrics().bodyBytes.fetch_sub(taken_); }
  bool grow(size_t bytes) {
    taken_ += static_cast<int64_t>(bytes);
    const int64_t all =
        application_.metrics().bodyBytes.fetch_add(static_cast<int64_t>(bytes)) +
        static_cast<int64_t>(bytes);
    // What is alone is let through: a content may be larger than the limit.
    return all <= static_cast<int64_t>(application_.limits().memoryBytes) || all == taken_;
  }

 private:
  Application& application_;
  int64_t taken_ = 0;
};

}  // namespace vintage::archive::service
