// The text of an artifact for somebody to look at.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "golden/base/result.h"
#include "harness/importer/room.h"

namespace vintage::harness::importer {

// As Inspection::text; of an artifact beyond kHeldWhole (golden/base/memory_pages.h), whose text
// would be twice as long as it is, the elements of constants of more than kElementsShown are left
// out.
Result<std::string> textForPeople(std::span<const std::byte> bytes, const std::string& name);

inline constexpr int64_t kElementsShown = 1024;

}  // namespace vintage::harness::importer
