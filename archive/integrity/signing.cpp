#include "archive/integrity/signing.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/integrity/key_statements.h"
#include "archive/integrity/signed_list.h"
#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/change_log.h"
#include "archive/store/outside_json.h"
#include "archive/store/record_json.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive::integrity {
namespace {

constexpr int64_t kSignaturePage = 500;  // Signatures of one transaction.

// An artifact, and what its row of this key's signatures says.
struct Signed {
  int64_t row = 0;
  bool isListed = false;  // There is a row.
  std::vector<std::byte> signature;
  std::string facts;  // What the signature is over, where a put has filled the record in since.
};
constexpr std::string_view kAll = "", kUnlisted = " AND s.key IS NULL",
                           kChanged =
                               " AND (s.facts IS NOT NULL OR s.signature IS NULL) AND "
                               "s.key IS NOT NULL";
Result<std::vector<Signed>> pageAfter(Database& database, const std::string& key, int64_t last,
                                      std::string_view which) {
  auto query = database.query(
      fmt::format("SELECT a.id, s.key IS NOT NULL, s.signature, s.facts FROM artifact AS a LEFT "
                  "JOIN signature AS s ON s.artifact = a.id AND s.key = ? WHERE a.id > ?{} ORDER "
                  "BY a.id LIMIT ?",
                  which));
  if (!query) return tl::unexpected(query.error());
  query->bind(key).bind(last).bind(kSignaturePage);
  std::vector<Signed> page;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query->step());
    if (!row) return page;
    Signed found;
    found.row = query->integer(0);
    // Out of order, as only a damaged index has it: the pages would go round for ever.
    if (found.row <= (page.empty() ? last : page.back().row)) continue;
    found.isListed = query->integer(1) != 0;
    const auto signature = query->blob(2);
    found.signature.assign(signature.begin(), signature.end());
    found.facts = query->text(3);
    page.push_back(std::move(found));
  }
}

// Why the record is not the signed one with some facts filled in; empty where it is.
std::string problemOfFacts(const SigningKey& key, const Signed& artifact,
                           const ArtifactRecord& record) {
  const auto facts = parseOutsideJson(artifact.facts);
  const auto before = facts ? artifactOfJson(*facts) : tl::unexpected(facts.error());
  if (!before || !key.verifies(signedText(*before), artifact.signature))
    return "the record that it had before it was filled in differs from the signed one";
  return filledInOtherwise(*before, record);
}

Status putSignature(Database& database, const SigningKey& key, int64_t row, int64_t list) {
  ASSIGN_OR_RETURN(const auto record, artifactOfRow(database, row));
  ASSIGN_OR_RETURN(const auto signature, key.sign(signedText(record)));
  return runWith(database, R"(
      INSERT INTO signature (artifact, key, list, signature) VALUES (?, ?, ?, ?)
      ON CONFLICT (artifact, key) DO UPDATE SET signature = excluded.signature, facts = NULL)",
                 row, key.fingerprint(), list, signature);
}

// No list covers them before the next: an interrupted call has signed some.
Result<int64_t> signNewArtifacts(Archive::Implementation& archive, const SigningKey& key,
                                 int64_t list) {
  Database& database = *archive.database;
  int64_t count = 0;
  for (int64_t last = 0;;) {
    int64_t found = 0;
    const Status status = archive.inTransaction([&]() -> Status {
      ASSIGN_OR_RETURN(const auto page, pageAfter(database, key.fingerprint(), last, kUnlisted));
      found = static_cast<int64_t>(page.size());
      for (const Signed& artifact : page) {
        RETURN_IF_ERROR(putSignature(database, key, artifact.row, list));
        last = artifact.row;
      }
      return {};
    });
    if (!status) return tl::unexpected(status.error());
    if (found == 0) return count;
    count += found;
  }
}

