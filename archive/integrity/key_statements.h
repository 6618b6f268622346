// What keys say of keys: which one follows, and which one counts no more. A statement is signed
// by the key that it is about, or by one that followed it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/integrity/signing.h"
#include "archive/store/archive.h"
#include "archive/store/signature_table.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

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

}  // namespace vintage::archive
