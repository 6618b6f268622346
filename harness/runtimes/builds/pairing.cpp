#include "harness/runtimes/builds/pairing.h"

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness {

Result<Pairing> checkPairing(const JaxPackage& jax, const JaxlibPackage& jaxlib) {
  ASSIGN_OR_RETURN(const auto jaxVersion, within("jax", versionNumbers(jax.version)));
  ASSIGN_OR_RETURN(const auto jaxlibVersion, within("jaxlib", versionNumbers(jaxlib.version)));
  const auto answer = [](Pairing::Answer what, std::string reason) {
    return Pairing{what, std::move(reason)};
  };
  using Answer = Pairing::Answer;
  if (jaxlibVersion > jaxVersion)
    return answer(Answer::kForbidden,
                  fmt::format("jaxlib {} is newer than jax {}; a jaxlib is used with a jax of its "
                              "own version or a newer one",
                              jaxlib.version, jax.version));
  if (!jax.minimumJaxlib.empty()) {
    ASSIGN_OR_RETURN(const auto minimum, within("the minimum jaxlib of jax " + jax.version,
                                                versionNumbers(jax.minimumJaxlib)));
    if (jaxlibVersion < minimum)
      return answer(Answer::kForbidden,
                    fmt::format("jaxlib {} is older than {}, the minimum that jax {} names",
                                jaxlib.version, jax.minimumJaxlib, jax.version));
  }
  if (jax.minimumExtension && jaxlib.extension && *jaxlib.extension < *jax.minimumExtension)
    return answer(Answer::kForbidden,
                  fmt::format("jaxlib {} has extension version {}; the code of jax {} needs {}",
                              jaxlib.version, *jaxlib.extension, jax.version,
                              *jax.minimumExtension));
  if (jax.minimumJaxlib.empty())
    return answer(Answer::kUnknown,
                  fmt::format("the minimum jaxlib of jax {} is not known", jax.version));
  if (jax.minimumExtension && !jaxlib.extension)
    return answer(Answer::kUnknown,
                  fmt::format("jax {} needs extension version {}; that of jaxlib {} is not known",
                              jax.version, *jax.minimumExtension, jaxlib.version));
  return Pairing{};
}

}  // namespace vintage::harness
