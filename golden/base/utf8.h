#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vintage {

// How many bytes the character at the beginning of `text` has; 0 where none that is well formed
// stands there: no overlong form, no surrogate, nothing above U+10FFFF.
size_t characterLength(std::string_view text);

// Whether `text` consists of such characters.
bool isUtf8(std::string_view text);

// The beginning of `text` of at most `bytes` bytes that ends behind a whole character.
std::string_view wholeCharacters(std::string_view text, size_t bytes);

// `line`, or where it is longer than `bytes` its beginning and " …".
std::string shortened(std::string_view line, size_t bytes);

}  // namespace vintage
