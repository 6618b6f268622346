// Garbage collection: removes what nothing names.
//
// Content goes that neither a record, nor a golden's use, nor a dictionary's,
// nor a lease names; so do leases that have expired, files below blobs/ that no
// row and no lease names, and temporary files whose writer is gone. Where
// outcomes name the content, its row stays without it.
//
// Others may read, put, upload and collect meanwhile. What makes that safe:
//   - rows go, and files are removed, only under the index's write lock, and
//     only after looking under it that nothing names them;
//   - a file is removed only after the transaction that removed its row is
//     durable: a row never outlives its file;
//   - a writer that settles a file holds a lease on it, or the write lock.
// In a damaged index nothing is removed (kBadInput).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "archive/store/room.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

struct CollectOptions {
  bool dryRun = false;  // Counts, and leaves everything as it is.
  std::function<void(std::string_view what, size_t done, size_t total)> progress;
};

struct CollectReport {
  int64_t leases = 0;    // Expired.
  int64_t contents = 0;  // Removed with their rows.
  int64_t emptied = 0;   // Removed; the row stays for its outcomes.
  int64_t files = 0;     // Without a row.
  int64_t temporaries = 0;
  int64_t bytes = 0;  // As stored, of contents and files.
};

Result<CollectReport> collectGarbage(Archive& archive, const CollectOptions& options = {});

}  // namespace vintage::archive::store
