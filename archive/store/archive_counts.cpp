#include "archive/store/archive_counts.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/blob_store.h"
#include "archive/store/record_fields.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// A kind stays when its last family goes.
constexpr std::string_view kKeptPrimitives =
    "SELECT l.text FROM label AS l WHERE EXISTS (SELECT 1 FROM kind AS k CROSS JOIN origin AS o "
    "CROSS JOIN family AS f INDEXED BY family_by_origin ON f.origin = o.id AND f.kind = k.id WHERE "
    "k.primitive = l.id) ORDER BY l.text";

// An outcome speaks of artifacts with its bytes and its golden; where it does not
// know its golden, of all with its bytes.
constexpr std::string_view kSpeaksOfArtifact =
    "(o.golden = x'' OR o.golden = coalesce((SELECT g.hash FROM blob AS g WHERE g.id = a.golden), "
    "x''))";

// Contents whose artifacts name several primitives count for the first.
constexpr std::string_view kByPrimitive =
    "SELECT coalesce((SELECT min(a.primitive) FROM artifact_record AS a WHERE a.blob = o.blob), "
    "''), o.platform, o.mode, {}, o.limitation <> '', count(*) FROM outcome AS o WHERE "
    "o.build = ? AND {} GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6";
constexpr std::string_view kByProducer =
    "SELECT a.producer, o.platform, o.mode, {}, o.limitation <> '', count(*) FROM outcome "
    "AS o CROSS JOIN artifact_record AS a ON a.blob = o.blob AND {} WHERE o.build = ? AND {} GROUP "
    "BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6";

// Outcomes through the artifacts that a name leads to. A plus keeps SQLite from
// walking all outcomes of the build instead. If several artifacts have one content,
// the artifact with the outcome's golden gives the name.
constexpr std::string_view kOfPrimitive =
    "FROM (SELECT r.blob, max(r.id) AS id FROM label AS l CROSS JOIN kind AS k ON k.primitive = "
    "l.id CROSS JOIN origin AS n CROSS JOIN family AS f INDEXED BY family_by_origin ON f.origin = "
    "n.id AND f.kind = k.id CROSS JOIN artifact AS r ON {} WHERE l.text = ? AND NOT EXISTS (SELECT "
    "1 FROM artifact_record AS other WHERE other.blob = r.blob AND other.primitive < l.text) GROUP "
    "BY r.blob) AS p CROSS JOIN outcome AS o ON o.blob = p.blob CROSS JOIN artifact_record AS a ON "
    "a.id = coalesce((SELECT max(same.id) FROM artifact AS same LEFT JOIN blob AS g ON g.id = "
    "same.golden WHERE same.blob = o.blob AND coalesce(g.hash, x'') = o.golden), p.id)";
constexpr std::string_view kOfProducer =
    "FROM origin AS n CROSS JOIN family AS f INDEXED BY family_by_origin ON f.origin = n.id CROSS "
    "JOIN artifact AS r ON {} CROSS JOIN artifact_record AS a ON a.id = r.id CROSS JOIN outcome AS "
    "o ON o.blob = a.blob";

// The columns of OutcomeTally that say how it ended.
std::string endColumns() {
  return fmt::format("{}, o.outcome = {} AND substr(o.detail, 1, {}) = '{}'", kKindOfOutcome,
                     static_cast<int>(OutcomeKind::kPass), kDiffersWhereItMay.size(),
                     kDiffersWhereItMay);
}

std::string listingSql(const OutcomeListing& listing) {
  const bool byPrimitive = listing.by == TallyBy::kPrimitive;
  std::string where =
      byPrimitive ? std::string("WHERE +o.build = ?")
                  : fmt::format("WHERE n.producer = ? AND {} AND +o.build = ?", kSpeaksOfArtifact);
  if (!listing.platform.empty()) where += " AND +o.platform = ?";
  if (!listing.mode.empty()) where += " AND +o.mode = ?";
  return fmt::format(
      "SELECT count(*) OVER (), a.name, a.producer, a.build_day, {} {} CROSS JOIN blob AS b ON "
      "b.id = o.blob {} AND {} ORDER BY NOT {}, o.limitation <> '', a.name, "
      "a.producer, b.hash, o.golden, o.platform, o.mode LIMIT ? OFFSET ?",
      outcomeColumns("?", "substr(o.detail, 1, ?)"),
      fmt::format(fmt::runtime(byPrimitive ? kOfPrimitive : kOfProducer), kArtifactsOfFamily),
      where, isLatestOutcome(), isFailedOutcome("o"));
}

}  // namespace

Result<std::vector<ArchivedProducer>> archivedProducers(const Archive& archive) {
  const std::string sql = fmt::format(
      "SELECT producer, min(build_day), sum(artifacts) FROM (SELECT producer, build_day, (SELECT "
      "count(*) FROM family AS f INDEXED BY family_by_origin CROSS JOIN artifact AS r ON {} WHERE "
      "f.origin = o.id) AS artifacts FROM origin AS o) WHERE artifacts > 0 GROUP BY producer ORDER "
      "BY 2, 1",
      kArtifactsOfFamily);
  return selectMembers<&ArchivedProducer::name, &ArchivedProducer::buildDate,
                       &ArchivedProducer::artifacts>(indexOf(archive), sql);
}

Result<std::vector<std::string>> archivedPrimitives(const Archive& archive) {
  return selectRows<std::string>(indexOf(archive), kKeptPrimitives,
                                 [](const Query& row) { return row.text(0); });
}

