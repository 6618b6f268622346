// Words that a person types: the one that somebody who mistyped probably meant, and those of a
// command that is typed again.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vintage {

// How many letters to add, drop, replace or swap with their neighbour make `b` of `a`.
size_t editDistance(std::string_view a, std::string_view b);

// None where nothing is near: more than a third of the letters differ.
std::optional<std::string> nearestWord(std::string_view word, std::span<const std::string> words);

// `word` as a POSIX shell reads it back: itself, or between single quotes.
std::string shellWord(std::string_view word);

}  // namespace vintage
