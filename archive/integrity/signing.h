// Ed25519 signatures over artifacts and over a daily list of everything, so that
// a change behind the archive's back shows. docs/archive_format.md defines the
// text that is signed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
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

// A client's knowledge of an archive's signed lists: nobody shows it an older state
// afterwards. Kept outside of the archive, one for each place and key.
struct Pin {
  int64_t counter = 0;
  std::string list;  // The hash of that list.
  std::string key;   // The fingerprint of the key whose turn it was.
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
  std::string listDay;      // Day of this key's newest list; empty: there is none.
  int64_t problems = 0;
  int64_t removals = 0, changes = 0;  // That no list covers yet.
  std::optional<Pin> seen;  // What to remember of this state; none where it does not hold.
};
// Calls `report` with each artifact or list that does not hold, and why. It also reports
// an artifact of the list that is neither here nor among the recorded removals, and a state that is
// older than `pinned`. `key` is the one that is trusted: keys that follow it by its word are too.
Result<SignatureSummary> checkSignatures(
    const Archive& archive, const SigningKey& key, const std::optional<Pin>& pinned,
    const std::function<void(const std::string& who, const std::string& problem)>& report);

}  // namespace vintage::archive
