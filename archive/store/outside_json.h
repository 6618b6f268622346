// JSON that others wrote. The library reads any depth, and calls itself for each
// level when it copies or writes: a few hundred kilobytes of brackets would take
// the whole stack. What comes in is therefore held to a depth.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

inline constexpr size_t kDeepestJson = 100;  // Vintage's own reports have about ten levels.

// Looks at brackets outside of texts only: true for what is no JSON at all.
bool fitsJsonDepth(std::string_view text);

// kBadInput says "it is not JSON" or "its JSON nests deeper than 100 levels".
Result<nlohmann::json> parseOutsideJson(std::string_view text);

// A value as an error message shows it: a list or an object by its size, the rest
// by its first 80 bytes.
std::string jsonExcerpt(const nlohmann::json& value);

// The text of a field of an object; empty where it is missing or something else.
std::string textIn(const nlohmann::json& value, const char* field);

}  // namespace vintage::archive::store
