// Content that comes before its record: leases, contents, records.
#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {
namespace {

// Longer than any put takes; what a killed process leaves behind is collected
// after it.
constexpr std::chrono::seconds kPutLease = std::chrono::hours(1);

}  // namespace

Result<std::optional<std::string>> Archive::Implementation::settle(std::span<StagedBlob> staged,
                                                                   std::string_view holder) {
  std::vector<ContentId> files;
  for (const StagedBlob& blob : staged) {
    if (blob.inFile()) files.push_back(blob.id);
  }
  if (files.empty()) return std::nullopt;
  std::optional<std::string> id;
  const Status leased = inUnsyncedTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(const auto lease, insertLease(*database, holder, clock.now(), kPutLease));
    id = lease.id;
    return addToLease(*database, lease.id, files);
  });
  if (!leased) return tl::unexpected(leased.error());
  if (Status status = blobs.settle(staged, *id); !status) {
    // What it would protect is not there; the first error is the one that matters.
    (void)inUnsyncedTransaction([&] { return removeLease(*database, *id); });
    return tl::unexpected(status.error());
  }
  return id;
}

Status Archive::Implementation::settleAgain(std::span<StagedBlob> staged,
                                            const std::optional<std::string>& lease) {
  if (!lease) return {};
  const Status held = checkLease(*database, *lease);
  if (held || held.error().kind != Error::Kind::kNotFound) return held;
  return blobs.settle(staged, {});
}

Result<Lease> Archive::acquireLease(std::span<const ContentId> contents, std::string_view holder,
                                    std::chrono::seconds duration) {
  Implementation& self = *implementation_;
  Lease lease;
  const Status status = self.inUnsyncedTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(lease, insertLease(*self.database, holder, self.clock.now(), duration));
    return addToLease(*self.database, lease.id, contents);
  });
  if (!status) return tl::unexpected(status.error());
  return lease;
}

Status Archive::extendLease(std::string_view lease, std::span<const ContentId> contents) {
  return implementation_->inUnsyncedTransaction(
      [&] { return addToLease(*implementation_->database, lease, contents); });
}

Result<Lease> Archive::renewLease(std::string_view lease, std::chrono::seconds duration) {
  Implementation& self = *implementation_;
  Result<Lease> renewed;
  const Status status = self.inUnsyncedTransaction([&]() -> Status {
    renewed = renewLeaseRow(*self.database, lease, self.clock.now(), duration);
    if (!renewed) return tl::unexpected(renewed.error());
    return {};
  });
  if (!status) return tl::unexpected(status.error());
  return renewed;
}

Status Archive::releaseLease(std::string_view lease) {
  return implementation_->inUnsyncedTransaction(
      [&] { return removeLease(*implementation_->database, lease); });
}

Result<ContentId> Archive::putContent(std::string_view lease, std::span<const std::byte> bytes) {
  Implementation& self = *implementation_;
  RETURN_IF_ERROR(self.checkWritable());
  ASSIGN_OR_RETURN(auto staged, self.blobs.stage(HashedContent(bytes)));
  return self.putStaged(lease, std::move(staged));
}

Result<ContentId> putContent(Archive& archive, std::string_view lease,
                             const ContentSource& source) {
  Archive::Implementation& self = archive.implementation();
  RETURN_IF_ERROR(self.checkWritable());
  ASSIGN_OR_RETURN(auto staged, self.blobs.stage(source));
  return self.putStaged(lease, std::move(staged));
}

Result<ContentId> Archive::Implementation::putStaged(std::string_view lease, StagedBlob staged) {
  const auto join = [&] { return addToLease(*database, lease, std::span(&staged.id, 1)); };
  if (staged.inFile()) {
    RETURN_IF_ERROR(inUnsyncedTransaction(join));
    RETURN_IF_ERROR(blobs.settle(std::span(&staged, 1), lease));
  }
  const Status status = inTransaction([&]() -> Status {
    RETURN_IF_ERROR(join());
    RETURN_IF_ERROR(blobs.insert(staged));
    return {};
  });
  if (!status) return tl::unexpected(status.error());
  return staged.id;
}

Status Archive::putRecords(std::span<const ArtifactRecord> records) {
  Implementation& self = *implementation_;
  std::vector<ArtifactRecord> normal(records.begin(), records.end());
  for (ArtifactRecord& record : normal) {
    RETURN_IF_ERROR(normalize(record));
  }
  const Author author = self.author();
  return self.inTransaction([&]() -> Status {
    ArtifactWriter writer(*self.database);
    for (ArtifactRecord& record : normal) {
      ASSIGN_OR_RETURN(const auto blob, within(record.name, self.blobs.keptRow(record.id)));
      std::optional<int64_t> golden;
      if (!record.golden.empty()) {
        const auto row = self.blobs.keptRow(record.golden);
        if (!row) return within(record.name, row.error());
        golden = row->row;
      }
      record.bytes = blob.bytes;
      RETURN_IF_ERROR(putArtifact(writer, record, blob.row, golden, author));
    }
    return writer.finish();
  });
}

Result<std::vector<ContentId>> Archive::missing(std::span<const ContentId> contents) const {
  std::vector<ContentId> missing;
  for (const ContentId& id : contents) {
    const auto kept = implementation_->blobs.keptRow(id);
    if (kept) continue;
    if (kept.error().kind != Error::Kind::kNotFound) return tl::unexpected(kept.error());
    missing.push_back(id);
  }
  return missing;
}

}  // namespace vintage::archive::store
