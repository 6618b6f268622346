// Every artifact's record: whether its values can be.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"
#include "archive/integrity/table_walk.h"
#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"

namespace vintage::archive::integrity {
namespace {

constexpr int64_t kRecordPage = 500;

std::string impossibleValue(const ArtifactRecord& record) {
  if (formatName(record.format) == "unknown")
    return fmt::format("its format is {}", static_cast<int>(record.format));
  if (record.name.empty() || record.producer.empty()) return "its name or its producer is empty";
  if (record.deviceCount < 1) return fmt::format("its device count is {}", record.deviceCount);
  return {};
}

Result<bool> isCovered(Database& database, int64_t row) {
  ASSIGN_OR_RETURN(auto query, database.query(fmt::format(
                                   "SELECT 1 FROM (SELECT ? AS id) AS r JOIN family AS f ON {}",
                                   kFamilyOfArtifact)));
  return query.bind(row).step();
}

Status checkRecord(FsckPasses& checker, int64_t row, const std::string& name,
                   const std::string& producer) {
  const auto record = artifactOfRow(checker.database(), row);
  // Removed meanwhile, or its blob's row is gone, which checkReferences reports.
  if (!record && record.error().kind == Error::Kind::kNotFound) return {};
  if (!record && record.error().kind != Error::Kind::kBadInput)
    return tl::unexpected(record.error());
  std::string problem = record ? impossibleValue(*record) : record.error().message;
  if (!problem.empty()) {
    const auto covered = isCovered(checker.database(), row);
    if (covered && !*covered)
      problem = "no family covers it: its name and what else was known of it are lost";
  }
  if (problem.empty()) {
    ASSIGN_OR_RETURN(const auto first, rowOfArtifact(checker.database(), name, producer));
    if (first && *first != row)
      problem = fmt::format("row {} has the same name and producer", *first);
  }
  if (problem.empty()) return {};
  FsckFinding finding{FsckFinding::Kind::kRecord,
                      fmt::format("{}, table artifact, row {}", checker.indexPath(), row),
                      std::move(problem)};
  if (!name.empty()) finding.affected = {fmt::format("{} ({})", name, producer)};
  finding.remedy = "put the same artifact again under another name, or restore the index";
  return checker.add(std::move(finding));
}

}  // namespace

Status checkRecords(FsckPasses& checker) {
  struct Row {
    int64_t id;
    std::string name, producer;
  };
  const int64_t total = checker.rowsOf("artifact");
  TableWalk walk(checker.database(), "SELECT id, name, producer FROM artifact_record", "id",
                 kRecordPage);
  std::vector<Row> rows;
  while (true) {
    rows.clear();
    ASSIGN_OR_RETURN(const auto more, walk.next([&](const Query& query) {
      rows.push_back({query.integer(0), query.text(1), query.text(2)});
    }));
    if (!more) return {};
    for (const Row& row : rows) {
      RETURN_IF_ERROR(checkRecord(checker, row.id, row.name, row.producer));
    }
    checker.summary.artifacts += static_cast<int64_t>(rows.size());
    checker.progress("records", checker.summary.artifacts, total);
  }
}

}  // namespace vintage::archive::integrity
