// Whether a list that travelled (archive/integrity/travelling_list.h) is what a key signed, and
// whether a copy is what the list says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/integrity/key_statements.h"
#include "archive/integrity/travelling_list.h"
#include "archive/store/archive.h"
#include "archive/store/signature_table.h"
#include "golden/base/content_hash.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Takes a list's lines, from anywhere. Artifacts wait in a temporary file: memory does not grow
// with them.
class ListCheck {
 public:
  static Result<std::unique_ptr<ListCheck>> make();

  Status add(const nlohmann::json& line);
  // After the last line: why the list does not hold; empty where it does. Without a key nobody's
  // signature is checked, only that the lines are what the list is over.
  Result<std::string> problemOf(const TravellingList& list, const SigningKey* trusted);
  // Why it is not what followed the list that was seen; after problemOf().
  std::string rollback(const Pin& pinned) const { return problemOfPin(chain_.lists(), pinned); }

  const ListChain& chain() const { return chain_; }
  // Whose signatures the artifacts carry; after a problemOf() that found none for a key.
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
  int64_t verified = 0;  // Of these here, as they were signed.
  int64_t fuller = 0;    // Of these here, with facts that a put has filled in since.
  int64_t removedThere = 0, removedHere = 0;  // By retention, at the source and here.
  int64_t notHere = 0;                        // Never copied, by a filter.
};
// Holds the archive against a list that `check` has found to hold. `report` gets each artifact that
// differs, or that was copied here and is gone.
Result<CopySummary> compareWithList(
    const Archive& archive, const TravellingList& list, ListCheck& check,
    const std::function<void(const std::string& who, const std::string& problem)>& report);

}  // namespace vintage::archive
