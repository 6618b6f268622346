// What arrives together, such as a push: contents and the records that name
// them, in one transaction and with one sync.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/hashed_content.h"
#include "archive/store/room.h"
#include "archive/store/shared_commit.h"

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
// `together`: with what other threads put at the same time.
Result<BatchKept> putBatch(Archive& archive, const ContentBatch& batch,
                           SharedCommit* together = nullptr);

}  // namespace vintage::archive::store
