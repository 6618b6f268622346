// Builds between OLD and NEW: targets that both ends have can be missing in between, and NEW can
// lack targets that came after OLD.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "archive/records/records.h"
#include "golden/base/failures.h"
#include "golden/base/package_version.h"
#include "harness/gate/gate.h"
#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

using Check = Status (*)(const Change&, std::vector<Finding>&);

// The rules that compare two descriptions: things that must stay, and things that older builds must
// read.
constexpr std::array<Check, 10> kMustStay{checkTargetRemovedInUse,       checkTargetRemovedEarly,
                                          checkTargetChangedInPlace,     checkEmittedTargetRemoved,
                                          checkTargetSignatureChanged,   checkGuaranteeWithdrawn,
                                          checkCallingConventionMinimum, checkSerializationMinimum,
                                          checkSchemaOldBytes,           checkStablehloMinimum};
constexpr std::array<Check, 5> kMustBeRead{checkTargetEmittedEarly, checkCallingConventionDefault,
                                           checkSerializationDefault, checkSchemaOldReaders,
                                           checkStablehloTarget};

// Facts that a build does not describe are taken from the build before it.
RuntimeDescription completed(RuntimeDescription build, const RuntimeDescription& previous) {
  const bool isListed = !build.targets.empty();
  for (const RegisteredTarget& target : previous.targets)
    if (!isListed || (target.platform != "any" && !build.registries.empty() &&
                      !build.knowsRegistry(target.platform)))
      build.targets.push_back(target);
  if (build.stableTargets.empty()) build.stableTargets = previous.stableTargets;
  if (build.platforms.empty()) build.platforms = previous.platforms;
  for (VersionRange RuntimeDescription::* range :
       {&RuntimeDescription::callingConvention, &RuntimeDescription::serialization}) {
    const VersionRange& own = build.*range;
    if (own.oldest == 0 || own.newest == 0 || own.byDefault == 0) build.*range = previous.*range;
  }
  for (auto version : {&StablehloRange::oldest, &StablehloRange::newest, &StablehloRange::target})
    if (!(build.stablehlo.*version)) build.stablehlo.*version = previous.stablehlo.*version;
  if (build.serializationSchema.empty()) build.serializationSchema = previous.serializationSchema;
  return build;
}

// OLD and the builds of its product that came after it and before NEW, by date. Builds of an older
// series, or of a newer one than NEW's, are left out.
std::vector<RuntimeDescription> upToNew(const Change& change) {
  RuntimeDescription end;
  end.name = change.after.name;
  end.version = change.after.version;
  end.buildDate = change.today;
  const auto versionOf = [](const RuntimeDescription& build) {
    const auto version = parsePackageVersion(build.version);
    return version ? std::optional(*version) : std::nullopt;
  };
  std::optional<PackageVersion> from = versionOf(change.before);
  const std::optional<PackageVersion> to = versionOf(end);
  std::vector<RuntimeDescription> out{change.before};
  for (const RuntimeDescription& build : change.builds) {
    if (!isOneProduct(change.before, build) || !isOlder(change.before, build) ||
        !isOlder(build, end) || (factsDecide(change) && !build.emission.known()))
      continue;
    const auto version = versionOf(build);
    if (version && ((from && *version < *from) || (to && *to < *version))) continue;
    if (version) from = version;
    out.push_back(completed(build, out.back()));
  }
  return out;
}

class Steps {
 public:
  explicit Steps(std::vector<Finding>& findings) : findings_(findings) {
    for (const Finding& finding : findings) remember(finding);
  }

  Status check(const Change& step, std::span<const Check> checks, const std::string& where,
               bool isPast) {
    std::vector<Finding> found;
    for (const Check check : checks) RETURN_IF_ERROR(within(where, check(step, found)));
    for (Finding& finding : found) {
      if (isPast) {
        // NEW mends it. Waiting does not help, and nobody can change it any more.
        finding.severity = std::min(finding.severity, GateResult::kNeedsReview);
        finding.legal.reset();
        if (finding.consumers.empty()) finding.consumers = {step.after.name};
      }
      const auto known = known_.find({finding.rule, finding.instance});
      if (finding.severity == GateResult::kAllowed ||
          (known != known_.end() && known->second >= finding.severity))
        continue;
      remember(finding);
      finding.message = where + ": " + finding.message;
      finding.change = finding.change.empty() ? where : where + ": " + finding.change;
      findings_.push_back(std::move(finding));
    }
    return {};
  }

 private:
  void remember(const Finding& finding) {
    GateResult& worst = known_[{finding.rule, finding.instance}];
    worst = std::max(worst, finding.severity);
  }

  std::vector<Finding>& findings_;
  std::map<std::pair<std::string, std::string>, GateResult> known_;  // By rule and instance.
};

std::string between(const char* preposition, const RuntimeDescription& build) {
  return fmt::format("{} {} of {}, between the two", preposition, build.name,
                     formatDate(build.day()));
}

}  // namespace

Status judgeBuildsBetween(const Change& change, std::vector<Finding>& findings) {
  const std::vector<RuntimeDescription> builds = upToNew(change);
  if (builds.size() == 1) return {};
  Steps steps(findings);
  Change step = change;
  for (size_t i = 1; i < builds.size(); ++i) {
    step.before = builds[i];
    const std::string where = between("Since", builds[i]);
    RETURN_IF_ERROR(steps.check(step, kMustStay, where, false));
    RETURN_IF_ERROR(steps.check(step, kMustBeRead, where, false));
  }
  for (size_t i = 1; i < builds.size(); ++i) {
    step.before = builds[i - 1];
    step.after = builds[i];
    step.today = builds[i].day();
    RETURN_IF_ERROR(steps.check(step, kMustStay, between("In", builds[i]), true));
  }
  return {};
}

}  // namespace vintage::harness
