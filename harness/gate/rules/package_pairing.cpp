// jax and jaxlib: jaxlib <= jax, jaxlib >= the minimum that jax names, and that minimum is a
// released jaxlib with all targets that jax's lowerings call.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/base/package_version.h"
#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr const char* kPairingRule = "jax-jaxlib-pairing";

class Pairing {
 public:
  Pairing(const Change& change, std::vector<Finding>& findings)
      : change_(change), findings_(findings) {}

  Status check() {
    const PackagePairing& now = change_.after.packages;
    if (now.jax.empty() || now.jaxlib.empty() || now.minimumJaxlib.empty()) return {};
    std::vector<int64_t> jax, jaxlib, minimum;
    for (auto [text, out] :
         {std::pair{&now.jax, &jax}, {&now.jaxlib, &jaxlib}, {&now.minimumJaxlib, &minimum}}) {
      ASSIGN_OR_RETURN(*out, within(change_.after.name + ": packages", versionNumbers(*text)));
    }
    if (jaxlib > jax)
      add("jaxlib", "jaxlib {} is newer than jax {}. Release jax with it.", now.jaxlib, now.jax);
    if (minimum > jax)
      add("minimum_jaxlib", "jax {} asks for jaxlib {} or newer, which is newer than itself.",
          now.jax, now.minimumJaxlib);
    if (jaxlib < minimum)
      add("jaxlib", "jaxlib {} is older than {}, the oldest that jax {} accepts.", now.jaxlib,
          now.minimumJaxlib, now.jax);
    checkMinimumIsReleased();
    checkAgainstBefore();
    checkLoweringsOnMinimum();
    checkLoweringsOnItself();
    return {};
  }

 private:
  template <typename... Args>
  Finding& add(const std::string& instance, fmt::format_string<Args...> text, Args&&... args) {
    Finding& finding = addFinding(findings_, kPairingRule, {instance, "packages"},
                                  fmt::vformat(text, fmt::make_format_args(args...)));
    finding.change = finding.message;  // It names the versions.
    return finding;
  }

  static LegalDate dayOf(const RuntimeDescription& release) {
    return {release.day(), fmt::format("{} ({})", formatDate(release.day()), release.name)};
  }

  const RuntimeDescription* jaxlibRelease(const std::string& version) const {
    for (const RuntimeDescription& build : change_.builds)
      if (build.holdsRuntime() && build.version == version) return &build;
    return nullptr;
  }

  void checkMinimumIsReleased() {
    const std::string& minimum = change_.after.packages.minimumJaxlib;
    if (minimum == change_.before.packages.minimumJaxlib) return;
    const RuntimeDescription* release = jaxlibRelease(minimum);
    if (release == nullptr && minimum == change_.after.packages.jaxlib && change_.after.released)
      return;
    if (release == nullptr && change_.hindsight)
      note(findings_, kPairingRule, "minimum_jaxlib",
           "jaxlib {}, the new minimum, is not among the known releases.", minimum);
    else if (release == nullptr)
      add("minimum_jaxlib",
          "jaxlib {}, the new minimum, is not known to be released; also a jax that is not "
          "released needs a minimum that is.",
          minimum);
    else if (release->day() > change_.today)
      add("minimum_jaxlib", "jaxlib {}, the new minimum, is released only on {}.", minimum,
          formatDate(release->day()))
          .legal = dayOf(*release);
  }

  void checkAgainstBefore() {
    const PackagePairing &then = change_.before.packages, &now = change_.after.packages;
    if (!then.jaxlib.empty() && then.jaxlib != now.jaxlib && then.jax == now.jax)
      add("jaxlib",
          "jaxlib goes from {} to {} while jax stays {}; a new jaxlib is released with a new jax.",
          then.jaxlib, now.jaxlib, now.jax);
    const auto was = parsePackageVersion(then.jax), is = parsePackageVersion(now.jax);
    const bool ofAnOlderSeries = was && is && *is < *was;  // 0.8.3 came after 0.9.0.
    if (!ofAnOlderSeries && then.extensionVersion && now.extensionVersion &&
        *now.extensionVersion < *then.extensionVersion)
      add("extension_version",
          "The extension version goes down from {} to {}; jax asks for \"at least\".",
          *then.extensionVersion, *now.extensionVersion);
  }

  // A lowering calls only T_NEW, on a jaxlib that has only T.
  void checkLoweringsOnMinimum() {
    const RuntimeDescription* minimum = jaxlibRelease(change_.after.packages.minimumJaxlib);
    if (minimum == nullptr || !minimum->knowsTargets()) return;
    for (const RegisteredTarget& target : change_.after.targets) {
      if (target.exported != true || target.replaces.empty() || minimum->hasTarget(target.name))
        continue;
      const bool hasOldWay = std::ranges::any_of(target.replaces, [&](const std::string& replaced) {
        const RegisteredTarget* old = change_.find(change_.after, replaced, target.platform);
        return old != nullptr && old->exported != false;
      });
      if (hasOldWay) continue;
      const RuntimeDescription* first = change_.firstRelease(minimum->day(), target.name);
      Finding& finding =
          add("minimum_jaxlib:" + instanceOf(target),
              "jax {} calls '{}' and no longer '{}', and its minimum, {}, has only the latter. "
              "Raise the minimum {}, or keep the old lowering for older ones.",
              change_.after.packages.jax, target.name, fmt::join(target.replaces, "', '"),
              minimum->name, first == nullptr ? "once a release has it" : "to " + first->version);
      if (first != nullptr && first->day() > change_.today) finding.legal = dayOf(*first);
    }
  }

  // Targets that a jax calls and its own runtime lacks. A jax with its minimum jaxlib counts as a
  // release of its own if that pair was queried. A target that no release registers is either
  // registered statically by a plugin or named by a user.
  void checkLoweringsOnItself() {
    const auto releases = releasesWithFacts(change_);
    const auto isRegistered = [&](const PlacedTarget& target) {
      return std::ranges::any_of(releases, [&](const RuntimeDescription* release) {
        return Change::find(*release, target.name, target.platform) != nullptr;
      });
    };
    const std::set<PlacedTarget> before = calledInVain(change_.before);
    for (const PlacedTarget& target : calledInVain(change_.after)) {
      if (before.contains(target) || !isRegistered(target)) continue;
      Finding& finding = report(
          findings_, kPairingRule, placeOf(target),
          "jax {} calls it, and jaxlib {} with its plugins does not register it. Raise the minimum "
          "to a release that does, or keep the old lowering for this one.",
          change_.after.packages.jax, change_.after.packages.jaxlib);
      finding.exporters = finding.consumers = {change_.after.name};
      finding.refused = target.name;
    }
  }

  static std::set<PlacedTarget> calledInVain(const RuntimeDescription& release) {
    std::set<PlacedTarget> targets;
    for (const EmittedCall& call : release.emission.calls)
      if (lacks(release, call.name, call.platform)) targets.insert({call.name, call.platform});
    return targets;
  }

  const Change& change_;
  std::vector<Finding>& findings_;
};

}  // namespace

Status checkPackagePairing(const Change& change, std::vector<Finding>& findings) {
  return Pairing(change, findings).check();
}

}  // namespace vintage::harness
