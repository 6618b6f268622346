#include "archive/store/signature_table.h"

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {
using namespace golden;

namespace {

using nlohmann::json;

constexpr int64_t kSignaturePage = 500;  // Signatures of one transaction.

// In the order of SignedSelection.
constexpr std::string_view kConditions[] = {
    "", " AND s.key IS NULL",
    " AND (s.facts IS NOT NULL OR s.signature IS NULL) AND s.key IS NOT NULL"};

// In the order of Log: how each is read, and how many columns it has.
constexpr std::pair<const char*, int> kLogs[] = {
    {"SELECT id, lower(hex(hash)), lower(hex(coalesce(golden, x''))), name, producer, build_day, "
     "removed, reason, outcomes, lists, signatures FROM removal WHERE id <= ? ORDER BY id",
     11},
    {"SELECT id, at, who, what, subject, before, after FROM change WHERE id <= ? ORDER BY id", 7}};

}  // namespace

Result<std::vector<SignedArtifact>> signedArtifactsAfter(const Archive& archive,
                                                         const std::string& key, int64_t last,
                                                         SignedSelection selection) {
  std::vector<SignedArtifact> page;
  const auto add = [&](const Query& row) -> Status {
    SignedArtifact found;
    RETURN_IF_ERROR(readRow(row, 0, found.row, found.isListed, found.signature, found.facts));
    // Out of order, which only a damaged index is: the pages would repeat for ever.
    if (found.row > (page.empty() ? last : page.back().row)) page.push_back(std::move(found));
    return {};
  };
  RETURN_IF_ERROR(visitRows(
      indexOf(archive),
      fmt::format("SELECT a.id, s.key IS NOT NULL, s.signature, s.facts FROM artifact AS a LEFT "
                  "JOIN signature AS s ON s.artifact = a.id AND s.key = ? WHERE a.id > ?{} ORDER "
                  "BY a.id LIMIT ?",
                  kConditions[static_cast<size_t>(selection)]),
      add, key, last, kSignaturePage));
  return page;
}

Status putSignature(Archive& archive, int64_t artifact, const std::string& key, int64_t list,
                    std::span<const std::byte> signature) {
  return runWith(archive, R"(
      INSERT INTO signature (artifact, key, list, signature) VALUES (?, ?, ?, ?)
      ON CONFLICT (artifact, key) DO UPDATE SET signature = excluded.signature, facts = NULL)",
                 artifact, key, list, signature);
}

std::string SignedList::hash() const { return contentHash(text); }

Result<std::vector<SignedList>> keptLists(const Archive& archive) {
  return selectMembers<&SignedList::id, &SignedList::day, &SignedList::counter, &SignedList::key,
                       &SignedList::previous, &SignedList::lastRemoval, &SignedList::lastChange,
                       &SignedList::text, &SignedList::artifacts, &SignedList::signature>(
      indexOf(archive),
      "SELECT id, day, counter, key, previous, removals, changes, text, artifacts, signature FROM "
      "signed_list ORDER BY id");
}

Result<bool> putList(Archive& archive, const SignedList& list, std::string_view digest) {
  RETURN_IF_ERROR(runWith(archive, R"(
      INSERT INTO signed_list (id, key, day, artifacts, digest, removals, signature, counter,
        previous, changes, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO NOTHING)",
                          list.id, list.key, list.day, list.artifacts, hashBytes(digest),
                          list.lastRemoval, list.signature, list.counter, list.previous,
                          list.lastChange, list.text));
  return indexOf(archive).changes() > 0;
}

Result<NewestRows> newestRows(const Archive& archive) {
  NewestRows rows;
  RETURN_IF_ERROR(firstRow(indexOf(archive),
                           "SELECT (SELECT max(id) FROM signed_list), (SELECT max(id) FROM "
                           "removal), (SELECT max(id) FROM change)",
                           std::tie(rows.list, rows.removal, rows.change)));
  return rows;
}

