// Texts of named elements in S3's answers, which are flat XML without comments
// or attributes that matter. Not a parser: nothing else is read with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vintage {

// The texts of all elements of this name, in order, with entities replaced.
std::vector<std::string> xmlTexts(std::string_view xml, std::string_view element);
std::optional<std::string> firstXmlText(std::string_view xml, std::string_view element);

}  // namespace vintage
