#pragma once

#include <string>
#include <string_view>

namespace vintage {

// `text` for a terminal or a page: what would move the cursor, change colours or the direction of
// writing, or take no room stands there as \u202e, and a byte that is no character as \x9b. Line
// feeds and tabs stay. JSON stays the same JSON.
std::string visible(std::string_view text);

}  // namespace vintage
