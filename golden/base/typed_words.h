// Words that a person types: the likely meaning of a mistyped one, and the words of a command for a
// shell.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vintage {

// The number of letters to add, drop, replace or swap with their neighbour that turns `a` into `b`.
size_t editDistance(std::string_view a, std::string_view b);

// None if no option is near: more than a third of the letters differ.
std::optional<std::string> nearestWord(std::string_view word, std::span<const std::string> words);

// `word` as a POSIX shell reads it back: itself, or between single quotes.
std::string shellWord(std::string_view word);

}  // namespace vintage
