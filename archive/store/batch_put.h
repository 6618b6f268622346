// The one way in which contents and artifacts' records are kept: together, in one transaction and
// with one sync.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/content_reader.h"
#include "archive/store/lease.h"

namespace vintage::archive {

struct ContentBatch {
  std::span<const HashedContent> contents{};
  // Each names its `id` and, where it has one, its `golden`: contents of the
  // batch, or kept already.
  std::span<const ArtifactRecord> records{};
  // A lease that all contents join. Empty: one is made, for `duration`, over those
  // contents that no kept record of the batch names, if there are any.
  std::string_view lease{};
  std::string_view holder{};
  std::chrono::seconds duration{};
  // One more content, which is not in memory.
  const ContentSource* source = nullptr;
  // A record that is refused refuses the whole batch.
  bool together = false;
  // What is damaged here is written again whatever its row says; contents without a row are left
  // out, and no lease is made.
  bool heals = false;
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

// A transaction in which batches are written (archive/store/archive_implementation.h).
struct BatchTransaction;

// The same in two steps, for what is kept together with other batches. What the batch's views are
// of stays the caller's.
class PreparedBatch {
 public:
  // Packs what is not kept yet, and makes what becomes a file durable.
  static Result<PreparedBatch> prepare(Archive& archive, const ContentBatch& batch);

  bool isEmpty() const;
  // It may be repeated where the transaction was rolled back. Any archive of the same folder.
  Status keep(BatchTransaction& transaction);
  // After keep(), and the commit.
  BatchKept take();

 private:
  struct Parts;
  explicit PreparedBatch(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<Parts> parts_;
};

}  // namespace vintage::archive
