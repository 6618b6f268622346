#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vintage {

// The number of bytes of the character at the beginning of `text`; 0 if it is not well formed: no
// overlong form, no surrogate, nothing above U+10FFFF.
size_t characterLength(std::string_view text);

// Whether `text` consists of such characters.
bool isUtf8(std::string_view text);

// The beginning of `text` of at most `bytes` bytes that ends behind a whole character.
std::string_view wholeCharacters(std::string_view text, size_t bytes);

// `line`, or where it is longer than `bytes` its beginning and " …".
std::string shortened(std::string_view line, size_t bytes);

}  // namespace vintage
