// Shared by the parts of Archive, and private to them.
#pragma once

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "archive/store/artifact_table.h"
#include "archive/store/batch_put.h"
#include "archive/store/blob_store.h"
#include "archive/store/change_log.h"
#include "archive/store/database.h"
#include "archive/store/selection.h"
#include "golden/base/clock.h"
#include "golden/base/failures.h"

namespace vintage::archive {

struct Archive::Implementation {
  std::string folder;
  std::unique_ptr<Database> database;
  FileSystem& files;
  Clock& clock;
  bool readOnly;
  BlobStore blobs{*database, files, clock, folder};
  std::string authorName = {};  // Empty: localAuthor().
  bool mayReplace = true;
  std::string reporter = {};

  // Since 1970.
  int64_t seconds() const {
    return std::chrono::floor<std::chrono::seconds>(clock.now().time_since_epoch()).count();
  }

  Author author() const {
    return {authorName.empty() ? localAuthor() : authorName, mayReplace, seconds(), reporter};
  }

  Status checkWritable() const {
    if (!readOnly && !database->isReadOnly()) return {};
    if (!readOnly)
      return noResource(
          "{}: {}: the disk is full, and the archive can only be read; free some space and run the "
          "same command again ('vintage retention' and 'vintage gc' have a reserve where they ran "
          "before)",
          folder, std::strerror(ENOSPC));
    return usageError("{}: the archive was opened read-only; open it for writing", folder);
  }

  // `work` inside one transaction: all of it is durable, or none of it. Inside another transaction
  // it joins that one, whose caller must return its error, too.
  template <typename Work>
  Status inTransaction(const Work& work) {
    RETURN_IF_ERROR(checkWritable());
    if (database->isWriting()) return work();
    ASSIGN_OR_RETURN(auto transaction, Transaction::begin(*database));
    RETURN_IF_ERROR(work());
    return transaction.commit();
  }

  // As above for what a power cut may undo: it costs no sync. A later durable
  // transaction makes it durable too.
  template <typename Work>
  Status inUnsyncedTransaction(const Work& work) {
    if (database->isWriting()) return work();
    RETURN_IF_ERROR(database->execute("PRAGMA synchronous = NORMAL"));
    const Status status = inTransaction(work);
    const Status restored = database->execute("PRAGMA synchronous = FULL");
    return status ? restored : status;
  }

  // Damage, with the artifacts that it affects; other errors as they are.
  Error withUsers(Error error, const ContentId& id) const;

  // Calls `work` with a BatchTransaction; see there.
  template <typename Work>
  Status inBatchTransaction(const Work& work);
};

// See Archive::open. An index in WAL mode, checked, migrated, ready.
Result<std::unique_ptr<Database>> openIndex(FileSystem& files, const std::string& folder,
                                            Archive::Mode mode,
                                            const ArchiveEnvironment& environment);

// kBadInput where the file is another program's database; kUnsupported, with both
// versions, where it is newer than this build, or older than the oldest format.
Status checkIndexIdentity(Database& database, int newestVersion = formatVersion());
// Applies the steps that are missing, all of them or none. Safe while other
// processes do the same. Needs an index that checkIndexIdentity accepts, or an
// empty file.
Status migrateIndex(Database& database, SchemaSteps steps = schemaSteps());

// Leases, for Archive and the collector; each call belongs inside the caller's transaction.
using LeaseTime = std::chrono::system_clock::time_point;
inline constexpr size_t kLeaseDigits = 32;
// A new lease with an id of its own. kUsage where the duration is not positive
// or longer than kLongestLease.
Result<Lease> insertLease(Database& database, std::string_view holder, LeaseTime now,
                          std::chrono::seconds duration);
// From now on the lease protects these as well. kUsage where an id is not
// spelled like one; kNotFound where the lease is gone.
Status addToLease(Database& database, std::string_view lease, std::span<const ContentId> contents);
// kNotFound where it was released, or expired and was collected.
Status checkLease(Database& database, std::string_view lease);
// Released, collected, or expired and not collected yet.
Result<bool> isLeaseOver(Database& database, std::string_view lease, LeaseTime now);
// A lease that is not there counts as released.
Status removeLease(Database& database, std::string_view lease);
// How many were removed.
Result<int64_t> removeExpiredLeases(Database& database, LeaseTime now);

inline Database& indexOf(const Archive& archive) { return *archive.implementation().database; }
inline BlobStore& blobsOf(const Archive& archive) { return archive.implementation().blobs; }

// For what returns no row, in a transaction.
template <typename... Values>
Status runWith(Archive& archive, std::string_view sql, const Values&... values) {
  return archive.writeTogether([&] { return runWith(indexOf(archive), sql, values...); });
}

// A transaction with what its batches know of artifacts together.
struct BatchTransaction {
  Archive::Implementation& archive;
  ArtifactWriter& artifacts;
};

template <typename Work>
Status Archive::Implementation::inBatchTransaction(const Work& work) {
  return inTransaction([&]() -> Status {
    ArtifactWriter artifacts(*database);
    BatchTransaction transaction{*this, artifacts};
    RETURN_IF_ERROR(work(transaction));
    return artifacts.finish();
  });
}

}  // namespace vintage::archive
