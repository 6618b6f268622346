#include "archive/integrity/signed_list.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/blob_store.h"
#include "archive/store/outside_json.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive::integrity {
namespace {

using nlohmann::json;

constexpr std::string_view kFirstForm = "vintage list 1\n", kSecondForm = "vintage list 2\n";

// Since the second form a line begins with the hash of the artifact's signature, which covers its
// whole record.
std::string lineOf(const ListedArtifact& artifact, bool withSignature) {
  return fmt::format("{}{} {}\t{}\t{}\n", withSignature ? artifact.signatureHash + " " : "",
                     artifact.id, formatDate(artifact.date), artifact.name, artifact.producer);
}

// A line for each artifact that the key has signed up to the list.
Status digestArtifacts(Database& database, const std::string& key, int64_t list,
                       int64_t lastRemoval, bool withSignatures, ListContent& content) {
  ContentHasher hasher;
  RETURN_IF_ERROR(visitListed(database, key, list, lastRemoval, ListedOrder::kByName,
                              [&](const ListedArtifact& artifact) -> Status {
                                ++content.artifacts;
                                hasher.update(lineOf(artifact, withSignatures));
                                return {};
                              }));
  content.artifactsDigest = hasher.finish();
  return {};
}

Status visitRows(Database& database, const char* sql, int columns, int64_t last,
                 const RowVisitor& visit) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  query.bind(last);
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return {};
    json texts = json::array();
    for (int column = 0; column < columns; ++column) texts.push_back(query.text(column));
    RETURN_IF_ERROR(visit(texts));
  }
}

