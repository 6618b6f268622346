#include "archive/store/batch_put.h"

#include <initializer_list>
#include <unordered_map>
#include <unordered_set>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// Longer than any put takes; what a killed process leaves behind is collected
// after it.
constexpr std::chrono::seconds kPutLease = std::chrono::hours(1);

// Whether it is this record's fault, so that others may still be kept. SQLite's
// own errors are of other kinds, and a put finds these before it writes
// anything: there is nothing to undo.
bool isOfRecord(const Error& error) {
  return error.kind == Error::Kind::kUsage || error.kind == Error::Kind::kNotFound ||
         error.kind == Error::Kind::kConflict;
}

// Makes the files durable that contents become, under the named lease or one of their own, which
// is returned; none is taken, and no transaction begun, where nothing becomes a file.
Result<std::optional<std::string>> settle(Archive::Implementation& archive,
                                          std::span<StagedBlob> staged, const ContentBatch& batch) {
  std::vector<ContentId> files;
  for (const StagedBlob& blob : staged)
    if (blob.inFile()) files.push_back(blob.id);
  if (files.empty()) return std::nullopt;
  std::string lease(batch.lease);
  RETURN_IF_ERROR(archive.inUnsyncedTransaction([&]() -> Status {
    if (lease.empty()) {
      ASSIGN_OR_RETURN(
          auto made, insertLease(*archive.database, batch.holder, archive.clock.now(), kPutLease));
      lease = std::move(made.id);
    }
    return addToLease(*archive.database, lease, files);
  }));
  const Status settled = archive.blobs.settle(staged, lease);
  const bool isOwn = batch.lease.empty();
  if (!settled && isOwn) {
    // The lease protects nothing now; the first error is the one that matters.
    (void)archive.inUnsyncedTransaction([&] { return removeLease(*archive.database, lease); });
  }
  if (!settled) return tl::unexpected(settled.error());
  return isOwn ? std::optional(std::move(lease)) : std::nullopt;
}

// Where the lease was collected meanwhile, so may have been the files. Nobody collects while the
// caller holds the transaction.
Status settleAgain(Archive::Implementation& archive, std::span<StagedBlob> staged,
                   const std::string& lease) {
  const Status held = checkLease(*archive.database, lease);
  if (held || held.error().kind != Error::Kind::kNotFound) return held;
  return archive.blobs.settle(staged, {});
}

// One batch inside its transaction.
struct Keeping {
  BatchTransaction& transaction;
  const ContentBatch& batch;
  const Author& author;
  Archive::Implementation& archive = transaction.archive;
  std::unordered_map<ContentId, BlobStore::Row> rows = {};
  std::unordered_set<ContentId> named = {};
  BatchKept kept = {};

  Status keepContents(std::span<StagedBlob> staged) {
    if (batch.heals) return healContents(staged);
    for (StagedBlob& blob : staged) {
      if (rows.contains(blob.id)) continue;  // One content may be there several times.
      ASSIGN_OR_RETURN(const auto row, archive.blobs.insert(blob));
      rows.emplace(blob.id, BlobStore::Row{row, static_cast<int64_t>(blob.size())});
    }
    return {};
  }

  Status keepRecords() {
    for (const ArtifactRecord& record : batch.records) {
      const Status put = keepRecord(record);
      if (!put && (batch.together || !isOfRecord(put.error()))) return put;
      kept.refusals.push_back(put ? std::nullopt : std::optional(put.error()));
      if (!put) continue;
      RETURN_IF_ERROR(endLeasesOn({record.id, record.golden}));
      named.insert(record.id);
      named.insert(record.golden);
    }
    return {};
  }

  Status endLeasesOn(std::initializer_list<ContentId> ids) const {
    if (batch.endsLeasesOf.empty()) return {};
    for (const ContentId& id : ids)
      RETURN_IF_ERROR(runWith(*archive.database,
                              "DELETE FROM lease_content WHERE hash = ? AND lease IN (SELECT id "
                              "FROM lease WHERE substr(holder, 1, length(?2)) = ?2)",
                              hashBytes(id), batch.endsLeasesOf));
    return {};
  }

