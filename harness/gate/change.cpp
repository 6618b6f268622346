#include "harness/gate/change.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/records/records.h"
#include "archive/records/release_list.h"
#include "golden/base/package_version.h"
#include "golden/exported/exported.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

bool isCandidate(const RuntimeDescription& release) {
  const auto version = parsePackageVersion(release.version);
  return !version || version->isPreRelease();
}

// A key of the fields that the gate filters by.
std::string keyOf(const ArtifactFilter& filter) {
  nlohmann::json key = {filter.names,
                        filter.platforms,
                        filter.customCallTargets,
                        filter.producers,
                        filter.builtFrom ? formatDate(*filter.builtFrom) : "",
                        filter.builtUntil ? formatDate(*filter.builtUntil) : "",
                        filter.oldestCallingConvention.value_or(-1),
                        filter.newestCallingConvention.value_or(-1)};
  return key.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

class FactsOfArchive final : public ArchivedFacts {
 public:
  explicit FactsOfArchive(const Archive& archive) : archive_(archive) {}

  Result<std::vector<ArtifactRecord>> artifacts(const ArtifactFilter& filter) override {
    const std::string key = keyOf(filter);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    auto records = archive_.list(filter);
    if (records) known_[key] = *records;
    return records;
  }

  Result<std::vector<std::string>> disabledTargets(const ArtifactRecord& artifact) override {
    if (artifact.format != ArtifactRecord::Format::kExported)
      return failure(Error::Kind::kUnsupported, artifact.name + " is not an Exported");
    ASSIGN_OR_RETURN(auto bytes, archive_.read(artifact.id));
    ASSIGN_OR_RETURN(auto exported, readExported(bytes, artifact.name));
    std::vector<std::string> targets;
    for (const DisabledSafetyCheck& check : exported.disabledChecks)
      if (check.kind == DisabledSafetyCheck::Kind::kCustomCall)
        targets.push_back(check.customCallTarget);
    return targets;
  }

  Result<std::vector<OutcomeRecord>> outcomes(const std::string& build) override {
    OutcomeFilter filter;
    filter.builds = {build};
    return archive_.outcomes(filter);
  }

 private:
  const Archive& archive_;
  std::map<std::string, std::vector<ArtifactRecord>> known_;
};

}  // namespace

const char* gateResultName(GateResult result) {
  constexpr const char* kNames[] = {"allowed", "needs review", "forbidden"};
  return kNames[static_cast<size_t>(result)];
}

const RegisteredTarget* Change::find(const RuntimeDescription& in, std::string_view target,
                                     std::string_view platform) {
  const RegisteredTarget* any = nullptr;
  for (const RegisteredTarget& candidate : in.targets) {
    if (candidate.name != target) continue;
    if (candidate.platform == platform) return &candidate;
    if (candidate.platform == "any") any = &candidate;
  }
  return any;
}

const RegisteredTarget* Change::was(const RegisteredTarget& target) const {
  const RegisteredTarget* found = find(before, target.name, target.platform);
  if (found != nullptr || target.platform != "any") return found;
  for (const std::string& platform : after.platforms) {
    found = find(before, target.name, platform);
    if (found == nullptr) return nullptr;
  }
  return found;
}

const StableTarget* Change::stable(const RuntimeDescription& in, std::string_view target) {
  for (const StableTarget& candidate : in.stableTargets)
    if (candidate.name == target) return &candidate;
  return nullptr;
}

const RegisteredTarget* Change::successorOf(std::string_view target) const {
  for (const RuntimeDescription* description : {&after, &before})
    for (const RegisteredTarget& candidate : description->targets)
      if (std::ranges::find(candidate.replaces, target) != candidate.replaces.end())
        return &candidate;
  return nullptr;
}

const RuntimeDescription* Change::firstRelease(Date from, std::string_view target) const {
  for (const RuntimeDescription& build : builds) {
    if (!build.holdsRuntime() || build.day() < from) continue;
    if (build.knowsTargets() ? build.hasTarget(target) : build.day() > from) return &build;
  }
  return nullptr;
}

