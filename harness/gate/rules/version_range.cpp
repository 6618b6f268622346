// Calling-convention and serialization versions: when the oldest may be dropped, and when a new one
// may become the default of exports. The StableHLO version that exports are written at, and the
// oldest that is read.
#include <fmt/format.h>

#include "archive/records/window_policy.h"
#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

struct VersionKind {
  const char* name;   // "calling convention"
  const char* field;  // In a description.
  const char* minimumRule;
  const char* defaultRule;
  VersionRange RuntimeDescription::* range;
  int ArtifactRecord::* ofArtifact;
};

constexpr VersionKind kCallingConvention{"calling convention",
                                         "calling_convention",
                                         "calling-convention-minimum-raised",
                                         "calling-convention-default-early",
                                         &RuntimeDescription::callingConvention,
                                         &ArtifactRecord::callingConventionVersion};
constexpr VersionKind kSerialization{"serialization version",
                                     "serialization",
                                     "serialization-minimum-raised",
                                     "serialization-default-early",
                                     &RuntimeDescription::serialization,
                                     &ArtifactRecord::serializationVersion};

// Whether both descriptions give the range; notes where only one does.
bool bothKnown(const Change& change, const VersionKind& kind, const char* rule,
               std::vector<Finding>& findings) {
  const bool before = (change.before.*kind.range).known(),
             after = (change.after.*kind.range).known();
  if (before != after)
    note(findings, rule, kind.field,
         "Only {} description gives the range of the {}, so this was not judged.",
         before ? "the old" : "the new", kind.name);
  return before && after;
}

// Artifacts with a serialization that is too old are left to the rule about serialization.
bool isReadByForm(const RuntimeDescription& release, const ArtifactRecord& artifact) {
  return !release.serialization.known() || artifact.serializationVersion <= 0 ||
         artifact.serializationVersion >= release.serialization.oldest;
}

// Names a release that exports at the dropped version, so that runs can show the break: one of the
// window whose default it is, or OLD if it can export at that version on request.
void nameExporters(const Change& change, const VersionKind& kind, Finding& finding) {
  const int oldest = (change.after.*kind.range).oldest;
  if (&kind == &kCallingConvention && (change.before.*kind.range).oldest < oldest) {
    finding.exporters = {change.before.name};
    finding.exportedAs = oldest - 1;
    return;
  }
  const DateRange window{*windowFilter(change).builtFrom, change.today};
  const RuntimeDescription* last = nullptr;
  const auto consider = [&](const RuntimeDescription& release) {
    const VersionRange& range = release.*kind.range;
    if (range.byDefault > 0 && range.byDefault < oldest && window.contains(release.day()) &&
        (last == nullptr || last->day() < release.day()))
      last = &release;
  };
  consider(change.before);
  for (const RuntimeDescription& release : change.builds) consider(release);
  if (last != nullptr) finding.exporters = {last->name};
}

