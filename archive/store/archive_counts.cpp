#include "archive/store/archive_counts.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/row_values.h"

namespace vintage::archive::store {
namespace {

// The different values of a column that leads an index, by one search for each
// instead of a walk over all rows.
std::string distinctSql(std::string_view column, std::string_view more) {
  return fmt::format(
      "WITH RECURSIVE terms (term) AS (SELECT min({0}) FROM artifact UNION ALL SELECT (SELECT "
      "min({0}) FROM artifact WHERE {0} > terms.term) FROM terms WHERE terms.term IS NOT NULL) "
      "SELECT term{1} FROM terms WHERE term IS NOT NULL",
      column, more);
}

// Calls `take` with the query on each of its rows.
template <typename Take>
Status forRows(Database& database, const std::string& sql, const Take& take) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  for (;;) {
    ASSIGN_OR_RETURN(const auto more, query.step());
    if (!more) return {};
    RETURN_IF_ERROR(take(query));
  }
}

}  // namespace

Result<std::vector<ArchivedProducer>> archivedProducers(const Archive& archive) {
  std::vector<ArchivedProducer> producers;
  const std::string sql = distinctSql(
      "producer",
      ", (SELECT min(build_day) FROM artifact WHERE producer = term), (SELECT count(*) FROM "
      "artifact WHERE producer = term)");
  RETURN_IF_ERROR(forRows(*archive.implementation().database, sql, [&](const Query& query) {
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
  RETURN_IF_ERROR(forRows(*archive.implementation().database, distinctSql("primitive", ""),
                          [&](const Query& query) -> Status {
                            primitives.push_back(query.text(0));
                            return {};
                          }));
  return primitives;
}

Result<std::map<std::string, int64_t>> outcomesByBuild(const Archive& archive) {
  std::map<std::string, int64_t> counts;
  RETURN_IF_ERROR(forRows(*archive.implementation().database,
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
      {&ArchiveCounts::withoutPrimitive, "SELECT count(*) FROM artifact WHERE primitive = ''"},
      {&ArchiveCounts::contents, "SELECT count(*) FROM blob"},
      {&ArchiveCounts::contentBytes, "SELECT coalesce(sum(bytes), 0) FROM blob"},
      {&ArchiveCounts::storedBytes, "SELECT coalesce(sum(stored_bytes), 0) FROM blob"},
      {&ArchiveCounts::removed, "SELECT count(*) FROM blob WHERE codec = 3"},
      {&ArchiveCounts::builds, "SELECT count(*) FROM build"},
      {&ArchiveCounts::startable, "SELECT count(*) FROM build WHERE command <> '[]'"},
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
  RETURN_IF_ERROR(forRows(database, "SELECT outcome, count(*) FROM outcome GROUP BY outcome",
                          [&](const Query& query) -> Status {
                            counts.outcomes[static_cast<OutcomeKind>(query.integer(0))] =
                                query.integer(1);
                            return {};
                          }));
  return counts;
}

}  // namespace vintage::archive::store