  Status protectContents(std::span<const StagedBlob> staged) {
    if (batch.heals) return {};
    const bool isNamed = !batch.lease.empty();
    std::vector<ContentId> ids;
    for (const StagedBlob& blob : staged)
      if (isNamed || !named.contains(blob.id)) ids.push_back(blob.id);
    if (ids.empty()) return {};
    if (isNamed) return addToLease(*archive.database, batch.lease, ids);
    ASSIGN_OR_RETURN(kept.lease, insertLease(*archive.database, batch.holder, archive.clock.now(),
                                             batch.duration));
    return addToLease(*archive.database, kept.lease->id, ids);
  }

  // Heals content that still has a row; content collected in the meantime stays away.
  Status healContents(std::span<StagedBlob> staged) {
    for (StagedBlob& blob : staged) {
      ASSIGN_OR_RETURN(const auto there, rowOfHash(*archive.database, hashBytes(blob.id)));
      if (there) RETURN_IF_ERROR(archive.blobs.insert(blob));
    }
    return {};
  }

  Result<BlobStore::Row> rowOf(const ContentId& id) {
    if (const auto found = rows.find(id); found != rows.end()) return found->second;
    return archive.blobs.rowOf(id);
  }

  Status keepRecord(ArtifactRecord record) {
    RETURN_IF_ERROR(normalize(record));
    ASSIGN_OR_RETURN(const auto blob, within(record.name, rowOf(record.id)));
    std::optional<int64_t> golden;
    if (!record.golden.empty()) {
      ASSIGN_OR_RETURN(const auto row, within(record.name, rowOf(record.golden)));
      golden = row.id;
    }
    record.bytes = blob.bytes;
    return putArtifact(transaction.artifacts, record, blob.id, golden, author);
  }
};

}  // namespace

struct PreparedBatch::Parts {
  ContentBatch batch;
  Author author;
  std::vector<StagedBlob> staged;
  std::optional<std::string> files;  // The lease of what became a file, where none was named.
  BatchKept kept;
};

Result<PreparedBatch> PreparedBatch::prepare(Archive& archive, const ContentBatch& batch) {
  Archive::Implementation& self = archive.implementation();
  RETURN_IF_ERROR(self.checkWritable());
  auto parts = std::make_shared<Parts>(Parts{batch, self.author(), {}, {}, {}});
  ASSIGN_OR_RETURN(parts->staged, self.blobs.stageAll(batch.contents, batch.heals));
  if (batch.source != nullptr) {
    ASSIGN_OR_RETURN(parts->staged.emplace_back(), self.blobs.stage(*batch.source));
  }
  ASSIGN_OR_RETURN(parts->files, settle(self, parts->staged, batch));
  return PreparedBatch(std::move(parts));
}

bool PreparedBatch::isEmpty() const {
  return parts_->staged.empty() && parts_->batch.records.empty();
}

Status PreparedBatch::keep(BatchTransaction& transaction) {
  Archive::Implementation& writer = transaction.archive;
  Parts& parts = *parts_;
  Keeping keeping{transaction, parts.batch, parts.author};
  if (parts.files) RETURN_IF_ERROR(settleAgain(writer, parts.staged, *parts.files));
  RETURN_IF_ERROR(keeping.keepContents(parts.staged));
  RETURN_IF_ERROR(keeping.keepRecords());
  RETURN_IF_ERROR(keeping.protectContents(parts.staged));
  if (parts.files) RETURN_IF_ERROR(removeLease(*writer.database, *parts.files));
  parts.kept = std::move(keeping.kept);
  return {};
}

BatchKept PreparedBatch::take() { return std::move(parts_->kept); }

Result<BatchKept> putBatch(Archive& archive, const ContentBatch& batch) {
  ASSIGN_OR_RETURN(auto prepared, PreparedBatch::prepare(archive, batch));
  if (prepared.isEmpty()) return BatchKept();
  RETURN_IF_ERROR(archive.implementation().inBatchTransaction(
      [&](BatchTransaction& transaction) { return prepared.keep(transaction); }));
  return prepared.take();
}

}  // namespace vintage::archive
