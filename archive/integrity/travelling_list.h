// Signed lists that leave their archive: a list with all that it takes to check it, as lines of
// JSON. `push`, `pull` and `mirror` carry them; where they arrive they are kept as evidence of what
// the source said, and nobody signs them again. docs/archive_format.md defines the lines.
//
// An archive makes the lines of its own lists when they are asked for. Those of another archive are
// kept as contents of some thousand lines each, cut so that the next list has most of them too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/integrity/signing.h"
#include "archive/store/archive.h"
#include "archive/store/record_json.h"
#include "archive/store/signature_table.h"
#include "golden/base/content_hash.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct TravellingList : Pin {
  std::string history;           // The hash of the first list of its chain.
  std::string source;            // The place that it came from; empty: the archive's own.
  bool whole = false;            // All that it lists was copied, not what a filter selected.
  std::vector<ContentId> parts;  // With its lines, in their order; none for the archive's own.
};
nlohmann::json recordJson(const TravellingList& list);
Result<TravellingList> travellingListOfJson(const nlohmann::json& json);

// The archive's own newest lists, one of each chain, and those that it keeps of others.
Result<std::vector<TravellingList>> travellingLists(const Archive& archive);

using LineVisitor = std::function<Status(const nlohmann::json& line)>;
// The lists first, then what keys said, removals, changes, and the artifacts by day.
Status visitLines(const Archive& archive, const TravellingList& list, const LineVisitor& visit);
// The lines of one part.
Status visitPart(std::span<const std::byte> part, const std::string& name,
                 const LineVisitor& visit);

// Keeps a list of another archive. Its parts must be kept already (kNotFound otherwise). The list
// replaces those that it follows; a list that a kept one follows is not kept. Lists that contradict
// each other stay side by side: the owner of the key decides.
Status putTravellingList(Archive& archive, const TravellingList& list);

// The chain of lists among the lines.
class ListChain {
 public:
  // Other lines are ignored.
  Status add(const nlohmann::json& line);
  const std::vector<SignedList>& lists() const { return lists_; }
  // Why it is no chain up to this list; empty where it is.
  std::string problemFor(const TravellingList& list) const;
  bool contains(const std::string& hash) const;

 private:
  std::vector<SignedList> lists_;
};

// Whether a list that travelled is what a key signed, and whether a copy is what the list says.
//
// Takes a list's lines, from anywhere. Artifacts wait in a temporary file: memory does not grow
// with them.
class ListCheck {
 public:
  static Result<std::unique_ptr<ListCheck>> make();

  Status add(const nlohmann::json& line);
  // After the last line: why the list does not hold; empty where it does. Without a key, signatures
  // are not checked, only that the list covers these lines.
  Result<std::string> problemOf(const TravellingList& list, const SigningKey* trusted);
  // Why the list does not continue the pinned one; after problemOf().
  std::string rollback(const Pin& pinned) const { return problemOfPin(chain_.lists(), pinned); }

  const ListChain& chain() const { return chain_; }
  // The signer of the artifacts; after a problemOf() that found no problem for a key.
  const SigningKey* signer() const { return signer_ ? &*signer_ : nullptr; }
  // By name and producer.
  Status forEachArtifact(const std::function<Status(const ListedArtifact&)>& visit);

 private:
  explicit ListCheck(SortedTexts artifacts) : artifacts_(std::move(artifacts)) {}

  SortedTexts artifacts_;  // Lines.
  ListChain chain_;
  std::vector<SignedStatement> statements_;
  ContentHasher removals_, changes_;
  ListContent content_;
  std::optional<SigningKey> signer_;
};

struct CopySummary {
  int64_t listed = 0;    // Artifacts on the list.
  int64_t verified = 0;  // Listed ones that are here as they were signed.
  int64_t fuller = 0;    // Listed ones that are here with facts filled in since.
  int64_t removedThere = 0, removedHere = 0;  // By retention, at the source and here.
  int64_t notHere = 0;                        // Never copied, by a filter.
};
// Holds the archive against a list that `check` has found to hold. `report` gets each artifact that
// differs, or that was copied here and is gone.
Result<CopySummary> compareWithList(
    const Archive& archive, const TravellingList& list, ListCheck& check,
    const std::function<void(const std::string& who, const std::string& problem)>& report);

}  // namespace vintage::archive
