// The word that somebody who mistyped probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/command/room.h"

namespace vintage::harness::command {

// None where nothing is near: more than a third of the letters differ.
std::optional<std::string> nearestWord(std::string_view word, std::span<const std::string> words);

}  // namespace vintage::harness::command
