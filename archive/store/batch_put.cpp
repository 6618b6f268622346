#include "archive/store/batch_put.h"

#include <unordered_map>
#include <unordered_set>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {
namespace {

// Whether it is this record's fault, so that others may still be kept. SQLite's
// own errors are of other kinds, and a put finds these before it writes
// anything: there is nothing to undo.
bool isOfRecord(const Error& error) {
  return error.kind == Error::Kind::kUsage || error.kind == Error::Kind::kNotFound ||
         error.kind == Error::Kind::kConflict;
}

// One batch inside its transaction.
class Keeping {
 public:
  Keeping(Archive::Implementation& archive, ArtifactWriter& writer, const ContentBatch& batch,
          const Author& author)
      : archive_(archive), writer_(writer), batch_(batch), author_(author) {}

  Status keepContents(std::span<StagedBlob> staged) {
    ASSIGN_OR_RETURN(const auto rows, archive_.blobs.insertAll(staged));
    for (size_t index = 0; index < staged.size(); ++index)
      rows_.emplace(staged[index].id,
                    BlobStore::Kept{rows[index], static_cast<int64_t>(staged[index].size())});
    return {};
  }

  Status keepRecords() {
    for (const ArtifactRecord& record : batch_.records) {
      const Status put = keepRecord(record);
      if (!put && !isOfRecord(put.error())) return put;
      kept_.refusals.push_back(put ? std::nullopt : std::optional(put.error()));
      if (!put) continue;
      named_.insert(record.id);
      named_.insert(record.golden);
    }
    return {};
  }

  Status protectContents() {
    if (batch_.contents.empty()) return {};
    std::vector<ContentId> ids;
    for (const HashedContent& content : batch_.contents) {
      if (!batch_.lease.empty() || !named_.contains(content.id())) ids.push_back(content.id());
    }
    if (!batch_.lease.empty()) return addToLease(*archive_.database, batch_.lease, ids);
    if (ids.empty()) return {};
    ASSIGN_OR_RETURN(auto lease, insertLease(*archive_.database, batch_.holder,
                                             archive_.clock.now(), batch_.duration));
    kept_.lease = std::move(lease);
    return addToLease(*archive_.database, kept_.lease->id, ids);
  }

  BatchKept take() { return std::move(kept_); }

 private:
  Result<BlobStore::Kept> rowOf(const ContentId& id) {
    if (const auto found = rows_.find(id); found != rows_.end()) return found->second;
    return archive_.blobs.keptRow(id);
  }

  Status keepRecord(ArtifactRecord record) {
    RETURN_IF_ERROR(normalize(record));
    ASSIGN_OR_RETURN(const auto blob, within(record.name, rowOf(record.id)));
    std::optional<int64_t> golden;
    if (!record.golden.empty()) {
      const auto row = rowOf(record.golden);
      if (!row) return within(record.name, row.error());
      golden = row->row;
    }
    record.bytes = blob.bytes;
    return putArtifact(writer_, record, blob.row, golden, author_);
  }

  Archive::Implementation& archive_;
  ArtifactWriter& writer_;
  const ContentBatch& batch_;
  const Author& author_;
  std::unordered_map<ContentId, BlobStore::Kept> rows_;
  std::unordered_set<ContentId> named_;
  BatchKept kept_;
};

}  // namespace

Result<PreparedBatch> PreparedBatch::prepare(Archive& archive, const ContentBatch& batch) {
  Archive::Implementation& self = archive.implementation();
  RETURN_IF_ERROR(self.checkWritable());
  PreparedBatch prepared(batch, self.author());
  ASSIGN_OR_RETURN(prepared.staged_, self.blobs.stageAll(batch.contents));
  ASSIGN_OR_RETURN(prepared.files_, self.settle(prepared.staged_, batch.holder));
  return prepared;
}

Status PreparedBatch::keep(Archive::Implementation& writer, ArtifactWriter& artifacts) {
  Keeping keeping(writer, artifacts, batch_, author_);
  RETURN_IF_ERROR(writer.settleAgain(staged_, files_));
  RETURN_IF_ERROR(keeping.keepContents(staged_));
  RETURN_IF_ERROR(keeping.keepRecords());
  RETURN_IF_ERROR(keeping.protectContents());
  if (files_) RETURN_IF_ERROR(removeLease(*writer.database, *files_));
  kept_ = keeping.take();
  return {};
}

Result<BatchKept> putBatch(Archive& archive, const ContentBatch& batch) {
  ASSIGN_OR_RETURN(auto prepared, PreparedBatch::prepare(archive, batch));
  if (prepared.isEmpty()) return BatchKept();
  Archive::Implementation& self = archive.implementation();
  RETURN_IF_ERROR(self.inTransaction([&]() -> Status {
    ArtifactWriter artifacts(*self.database);
    RETURN_IF_ERROR(prepared.keep(self, artifacts));
    return artifacts.finish();
  }));
  return prepared.take();
}

}  // namespace vintage::archive::store
