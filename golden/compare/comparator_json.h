// A comparator as JSON (docs/golden_format.md).
#pragma once

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "golden/compare/comparator.h"
#include "golden/compare/room.h"

namespace vintage::golden::compare {

nlohmann::json comparatorJson(const Comparator& comparator);
// Unknown fields are ignored; a field of a wrong type, or an unknown kind, is kBadInput.
Result<Comparator> comparatorOfJson(const nlohmann::json& json);

}  // namespace vintage::golden::compare
