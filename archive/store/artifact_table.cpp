#include "archive/store/artifact_table.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/blob_store.h"
#include "archive/store/index_check.h"
#include "archive/store/record_fields.h"
#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr size_t kLongestName = 4096;

Status checkName(std::string_view what, std::string_view name) {
  const bool control = std::any_of(name.begin(), name.end(), [](char character) {
    return static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
  });
  if (name.empty() || name.size() > kLongestName || control)
    return usageError(
        "the {} of an artifact has {} characters{}; it needs 1 to {} without control characters",
        what, name.size(), control ? ", control characters among them" : "", kLongestName);
  return {};
}

Status complete(ArtifactWriter& writer, int64_t row, const ArtifactRecord& kept,
                const ArtifactRecord& record, std::optional<int64_t> golden, const Author& author) {
  if (const std::string what = contradiction(kept, record); !what.empty())
    return conflict("{} of {} is kept already, and {}; give the new one another name or producer",
                    record.name, record.producer, what);
  // The kept record with what it did not know.
  ArtifactRecord merged = kept;
  bool changed = false;
  visitMembers<ArtifactRecord>([&](const RecordField&, auto member) {
    if constexpr (requires { (merged.*member).empty(); }) {
      if (!(kept.*member).empty() || (record.*member).empty()) return;
      merged.*member = record.*member;
      changed = true;
    }
  });
  if (!changed) return {};
  RETURN_IF_ERROR(noteChange(writer.database(), author, "artifact filled in",
                             fmt::format("{} of {}", kept.name, kept.producer), recordJson(kept),
                             recordJson(merged)));
  RETURN_IF_ERROR(writer.update(row, merged, golden));
  // The signatures stay with what they are over, so that the next ones cannot hide more than
  // this.
  return runWith(writer.database(),
                 "UPDATE signature SET facts = ? WHERE artifact = ? AND facts IS NULL",
                 jsonText(recordJson(kept)), row);
}

}  // namespace

Status normalize(ArtifactRecord& record) {
  RETURN_IF_ERROR(checkName("name", record.name));
  RETURN_IF_ERROR(checkName("producer", record.producer));
  for (auto* list : {&record.dtypes, &record.customCallTargets}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return checkLimits(record);
}

Status putArtifact(ArtifactWriter& writer, const ArtifactRecord& record, int64_t blob,
                   std::optional<int64_t> golden, const Author& author) {
  ASSIGN_OR_RETURN(const auto row, writer.find(record.name, record.producer));
  if (row) {
    ASSIGN_OR_RETURN(const auto kept, writer.read(*row));
    return complete(writer, *row, kept, record, golden, author);
  }
  return writer.insert(record, blob, golden);
}

Result<ArtifactRecord> artifactOfRow(const Archive& archive, int64_t row) {
  return ArtifactReader(indexOf(archive)).row(row);
}

Result<std::optional<ArtifactRecord>> artifactNamed(const Archive& archive, std::string_view name,
                                                    std::string_view producer) {
  ASSIGN_OR_RETURN(const auto row, rowOfArtifact(indexOf(archive), name, producer));
  if (!row) return std::nullopt;
  return artifactOfRow(archive, *row);
}

Result<ArtifactRecord> Archive::find(std::string_view idOrName) const {
  Database& database = *implementation_->database;
  if (const auto range = hashRange(idOrName)) {
    static const std::string kSql = fmt::format(
        "SELECT DISTINCT b.hash, b.id FROM blob AS b JOIN artifact AS a ON a.blob = b.id WHERE {} "
        "ORDER BY b.hash LIMIT 6",
        hashIsFrom("b.hash", "?1", "?2"));
    std::vector<std::string> contents;
    int64_t blob = 0;
    const auto take = [&](const Query& row) {
      contents.push_back(hashText(row.blob(0)).substr(0, 16));
      blob = row.integer(1);
    };
    RETURN_IF_ERROR(visitRows(database, kSql, take, range->first, range->last));
    if (contents.size() > 1)
      return usageError("'{}' fits several artifacts: {}{}; write more digits", idOrName,
                        fmt::join(contents, ", "), contents.size() == 6 ? ", …" : "");
    if (contents.size() == 1) {
      ASSIGN_OR_RETURN(const auto newest, newestRowOfContent(database, blob));
      if (newest) return artifactOfRow(*this, *newest);
    }
  }
  ASSIGN_OR_RETURN(auto row, newestRowOfName(database, idOrName));
  if (const size_t at = idOrName.rfind('@'); !row && at != std::string_view::npos) {
    ASSIGN_OR_RETURN(row, rowOfArtifact(database, idOrName.substr(0, at), idOrName.substr(at + 1)));
  }
  if (row) return artifactOfRow(*this, *row);
  std::error_code problem;
  return notFound(
      "no artifact in {} is '{}'; write an id, the first 4 or more digits of one, a name, or "
      "NAME@PRODUCER ('vintage list' shows them){}",
      database.path(), idOrName,
      std::filesystem::exists(idOrName, problem) ? "; 'vintage put' keeps a file" : "");
}

Result<std::vector<std::string>> usersOfContent(Database& database, const ContentId& id,
                                                size_t longest) {
  static const std::string kSql = fmt::format(
      R"(
      SELECT '' AS role, a.name, a.producer FROM blob AS b
        CROSS JOIN artifact_record AS a ON a.blob = b.id WHERE {0}
      UNION ALL SELECT 'the golden of ', a.name, a.producer FROM blob AS b
        CROSS JOIN artifact_record AS a ON a.golden = b.id WHERE {0}
      ORDER BY 1, 2, 3 LIMIT ?2)",
      hashIs("b.hash"));
  const auto read = [](const Query& row) {
    return fmt::format("{}{} ({})", row.text(0), row.text(1), row.text(2));
  };
  return selectRows<std::string>(database, kSql, read, hashBytes(id),
                                 static_cast<int64_t>(longest));
}

}  // namespace vintage::archive
