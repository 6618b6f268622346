// Numbers of things in messages.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace vintage {

// "1 artifact", "12 artifacts": of nouns whose plural ends with a plain s.
std::string counted(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace vintage
