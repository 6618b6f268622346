// What arrives together, such as a push: contents and the records that name
// them, in one transaction and with one sync.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_writer.h"
#include "archive/store/hashed_content.h"
#include "archive/store/room.h"

namespace vintage::archive::store {

struct ContentBatch {
  std::span<const HashedContent> contents;
  // Each names its `id` and, where it has one, its `golden`: contents of the
  // batch, or kept already.
  std::span<const ArtifactRecord> records;
  // A lease that all contents join. Empty: one is made, for `duration`, over those
  // contents that no kept record of the batch names, if there are any.
  std::string_view lease;
  std::string_view holder;
  std::chrono::seconds duration{};
};

struct BatchKept {
  // One for each record: why it was refused. kNotFound: a content that is not
  // kept; kConflict and kUsage as in Archive::putAll.
  std::vector<std::optional<Error>> refusals;
  std::optional<Lease> lease;  // The one that was made.
};

// Keeps all contents, and each record unless it is itself to blame. An Error
// means that nothing was kept: something is wrong with the archive, or
// (kNotFound) the named lease is gone. Durable when it returns.
Result<BatchKept> putBatch(Archive& archive, const ContentBatch& batch);

// The same in two steps, for what is kept together with other batches. What the batch's views are
// of stays the caller's.
class PreparedBatch {
 public:
  // Packs what is not kept yet, and makes what becomes a file durable.
  static Result<PreparedBatch> prepare(Archive& archive, const ContentBatch& batch);

  bool isEmpty() const { return batch_.contents.empty() && batch_.records.empty(); }
  // Inside a transaction, whose `artifacts` the caller finishes. It may be repeated where that was
  // rolled back. Any archive of the same folder.
  Status keep(Archive::Implementation& writer, ArtifactWriter& artifacts);
  // After keep(), and the commit.
  BatchKept take() { return std::move(kept_); }

 private:
  PreparedBatch(const ContentBatch& batch, Author author)
      : batch_(batch), author_(std::move(author)) {}

  ContentBatch batch_;
  Author author_;
  std::vector<StagedBlob> staged_;
  std::optional<std::string> files_;  // The lease of what became a file.
  BatchKept kept_;
};

}  // namespace vintage::archive::store
