// Versions of Python packages, spelled and ordered as PEP 440 says.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "golden/base/result.h"

namespace vintage {

struct PackageVersion {
  int64_t epoch = 0;
  std::vector<int64_t> release;  // 0.9.0.1; trailing zeros do not count.
  enum class Phase { kAlpha, kBeta, kCandidate };
  std::optional<std::pair<Phase, int64_t>> pre;  // a1, b2, rc1
  std::optional<int64_t> post, dev;              // .post1, .dev20250101
  std::vector<std::variant<std::string, int64_t>>
      local;  // +cuda12.1; a number is newer than a word.

  bool isPreRelease() const { return pre || dev; }
  std::strong_ordering operator<=>(const PackageVersion& other) const;
  bool operator==(const PackageVersion& other) const { return (*this <=> other) == 0; }
};

// The dotted numbers at the beginning of a version, and nothing else: JAX compares itself with its
// jaxlib by them (check_jaxlib_version of jax/_src/lib), so that 0.5.3+cuda12, 0.5.3.dev1, 0.5.3rc1
// and 0.5.3.post1 are 0.5.3, and 0.5.3.0 is newer than it. kUsage if it begins with none.
Result<std::vector<int64_t>> versionNumbers(std::string_view text);

// "0.4.38", "0.4.7-rc1", "0.9.0.1", "0.5.0.dev20250101+gpu"; kUsage otherwise.
Result<PackageVersion> parsePackageVersion(std::string_view text);

}  // namespace vintage
