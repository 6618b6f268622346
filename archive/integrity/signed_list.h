// Signed lists: each says how many artifacts, removals and changes an archive had, with a
// digest of each, by a counter and the hash of the list before it. docs/archive_format.md
// defines the texts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/integrity/key_statements.h"
#include "archive/integrity/signing.h"
#include "archive/store/signature_table.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

// What a list is over.
struct ListContent {
  int64_t artifacts = 0, removals = 0, changes = 0;
  std::string artifactsDigest, removalsDigest, changesDigest;
};

// Those of these keys, the oldest first.
Result<std::vector<SignedList>> listsOf(const Archive& archive, const Lineage& lineage);

// The list's content as the index says it is now: what retention removed since is counted as
// it was.
Result<ListContent> contentOf(const Archive& archive, const SignedList& list);

std::string listText(const SignedList& list, const ListContent& content);
// What a text that was signed says of itself; kBadInput where it is no list.
Result<SignedList> listOfText(std::string text, std::string key,
                              std::span<const std::byte> signature);

std::string artifactLine(const ListedArtifact& artifact);  // That a list's digest is over.
std::string rowLine(const nlohmann::json& row);  // That the digest of a log is over.
// How the list differs from what is there; empty where it does not.
std::string differencesOf(const SignedList& list, const ListContent& now);

// Why the newest list does not hold, or the chain to it; empty where both do. Every list has to
// be signed by the key whose turn it was, with the next counter, over the hash of the one before.
Result<std::string> problemOfChain(std::span<const SignedList> lists, const Lineage& lineage);
// The same for one list and the one before it, whoever signed them; null: there is none.
std::string problemOfLink(const SignedList* before, const SignedList& list);
Result<std::string> problemOfContent(const Archive& archive, const SignedList& list);
// Why these lists are not what followed the one that was seen; empty where they are.
std::string problemOfPin(std::span<const SignedList> lists, const Pin& pinned);

}  // namespace vintage::archive