Result<std::map<std::string, int64_t>> outcomesByBuild(const Archive& archive) {
  std::map<std::string, int64_t> counts;
  RETURN_IF_ERROR(visitRows(indexOf(archive),
                            "SELECT u.name, c.outcomes FROM (SELECT build, count(*) AS outcomes "
                            "FROM outcome GROUP BY build) AS c CROSS JOIN build AS u ON u.id = "
                            "c.build",
                            [&](const Query& row) { counts[row.text(0)] = row.integer(1); }));
  return counts;
}

Result<int64_t> outcomesOfRun(const Archive& archive, const std::string& run) {
  ASSIGN_OR_RETURN(
      const auto count,
      firstInteger(indexOf(archive), "SELECT count(*) FROM outcome WHERE run = ?", run));
  return count.value_or(0);
}

Result<ArchiveCounts> archiveCounts(const Archive& archive) {
  Database& database = indexOf(archive);
  ASSIGN_OR_RETURN(const auto transaction, Transaction::beginReading(database));
  ArchiveCounts counts;
  const std::pair<int64_t ArchiveCounts::*, std::string> kSingle[] = {
      {&ArchiveCounts::artifacts, "SELECT count(*) FROM artifact"},
      {&ArchiveCounts::withoutPrimitive,
       fmt::format("SELECT count(*) FROM family AS f INDEXED BY family_by_origin CROSS JOIN "
                   "artifact AS r ON {} WHERE f.origin IN (SELECT id FROM origin) AND f.kind IN "
                   "(SELECT k.id FROM kind AS k JOIN label AS l ON l.id = k.primitive WHERE l.text "
                   "= '')",
                   kArtifactsOfFamily)},
      {&ArchiveCounts::contents, "SELECT count(*) FROM blob"},
      {&ArchiveCounts::contentBytes, "SELECT coalesce(sum(bytes), 0) FROM blob"},
      {&ArchiveCounts::storedBytes,
       "SELECT coalesce(sum(stored_bytes), 0) + (SELECT coalesce(sum(length(content)), 0) FROM "
       "pack) FROM blob"},
      {&ArchiveCounts::removed, "SELECT count(*) FROM blob WHERE codec = 3"},
      {&ArchiveCounts::builds, "SELECT count(*) FROM build"},
      {&ArchiveCounts::runs, "SELECT count(*) FROM run"},
      {&ArchiveCounts::unfinishedRuns, "SELECT count(*) FROM run WHERE finished = ''"},
      {&ArchiveCounts::leases, "SELECT count(*) FROM lease"},
      {&ArchiveCounts::holds, "SELECT count(*) FROM hold"},
      {&ArchiveCounts::signedLists, "SELECT count(*) FROM signed_list"},
  };
  for (const auto& [member, sql] : kSingle) {
    ASSIGN_OR_RETURN(counts.*member, database.integer(sql));
  }
  // The index on goldens holds those that have one.
  ASSIGN_OR_RETURN(const auto withGolden,
                   database.integer("SELECT count(*) FROM artifact WHERE golden IS NOT NULL"));
  counts.withoutGolden = counts.artifacts - withGolden;
  ASSIGN_OR_RETURN(const auto pages, database.integer("PRAGMA page_count"));
  ASSIGN_OR_RETURN(const auto pageBytes, database.integer("PRAGMA page_size"));
  counts.indexBytes = pages * pageBytes;
  RETURN_IF_ERROR(visitRows(
      database, "SELECT outcome, count(*) FROM outcome GROUP BY outcome", [&](const Query& row) {
        counts.outcomes[static_cast<OutcomeKind>(row.integer(0))] = row.integer(1);
      }));
  return counts;
}

Result<std::vector<OutcomeTally>> tallyOutcomes(const Archive& archive, std::string_view build,
                                                TallyBy by) {
  Database& database = indexOf(archive);
  ASSIGN_OR_RETURN(const auto row, rowOfBuild(database, build));
  const std::string sql =
      by == TallyBy::kPrimitive
          ? fmt::format(kByPrimitive, endColumns(), isLatestOutcome())
          : fmt::format(kByProducer, endColumns(), kSpeaksOfArtifact, isLatestOutcome());
  return selectMembers<&OutcomeTally::name, &OutcomeTally::platform, &OutcomeTally::mode,
                       &OutcomeTally::outcome, &OutcomeTally::differs, &OutcomeTally::limited,
                       &OutcomeTally::count>(database, sql, row);
}

Result<OutcomeList> listOutcomes(const Archive& archive, const OutcomeListing& listing) {
  Database& database = indexOf(archive);
  ASSIGN_OR_RETURN(const auto row, rowOfBuild(database, listing.build));
  ASSIGN_OR_RETURN(auto query, database.query(listingSql(listing)));
  query.bind(listing.build).bind(static_cast<int64_t>(listing.detailBytes));
  query.bind(listing.name).bind(row);
  if (!listing.platform.empty()) query.bind(listing.platform);
  if (!listing.mode.empty()) query.bind(listing.mode);
  query.bind(listing.most).bind(std::max<int64_t>(listing.after, 0));
  OutcomeList list;
  RETURN_IF_ERROR(visitRows(query, [&](const Query& found) -> Status {
    ListedOutcome& listed = list.outcomes.emplace_back();
    listed.outcome.goldenIsFinal = true;
    RETURN_IF_ERROR(readRow(found, 0, list.total, listed.name, listed.producer, listed.buildDate));
    return readFields(found, listed.outcome, 4);
  }));
  return list;
}

}  // namespace vintage::archive