Status checkMinimum(const Change& change, const VersionKind& kind, std::vector<Finding>& findings) {
  if (!bothKnown(change, kind, kind.minimumRule, findings)) return {};
  const VersionRange &before = change.before.*kind.range, &now = change.after.*kind.range;
  if (now.oldest <= before.oldest) return {};
  ASSIGN_OR_RETURN(auto inWindow, change.archive->artifacts(windowFilter(change)));
  std::vector<ArtifactRecord> artifacts;
  for (const ArtifactRecord& artifact : inWindow)
    if (artifact.*kind.ofArtifact > 0 && artifact.*kind.ofArtifact < now.oldest &&
        (&kind == &kSerialization || isReadByForm(change.after, artifact)))
      artifacts.push_back(artifact);

  std::optional<LegalDate> legal;
  laterThanArtifacts(change, legal, artifacts);
  if (before.byDefault < now.oldest)
    later(legal,
          outOfWindow(change.before.buildDate,
                      fmt::format("{} exports {} by default", change.before.name, before.byDefault),
                      change.backward()));
  for (const RuntimeDescription& build : change.builds) {
    if (build.day() > change.today) continue;
    const VersionRange& range = build.*kind.range;
    if (range.newest > 0 && range.newest < now.oldest)
      later(legal,
            outOfWindow(build.day(), fmt::format("{} exports {} at most", build.name, range.newest),
                        change.backward()));
    if (range.byDefault > 0 && range.byDefault < now.oldest)
      later(legal, outOfWindow(build.day(),
                               fmt::format("{} exports {} by default", build.name, range.byDefault),
                               change.backward()));
  }
  if (!legal || change.today >= legal->date) return {};
  Finding& finding =
      report(findings, kind.minimumRule, placeOfField(kind.field),
             "The oldest supported {} rises from {} to {} on {}, {} too early: exports "
             "with an older one in the last {} must still run. {} of the archive would break.",
             kind.name, before.oldest, now.oldest, formatDate(change.today),
             daysBetween(change.today, legal->date), change.backward().span(),
             counted(artifacts.size(), "artifact"));
  finding.change = fmt::format("from {} to {}", before.oldest, now.oldest);
  finding.artifacts = std::move(artifacts);
  finding.legal = std::move(legal);
  finding.consumers = {change.after.name};
  nameExporters(change, kind, finding);
  if (&kind == &kSerialization)
    finding.refused = "version";
  else
    // The range says what exports may write; only runs show whether the release still reads more.
    finding.runsDecide = true;
  return {};
}

Status checkDefault(const Change& change, const VersionKind& kind, std::vector<Finding>& findings) {
  if (!bothKnown(change, kind, kind.defaultRule, findings)) return {};
  const VersionRange &before = change.before.*kind.range, &now = change.after.*kind.range;
  const int version = now.written();
  if (version <= before.written()) return {};
  ForwardCheck check;
  check.rule = kind.defaultRule;
  check.field = kind.field;
  check.what = fmt::format("{} {} instead of {}", kind.name, version, before.written());
  check.reads = [&](const RuntimeDescription& build) -> std::optional<bool> {
    const VersionRange& range = build.*kind.range;
    if (!range.known()) return std::nullopt;
    return range.reads(version);
  };
  check.beforeReads = before.reads(version);
  if (now.newest == version) check.since = now.newestSince;
  if (before.newest == version && before.newestSince) check.since = before.newestSince;
  if (judgeForward(change, check, findings) != nullptr) return {};
  // JAX's policy beyond the promise: "we bump the default serialization version
  // number about 1 month after" consumers were upgraded to it.
  const PromiseRule month{"", Promise::kForward, change.policy.defaultBumpDays.value_or(0), 0, 0,
                          {}};
  if (!check.since || change.today >= month.plus(*check.since)) return {};
  Finding& finding = report(findings, kind.defaultRule, placeOfField(kind.field),
                            "{} {} becomes the default {} after consumers began to read it; "
                            "the promise is kept, and the policy is to wait a month.",
                            kind.name, version, daysBetween(*check.since, change.today));
  finding.severity = GateResult::kNeedsReview;
  finding.legal = after(*check.since, "consumers read it since then", month);
  finding.change = check.what;
  return {};
}

// StableHLO's own promise for portable artifacts, as the last day of the window: a consumer of that
// day, five years later, still reads the artifact.
Date lastDayOfFiveYears(Date built) {
  return stablehloPolicy().promise(Promise::kBackward).plus(built);
}

}  // namespace

Status checkCallingConventionMinimum(const Change& change, std::vector<Finding>& findings) {
  return checkMinimum(change, kCallingConvention, findings);
}
Status checkCallingConventionDefault(const Change& change, std::vector<Finding>& findings) {
  return checkDefault(change, kCallingConvention, findings);
}
Status checkSerializationMinimum(const Change& change, std::vector<Finding>& findings) {
  return checkMinimum(change, kSerialization, findings);
}
Status checkSerializationDefault(const Change& change, std::vector<Finding>& findings) {
  return checkDefault(change, kSerialization, findings);
}

