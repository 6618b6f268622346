// Which jaxlib a jax may be used with.
//
// Source: JAX's "jax and jaxlib versioning". A jax x.y.z accepts a jaxlib from
// the minimum that it names up to x.y.z; versions compare as tuples of
// integers, and a pre-release comes before its release (PEP 440). Between
// releases an extension version stands beside the jaxlib's own: a jax from the
// repository may need a higher one than the jaxlib of the same number has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "harness/builds/room.h"

namespace vintage::harness::builds {

struct PackageVersion {
  std::vector<int> release;  // Trailing zeros do not count.
  // Orders below, at and above the release: (-2, n) dev, (-1, n) a, b and rc,
  // (0, 0) the release, (1, n) post.
  int phase = 0, phaseNumber = 0;
  std::strong_ordering operator<=>(const PackageVersion& other) const;
  bool operator==(const PackageVersion& other) const { return (*this <=> other) == 0; }
};

// "0.4.38", "0.4.7-rc1", "0.9.0.1", "0.5.0.dev20250101"; kUsage otherwise.
Result<PackageVersion> parsePackageVersion(std::string_view text);

struct JaxPackage {
  std::string version;
  std::string minimumJaxlib;             // Empty: not known.
  std::optional<int> minimumExtension;   // That its code needs.
};
struct JaxlibPackage {
  std::string version;
  std::optional<int> extension;
};

struct Pairing {
  enum class Answer { kAllowed, kForbidden, kUnknown };
  Answer answer = Answer::kAllowed;
  std::string reason;  // Empty where allowed.
};

// kUsage where a version cannot be read.
Result<Pairing> checkPairing(const JaxPackage& jax, const JaxlibPackage& jaxlib);

}  // namespace vintage::harness::builds
