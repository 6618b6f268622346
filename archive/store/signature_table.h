// Signatures, signed lists, and what keys said, as an index keeps them. archive/integrity makes and
// checks them; each call that writes joins the transaction that its caller began
// (Archive::writeTogether).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/date.h"

namespace vintage::archive {

class Database;

// An artifact, and what its row of one key's signatures says.
struct SignedArtifact {
  int64_t row = 0;
  bool isListed = false;  // There is a row.
  std::vector<std::byte> signature;
  std::string facts;  // The facts that were signed, where a put has filled the record in since.
};
// kChanged: listed, and filled in since, or without its signature.
enum class SignedSelection { kAll, kUnlisted, kChanged };
// Artifacts behind the row `last`, in pages; empty at the end.
Result<std::vector<SignedArtifact>> signedArtifactsAfter(const Archive& archive,
                                                         const std::string& key, int64_t last,
                                                         SignedSelection selection);
Status putSignature(Archive& archive, int64_t artifact, const std::string& key, int64_t list,
                    std::span<const std::byte> signature);

struct SignedList {
  int64_t id = 0;
  Date day{};
  int64_t counter = 0;
  std::string key;       // Its fingerprint.
  std::string previous;  // The hash of the list before it; empty for the first.
  // The list covers each log up to this row.
  int64_t lastRemoval = 0, lastChange = 0;
  int64_t artifacts = 0;
  std::string text;  // The signed text.
  std::vector<std::byte> signature;

  std::string hash() const;  // Of its text.
};
// The oldest first.
Result<std::vector<SignedList>> keptLists(const Archive& archive);
// `digest` of its artifacts. False where there is a list of this number already.
Result<bool> putList(Archive& archive, const SignedList& list, std::string_view digest);
// The newest number in each table; 0 where it is empty.
struct NewestRows {
  int64_t list = 0, removal = 0, change = 0;
};
Result<NewestRows> newestRows(const Archive& archive);

// An artifact as a list names it.
struct ListedArtifact {
  std::string id, name, producer;
  Date date{};
  // None, and only its hash, where the artifact was removed since.
  std::vector<std::byte> signature;
  std::string signatureHash;
  std::string facts;  // The signed record as JSON, where a put has filled it in since.
};
// By name and producer, as digests are made; or by day first, so that what is older stays together.
enum class ListedOrder { kByName, kByDay };
Status visitListed(const Archive& archive, const std::string& key, int64_t list,
                   int64_t lastRemoval, ListedOrder order,
                   const std::function<Status(const ListedArtifact&)>& visit);
// Rows of a log up to `last`, all of their columns as texts.
enum class Log { kRemovals, kChanges };
Status visitLog(const Archive& archive, Log log, int64_t last,
                const std::function<Status(const nlohmann::json& row)>& visit);

// A key's statement, with its signature.
struct SignedStatement {
  std::string text;
  std::vector<std::byte> signature;
};
Result<std::vector<SignedStatement>> signedStatements(const Archive& archive);
Status putStatement(Archive& archive, const SignedStatement& statement);

// Signed lists of other archives, as JSON, and the contents that collection keeps for them.
struct KeptRecord {
  int64_t row = 0;
  std::string text;
};
Result<std::vector<KeptRecord>> travellingRecords(const Archive& archive);
// kNotFound names a part that is not kept.
Status putTravellingRecord(Archive& archive, const std::string& text,
                           std::span<const ContentId> parts);
Status removeTravellingRecord(Archive& archive, int64_t row);

// Texts by two keys, outside of memory: in a temporary file without a name.
class SortedTexts {
 public:
  static Result<SortedTexts> make();

  Status add(std::string_view first, std::string_view second, std::string_view text);
  // By the first key, then the second.
  Status forEach(const std::function<Status(const std::string& text)>& visit);

 private:
  explicit SortedTexts(std::shared_ptr<Database> file) : file_(std::move(file)) {}
  std::shared_ptr<Database> file_;  // SQLite's own temporary one.
};

}  // namespace vintage::archive
