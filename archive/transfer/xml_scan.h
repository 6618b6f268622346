// Texts of named elements in S3's answers, which are flat XML without comments
// or attributes that matter. Not a parser: nothing else is read with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

// What is inside all elements of this name, in order, as it is.
std::vector<std::string_view> xmlElements(std::string_view xml, std::string_view element);
// The texts of all elements of this name, in order, with entities replaced.
std::vector<std::string> xmlTexts(std::string_view xml, std::string_view element);
std::optional<std::string> firstXmlText(std::string_view xml, std::string_view element);
// A text as it is written into an element.
std::string xmlEscaped(std::string_view text);

}  // namespace vintage::archive::transfer
