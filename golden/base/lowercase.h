// ASCII letters in lower case, for names whose case says nothing: HTTP headers, hexadecimal digits.
#pragma once

#include <algorithm>
#include <string>

namespace vintage {

inline std::string lowercase(std::string text) {
  std::ranges::transform(text, text.begin(), [](char each) {
    return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
  });
  return text;
}

}  // namespace vintage
