// Versions of StableHLO's portable format.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "golden/base/result.h"

namespace vintage {

struct StablehloVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const StablehloVersion&) const = default;
};

inline constexpr StablehloVersion kOldestStablehloVersion{0, 9, 0};
inline constexpr StablehloVersion kCurrentStablehloVersion{1, 22, 0};

// Whether `version` may hold what this build has not heard of: its minor version is later than the
// current one. A patch release changes nothing that is written.
bool isNewerThanKnown(StablehloVersion version);

Result<StablehloVersion> parseStablehloVersion(std::string_view text);
std::string formatStablehloVersion(StablehloVersion version);

// The version of MLIR's bytecode that carries a portable artifact of `version`.
int mlirBytecodeVersion(StablehloVersion version);

}  // namespace vintage
