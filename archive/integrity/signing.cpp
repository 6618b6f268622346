#include "archive/integrity/signing.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/change_log.h"
#include "archive/store/index_check.h"
#include "archive/store/record_json.h"
#include "archive/store/signature_table.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// Why the record is not the signed one with some facts filled in; empty where it is.
std::string problemOfFacts(const SigningKey& key, const SignedArtifact& artifact,
                           const ArtifactRecord& record) {
  const auto before = recordOfFacts(artifact.facts);
  if (!before || !key.verifies(signedText(*before), artifact.signature))
    return "the record that it had before it was filled in differs from the signed one";
  return filledInOtherwise(*before, record);
}

Status sign(Archive& archive, const SigningKey& key, int64_t row, int64_t list) {
  ASSIGN_OR_RETURN(const auto record, artifactOfRow(archive, row));
  ASSIGN_OR_RETURN(const auto signature, key.sign(signedText(record)));
  return putSignature(archive, row, key.fingerprint(), list, signature);
}

// No list covers them before the next: an interrupted call has signed some.
Result<int64_t> signNewArtifacts(Archive& archive, const SigningKey& key, int64_t list) {
  int64_t count = 0;
  for (int64_t last = 0;;) {
    int64_t found = 0;
    RETURN_IF_ERROR(archive.writeTogether([&]() -> Status {
      ASSIGN_OR_RETURN(const auto page, signedArtifactsAfter(archive, key.fingerprint(), last,
                                                             SignedSelection::kUnlisted));
      found = static_cast<int64_t>(page.size());
      for (const SignedArtifact& artifact : page) {
        RETURN_IF_ERROR(sign(archive, key, artifact.row, list));
        last = artifact.row;
      }
      return {};
    }));
    if (found == 0) return count;
    count += found;
  }
}

// In the transaction of the list that covers them: the list before holds until then.
Result<int64_t> signChangedArtifacts(Archive& archive, const SigningKey& key, int64_t list,
                                     bool emptied) {
  int64_t count = 0;
  for (int64_t last = 0;;) {
    ASSIGN_OR_RETURN(const auto page, signedArtifactsAfter(archive, key.fingerprint(), last,
                                                           SignedSelection::kChanged));
    if (page.empty()) return count;
    for (const SignedArtifact& artifact : page) {
      last = artifact.row;
      ASSIGN_OR_RETURN(const auto record, artifactOfRow(archive, artifact.row));
      const bool isEmpty = artifact.signature.empty();
      if (isEmpty && !emptied)
        return failure(
            Error::Kind::kMismatch,
            fmt::format(
                "{}: {} ({}): its signature is gone, so nothing was signed: an attacker may "
                "want it signed anew; look at the record, then sign with --emptied",
                archive.folder(), record.name, record.producer));
      // Otherwise checkSignatures() goes on to report it.
      if (!isEmpty && !problemOfFacts(key, artifact, record).empty()) continue;
      RETURN_IF_ERROR(sign(archive, key, artifact.row, list));
      ++count;
    }
  }
}

Result<std::string> problemOf(const Archive& archive, std::span<const SignedList> lists,
                              const Lineage& lineage) {
  ASSIGN_OR_RETURN(auto problem, problemOfChain(lists, lineage));
  if (!problem.empty()) return problem;
  ASSIGN_OR_RETURN(const auto now, contentOf(archive, lists.back()));
  return differencesOf(lists.back(), now);
}

}  // namespace

std::string filledInOtherwise(const ArtifactRecord& before, const ArtifactRecord& record) {
  const std::string field = changedField(recordJson(before), recordJson(record));
  return field.empty() ? field : fmt::format("its '{}' differs from the signed one", field);
}

