// Signed lists: each says how many artifacts, removals and changes an archive had, with a
// digest of each, by a counter and the hash of the list before it. docs/archive_format.md
// defines the texts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/integrity/signing.h"
#include "archive/store/archive.h"
#include "archive/store/signature_table.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Statements about keys: which key follows, and which one counts no more. A statement is signed
// by the key that it is about, or by one that followed it.

// A key with its turn: its lists have counters up to `until`.
struct KeyTurn {
  SigningKey key;
  std::optional<int64_t> until;  // The last counter that counts; none: still its turn.
  std::string ended;             // "rotated on 2026-11-20", "revoked on …"; empty while it lasts.
};

// The keys that follow one another from the key that somebody trusts, each by the word of the
// one before. Never empty.
struct Lineage {
  std::vector<KeyTurn> turns;
  // Statements that contradict each other, or are not signed by whom they should be.
  std::vector<std::string> problems;

  const KeyTurn& last() const { return turns.back(); }
  const KeyTurn* find(const std::string& fingerprint) const;
};

// `trusted` is the key to begin with. Where it followed another one, that one's lists belong to
// the chain too: `withEarlier` puts those keys before it, which proves nothing about them.
Result<Lineage> lineageOf(std::span<const SignedStatement> statements, const SigningKey& trusted,
                          bool withEarlier = false);
Result<Lineage> lineageOf(const Archive& archive, const SigningKey& trusted,
                          bool withEarlier = false);

// From now on lists are signed by `next`. kConflict where it is not `key`'s turn any more.
Status rotateKey(Archive& archive, const SigningKey& key, const SigningKey& next, Date day);
// Lists that `revoked` signs from now on do not count. `key` is the same one, or one that
// follows it.
Status revokeKey(Archive& archive, const SigningKey& key, const SigningKey& revoked, Date day);

struct KeyStatement {
  std::string action;                // "rotate", "revoke"
  std::string key, nextKey, signer;  // Fingerprints.
  std::string date;
  int64_t after = 0;  // The last counter that still counts.
};
Result<std::vector<KeyStatement>> keyStatements(const Archive& archive);

// What a list is over.
struct ListContent {
  int64_t artifacts = 0, removals = 0, changes = 0;
  std::string artifactsDigest, removalsDigest, changesDigest;
};

Pin pinOf(const SignedList& list);

// Those of these keys, the oldest first.
Result<std::vector<SignedList>> listsOf(const Archive& archive, const Lineage& lineage);

// The list's content as the index says it is now: what retention removed since is counted as
// it was.
Result<ListContent> contentOf(const Archive& archive, const SignedList& list);

std::string listText(const SignedList& list, const ListContent& content);
// What a text that was signed says of itself; kBadInput where it is no list.
Result<SignedList> listOfText(std::string text, std::string key,
                              std::span<const std::byte> signature);

// None where they are not 128 hexadecimal digits.
std::optional<std::vector<std::byte>> signatureOfDigits(const std::string& digits);

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
