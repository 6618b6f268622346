#include "harness/gate/rules/rule_support.h"

#include <algorithm>
#include <set>

#include "archive/records/custom_call_targets.h"

namespace vintage::harness {
using namespace archive;

Finding& addFinding(std::vector<Finding>& findings, const char* rule, FindingPlace place,
                    std::string message) {
  Finding& finding = findings.emplace_back();
  finding.rule = rule;
  finding.instance = std::move(place.instance);
  finding.anchor = std::move(place.anchor);
  finding.inOld = place.inOld;
  finding.message = std::move(message);
  if (const Rule* known = findRule(rule)) finding.severity = known->severity;
  return finding;
}

bool isGuaranteed(const Change& change, std::string_view target) {
  if (change.stable(change.before, target) != nullptr) return true;
  const RuntimeDescription* last = change.lastReleaseWith(target, change.today);
  return last != nullptr && change.backward().producers(change.today).contains(last->day());
}

void laterThanArtifacts(const Change& change, std::optional<LegalDate>& legal,
                        const std::vector<ArtifactRecord>& artifacts) {
  const auto newest = std::ranges::max_element(artifacts, {}, &ArtifactRecord::buildDate);
  if (newest != artifacts.end())
    later(legal, outOfWindow(newest->buildDate, newest->name, change.backward()));
}

Finding* judgeForward(const Change& change, const ForwardCheck& check,
                      std::vector<Finding>& findings) {
  const PromiseRule promise = change.forward();
  const DateRange window = promise.consumers(change.today);
  std::optional<LegalDate> legal;
  std::vector<std::string> consumers;
  std::optional<Date> firstReader;  // Consumers read it no later than from this day on.
  if (!check.beforeReads) {
    if (window.contains(change.before.day())) consumers.push_back(change.before.name);
    later(legal, outOfWindow(change.before.day(), change.before.name, promise));
  } else {
    firstReader = change.before.day();
  }
  for (const RuntimeDescription& build : change.builds) {
    const std::optional<bool> reads = check.reads(build);
    if (!reads || build.day() >= change.today || build.name == change.before.name) continue;
    if (*reads) {
      firstReader = std::min(firstReader.value_or(build.day()), build.day());
    } else {
      if (window.contains(build.day())) consumers.push_back(build.name);
      later(legal, outOfWindow(build.day(), build.name, promise));
    }
  }
  bool certain = legal && change.today < legal->date;
  if (check.since) {
    const LegalDate border = after(*check.since, "consumers read it since then", promise);
    certain = certain || change.today < border.date;
    later(legal, border);
  } else if (firstReader) {
    later(legal, after(*firstReader, "a consumer of that day reads it", promise));
  }
  if (legal && change.today >= legal->date) return nullptr;
  Finding& finding = report(
      findings, check.rule, placeOfField(check.field),
      "Exports begin to use {} on {}, and a consumer may have been built up to {} before. {}",
      check.what, formatDate(change.today), promise.span(),
      consumers.empty() ? std::string("It is not old enough for that.")
                        : fmt::format("{} of them cannot read it.", consumers.size()));
  if (!certain) {
    finding.severity = GateResult::kNeedsReview;
    finding.message += " The description does not say since when consumers read it; add the day.";
  }
  finding.change = check.what;
  finding.consumers = std::move(consumers);
  finding.legal = std::move(legal);
  return &finding;
}

bool factsDecide(const Change& change) {
  return change.before.emission.known() && change.after.emission.known();
}

std::vector<const RuntimeDescription*> releasesWithFacts(const Change& change) {
  std::vector<const RuntimeDescription*> releases;
  std::set<std::string_view> names;
  const auto add = [&](const RuntimeDescription& release) {
    if (release.emission.known() && names.insert(release.name).second) releases.push_back(&release);
  };
  add(change.before);
  add(change.after);
  for (const RuntimeDescription& build : change.builds) add(build);
  std::ranges::stable_sort(releases, {}, [](const auto* release) { return release->day(); });
  return releases;
}

bool lacks(const RuntimeDescription& release, std::string_view target, std::string_view platform) {
  return release.knowsRegistry(platform) && !isKnownToCompiler(target) &&
         Change::find(release, target, platform) == nullptr;
}

bool isPromised(const EmittedCall& call) {
  return call.mode == kEmittedByDefault && !call.unlisted;
}

std::vector<PlacedTarget> promisedTargets(const RuntimeDescription& release) {
  std::set<PlacedTarget> targets;
  for (const EmittedCall& call : release.emission.calls)
    if (isPromised(call)) targets.insert({call.name, call.platform});
  return {targets.begin(), targets.end()};
}

bool promises(const RuntimeDescription& release, const PlacedTarget& target,
              const CallSignature* way) {
  return std::ranges::any_of(release.emission.calls, [&](const EmittedCall& call) {
    return isPromised(call) && call.name == target.name && call.platform == target.platform &&
           (way == nullptr || call.signature == *way);
  });
}

std::optional<StillCalled> stillCalled(const Change& change, const PlacedTarget& target, Date day,
                                       const CallSignature* way) {
  const RuntimeDescription* last = nullptr;
  for (const RuntimeDescription* release : releasesWithFacts(change))
    if (release->exporterDay() <= day && promises(*release, target, way) &&
        (last == nullptr || last->exporterDay() <= release->exporterDay()))
      last = release;
  if (last == nullptr) return std::nullopt;
  LegalDate legal =
      outOfWindow(last->exporterDay(), last->name + ", the last whose default export calls it so",
                  change.backward());
  if (day >= legal.date) return std::nullopt;
  return StillCalled{last, std::move(legal)};
}

Result<std::vector<ArtifactRecord>> promisedArtifacts(const Change& change,
                                                      const PlacedTarget& target) {
  ASSIGN_OR_RETURN(auto found, artifactsInWindow(change, target.name, target.platform));
  std::vector<ArtifactRecord> kept;
  for (ArtifactRecord& artifact : found) {
    if (artifact.format == ArtifactRecord::Format::kExported) {
      ASSIGN_OR_RETURN(auto disabled, change.archive->disabledTargets(artifact));
      if (std::ranges::find(disabled, target.name) != disabled.end()) continue;
    }
    kept.push_back(std::move(artifact));
  }
  return kept;
}

}  // namespace vintage::harness
