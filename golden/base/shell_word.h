// Words of a command that a person types again.
#pragma once

#include <string>
#include <string_view>

#include "golden/base/room.h"

namespace vintage::golden::base {

// `word` as a POSIX shell reads it back: itself, or between single quotes.
std::string shellWord(std::string_view word);

}  // namespace vintage::golden::base
