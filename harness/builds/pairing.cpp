#include "harness/builds/pairing.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

namespace vintage::harness::builds {
namespace {

constexpr size_t kMostParts = 8;

// Takes digits from the front of `text`.
std::optional<int> takeNumber(std::string_view& text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || number < 0 || text.starts_with('-')) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

struct PhaseName {
  std::string_view name;
  int phase;
  int step;  // Between names of one phase: a, b, rc.
};
constexpr PhaseName kPhases[] = {{"dev", -2, 0}, {"rc", -1, 2'000'000}, {"a", -1, 0},
                                 {"b", -1, 1'000'000}, {"post", 1, 0}};

}  // namespace

std::strong_ordering PackageVersion::operator<=>(const PackageVersion& other) const {
  for (size_t i = 0; i < std::max(release.size(), other.release.size()); ++i) {
    const int a = i < release.size() ? release[i] : 0;
    const int b = i < other.release.size() ? other.release[i] : 0;
    if (a != b) return a <=> b;
  }
  return std::tie(phase, phaseNumber) <=> std::tie(other.phase, other.phaseNumber);
}

Result<PackageVersion> parsePackageVersion(std::string_view text) {
  const auto wrong = [&] {
    return failure(Error::Kind::kUsage,
                   fmt::format("'{}' is not a version of a Python package; one is such as 0.4.38, "
                               "0.4.7rc1 or 0.5.0.dev20250101",
                               text));
  };
  PackageVersion version;
  std::string_view rest = text;
  do {
    const auto part = takeNumber(rest);
    if (!part || version.release.size() == kMostParts) return wrong();
    version.release.push_back(*part);
    if (rest.size() < 2 || rest[0] != '.' || rest[1] < '0' || rest[1] > '9') break;
    rest.remove_prefix(1);
  } while (true);
  if (rest.empty()) return version;
  if (rest[0] == '.' || rest[0] == '-' || rest[0] == '_') rest.remove_prefix(1);
  for (const PhaseName& phase : kPhases) {
    if (!rest.starts_with(phase.name)) continue;
    rest.remove_prefix(phase.name.size());
    const auto number = takeNumber(rest);
    if (!rest.empty()) return wrong();
    version.phase = phase.phase;
    version.phaseNumber = phase.step + number.value_or(0);
    return version;
  }
  return wrong();
}

Result<Pairing> checkPairing(const JaxPackage& jax, const JaxlibPackage& jaxlib) {
  const auto jaxVersion = parsePackageVersion(jax.version);
  if (!jaxVersion) return within("jax", jaxVersion.error());
  const auto jaxlibVersion = parsePackageVersion(jaxlib.version);
  if (!jaxlibVersion) return within("jaxlib", jaxlibVersion.error());
  const auto answer = [](Pairing::Answer what, std::string reason) {
    return Pairing{what, std::move(reason)};
  };
  using Answer = Pairing::Answer;
  if (*jaxlibVersion > *jaxVersion)
    return answer(Answer::kForbidden,
                  fmt::format("jaxlib {} is newer than jax {}; a jaxlib is used with a jax of its "
                              "own version or a newer one",
                              jaxlib.version, jax.version));
  if (!jax.minimumJaxlib.empty()) {
    const auto minimum = parsePackageVersion(jax.minimumJaxlib);
    if (!minimum) return within("the minimum jaxlib of jax " + jax.version, minimum.error());
    if (*jaxlibVersion < *minimum)
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

}  // namespace vintage::harness::builds
