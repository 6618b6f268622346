// Releases that are known by their facts and cannot be started: builds of kind
// "facts", one for each release of a list (archive/records/release_list.h). And which
// jaxlib a jax may be used with, by the facts of both.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/release_list.h"
#include "archive/records/runtime_description.h"
#include "archive/store/records.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"

namespace vintage::harness {

// A build for each release. With `stablehlo`, each gets the newest version that was current on its
// date: an upper bound, since a jaxlib pins a StableHLO that is some weeks old. It surely reads the
// version that was current 30 days before.
Result<std::vector<archive::BuildRecord>> parseReleaseFacts(
    std::string_view text, std::string_view name,
    const std::vector<archive::StablehloRelease>& stablehlo = {});

// A build of kind "facts" of what a runtime said of itself.
archive::BuildRecord factsOf(const archive::RuntimeDescription& runtime,
                             std::optional<StablehloVersion> surelyReads = {});

// Source: JAX's "jax and jaxlib versioning". A jax x.y.z accepts a jaxlib from
// the minimum that it names up to x.y.z, by the numbers that versions begin with
// (golden/base/package_version.h). Between releases an extension version stands
// beside the jaxlib's own: a jax from the repository may need a higher one than
// the jaxlib of the same number has.
struct JaxPackage {
  std::string version;
  std::string minimumJaxlib;            // Empty: not known.
  std::optional<int> minimumExtension;  // Its code needs this one or a newer one.
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