template <typename Visit>
Status digestRows(const Visit& visitRows, Database& database, int64_t last, int64_t& count,
                  std::string& digest) {
  ContentHasher hasher;
  RETURN_IF_ERROR(visitRows(database, last, [&](const json& row) -> Status {
    ++count;
    hasher.update(rowLine(row));
    return {};
  }));
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
std::string ListedArtifact::line() const { return lineOf(*this, true); }

Status visitListed(Database& database, const std::string& key, int64_t list, int64_t lastRemoval,
                   ListedOrder order, const std::function<Status(const ListedArtifact&)>& visit) {
  ASSIGN_OR_RETURN(auto query, database.query(std::string(R"(
      SELECT b.hash, a.build_day, a.name, a.producer, s.signature, '', s.facts FROM signature AS s
        JOIN artifact_record AS a ON a.id = s.artifact JOIN blob AS b ON b.id = a.blob
        WHERE s.key = ?1 AND s.list <= ?2
      UNION ALL SELECT r.hash, r.build_day, r.name, r.producer, NULL,
        coalesce(json_extract(iif(json_valid(r.signatures), r.signatures, '{}'), '$."' || ?1 || '"'), ''),
        NULL
        FROM removal AS r, json_each(iif(json_valid(r.lists), r.lists, '{}')) AS l
        WHERE r.id > ?3 AND l.key = ?1 AND l.value <= ?2
      ORDER BY )") + (order == ListedOrder::kByDay ? "2, 3, 4" : "3, 4")));
  query.bind(key).bind(list).bind(lastRemoval);
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return {};
    ListedArtifact artifact;
    artifact.id = hashText(query.blob(0));
    artifact.date = dateOfDay(query.integer(1));
    artifact.name = query.text(2);
    artifact.producer = query.text(3);
    const auto signature = query.blob(4);
    artifact.signature.assign(signature.begin(), signature.end());
    artifact.signatureHash = query.isNull(4) ? query.text(5) : contentHash(signature);
    artifact.facts = query.text(6);
    RETURN_IF_ERROR(visit(artifact));
  }
}

Status visitRemovalRows(Database& database, int64_t last, const RowVisitor& visit) {
  return visitRows(database, kRemovals, kRemovalColumns, last, visit);
}
Status visitChangeRows(Database& database, int64_t last, const RowVisitor& visit) {
  return visitRows(database, kChanges, kChangeColumns, last, visit);
}
std::string rowLine(const json& row) {
  return row.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

Result<ListContent> contentOf(Database& database, const std::string& key, int64_t list,
                              int64_t lastRemoval, int64_t lastChange) {
  ListContent content;
  RETURN_IF_ERROR(digestArtifacts(database, key, list, lastRemoval, true, content));
  RETURN_IF_ERROR(digestRows(visitRemovalRows, database, lastRemoval, content.removals,
                             content.removalsDigest));
  RETURN_IF_ERROR(
      digestRows(visitChangeRows, database, lastChange, content.changes, content.changesDigest));
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
  return std::string(kSecondForm) + fields.dump();
}

Result<SignedList> listOfText(std::string text, std::string key,
                              std::span<const std::byte> signature) {
  SignedList list;
  list.key = std::move(key);
  list.signature.assign(signature.begin(), signature.end());
  std::string date;
  if (text.starts_with(kFirstForm)) {
    date = text.substr(kFirstForm.size(), 10);
  } else {
    const auto fields = text.starts_with(kSecondForm)
                            ? parseOutsideJson(std::string_view(text).substr(kSecondForm.size()))
                            : Result<json>(json());
    const auto isText = [&](const char* name) {
      return fields->contains(name) && (*fields)[name].is_string();
    };
    const auto isNumber = [&](const char* name) {
      return fields->contains(name) && (*fields)[name].is_number_unsigned();
    };
    if (!fields || !fields->is_object() || !isText("key") || !isText("previous") ||
        !isText("date") || !isNumber("counter") || !isNumber("artifacts") ||
        (*fields)["key"] != list.key)
      return badInput("a text that is no signed list: {:.80}", text);
    date = (*fields)["date"];
    list.previous = (*fields)["previous"];
    list.counter = (*fields)["counter"];
    list.artifacts = (*fields)["artifacts"];
  }
  ASSIGN_OR_RETURN(const auto day, within("a signed list", parseDate(date)));
  list.day = dayNumber(day);
  list.text = std::move(text);
  return list;
}

Result<std::vector<SignedList>> listsOf(Database& database, const Lineage& lineage) {
  ASSIGN_OR_RETURN(auto lists, allLists(database));
  std::erase_if(lists, [&](const SignedList& list) { return lineage.find(list.key) == nullptr; });
  return lists;
}

Result<std::vector<SignedList>> allLists(Database& database) {
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
    list.digest = hashText(query.blob(9));
    const auto signature = query.blob(10);
    list.signature.assign(signature.begin(), signature.end());
    if (list.counter == 0)
      list.text = signedListText(dateOfDay(list.day), list.artifacts, list.digest);
    lists.push_back(std::move(list));
  }
}

std::string problemOfLink(const SignedList* before, const SignedList& list) {
  if (list.counter > 0 && before != nullptr) {
    if (list.counter != before->counter + 1)
      return fmt::format("its counter is {}, and that of the list before it {}", list.counter,
                         before->counter);
    if (list.previous != before->hash()) return "it does not follow the list that stands before it";
  }
  if (list.counter == 0 && before != nullptr && before->counter > 0)
    return "it has no counter, and the list before it has one";
  if (before == nullptr && list.counter > 1)
    return fmt::format("its counter is {}, and no list stands before it", list.counter);
  return {};
}

Result<std::string> problemOfChain(std::span<const SignedList> lists, const Lineage& lineage) {
  const SignedList* before = nullptr;
  for (const SignedList& list : lists) {
    const KeyTurn& turn = *lineage.find(list.key);
    if (!turn.key.verifies(list.text, list.signature))
      return std::string("its signature does not match");
    if (turn.until && list.counter > *turn.until)
      return fmt::format("key {} was {}, and signed it later", list.key, turn.ended);
    if (std::string problem = problemOfLink(before, list); !problem.empty()) return problem;
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
  return differencesOf(list, now);
}

std::string differencesOf(const SignedList& list, const ListContent& now) {
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
