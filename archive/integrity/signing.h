// Ed25519 signatures over artifacts and over a daily list of everything, so that
// a change behind the archive's back shows. docs/reference/archive_format.md defines the
// texts that are signed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "archive/store/signature_table.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

struct evp_pkey_st;  // OpenSSL's.

namespace vintage::archive {

// A key as OpenSSL writes it (PEM): `openssl genpkey -algorithm ed25519` makes
// one, `openssl pkey -pubout` gives its public half.
class SigningKey {
 public:
  // kBadInput where it is no Ed25519 key, or not of that half. `file` begins the
  // message.
  static Result<SigningKey> readPrivate(std::string_view pem, std::string_view file) {
    return read(pem, file, true);
  }
  static Result<SigningKey> readPublic(std::string_view pem, std::string_view file) {
    return read(pem, file, false);
  }
  static Result<SigningKey> readPrivateFile(const std::string& path);
  static Result<SigningKey> readPublicFile(const std::string& path);
  // 64 hexadecimal digits, as publicKey() gives them.
  static Result<SigningKey> readRawPublic(std::string_view digits);

  // 16 hexadecimal digits of the public half's SHA-256.
  const std::string& fingerprint() const { return fingerprint_; }
  const std::string& publicKey() const { return publicKey_; }        // 32 bytes as digits.
  Result<std::vector<std::byte>> sign(std::string_view text) const;  // 64 bytes.
  bool verifies(std::string_view text, std::span<const std::byte> signature) const;

 private:
  SigningKey(std::shared_ptr<evp_pkey_st> key, std::string publicKey);
  static Result<SigningKey> read(std::string_view pem, std::string_view file, bool isPrivate);

  std::shared_ptr<evp_pkey_st> key_;  // Never changed.
  std::string publicKey_, fingerprint_;
};

// The text that is signed for an artifact: its whole record, which names its bytes
// and its golden by their hashes.
std::string signedText(const ArtifactRecord& record);

// Why the record is not the one before with unknown facts filled in; empty where it is.
std::string filledInOtherwise(const ArtifactRecord& before, const ArtifactRecord& record);
// The record that `facts` say, as JSON; none where they say none.
std::optional<ArtifactRecord> recordOfFacts(std::string_view facts);

// A client's knowledge of an archive's signed lists, so that an older state is noticed. Kept
// outside of the archive, one for each place and key.
struct Pin {
  int64_t counter = 0;
  std::string list;  // The hash of that list.
  std::string key;   // The fingerprint of the key that signed.
  std::string date;  // Of the list.
  bool operator==(const Pin&) const = default;
};

// A file of pins, made where there is none. An unreadable one is kBadInput: it is not replaced.
class PinFile {
 public:
  explicit PinFile(std::string path) : path_(std::move(path)) {}
  // Below the environment's XDG_STATE_HOME or HOME; empty where neither is set.
  static std::string defaultPath();

  Result<std::optional<Pin>> find(const std::string& place, const std::string& key) const;
  // The pins of all keys.
  Result<std::vector<Pin>> ofPlace(const std::string& place) const;
  Status put(const std::string& place, const std::string& key, const Pin& pin) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct SigningReport {
  int64_t artifacts = 0;  // In the list.
  int64_t signedNow = 0;
  int64_t filledIn = 0;               // Of these, signed again: a put has filled in facts.
  int64_t removals = 0, changes = 0;  // That no earlier list covered.
  int64_t counter = 0;
  std::string digest;  // SHA-256 of the list's lines.
};
// Signs each artifact that has no signature of this key, and the list of all
// that have one as it is on `day`, with the removals and the changes. It signs no record
// again that changed behind the archive's back: checkSignatures still reports it. If
// the last list does not hold, it signs nothing (kMismatch), nor where the key's turn is
// over (kConflict), nor where a signature is gone that was there (kMismatch): `emptied` says that
// a person has looked at those. Others may put meanwhile.
Result<SigningReport> signArchive(Archive& archive, const SigningKey& key, Date day,
                                  bool emptied = false);

struct SignatureSummary {
  int64_t verified = 0;
  int64_t unsignedYet = 0;  // Put, or filled in by a put, since it was signed last.
  int64_t problems = 0;
  int64_t removals = 0, changes = 0;  // That no list covers yet.
  std::optional<Pin> seen;            // The state to remember; none where it does not hold.
};
// Calls `report` with each artifact or list that does not hold, and why. It also reports
// an artifact of the list that is neither here nor among the recorded removals, and a state that is
// older than `pinned`. `key` is the one that is trusted: keys that follow it by its word are too.
Result<SignatureSummary> checkSignatures(
    const Archive& archive, const SigningKey& key, const std::optional<Pin>& pinned,
    const std::function<void(const std::string& who, const std::string& problem)>& report);

// Signed lists: each says how many artifacts, removals and changes an archive had, with a
// digest of each, by a counter and the hash of the list before it.

// Statements about keys: the successor of a key, and revoked keys. A statement is signed
// by the key that it is about, or by one that followed it.

// A key with its turn: its lists have counters up to `until`.
struct KeyTurn {
  SigningKey key;
  std::optional<int64_t> until;  // The last counter that counts; none: still its turn.
  std::string ended;             // "rotated on 2026-11-20", "revoked on …"; empty while it lasts.
};

// The successive keys from a trusted key on; each key signs its successor. Never empty.
struct Lineage {
  std::vector<KeyTurn> turns;
  // Statements that contradict each other, or that the wrong key signed.
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

// The contents that a list covers.
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
// Parses the text of a signed list; kBadInput where it is no list.
Result<SignedList> listOfText(std::string text, std::string key,
                              std::span<const std::byte> signature);

// None where they are not 128 hexadecimal digits.
std::optional<std::vector<std::byte>> signatureOfDigits(const std::string& digits);

std::string artifactLine(const ListedArtifact& artifact);  // A line of a list's digest.
std::string rowLine(const nlohmann::json& row);            // A line of a log's digest.
// How the list differs from what is there; empty where it does not.
std::string differencesOf(const SignedList& list, const ListContent& now);

// Why the newest list does not hold, or the chain to it; empty where both do. Every list has to be
// signed by the key current then, with the next counter, over the hash of the list before.
Result<std::string> problemOfChain(std::span<const SignedList> lists, const Lineage& lineage);
// The same for one list and the one before it, whoever signed them; null: there is none.
std::string problemOfLink(const SignedList* before, const SignedList& list);
// Why these lists do not continue the pinned one; empty where they do.
std::string problemOfPin(std::span<const SignedList> lists, const Pin& pinned);

}  // namespace vintage::archive