// In the transaction of the list that covers them: the list before holds until then.
Result<int64_t> signChangedArtifacts(Archive::Implementation& archive, const SigningKey& key,
                                     int64_t list, bool emptied) {
  Database& database = *archive.database;
  int64_t count = 0;
  for (int64_t last = 0;;) {
    ASSIGN_OR_RETURN(const auto page, pageAfter(database, key.fingerprint(), last, kChanged));
    if (page.empty()) return count;
    for (const Signed& artifact : page) {
      last = artifact.row;
      ASSIGN_OR_RETURN(const auto record, artifactOfRow(database, artifact.row));
      const bool isEmpty = artifact.signature.empty();
      const std::string problem = isEmpty ? (emptied ? "" : "its signature is gone")
                                          : problemOfFacts(key, artifact, record);
      if (!problem.empty() && isEmpty)
        return failure(
            Error::Kind::kMismatch,
            fmt::format(
                "{}: {} ({}): {}; Vintage signed nothing: formats before 9 left it so where "
                "a put filled in facts, and so does who wants it signed anew: look at the "
                "record, then sign with --emptied",
                archive.folder, record.name, record.producer, problem));
      if (!problem.empty()) continue;  // checkSignatures() goes on to report it.
      RETURN_IF_ERROR(putSignature(database, key, artifact.row, list));
      ++count;
    }
  }
}

Result<std::string> problemOf(Database& database, std::span<const SignedList> lists,
                              const Lineage& lineage) {
  ASSIGN_OR_RETURN(auto problem, problemOfChain(lists, lineage));
  if (!problem.empty()) return problem;
  return problemOfContent(database, lists.back());
}

}  // namespace

std::string filledInOtherwise(const ArtifactRecord& before, const ArtifactRecord& record) {
  const std::string field = changedField(recordJson(before), recordJson(record));
  return field.empty() ? field : fmt::format("its '{}' differs from the signed one", field);
}

std::string signedText(const ArtifactRecord& record) {
  // nlohmann's objects are sorted by key; non-ASCII characters are escaped.
  const nlohmann::json fields{{"id", record.id},
                              {"name", record.name},
                              {"format", formatName(record.format)},
                              {"producer", record.producer},
                              {"build_date", formatDate(record.buildDate)},
                              {"calling_convention", record.callingConventionVersion},
                              {"serialization", record.serializationVersion},
                              {"stablehlo", record.stablehloVersion},
                              {"primitive", record.primitive},
                              {"case", record.caseId},
                              {"dtypes", record.dtypes},
                              {"platforms", record.platforms},
                              {"variant", record.variant},
                              {"device_count", record.deviceCount},
                              {"custom_call_targets", record.customCallTargets},
                              {"golden", record.golden},
                              {"bytes", record.bytes}};
  return "vintage artifact 1\n" +
         fields.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string signedListText(Date day, int64_t artifacts, std::string_view digest) {
  return fmt::format("vintage list 1\n{} {} {}", formatDate(day), artifacts, digest);
}

Result<SigningReport> signArchive(Archive& archive, const SigningKey& key, Date day, bool emptied) {
  Archive::Implementation& self = archive.implementation();
  RETURN_IF_ERROR(self.checkWritable());
  Database& database = *self.database;
  SigningReport report;
  ASSIGN_OR_RETURN(const auto lineage, lineageOf(database, key, true));
  const KeyTurn& turn = *lineage.find(key.fingerprint());
  if (!turn.ended.empty())
    return conflict("{}: key {} was {}; sign with the key that follows it", self.folder,
                    key.fingerprint(), turn.ended);
  // A new list would cover up what is missing from the one before.
  ASSIGN_OR_RETURN(const auto lists, listsOf(database, lineage));
  const SignedList* before = lists.empty() ? nullptr : &lists.back();
  if (before != nullptr) {
    ASSIGN_OR_RETURN(const auto problem, problemOf(database, lists, lineage));
    if (!problem.empty())
      return failure(Error::Kind::kMismatch,
                     fmt::format("{}: the list of {} does not hold: {}; Vintage signed nothing: "
                                 "compare the archive with another copy",
                                 self.folder, formatDate(dateOfDay(before->day)), problem));
  }
  ASSIGN_OR_RETURN(const auto last,
                   database.integer("SELECT coalesce(max(id), 0) FROM signed_list"));
  ASSIGN_OR_RETURN(report.signedNow, signNewArtifacts(self, key, last + 1));
  const Status status = self.inTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(report.filledIn, signChangedArtifacts(self, key, last + 1, emptied));
    report.signedNow += report.filledIn;
    SignedList list;
    list.id = last + 1;
    list.day = dayNumber(day);
    list.counter = before != nullptr ? before->counter + 1 : 1;
    list.key = key.fingerprint();
    list.previous = before != nullptr ? before->hash() : std::string();
    ASSIGN_OR_RETURN(list.lastRemoval,
                     database.integer("SELECT coalesce(max(id), 0) FROM removal"));
    ASSIGN_OR_RETURN(list.lastChange, database.integer("SELECT coalesce(max(id), 0) FROM change"));
    ASSIGN_OR_RETURN(const auto content,
                     contentOf(database, list.key, list.id, list.lastRemoval, list.lastChange));
    report.artifacts = content.artifacts;
    report.digest = content.artifactsDigest;
    report.counter = list.counter;
    report.removals = list.lastRemoval - (before != nullptr ? before->lastRemoval : 0);
    report.changes = list.lastChange - (before != nullptr ? before->lastChange : 0);
    list.text = listText(list, content);
    ASSIGN_OR_RETURN(const auto signature, key.sign(list.text));
    RETURN_IF_ERROR(runWith(database, R"(
        INSERT INTO signed_list (id, key, day, artifacts, digest, removals, signature, counter,
          previous, changes, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING)",
                            list.id, list.key, list.day, content.artifacts,
                            hashBytes(content.artifactsDigest), list.lastRemoval, signature,
                            list.counter, list.previous, list.lastChange, list.text));
    if (database.changes() == 0)
      return noResource("{}: another process signed at the same time; sign again", self.folder);
    return {};
  });
  if (!status) return tl::unexpected(status.error());
  return report;
}

