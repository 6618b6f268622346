#include "archive/integrity/signing.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive::integrity {
namespace {

constexpr int64_t kSignaturePage = 500;  // Signatures of one transaction.

struct ListDigest {
  int64_t artifacts = 0;
  std::string digest;
};
// The digest of what this key has signed up to the list, including what retention
// removed since (after removal `removals`).
Result<ListDigest> digestOf(Database& database, const std::string& key, int64_t list,
                            int64_t removals) {
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "SELECT b.hash, a.build_day, a.name, a.producer FROM signature AS s JOIN artifact AS a "
          "ON "
          "a.id "
          "= s.artifact JOIN blob AS b ON b.id = a.blob WHERE s.key = ?1 AND s.list <= ?2 UNION "
          "ALL "
          "SELECT r.hash, r.build_day, r.name, r.producer FROM removal AS r, "
          "json_each(iif(json_valid("
          "r.lists), r.lists, '{}')) AS l WHERE r.id > ?3 AND l.key = ?1 AND l.value <= ?2 "
          "ORDER BY 3, 4"));
  query.bind(key).bind(list).bind(removals);
  ContentHasher hasher;
  ListDigest made;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) break;
    ++made.artifacts;
    hasher.update(fmt::format("{} {}\t{}\t{}\n", hashText(query.blob(0)),
                              formatDate(dateOfDay(query.integer(1))), query.text(2),
                              query.text(3)));
  }
  made.digest = hasher.finish();
  return made;
}

// Artifacts after `last` with this key's signature, or with none (kNone).
struct Signed {
  int64_t row = 0;
  std::vector<std::byte> signature;
  enum class State { kNone, kOutdated, kSigned } state = State::kNone;
};
Result<std::vector<Signed>> pageAfter(Database& database, const std::string& key, int64_t last,
                                      bool onlyUnsigned) {
  auto query =
      database.query(fmt::format("SELECT a.id, s.signature, s.list FROM artifact AS a LEFT JOIN "
                                 "signature AS s ON s.artifact = "
                                 "a.id AND s.key = ? WHERE a.id > ?{} ORDER BY a.id LIMIT ?",
                                 onlyUnsigned ? " AND s.signature IS NULL" : ""));
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
    const auto signature = query->blob(1);
    found.signature.assign(signature.begin(), signature.end());
    found.state = query->isNull(2)   ? Signed::State::kNone
                  : query->isNull(1) ? Signed::State::kOutdated
                                     : Signed::State::kSigned;
    page.push_back(std::move(found));
  }
}

Result<int64_t> signArtifacts(Archive::Implementation& archive, const SigningKey& key,
                              int64_t list) {
  Database& database = *archive.database;
  int64_t count = 0;
  for (int64_t last = 0;;) {
    int64_t found = 0;
    const Status status = archive.inTransaction([&]() -> Status {
      ASSIGN_OR_RETURN(const auto page, pageAfter(database, key.fingerprint(), last, true));
      found = static_cast<int64_t>(page.size());
      for (const Signed& artifact : page) {
        ASSIGN_OR_RETURN(const auto record, artifactOfRow(database, artifact.row));
        ASSIGN_OR_RETURN(const auto signature, key.sign(signedText(record)));
        RETURN_IF_ERROR(runWith(database, R"(
            INSERT INTO signature (artifact, key, list, signature) VALUES (?, ?, ?, ?)
            ON CONFLICT (artifact, key) DO UPDATE SET signature = excluded.signature)",
                                artifact.row, key.fingerprint(), list, signature));
        last = artifact.row;
      }
      return {};
    });
    if (!status) return tl::unexpected(status.error());
    if (found == 0) return count;
    count += found;
  }
}

struct SignedList {
  int64_t id = 0, day = 0, artifacts = 0, removals = 0;
  std::string digest;
  std::vector<std::byte> signature;
};
Result<std::optional<SignedList>> newestList(Database& database, const std::string& key) {
  ASSIGN_OR_RETURN(auto query, database.query("SELECT id, day, artifacts, removals, digest, "
                                              "signature FROM signed_list WHERE key = ? ORDER "
                                              "BY id DESC LIMIT 1"));
  ASSIGN_OR_RETURN(const auto row, query.bind(key).step());
  if (!row) return std::nullopt;
  SignedList list{query.integer(0), query.integer(1),        query.integer(2),
                  query.integer(3), hashText(query.blob(4)), {}};
  const auto signature = query.blob(5);
  list.signature.assign(signature.begin(), signature.end());
  return list;
}