const RuntimeDescription* Change::lastReleaseWith(std::string_view target, Date until) const {
  const RuntimeDescription* last = nullptr;
  for (const RuntimeDescription& build : builds)
    if (build.holdsRuntime() && build.day() <= until && build.hasTarget(target)) last = &build;
  return last;
}

std::string instanceOf(const RegisteredTarget& target) {
  return target.platform == "any" ? target.name : target.name + "@" + target.platform;
}

LegalDate after(Date from, std::string_view what, const PromiseRule& rule) {
  return {rule.plus(from), fmt::format("{} ({}) + {}", formatDate(from), what, rule.span())};
}

LegalDate outOfWindow(Date built, std::string_view what, const PromiseRule& rule) {
  PromiseRule longer = rule;
  if (rule.days > 0) ++longer.days;
  LegalDate legal = after(built, what, longer);
  if (rule.days > 0) return legal;
  return {legal.date + std::chrono::days(1), legal.sum + " + 1 day"};
}

void later(std::optional<LegalDate>& kept, LegalDate other) {
  if (!kept || kept->date < other.date) kept = std::move(other);
}

ArtifactFilter windowFilter(const Change& change) {
  const DateRange window = change.backward().producers(change.today);
  ArtifactFilter filter;
  filter.builtFrom = window.first;
  filter.builtUntil = window.last;
  return filter;
}

Result<std::vector<ArtifactRecord>> artifactsInWindow(const Change& change, std::string_view target,
                                                      std::string_view platform) {
  ArtifactFilter filter = windowFilter(change);
  filter.customCallTargets = {std::string(target)};
  if (platform != "any") filter.platforms = {std::string(platform)};
  return change.archive->artifacts(filter);
}

void sortByDate(std::vector<RuntimeDescription>& builds) {
  std::ranges::sort(builds, [](const auto& a, const auto& b) { return isOlder(a, b); });
}

Result<std::vector<RuntimeDescription>> parseReleases(std::string_view text,
                                                      std::string_view name) {
  ASSIGN_OR_RETURN(auto releases, parseReleaseList(text, name));
  std::erase_if(releases, isCandidate);
  Date lastJaxlibTag{};
  std::set<std::string> jaxlibs;
  for (const RuntimeDescription& release : releases)
    if (release.holdsRuntime()) {
      jaxlibs.insert(release.version);
      lastJaxlibTag = std::max(lastJaxlibTag, release.day());
    }
  std::vector<RuntimeDescription> out = releases;
  for (const RuntimeDescription& release : releases) {
    if (release.holdsRuntime() || release.day() <= lastJaxlibTag ||
        jaxlibs.contains(release.version) || release.packages.minimumJaxlib != release.version)
      continue;
    RuntimeDescription& jaxlib = out.emplace_back(release);
    jaxlib.name = "jaxlib " + release.version;
    jaxlib.packages = {"", release.version, "", {}};
  }
  sortByDate(out);
  return out;
}

RuntimeDescription knownBuild(const BuildRecord& build) {
  RuntimeDescription out = build.details.runtime.value_or(RuntimeDescription());
  out.name = build.name;
  out.buildDate = build.buildDate;
  out.released.reset();
  if (build.details.runtime) return out;
  out.version = build.version;
  out.callingConvention.oldest = build.oldestCallingConvention;
  out.callingConvention.newest = build.newestCallingConvention;
  out.serialization.newest = build.newestSerialization;
  if (auto version = parseStablehloVersion(build.stablehloVersion)) out.stablehlo.newest = *version;
  for (const std::string& target : build.customCallTargets)
    out.stableTargets.push_back({target, {}});
  return out;
}

bool isOneProduct(const RuntimeDescription& one, const RuntimeDescription& other) {
  const auto product = [](const RuntimeDescription& runtime) {
    std::string_view name(runtime.name);
    name = name.substr(0, name.find_first_of(" 0123456789"));
    return name.substr(0, name.find_last_not_of('-') + 1);
  };
  return product(one) == product(other) ||
         (!one.packages.jaxlib.empty() && !other.packages.jaxlib.empty());
}

std::unique_ptr<ArchivedFacts> archivedFacts(const Archive& archive) {
  return std::make_unique<FactsOfArchive>(archive);
}

}  // namespace vintage::harness