Result<SignatureSummary> checkSignatures(
    const Archive& archive, const SigningKey& key, const std::optional<Pin>& pinned,
    const std::function<void(const std::string&, const std::string&)>& report) {
  Database& database = *archive.implementation().database;
  SignatureSummary summary;
  const auto add = [&](const std::string& who, const std::string& problem) {
    ++summary.problems;
    report(who, problem);
  };
  ASSIGN_OR_RETURN(const auto lineage, lineageOf(database, key, true));
  for (const std::string& problem : lineage.problems) add("the keys", problem);
  ASSIGN_OR_RETURN(const auto lists, listsOf(database, lineage));
  if (lists.empty()) {
    add("the list",
        fmt::format("key {} has signed no list; run 'vintage sign'", key.fingerprint()));
    return summary;
  }
  // The key of the newest list: the artifacts' signatures are its own.
  const SignedList& newest = lists.back();
  const SigningKey& signer = lineage.find(newest.key)->key;
  for (int64_t last = 0;;) {
    ASSIGN_OR_RETURN(const auto page, pageAfter(database, signer.fingerprint(), last, kAll));
    if (page.empty()) break;
    for (const Signed& artifact : page) {
      last = artifact.row;
      if (!artifact.isListed) {
        ++summary.unsignedYet;
        continue;
      }
      const auto record = artifactOfRow(database, artifact.row);
      if (!record && record.error().kind == Error::Kind::kNotFound) continue;
      if (!record && record.error().kind == Error::Kind::kBadInput) {
        add(fmt::format("the artifact in row {}", artifact.row), record.error().message);
        continue;
      }
      if (!record) return tl::unexpected(record.error());
      const std::string who = fmt::format("{} ({})", record->name, record->producer);
      if (artifact.signature.empty()) {
        add(who, "its signature is gone");
      } else if (!artifact.facts.empty()) {
        const std::string problem = problemOfFacts(signer, artifact, *record);
        if (problem.empty())
          ++summary.unsignedYet;
        else
          add(who, problem);
      } else if (signer.verifies(signedText(*record), artifact.signature)) {
        ++summary.verified;
      } else {
        add(who, "its record differs from the signed one");
      }
    }
  }
  summary.listDay = formatDate(dateOfDay(newest.day));
  const std::string who = fmt::format("the list of {}", summary.listDay);
  ASSIGN_OR_RETURN(const auto problem, problemOf(database, lists, lineage));
  if (!problem.empty()) add(who, problem);
  if (pinned) {
    if (const std::string rolledBack = problemOfPin(lists, *pinned); !rolledBack.empty())
      add(who, rolledBack);
  }
  ASSIGN_OR_RETURN(const auto removals,
                   database.integer("SELECT coalesce(max(id), 0) FROM removal"));
  ASSIGN_OR_RETURN(const auto changes, database.integer("SELECT coalesce(max(id), 0) FROM change"));
  summary.removals = removals - newest.lastRemoval;
  summary.changes = changes - newest.lastChange;
  if (summary.problems == 0 && newest.counter > 0)
    summary.seen = Pin{newest.counter, newest.hash(), newest.key, summary.listDay};
  return summary;
}

}  // namespace vintage::archive::integrity
