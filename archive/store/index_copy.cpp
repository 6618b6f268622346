#include "archive/store/index_copy.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/index_check.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr std::chrono::seconds kCopyLease = std::chrono::hours(24);
// Collection can be faster than the lease on what was added a moment before.
constexpr int kCopies = 5;

Status leaseFiles(Archive::Implementation& archive, const std::string& lease) {
  return archive.inUnsyncedTransaction([&]() -> Status {
    RETURN_IF_ERROR(checkLease(*archive.database, lease));
    return runWith(*archive.database,
                   "INSERT OR IGNORE INTO lease_content (hash, lease) SELECT hash, ? FROM blob "
                   "WHERE in_file = 1",
                   lease);
  });
}

Result<std::unique_ptr<Database>> openCopy(const std::string& path) {
  return Database::open(path, {.readOnly = true, .immutable = true});  // Nobody else knows it.
}

// Whether the lease covers every file that the copy names.
Result<bool> isCovered(Database& live, const std::string& path, const std::string& lease) {
  ASSIGN_OR_RETURN(auto copy, openCopy(path));
  bool covered = true;
  const auto look = [&](const Query& row) -> Status {
    if (!covered) return {};
    ASSIGN_OR_RETURN(covered,
                     firstRow(live, "SELECT 1 FROM lease_content WHERE hash = ? AND lease = ?",
                              std::tie(), row.blob(0), lease));
    return {};
  };
  RETURN_IF_ERROR(visitRows(*copy, "SELECT hash FROM blob WHERE in_file = 1", look));
  return covered;
}

}  // namespace

Result<IndexCopy> IndexCopy::make(Archive& archive, std::string_view holder) {
  Archive::Implementation& self = archive.implementation();
  RETURN_IF_ERROR(self.checkWritable());
  ASSIGN_OR_RETURN(const auto lease, archive.acquireLease({}, holder, kCopyLease));
  const std::string incoming = fmt::format("{}/blobs/{}", self.folder, kIncomingFolder);
  // Named by the lease, as every temporary file is.
  IndexCopy copy;
  copy.state_.reset(
      new State{archive, fmt::format("{}/{}.index.tmp", incoming, lease.id), lease.id});
  RETURN_IF_ERROR(self.files.createFolders(incoming));
  for (int attempt = 0; attempt < kCopies; ++attempt) {
    RETURN_IF_ERROR(leaseFiles(self, lease.id));
    RETURN_IF_ERROR(self.database->copyTo(copy.path()));
    // Covers files that were added between the lease and the copy.
    RETURN_IF_ERROR(leaseFiles(self, lease.id));
    ASSIGN_OR_RETURN(const auto covered, isCovered(*self.database, copy.path(), lease.id));
    if (covered) return copy;
  }
  return noResource(
      "{}: contents went as fast as they were copied; wait until 'vintage gc' and 'vintage "
      "retention' have ended",
      self.folder);
}

IndexCopy::State::~State() {
  (void)archive.files().remove(path);
  (void)archive.releaseLease(lease);
}

Result<int64_t> IndexCopy::countArtifacts() const {
  ASSIGN_OR_RETURN(auto copy, openCopy(path()));
  return copy->integer("SELECT count(*) FROM artifact");
}

Status IndexCopy::forEachFile(const std::function<Status(const FiledContent&)>& visit) const {
  ASSIGN_OR_RETURN(auto copy, openCopy(path()));
  return visitRows(
      *copy, "SELECT hash, codec, bytes, stored_bytes FROM blob WHERE in_file = 1 ORDER BY hash",
      [&](const Query& row) {
        return visit({hashText(row.blob(0)), row.integer(1), row.integer(2), row.integer(3)});
      });
}

Result<std::vector<std::byte>> IndexCopy::readFile(const FiledContent& content) const {
  BlobStore& blobs = blobsOf(state_->archive);
  const std::string path = blobs.filePath(content.id);
  ASSIGN_OR_RETURN(auto stored, blobs.readFile(content.id));
  const auto whole = blobs.decode(content.codec, stored,
                                  static_cast<uint64_t>(std::max<int64_t>(content.bytes, 0)));
  if (!whole && whole.error().kind != Error::Kind::kBadInput) return whole;
  if (!whole) return badInput("{}: {}", path, whole.error().message);
  if (contentHash(*whole) != content.id) return badInput("{}: it does not hash to its name", path);
  return stored;
}

Status IndexCopy::renewLease() {
  RETURN_IF_ERROR(state_->archive.renewLease(state_->lease, kCopyLease));
  return {};
}

Status finishRestoredIndex(Archive& archive) {
  Archive::Implementation& self = archive.implementation();
  ASSIGN_OR_RETURN(const auto dictionaries, keptDictionaries(archive));
  for (const KeptDictionary& dictionary : dictionaries)
    RETURN_IF_ERROR(remakeCopy(archive, dictionary));
  return self.inTransaction(
      [&] { return self.database->execute("DELETE FROM lease_content; DELETE FROM lease"); });
}

}  // namespace vintage::archive
