#include "archive/integrity/travelling_list.h"

#include <fmt/format.h>

#include "archive/store/change_log.h"
#include "archive/store/index_check.h"
#include "archive/store/record_json.h"
#include "archive/store/retention_table.h"
#include "golden/base/failures.h"

namespace vintage::archive {
using namespace golden;

namespace {

using nlohmann::json;

Result<ListedArtifact> artifactOfLine(const json& line) {
  ListedArtifact artifact;
  artifact.id = textIn(line, "id");
  artifact.name = textIn(line, "name");
  artifact.producer = textIn(line, "producer");
  ASSIGN_OR_RETURN(artifact.date, within("a listed artifact", parseDate(textIn(line, "date"))));
  if (const std::string digits = textIn(line, "signature"); !digits.empty()) {
    auto signature = signatureOfDigits(digits);
    if (!signature)
      return badInput("the listed artifact {} has a signature that is not 128 digits",
                      artifact.name);
    artifact.signature = std::move(*signature);
    artifact.signatureHash = contentHash(artifact.signature);
  } else {
    artifact.signatureHash = textIn(line, "signature_hash");
  }
  if (line.contains("record")) artifact.facts = jsonText(line["record"]);
  if (!isContentHash(artifact.id) || artifact.name.empty())
    return badInput("a listed artifact without an id or a name: {:.80}", line.dump());
  return artifact;
}

struct Comparison {
  const Archive& archive;
  const TravellingList& list;
  const SigningKey* signer;
  const std::function<void(const std::string&, const std::string&)>& report;
  CopySummary summary{};

  Status compare(const ListedArtifact& listed) {
    ++summary.listed;
    ASSIGN_OR_RETURN(const auto record, artifactNamed(archive, listed.name, listed.producer));
    if (!record) return missing(listed);
    const std::string who = fmt::format("{} ({})", listed.name, listed.producer);
    if (record->id != listed.id) {
      report(who, "it has other bytes than the list says");
    } else if (listed.signature.empty()) {
      ++summary.removedThere;
    } else if (signer != nullptr) {
      return compareRecord(listed, *record, who);
    } else {
      ++summary.verified;
    }
    return {};
  }

  Status missing(const ListedArtifact& listed) {
    if (listed.signature.empty()) {
      ++summary.removedThere;
      return {};
    }
    ASSIGN_OR_RETURN(const bool removed, wasRemoved(archive, listed.name, listed.producer));
    if (removed)
      ++summary.removedHere;
    else if (!list.whole)
      ++summary.notHere;
    else
      report(fmt::format("{} ({})", listed.name, listed.producer),
             "it is on the list, was copied here, and is gone");
    return {};
  }

  // As it was signed, or with nothing but what was unknown then.
  Status compareRecord(const ListedArtifact& listed, const ArtifactRecord& record,
                       const std::string& who) {
    if (signer->verifies(signedText(record), listed.signature)) {
      ++summary.verified;
      return {};
    }
    std::optional<ArtifactRecord> before;
    if (!listed.facts.empty()) {
      before = recordOfFacts(listed.facts);
    } else {
      ASSIGN_OR_RETURN(before, beforeFilledIn(record));
    }
    if (!before || !signer->verifies(signedText(*before), listed.signature))
      report(who, "its record differs from the signed one");
    else if (const std::string problem = filledInOtherwise(*before, record); !problem.empty())
      report(who, problem);
    else
      ++summary.fuller;
    return {};
  }

  // The record before later puts filled it in, by the log of changes.
  Result<std::optional<ArtifactRecord>> beforeFilledIn(const ArtifactRecord& record) {
    ASSIGN_OR_RETURN(const auto changes,
                     changesOf(archive, "artifact filled in",
                               fmt::format("{} of {}", record.name, record.producer)));
    json fields = recordJson(record);
    for (const RecordedChange& change : changes) {
      const auto was = parseOutsideJson(change.before);
      if (was && was->is_object()) fields.update(*was);
    }
    const auto before = artifactOfJson(fields);
    return before ? std::optional<ArtifactRecord>(*before) : std::nullopt;
  }
};

}  // namespace

Result<std::unique_ptr<ListCheck>> ListCheck::make() {
  ASSIGN_OR_RETURN(auto artifacts, SortedTexts::make());
  return std::unique_ptr<ListCheck>(new ListCheck(std::move(artifacts)));
}

Status ListCheck::add(const json& line) {
  const std::string kind = textIn(line, "kind");
  if (kind == "list") return chain_.add(line);
  if (kind == "artifact")
    return artifacts_.add(textIn(line, "name"), textIn(line, "producer"), jsonText(line));
  if (kind == "statement") {
    auto signature = signatureOfDigits(textIn(line, "signature"));
    if (!signature) return badInput("a key's word whose signature is not 128 digits");
    statements_.push_back({textIn(line, "text"), std::move(*signature)});
  } else if (kind == "removal" || kind == "change") {
    const bool removal = kind == "removal";
    const json row = line.value("row", json());
    if (!row.is_array()) return badInput("a {} without its row", kind);
    ++(removal ? content_.removals : content_.changes);
    (removal ? removals_ : changes_).update(rowLine(row));
  }
  return {};  // Lines of other kinds come from a newer Vintage.
}

Status ListCheck::forEachArtifact(const std::function<Status(const ListedArtifact&)>& visit) {
  return artifacts_.forEach([&](const std::string& text) -> Status {
    ASSIGN_OR_RETURN(const auto line, parseOutsideJson(text));
    ASSIGN_OR_RETURN(const auto artifact, artifactOfLine(line));
    return visit(artifact);
  });
}

Result<std::string> ListCheck::problemOf(const TravellingList& list, const SigningKey* trusted) {
  if (std::string problem = chain_.problemFor(list); !problem.empty()) return problem;
  if (trusted != nullptr) {
    ASSIGN_OR_RETURN(auto lineage, lineageOf(statements_, *trusted, true));
    for (const SignedList& one : chain_.lists()) {
      if (lineage.find(one.key) == nullptr)
        return fmt::format("key {} signed list {}, and it neither is key {} nor follows it",
                           one.key, one.counter, trusted->fingerprint());
    }
    if (!lineage.problems.empty()) return lineage.problems.front();
    ASSIGN_OR_RETURN(const std::string problem, problemOfChain(chain_.lists(), lineage));
    if (!problem.empty()) return problem;
    signer_ = lineage.find(list.key)->key;
  }
  ContentHasher hasher;
  content_.artifacts = 0;
  RETURN_IF_ERROR(forEachArtifact([&](const ListedArtifact& artifact) -> Status {
    ++content_.artifacts;
    hasher.update(artifactLine(artifact));
    return {};
  }));
  content_.artifactsDigest = hasher.finish();
  if (content_.removalsDigest.empty()) {
    content_.removalsDigest = removals_.finish();
    content_.changesDigest = changes_.finish();
  }
  return differencesOf(chain_.lists().back(), content_);
}

Result<CopySummary> compareWithList(
    const Archive& archive, const TravellingList& list, ListCheck& check,
    const std::function<void(const std::string&, const std::string&)>& report) {
  Comparison comparison{archive, list, check.signer(), report};
  RETURN_IF_ERROR(check.forEachArtifact(
      [&](const ListedArtifact& artifact) { return comparison.compare(artifact); }));
  return comparison.summary;
}

}  // namespace vintage::archive
