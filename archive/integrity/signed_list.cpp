#include "archive/integrity/signed_list.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/blob_store.h"
#include "archive/store/outside_json.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"

namespace vintage::archive::integrity {
namespace {

using nlohmann::json;

// A line for each artifact that the key has signed up to the list. Since the second form it
// begins with the hash of the artifact's signature, which covers its whole record.
Status digestArtifacts(Database& database, const std::string& key, int64_t list,
                       int64_t lastRemoval, bool withSignatures, ListContent& content) {
  ASSIGN_OR_RETURN(auto query, database.query(R"(
      SELECT b.hash, a.build_day, a.name, a.producer, s.signature, '' FROM signature AS s
        JOIN artifact_record AS a ON a.id = s.artifact JOIN blob AS b ON b.id = a.blob
        WHERE s.key = ?1 AND s.list <= ?2
      UNION ALL SELECT r.hash, r.build_day, r.name, r.producer, NULL,
        coalesce(json_extract(iif(json_valid(r.signatures), r.signatures, '{}'), '$."' || ?1 || '"'), '')
        FROM removal AS r, json_each(iif(json_valid(r.lists), r.lists, '{}')) AS l
        WHERE r.id > ?3 AND l.key = ?1 AND l.value <= ?2
      ORDER BY 3, 4)"));
  query.bind(key).bind(list).bind(lastRemoval);
  ContentHasher hasher;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) break;
    ++content.artifacts;
    if (withSignatures)
      hasher.update((query.isNull(4) ? query.text(5) : contentHash(query.blob(4))) + " ");
    hasher.update(fmt::format("{} {}\t{}\t{}\n", hashText(query.blob(0)),
                              formatDate(dateOfDay(query.integer(1))), query.text(2),
                              query.text(3)));
  }
  content.artifactsDigest = hasher.finish();
  return {};
}

// A line of JSON for each row, all of its columns as texts.
Status digestRows(Database& database, const char* sql, int columns, int64_t last, int64_t& count,
                  std::string& digest) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  query.bind(last);
  ContentHasher hasher;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) break;
    ++count;
    json line = json::array();
    for (int column = 0; column < columns; ++column) line.push_back(query.text(column));
    hasher.update(line.dump(-1, ' ', true, json::error_handler_t::replace) + "\n");
  }
  digest = hasher.finish();
  return {};
}

constexpr const char* kRemovals =
    "SELECT id, lower(hex(hash)), lower(hex(coalesce(golden, x''))), name, producer, build_day, "
    "removed, reason, outcomes, lists, signatures FROM removal WHERE id <= ? ORDER BY id";
constexpr int kRemovalColumns = 11;
constexpr const char* kChanges =
    "SELECT id, at, who, what, subject, before, after FROM change WHERE id <= ? ORDER BY id";
constexpr int kChangeColumns = 7;

}  // namespace

std::string SignedList::hash() const { return contentHash(text); }

Result<ListContent> contentOf(Database& database, const std::string& key, int64_t list,
                              int64_t lastRemoval, int64_t lastChange) {
  ListContent content;
  RETURN_IF_ERROR(digestArtifacts(database, key, list, lastRemoval, true, content));
  RETURN_IF_ERROR(digestRows(database, kRemovals, kRemovalColumns, lastRemoval, content.removals,
                             content.removalsDigest));
  RETURN_IF_ERROR(digestRows(database, kChanges, kChangeColumns, lastChange, content.changes,
                             content.changesDigest));
  return content;
}

std::string listText(const SignedList& list, const ListContent& content) {
  const json fields{{"key", list.key},
                    {"counter", list.counter},
                    {"previous", list.previous},
                    {"date", formatDate(dateOfDay(list.day))},
                    {"artifacts", content.artifacts},
                    {"artifacts_digest", content.artifactsDigest},
                    {"removals", content.removals},
                    {"removals_digest", content.removalsDigest},
                    {"changes", content.changes},
                    {"changes_digest", content.changesDigest}};
  return "vintage list 2\n" + fields.dump();
}

