#include "harness/command/part_option.h"

#include <charconv>

#include <fmt/format.h>

namespace vintage::harness::command {

Result<ContentPart> parsePart(const std::string& text, const char* option) {
  ContentPart chosen;
  const char* const end = text.data() + text.size();
  const auto part = std::from_chars(text.data(), end, chosen.part);
  const bool slash = part.ec == std::errc() && part.ptr != end && *part.ptr == '/';
  const auto parts = std::from_chars(slash ? part.ptr + 1 : end, end, chosen.parts);
  if (slash && parts.ec == std::errc() && parts.ptr == end && chosen.part >= 1 &&
      chosen.part <= chosen.parts)
    return chosen;
  return failure(
      Error::Kind::kUsage,
      fmt::format("{}={}: write N/T, such as 3/7, with N from 1 to T", option, text));
}

}  // namespace vintage::harness::command