Status checkStablehloTarget(const Change& change, std::vector<Finding>& findings) {
  const StablehloRange &before = change.before.stablehlo, &now = change.after.stablehlo;
  if (!now.target || (before.target && *now.target <= *before.target)) return {};
  ForwardCheck check;
  check.rule = "stablehlo-target-too-new";
  check.field = "stablehlo";
  check.what = "StableHLO " + formatStablehloVersion(*now.target);
  check.reads = [&](const RuntimeDescription& build) -> std::optional<bool> {
    if (!build.stablehlo.newest) return std::nullopt;
    return *build.stablehlo.newest >= *now.target;
  };
  check.beforeReads = before.newest && *before.newest >= *now.target;
  Finding* finding = judgeForward(change, check, findings);
  if (finding != nullptr && check.beforeReads &&
      change.forward().consumers(change.today).contains(change.before.day())) {
    ArtifactFilter filter;
    filter.producers = {change.after.name};
    ASSIGN_OR_RETURN(finding->artifacts, change.archive->artifacts(filter));
    finding->stillRunsOn = {change.before.name};
    finding->exporters = {change.after.name};
    finding->refused = "vhlo";
  }
  return {};
}

Status checkStablehloMinimum(const Change& change, std::vector<Finding>& findings) {
  const StablehloRange &before = change.before.stablehlo, &now = change.after.stablehlo;
  if (!now.oldest || !before.oldest || *now.oldest <= *before.oldest) return {};
  const Date windowBegins = *windowFilter(change).builtFrom;
  ArtifactFilter filter;
  filter.builtUntil = change.today;
  ASSIGN_OR_RETURN(auto all, change.archive->artifacts(filter));
  std::vector<ArtifactRecord> inWindow, inPolicy;
  for (const ArtifactRecord& artifact : all) {
    const auto version = parseStablehloVersion(artifact.stablehloVersion);
    if (!version || *version >= *now.oldest) continue;
    if (artifact.buildDate >= windowBegins)
      inWindow.push_back(artifact);
    else if (change.today <= lastDayOfFiveYears(artifact.buildDate))
      inPolicy.push_back(artifact);
  }
  std::optional<LegalDate> legal;
  laterThanArtifacts(change, legal, inWindow);
  if (before.target && *before.target < *now.oldest)
    later(legal, outOfWindow(change.before.buildDate,
                             fmt::format("{} exports {}", change.before.name,
                                         formatStablehloVersion(*before.target)),
                             change.backward()));
  const bool forbidden = legal && change.today < legal->date;
  if (!forbidden && inPolicy.empty()) return {};
  std::vector<ArtifactRecord>& broken = forbidden ? inWindow : inPolicy;
  const std::string rise = fmt::format("from {} to {}", formatStablehloVersion(*before.oldest),
                                       formatStablehloVersion(*now.oldest));
  Finding& finding =
      report(findings, "stablehlo-minimum-raised", placeOfField("stablehlo"),
             "The oldest StableHLO that is read rises {}; {} {} older.", rise,
             counted(broken.size(), "artifact"),
             forbidden            ? fmt::format("inside the {} may be", change.backward().span())
             : broken.size() == 1 ? std::string("inside StableHLO's own 5 years is")
                                  : std::string("inside StableHLO's own 5 years are"));
  finding.change = rise;
  if (!forbidden) {
    finding.severity = GateResult::kNeedsReview;
    const Date newest = broken.back().buildDate;  // In order of build date.
    legal =
        LegalDate{lastDayOfFiveYears(newest) + std::chrono::days(1),
                  fmt::format("{} ({}) + 5 years + 1 day", formatDate(newest), broken.back().name)};
  }
  finding.artifacts = std::move(broken);
  finding.legal = std::move(legal);
  return {};
}

}  // namespace vintage::harness
