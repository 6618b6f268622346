// The target of a request: its path and its query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/service/room.h"

namespace vintage::archive::service {

struct Target {
  // Decoded, between the slashes: "/v1/blobs/ab" is {"v1", "blobs", "ab"}. They
  // are never names of files.
  std::vector<std::string> segments;
  std::vector<std::pair<std::string, std::string>> parameters;
};

// Percent-encoding only; a plus is a plus. Accepts "/path?query" and
// "http://host/path?query". None where a percent sign is followed by something
// other than two hexadecimal digits, or it is neither form.
std::optional<Target> parseTarget(std::string_view text);

}  // namespace vintage::archive::service
