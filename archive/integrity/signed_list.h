// Signed lists: each says how many artifacts, removals and changes an archive had, with a
// digest of each, by a counter and the hash of the list before it. docs/archive_format.md
// defines the texts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// All lists of these keys, the oldest first.
Result<std::vector<SignedList>> listsOf(Database& database, const Lineage& lineage);

// The list's content as the index says it is now: what retention removed since is counted as
// it was.
Result<ListContent> contentOf(Database& database, const std::string& key, int64_t list,
                              int64_t lastRemoval, int64_t lastChange);

std::string listText(const SignedList& list, const ListContent& content);

// Why the newest list does not hold, or the chain to it; empty where both do. Every list has to
// be signed by the key whose turn it was, with the next counter, over the hash of the one before.
Result<std::string> problemOfChain(std::span<const SignedList> lists, const Lineage& lineage);
Result<std::string> problemOfContent(Database& database, const SignedList& list);
// Why these lists are not what followed the one that was seen; empty where they are.
std::string problemOfPin(std::span<const SignedList> lists, const Pin& pinned);

}  // namespace vintage::archive::integrity
