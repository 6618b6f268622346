// The flatbuffer schema of what is archived: new readers must read old bytes for
// 180 days, old readers new bytes for 21.
#include <fmt/format.h>

#include "harness/gate/rules/rule_support.h"
#include "harness/gate/schema_comparison.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr const char* kOldBytes = "schema-breaks-old-bytes";
constexpr const char* kOldReaders = "schema-breaks-old-readers";

// Empty where the schema did not change, or where only one description holds it (a note says so).
Result<std::vector<SchemaDifference>> differences(const Change& change, const char* rule,
                                                  std::vector<Finding>& findings) {
  const std::string &before = change.before.serializationSchema,
                    &now = change.after.serializationSchema;
  if (before == now) return std::vector<SchemaDifference>{};
  if (before.empty() || now.empty()) {
    note(findings, rule, "serialization_schema",
         "Only {} description holds the schema, so this was not judged.",
         now.empty() ? "the old" : "the new");
    return std::vector<SchemaDifference>{};
  }
  return compareSchemas(before, now);
}

}  // namespace

Status checkSchemaOldBytes(const Change& change, std::vector<Finding>& findings) {
  ASSIGN_OR_RETURN(auto changes, differences(change, kOldBytes, findings));
  std::vector<ArtifactRecord> exported;
  if (!changes.empty()) {
    ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(windowFilter(change)));
    for (const ArtifactRecord& artifact : artifacts)
      if (artifact.format == ArtifactRecord::Format::kExported) exported.push_back(artifact);
  }
  std::optional<LegalDate> legal;
  laterThanArtifacts(change, legal, exported);
  later(legal, outOfWindow(change.before.buildDate, change.before.name + " writes the old form",
                           change.backward()));
  if (change.today >= legal->date) return {};
  for (const SchemaDifference& difference : changes) {
    if (!difference.breaksOldBytes) continue;
    Finding& finding = report(findings, kOldBytes, {difference.place, "serialization_schema"},
                              "{}: {}. What was written before would be misread or refused.",
                              difference.place, difference.what);
    finding.change = difference.what;
    finding.artifacts = exported;
    finding.legal = legal;
  }
  return {};
}

Status checkSchemaOldReaders(const Change& change, std::vector<Finding>& findings) {
  ASSIGN_OR_RETURN(auto changes, differences(change, kOldReaders, findings));
  const LegalDate legal = outOfWindow(change.before.buildDate,
                                      change.before.name + " reads the old form", change.forward());
  const VersionRange &before = change.before.serialization, &now = change.after.serialization;
  const bool newVersion = now.newest > before.newest;
  for (const SchemaDifference& difference : changes) {
    const bool breaks = difference.breaksOldReaders && change.today < legal.date;
    if (!breaks && (!difference.extends || newVersion)) continue;
    Finding& finding = addFinding(findings, kOldReaders, {difference.place, "serialization_schema"},
                                  difference.place + ": " + difference.what);
    finding.change = difference.what;
    if (breaks) {
      finding.message +=
          fmt::format(". Consumers of the last {} would misread or refuse what is written now.",
                      change.forward().span());
      finding.consumers = {change.before.name};
      finding.legal = legal;
    } else {
      finding.severity = GateResult::kNeedsReview;
      finding.message += fmt::format(
          ", and the newest serialization version stays {}. Old readers pass over it without "
          "noticing; a new version makes them reject it.",
          before.newest);
    }
  }
  return {};
}

}  // namespace vintage::harness