Status visitListed(const Archive& archive, const std::string& key, int64_t list,
                   int64_t lastRemoval, ListedOrder order,
                   const std::function<Status(const ListedArtifact&)>& visit) {
  const std::string sql = std::string(R"(
      SELECT b.hash, a.build_day, a.name, a.producer, s.signature, '', s.facts FROM signature AS s
        JOIN artifact_record AS a ON a.id = s.artifact JOIN blob AS b ON b.id = a.blob
        WHERE s.key = ?1 AND s.list <= ?2
      UNION ALL SELECT r.hash, r.build_day, r.name, r.producer, NULL,
        coalesce(json_extract(iif(json_valid(r.signatures), r.signatures, '{}'),
          '$."' || ?1 || '"'), ''), NULL
        FROM removal AS r, json_each(iif(json_valid(r.lists), r.lists, '{}')) AS l
        WHERE r.id > ?3 AND l.key = ?1 AND l.value <= ?2
      ORDER BY )") + (order == ListedOrder::kByDay ? "2, 3, 4" : "3, 4");
  const auto read = [&](const Query& row) -> Status {
    ListedArtifact artifact;
    RETURN_IF_ERROR(readRow(row, 0, artifact.id, artifact.date, artifact.name, artifact.producer,
                            artifact.signature, artifact.signatureHash, artifact.facts));
    if (!row.isNull(4)) artifact.signatureHash = contentHash(artifact.signature);
    return visit(artifact);
  };
  return visitRows(indexOf(archive), sql, read, key, list, lastRemoval);
}

Status visitLog(const Archive& archive, Log log, int64_t last,
                const std::function<Status(const json&)>& visit) {
  const auto& [sql, columns] = kLogs[static_cast<size_t>(log)];
  const auto read = [&](const Query& row) -> Status {
    json texts = json::array();
    for (int column = 0; column < columns; ++column) texts.push_back(row.text(column));
    return visit(texts);
  };
  return visitRows(indexOf(archive), sql, read, last);
}

Result<std::vector<SignedStatement>> signedStatements(const Archive& archive) {
  return selectMembers<&SignedStatement::text, &SignedStatement::signature>(
      indexOf(archive), "SELECT text, signature FROM key_statement ORDER BY id");
}

Status putStatement(Archive& archive, const SignedStatement& statement) {
  return runWith(archive, "INSERT INTO key_statement (text, signature) VALUES (?, ?)",
                 statement.text, statement.signature);
}

Result<std::vector<KeptRecord>> travellingRecords(const Archive& archive) {
  return selectMembers<&KeptRecord::row, &KeptRecord::text>(
      indexOf(archive), "SELECT id, record FROM travelling_list ORDER BY id");
}

Status putTravellingRecord(Archive& archive, const std::string& text,
                           std::span<const ContentId> parts) {
  Archive::Implementation& self = archive.implementation();
  Database& database = *self.database;
  return self.inTransaction([&]() -> Status {
    RETURN_IF_ERROR(runWith(database, "INSERT INTO travelling_list (record) VALUES (?)", text));
    const int64_t list = database.lastRow();
    for (const ContentId& id : parts) {
      ASSIGN_OR_RETURN(const auto blob, self.blobs.rowOf(id));
      RETURN_IF_ERROR(
          runWith(database, "INSERT OR IGNORE INTO travelling_list_part (blob, list) VALUES (?, ?)",
                  blob.id, list));
    }
    return {};
  });
}

Status removeTravellingRecord(Archive& archive, int64_t row) {
  return runWith(archive, "DELETE FROM travelling_list WHERE id = ?", row);
}

Result<SortedTexts> SortedTexts::make() {
  ASSIGN_OR_RETURN(auto database, Database::open("", {.create = true}));
  RETURN_IF_ERROR(database->execute(
      "CREATE TABLE sorted (first TEXT NOT NULL, second TEXT NOT NULL, text TEXT NOT NULL); "
      "BEGIN"));
  return SortedTexts(std::move(database));
}

Status SortedTexts::add(std::string_view first, std::string_view second, std::string_view text) {
  return runWith(*file_, "INSERT INTO sorted (first, second, text) VALUES (?, ?, ?)", first, second,
                 text);
}

Status SortedTexts::forEach(const std::function<Status(const std::string&)>& visit) {
  return visitRows(*file_, "SELECT text FROM sorted ORDER BY first, second",
                   [&](const Query& row) { return visit(row.text(0)); });
}

}  // namespace vintage::archive
