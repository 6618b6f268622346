// Failures of one kind with a formatted message, and results within a place:
//   return badInput("{}: {} is no date", file, text);
//   ASSIGN_OR_RETURN(const Date date, within("--until", parseDate(text)));
#pragma once

#include <fmt/format.h>

#include "golden/base/result.h"

namespace vintage {

template <Error::Kind kind>
struct FormattedFailure {
  template <typename... Args>
  tl::unexpected<Error> operator()(fmt::format_string<Args...> text, Args&&... args) const {
    return failure(kind, fmt::vformat(text, fmt::make_format_args(args...)));
  }
};
inline constexpr FormattedFailure<Error::Kind::kUsage> usageError;
inline constexpr FormattedFailure<Error::Kind::kBadInput> badInput;
inline constexpr FormattedFailure<Error::Kind::kUnsupported> unsupported;
inline constexpr FormattedFailure<Error::Kind::kNotFound> notFound;
inline constexpr FormattedFailure<Error::Kind::kNothing> nothingToJudge;
inline constexpr FormattedFailure<Error::Kind::kConflict> conflict;
inline constexpr FormattedFailure<Error::Kind::kIo> ioError;
inline constexpr FormattedFailure<Error::Kind::kResource> noResource;

// Puts `place` in front of the message of an error.
template <typename T>
Result<T> within(const std::string& place, Result<T> result) {
  if (!result) [[unlikely]]
    return within(place, std::move(result).error());
  return result;
}

}  // namespace vintage