Result<std::vector<SignedList>> listsOf(Database& database, const Lineage& lineage) {
  ASSIGN_OR_RETURN(auto query, database.query(R"(
      SELECT id, day, counter, key, previous, removals, changes, text, artifacts, digest, signature
      FROM signed_list ORDER BY id)"));
  std::vector<SignedList> lists;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return lists;
    SignedList list;
    RETURN_IF_ERROR(readRow(query, 0, list.id, list.day, list.counter, list.key, list.previous,
                            list.lastRemoval, list.lastChange, list.text, list.artifacts));
    if (lineage.find(list.key) == nullptr) continue;
    list.digest = hashText(query.blob(9));
    const auto signature = query.blob(10);
    list.signature.assign(signature.begin(), signature.end());
    if (list.counter == 0)
      list.text = signedListText(dateOfDay(list.day), list.artifacts, list.digest);
    lists.push_back(std::move(list));
  }
}

Result<std::string> problemOfChain(std::span<const SignedList> lists, const Lineage& lineage) {
  const SignedList* before = nullptr;
  for (const SignedList& list : lists) {
    const KeyTurn& turn = *lineage.find(list.key);
    if (!turn.key.verifies(list.text, list.signature))
      return std::string("its signature does not match");
    if (turn.until && list.counter > *turn.until)
      return fmt::format("key {} was {}, and signed it later", list.key, turn.ended);
    if (list.counter > 0 && before != nullptr) {
      if (list.counter != before->counter + 1)
        return fmt::format("its counter is {}, and that of the list before it {}", list.counter,
                           before->counter);
      if (list.previous != before->hash())
        return std::string("it does not follow the list that stands before it");
    }
    if (list.counter == 0 && before != nullptr && before->counter > 0)
      return std::string("it has no counter, and the list before it has one");
    if (before == nullptr && list.counter > 1)
      return fmt::format("its counter is {}, and no list stands before it", list.counter);
    before = &list;
  }
  return std::string();
}

std::string problemOfPin(std::span<const SignedList> lists, const Pin& pinned) {
  if (lists.back().counter < pinned.counter)
    return fmt::format(
        "its counter is {}, and number {} of {} was seen here before: this is an "
        "older state of the archive",
        lists.back().counter, pinned.counter, pinned.date);
  for (const SignedList& list : lists) {
    if (list.counter != pinned.counter) continue;
    return list.hash() == pinned.list
               ? std::string()
               : fmt::format(
                     "list number {} is not the one that was seen on {}: the history was "
                     "written anew",
                     pinned.counter, pinned.date);
  }
  return fmt::format("list number {} of {} was seen here before, and is gone", pinned.counter,
                     pinned.date);
}

Result<std::string> problemOfContent(Database& database, const SignedList& list) {
  if (list.counter == 0) {
    ListContent now;
    RETURN_IF_ERROR(digestArtifacts(database, list.key, list.id, list.lastRemoval, false, now));
    if (now.artifactsDigest == list.digest) return std::string();
    return fmt::format(
        "it lists {} artifacts with digest {:.12}; the artifacts here, with those that "
        "retention removed since, are {} with digest {:.12}",
        list.artifacts, list.digest, now.artifacts, now.artifactsDigest);
  }
  ASSIGN_OR_RETURN(const auto now,
                   contentOf(database, list.key, list.id, list.lastRemoval, list.lastChange));
  const std::string text = listText(list, now);
  if (text == list.text && list.artifacts == now.artifacts) return std::string();
  const auto said = parseOutsideJson(std::string_view(list.text).substr(list.text.find('\n') + 1));
  const auto found = parseOutsideJson(std::string_view(text).substr(text.find('\n') + 1));
  std::string differences;
  if (said && found && said->is_object()) {
    for (const auto& [field, value] : found->items()) {
      const json signedValue = said->value(field, json());
      if (signedValue == value) continue;
      differences +=
          fmt::format("{}{} is {:.14}, signed was {:.14}", differences.empty() ? "" : "; ", field,
                      value.dump(), signedValue.dump());
    }
  }
  return differences.empty() ? std::string("its text is not the one that was signed") : differences;
}

}  // namespace vintage::archive::integrity
