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
#include "archive/integrity/room.h"
#include "archive/integrity/signing.h"
#include "archive/store/database.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive::integrity {

// What a list is over.
struct ListContent {
  int64_t artifacts = 0, removals = 0, changes = 0;
  std::string artifactsDigest, removalsDigest, changesDigest;
};

struct SignedList {
  int64_t id = 0, day = 0;
  int64_t counter = 0;   // 0: of the first form, which had none.
  std::string key;       // Its fingerprint.
  std::string previous;  // The hash of the list before it; empty for the first.
  // What it covered: the newest row of each log when it was made.
  int64_t lastRemoval = 0, lastChange = 0;
  std::string text;  // That is signed.
  std::vector<std::byte> signature;
  // The first form has these two.
  int64_t artifacts = 0;
  std::string digest;

  std::string hash() const;  // Of its text.
};

// All lists, and those of these keys, the oldest first.
Result<std::vector<SignedList>> allLists(Database& database);
Result<std::vector<SignedList>> listsOf(Database& database, const Lineage& lineage);

// The list's content as the index says it is now: what retention removed since is counted as
// it was.
Result<ListContent> contentOf(Database& database, const std::string& key, int64_t list,
                              int64_t lastRemoval, int64_t lastChange);

std::string listText(const SignedList& list, const ListContent& content);
// What a text that was signed says of itself; kBadInput where it is no list.
Result<SignedList> listOfText(std::string text, std::string key,
                              std::span<const std::byte> signature);

// An artifact as a list names it.
struct ListedArtifact {
  std::string id, name, producer;
  Date date{};
  // None, and only its hash, where the artifact was removed since.
  std::vector<std::byte> signature;
  std::string signatureHash;
  std::string facts;  // The signed record as JSON, where a put has filled it in since.

  std::string line() const;  // That the list's digest is over.
};
// By name and producer, as digests are made; or by day first, so that what is older stays together.
enum class ListedOrder { kByName, kByDay };
Status visitListed(Database& database, const std::string& key, int64_t list, int64_t lastRemoval,
                   ListedOrder order, const std::function<Status(const ListedArtifact&)>& visit);
// Rows of a log up to `last`, all of their columns as texts.
using RowVisitor = std::function<Status(const nlohmann::json& row)>;
Status visitRemovalRows(Database& database, int64_t last, const RowVisitor& visit);
Status visitChangeRows(Database& database, int64_t last, const RowVisitor& visit);
std::string rowLine(const nlohmann::json& row);  // That the digest of a log is over.
// How the list differs from what is there; empty where it does not.
std::string differencesOf(const SignedList& list, const ListContent& now);

// Why the newest list does not hold, or the chain to it; empty where both do. Every list has to
// be signed by the key whose turn it was, with the next counter, over the hash of the one before.
Result<std::string> problemOfChain(std::span<const SignedList> lists, const Lineage& lineage);
// The same for one list and the one before it, whoever signed them; null: there is none.
std::string problemOfLink(const SignedList* before, const SignedList& list);
Result<std::string> problemOfContent(Database& database, const SignedList& list);
// Why these lists are not what followed the one that was seen; empty where they are.
std::string problemOfPin(std::span<const SignedList> lists, const Pin& pinned);

}  // namespace vintage::archive::integrity