// Empty: the list holds.
Result<std::string> problemOf(Database& database, const SigningKey& key, const SignedList& list) {
  const Date day = dateOfDay(list.day);
  if (!key.verifies(signedListText(day, list.artifacts, list.digest), list.signature))
    return std::string("its signature does not match");
  ASSIGN_OR_RETURN(const auto now, digestOf(database, key.fingerprint(), list.id, list.removals));
  if (now.digest == list.digest) return std::string();
  return fmt::format(
      "it lists {} artifacts with digest {:.12}; the artifacts here, with those that "
      "retention removed since, are {} with digest {:.12}",
      list.artifacts, list.digest, now.artifacts, now.digest);
}

}  // namespace

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

Result<SigningReport> signArchive(Archive& archive, const SigningKey& key, Date day) {
  Archive::Implementation& self = archive.implementation();
  Database& database = *self.database;
  SigningReport report;
  // A new list would cover up what is missing from the one before.
  ASSIGN_OR_RETURN(const auto before, newestList(database, key.fingerprint()));
  if (before) {
    ASSIGN_OR_RETURN(const auto problem, problemOf(database, key, *before));
    if (!problem.empty())
      return failure(
          Error::Kind::kMismatch,
          fmt::format("{}: the list of {} does not hold: {}; Vintage signed nothing: "
                      "compare the archive with another copy",
                      self.folder, formatDate(dateOfDay(before->day)), problem));
  }
  ASSIGN_OR_RETURN(const auto last,
                   database.integer("SELECT coalesce(max(id), 0) FROM signed_list"));
  ASSIGN_OR_RETURN(report.signedNow, signArtifacts(self, key, last + 1));
  const Status status = self.inTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(const auto removals,
                     database.integer("SELECT coalesce(max(id), 0) FROM removal"));
    ASSIGN_OR_RETURN(const auto made, digestOf(database, key.fingerprint(), last + 1, removals));
    report.artifacts = made.artifacts;
    report.digest = made.digest;
    ASSIGN_OR_RETURN(const auto signature,
                     key.sign(signedListText(day, made.artifacts, made.digest)));
    RETURN_IF_ERROR(runWith(database, R"(
        INSERT INTO signed_list (id, key, day, artifacts, digest, removals, signature)
        VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING)",
                            last + 1, key.fingerprint(), day, made.artifacts,
                            hashBytes(made.digest), removals, signature));
    if (database.changes() == 0)
      return noResource("{}: another process signed at the same time; sign again", self.folder);
    return {};
  });
  if (!status) return tl::unexpected(status.error());
  return report;
}

Result<SignatureSummary> checkSignatures(
    const Archive& archive, const SigningKey& key,
    const std::function<void(const std::string&, const std::string&)>& report) {
  Database& database = *archive.implementation().database;
  SignatureSummary summary;
  const auto add = [&](const std::string& who, const std::string& problem) {
    ++summary.problems;
    report(who, problem);
  };
  for (int64_t last = 0;;) {
    ASSIGN_OR_RETURN(const auto page, pageAfter(database, key.fingerprint(), last, false));
    if (page.empty()) break;
    for (const Signed& artifact : page) {
      last = artifact.row;
      if (artifact.state != Signed::State::kSigned) {
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
      if (key.verifies(signedText(*record), artifact.signature))
        ++summary.verified;
      else
        add(fmt::format("{} ({})", record->name, record->producer),
             "its record differs from the signed one");
    }
  }
  ASSIGN_OR_RETURN(const auto list, newestList(database, key.fingerprint()));
  if (!list) {
    add("the list",
        fmt::format("key {} has signed no list; run 'vintage sign'", key.fingerprint()));
    return summary;
  }
  summary.listDay = formatDate(dateOfDay(list->day));
  ASSIGN_OR_RETURN(const auto problem, problemOf(database, key, *list));
  if (!problem.empty()) add(fmt::format("the list of {}", summary.listDay), problem);
  return summary;
}

}  // namespace vintage::archive::integrity
