// Web addresses, as far as a client needs to take them apart.
#pragma once

#include <string>
#include <string_view>

#include "golden/base/result.h"

namespace vintage::archive {

// Everything but letters, digits and -._~ as %XX; with `slashes`, / stays too.
std::string percentEncoded(std::string_view text, bool slashes = false);

// Without slashes at its end. kUsage where it has no host, holds a user or a
// password (which would end up in logs), a query or a fragment.
Result<std::string> checkedBaseUrl(const std::string& url);

// Appends NAME=VALUE with ? or &.
void addParameter(std::string& url, std::string_view name, std::string_view value);

}  // namespace vintage::archive