std::optional<ArtifactRecord> recordOfFacts(std::string_view facts) {
  const auto fields = parseOutsideJson(facts);
  const auto record = fields ? artifactOfJson(*fields) : tl::unexpected(fields.error());
  return record ? std::optional(*record) : std::nullopt;
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

Result<SigningReport> signArchive(Archive& archive, const SigningKey& key, Date day, bool emptied) {
  RETURN_IF_ERROR(archive.checkWritable());
  SigningReport report;
  ASSIGN_OR_RETURN(const auto lineage, lineageOf(archive, key, true));
  const KeyTurn& turn = *lineage.find(key.fingerprint());
  if (!turn.ended.empty())
    return conflict("{}: key {} was {}; sign with the key that follows it", archive.folder(),
                    key.fingerprint(), turn.ended);
  // A new list would cover up what is missing from the one before.
  ASSIGN_OR_RETURN(const auto lists, listsOf(archive, lineage));
  const SignedList* before = lists.empty() ? nullptr : &lists.back();
  if (before != nullptr) {
    ASSIGN_OR_RETURN(const auto problem, problemOf(archive, lists, lineage));
    if (!problem.empty())
      return failure(Error::Kind::kMismatch,
                     fmt::format("{}: the list of {} does not hold: {}; Vintage signed nothing: "
                                 "compare the archive with another copy",
                                 archive.folder(), formatDate(before->day), problem));
  }
  ASSIGN_OR_RETURN(const auto last, newestRows(archive));
  const int64_t next = last.list + 1;
  ASSIGN_OR_RETURN(report.signedNow, signNewArtifacts(archive, key, next));
  RETURN_IF_ERROR(archive.writeTogether([&]() -> Status {
    ASSIGN_OR_RETURN(report.filledIn, signChangedArtifacts(archive, key, next, emptied));
    report.signedNow += report.filledIn;
    ASSIGN_OR_RETURN(const auto newest, newestRows(archive));
    SignedList list;
    list.id = next;
    list.day = day;
    list.counter = before != nullptr ? before->counter + 1 : 1;
    list.key = key.fingerprint();
    list.previous = before != nullptr ? before->hash() : std::string();
    list.lastRemoval = newest.removal;
    list.lastChange = newest.change;
    ASSIGN_OR_RETURN(const auto content, contentOf(archive, list));
    list.artifacts = content.artifacts;
    report.artifacts = content.artifacts;
    report.digest = content.artifactsDigest;
    report.counter = list.counter;
    report.removals = list.lastRemoval - (before != nullptr ? before->lastRemoval : 0);
    report.changes = list.lastChange - (before != nullptr ? before->lastChange : 0);
    list.text = listText(list, content);
    ASSIGN_OR_RETURN(list.signature, key.sign(list.text));
    ASSIGN_OR_RETURN(const bool kept, putList(archive, list, content.artifactsDigest));
    if (!kept)
      return noResource("{}: another process signed at the same time; sign again",
                        archive.folder());
    return {};
  }));
  return report;
}

Result<SignatureSummary> checkSignatures(
    const Archive& archive, const SigningKey& key, const std::optional<Pin>& pinned,
    const std::function<void(const std::string&, const std::string&)>& report) {
  SignatureSummary summary;
  const auto add = [&](const std::string& who, const std::string& problem) {
    ++summary.problems;
    report(who, problem);
  };
  ASSIGN_OR_RETURN(const auto lineage, lineageOf(archive, key, true));
  for (const std::string& problem : lineage.problems) add("the keys", problem);
  ASSIGN_OR_RETURN(const auto lists, listsOf(archive, lineage));
  if (lists.empty()) {
    add("the list",
        fmt::format("key {} has signed no list; run 'vintage sign'", key.fingerprint()));
    return summary;
  }
  // The key of the newest list: the artifacts' signatures are its own.
  const SignedList& newest = lists.back();
  const SigningKey& signer = lineage.find(newest.key)->key;
  for (int64_t last = 0;;) {
    ASSIGN_OR_RETURN(const auto page, signedArtifactsAfter(archive, signer.fingerprint(), last,
                                                           SignedSelection::kAll));
    if (page.empty()) break;
    for (const SignedArtifact& artifact : page) {
      last = artifact.row;
      if (!artifact.isListed) {
        ++summary.unsignedYet;
        continue;
      }
      const auto record = artifactOfRow(archive, artifact.row);
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
  const std::string who = fmt::format("the list of {}", formatDate(newest.day));
  ASSIGN_OR_RETURN(const auto problem, problemOf(archive, lists, lineage));
  if (!problem.empty()) add(who, problem);
  if (pinned) {
    if (const std::string rolledBack = problemOfPin(lists, *pinned); !rolledBack.empty())
      add(who, rolledBack);
  }
  ASSIGN_OR_RETURN(const auto rows, newestRows(archive));
  summary.removals = rows.removal - newest.lastRemoval;
  summary.changes = rows.change - newest.lastChange;
  if (summary.problems == 0) summary.seen = pinOf(newest);
  return summary;
}

}  // namespace vintage::archive
