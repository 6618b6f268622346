// Which jaxlib a jax may be used with.
//
// Source: JAX's "jax and jaxlib versioning". A jax x.y.z accepts a jaxlib from
// the minimum that it names up to x.y.z, by the numbers that versions begin with
// (golden/base/package_version.h). Between releases an extension version stands
// beside the jaxlib's own: a jax from the repository may need a higher one than
// the jaxlib of the same number has.
#pragma once

#include <optional>
#include <string>

#include "golden/base/package_version.h"
#include "golden/base/result.h"

namespace vintage::harness {

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

}  // namespace vintage::harness
