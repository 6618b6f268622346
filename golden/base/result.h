// The one result type of Vintage: a value or an Error that a person can act on.
//
// Errors are values up to the command line. No function of Vintage throws, and
// none asserts on something that a user's input can cause.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace vintage {

struct Error {
  // The kind of failure: it decides the exit status and whether to retry.
  enum class Kind {
    kUsage,        // The call is wrong: an option, an argument, a filter.
    kBadInput,     // Bytes or text that are damaged, hostile or foreign.
    kUnsupported,  // Well formed, but beyond what this build can do.
    kNotFound,     // A file, an id, a build that is not there.
    kNothing,      // Nothing was recorded or chosen, so there is nothing to report.
    kConflict,     // It contradicts what is already kept.
    kIo,           // Disk, pipe or network failed.
    kResource,     // Out of memory, time or space.
    kMismatch,     // Ran to the end, and the values differ.
  };
  Kind kind;
  // Complete sentences: the file, the place in it, what was found, what would
  // be accepted, and what to do next. No trailing newline.
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> failure(Error::Kind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message)});
}

// Puts `place` (a file, an operation) in front of the message on the way up.
inline tl::unexpected<Error> within(const std::string& place, Error error) {
  error.message = place + ": " + error.message;
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace vintage

// The value of a Result, or the return of its error from the function around:
//   ASSIGN_OR_RETURN(const Tensor tensor, readNpy(bytes, name));
#define ASSIGN_OR_RETURN(declaration, ...) \
  VINTAGE_ASSIGN_OR_RETURN(VINTAGE_JOINED(result_of_line_, __LINE__), declaration, __VA_ARGS__)
// The return of an error from the function around, or nothing.
#define RETURN_IF_ERROR(...)                                               \
  do {                                                                     \
    if (auto status_of_line = (__VA_ARGS__); !status_of_line) [[unlikely]] \
      return tl::unexpected(std::move(status_of_line).error());            \
  } while (false)

#define VINTAGE_ASSIGN_OR_RETURN(result, declaration, ...) \
  auto result = (__VA_ARGS__);                             \
  if (!result) [[unlikely]]                                \
    return tl::unexpected(std::move(result).error());      \
  declaration = *std::move(result)
#define VINTAGE_JOINED(left, right) VINTAGE_JOINED_EXPANDED(left, right)
#define VINTAGE_JOINED_EXPANDED(left, right) left##right
