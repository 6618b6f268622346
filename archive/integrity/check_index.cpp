// The index: SQLite's own check, references, search terms, and every artifact's record.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"

namespace vintage::archive {
namespace {

constexpr std::string_view kPutUnderAnotherName =
    "put the same artifact again under another name, or restore the index";

std::string remedyFor(const BrokenReference& broken) {
  if (broken.table == "artifact") return std::string(kPutUnderAnotherName);
  if (broken.isDependent)
    return "run 'vintage fsck --repair', which removes the row where nothing else needs it";
  if (broken.parent == "run")
    return "mirror the run from another archive that has it, or restore index.sqlite from a copy";
  return std::string(kRestoreIndex);
}

Status addBroken(FsckPasses& checker, const BrokenReference& broken) {
  FsckFinding finding{
      .kind = FsckFinding::Kind::kReference,
      .place = checker.rowPlace(broken.table, broken.row),
      .problem = fmt::format("it names a row of {} that is not there", broken.parent),
      .remedy = remedyFor(broken)};
  if (broken.isDependent && checker.mayRepair()) {
    ASSIGN_OR_RETURN(const auto removed, removeDependent(checker.archive, broken));
    finding.healed = removed;
    finding.remedy = removed
                         ? "healed: the row served only the one that is gone, and was removed"
                         : "not healed: it may be the only copy of content that a record names; " +
                               std::string(kRestoreIndex);
  }
  if (broken.table == "artifact") {
    ASSIGN_OR_RETURN(const auto artifact, artifactRow(checker.archive, broken.row));
    if (artifact)
      finding.affected.push_back(fmt::format("{} ({})", artifact->name, artifact->producer));
  }
  return checker.add(std::move(finding));
}

Status checkFamilies(FsckPasses& checker) {
  ASSIGN_OR_RETURN(const auto families, badFamilies(checker.archive));
  for (const BadFamily& family : families)
    RETURN_IF_ERROR(checker.add({.kind = FsckFinding::Kind::kReference,
                                 .place = checker.rowPlace("family", family.row.value_or(0)),
                                 .problem = family.problem,
                                 .remedy = std::string(kRestoreIndex)}));
  return {};
}

std::string impossibleValue(const ArtifactRecord& record) {
  if (formatName(record.format) == "unknown")
    return fmt::format("its format is {}", static_cast<int>(record.format));
  if (record.name.empty() || record.producer.empty()) return "its name or its producer is empty";
  if (record.deviceCount < 1) return fmt::format("its device count is {}", record.deviceCount);
  return {};
}

Status checkRecord(FsckPasses& checker, const ArtifactRow& artifact) {
  const auto& [row, name, producer] = artifact;
  const auto record = artifactOfRow(checker.archive, row);
  // Removed meanwhile, or its blob's row is gone, which checkReferences reports.
  if (!record && record.error().kind == Error::Kind::kNotFound) return {};
  if (!record && record.error().kind != Error::Kind::kBadInput)
    return tl::unexpected(record.error());
  std::string problem = record ? impossibleValue(*record) : record.error().message;
  if (!problem.empty()) {
    const auto covered = hasFamily(checker.archive, row);
    if (covered && !*covered)
      problem = "no family covers it: its name and what else was known of it are lost";
  }
  if (problem.empty()) {
    ASSIGN_OR_RETURN(const auto first, rowOfArtifact(checker.archive, name, producer));
    if (first && *first != row)
      problem = fmt::format("row {} has the same name and producer", *first);
  }
  if (problem.empty()) return {};
  FsckFinding finding{.kind = FsckFinding::Kind::kRecord,
                      .place = checker.rowPlace("artifact", row),
                      .problem = std::move(problem),
                      .remedy = std::string(kPutUnderAnotherName)};
  if (!name.empty()) finding.affected = {fmt::format("{} ({})", name, producer)};
  return checker.add(std::move(finding));
}

}  // namespace

Status checkPages(FsckPasses& checker) {
  checker.progress("index", 0, 1);
  ASSIGN_OR_RETURN(auto problems, pageProblems(checker.archive));
  if (problems.empty()) return {};
  bool healed = false;
  std::string remedy = fmt::format(
      "run 'vintage fsck --repair', which rebuilds SQLite's indexes; where that does not help, {}",
      kRestoreIndex);
  if (checker.options.repair) {
    ASSIGN_OR_RETURN(const auto reason, remakeIndexes(checker.archive));
    healed = reason.empty();
    remedy = healed ? "healed: rebuilt SQLite's indexes"
                    : fmt::format("not healed: {}; {}", reason, kRestoreIndex);
  }
  checker.indexDamaged = !healed;
  for (const std::string& problem : problems)
    RETURN_IF_ERROR(checker.add({.kind = FsckFinding::Kind::kIndex,
                                 .place = checker.indexPath(),
                                 .problem = problem,
                                 .healed = healed,
                                 .remedy = remedy}));
  return {};
}

Status checkReferences(FsckPasses& checker) {
  const Status families = checkFamilies(checker);
  if (!families) RETURN_IF_ERROR(checker.addUnreadable("table family", families.error()));
  ASSIGN_OR_RETURN(const auto broken, brokenReferences(checker.archive));
  for (const BrokenReference& found : broken) {
    Status added = addBroken(checker, found);
    if (!added) added = checker.addUnreadable(fmt::format("table {}", found.table), added.error());
    if (!added) return added;
  }
  return {};
}

Status checkSearchTerms(FsckPasses& checker) {
  ASSIGN_OR_RETURN(const auto terms, compareTerms(checker.archive));
  if (terms.missing == 0 && terms.surplus == 0) return {};
  FsckFinding finding{
      .kind = FsckFinding::Kind::kSearchTerms,
      .place = checker.rowPlace("list_term"),
      .problem = fmt::format("{} entries are missing and {} belong to no list: a search by "
                             "dtypes, platforms or targets misses artifacts",
                             terms.missing, terms.surplus),
      .remedy = "run 'vintage fsck --repair', which rebuilds them from the lists"};
  if (checker.mayRepair()) {
    RETURN_IF_ERROR(remakeTerms(checker.archive));
    finding.healed = true;
    finding.remedy = "healed: rebuilt from the lists";
  }
  return checker.add(std::move(finding));
}

Status checkRecords(FsckPasses& checker) {
  return visitArtifactRows(checker.archive,
                           [&](std::span<const ArtifactRow> rows, int64_t total) -> Status {
                             for (const ArtifactRow& row : rows)
                               RETURN_IF_ERROR(checkRecord(checker, row));
                             checker.summary.artifacts += static_cast<int64_t>(rows.size());
                             checker.progress("records", checker.summary.artifacts, total);
                             return {};
                           });
}

}  // namespace vintage::archive
