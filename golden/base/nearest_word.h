// The word that somebody who mistyped probably meant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "golden/base/room.h"

namespace vintage::golden::base {

// How many letters to add, drop, replace or swap with their neighbour make `b` of `a`.
size_t editDistance(std::string_view a, std::string_view b);

// None where nothing is near: more than a third of the letters differ.
std::optional<std::string> nearestWord(std::string_view word, std::span<const std::string> words);

}  // namespace vintage::golden::base
