#include "archive/store/archive_counts.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_parts.h"
#include "archive/store/row_values.h"

namespace vintage::archive::store {
namespace {

// A kind stays when its last family goes.
constexpr std::string_view kKeptPrimitives =
    "SELECT l.text FROM label AS l WHERE EXISTS (SELECT 1 FROM kind AS k CROSS JOIN origin AS o "
    "CROSS JOIN family AS f INDEXED BY family_by_origin ON f.origin = o.id AND f.kind = k.id WHERE "
    "k.primitive = l.id) ORDER BY l.text";

}  // namespace

Result<std::vector<ArchivedProducer>> archivedProducers(const Archive& archive) {
  std::vector<ArchivedProducer> producers;
  const std::string sql = fmt::format(
      "SELECT producer, min(build_day), sum(artifacts) FROM (SELECT producer, "
      "build_day, (SELECT count(*) FROM family AS f INDEXED BY family_by_origin CROSS "
      "JOIN artifact AS r ON {} WHERE f.origin = o.id) AS artifacts FROM origin AS o) "
      "WHERE artifacts > 0 GROUP BY producer",
      kArtifactsOfFamily);
  RETURN_IF_ERROR(visitRows(*archive.implementation().database, sql, [&](const Query& query) {
    ArchivedProducer& producer = producers.emplace_back();
    return readRow(query, 0, producer.name, producer.buildDate, producer.artifacts);
  }));
  std::ranges::sort(producers, {}, [](const ArchivedProducer& producer) {
    return std::tie(producer.buildDate, producer.name);
  });
  return producers;
}

Result<std::vector<std::string>> archivedPrimitives(const Archive& archive) {
  std::vector<std::string> primitives;
  RETURN_IF_ERROR(visitRows(*archive.implementation().database, std::string(kKeptPrimitives),
                          [&](const Query& query) -> Status {
                            primitives.push_back(query.text(0));
                            return {};
                          }));
  return primitives;
}

Result<std::map<std::string, int64_t>> outcomesByBuild(const Archive& archive) {
  std::map<std::string, int64_t> counts;
  RETURN_IF_ERROR(visitRows(*archive.implementation().database,
                          "SELECT u.name, c.outcomes FROM (SELECT build, count(*) AS outcomes FROM "
                          "outcome GROUP BY build) AS c CROSS JOIN build AS u ON u.id = c.build",
                          [&](const Query& query) -> Status {
                            counts[query.text(0)] = query.integer(1);
                            return {};
                          }));
  return counts;
}

Result<int64_t> outcomesOfRun(const Archive& archive, const std::string& run) {
  ASSIGN_OR_RETURN(auto query, archive.implementation().database->query(
                                   "SELECT count(*) FROM outcome WHERE run = ?"));
  ASSIGN_OR_RETURN(const auto row, query.bind(run).step());
  return row ? query.integer(0) : 0;
}

Result<ArchiveCounts> archiveCounts(const Archive& archive) {
  Database& database = *archive.implementation().database;
  ASSIGN_OR_RETURN(const auto transaction, ReadTransaction::begin(database));
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
       "pack) "
       "FROM blob"},
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
  RETURN_IF_ERROR(visitRows(database, "SELECT outcome, count(*) FROM outcome GROUP BY outcome",
                          [&](const Query& query) -> Status {
                            counts.outcomes[static_cast<OutcomeKind>(query.integer(0))] =
                                query.integer(1);
                            return {};
                          }));
  return counts;
}

}  // namespace vintage::archive::store
