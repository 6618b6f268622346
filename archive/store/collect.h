// Ways to free space: garbage collection, packing, and a smaller index.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Garbage collection: removes contents that nothing names.
//
// Content goes that neither a record, nor a golden's use, nor a dictionary's, nor a lease names; so
// do leases that have expired, files below blobs/ that no row and no lease names, and temporary
// files whose writer is gone. Where outcomes name the content, its row stays without it.
//
// Others may read, put, upload and collect meanwhile. Three rules make that safe:
//   - rows go, and files are removed, only under the index's write lock, and
//     only after looking under it that nothing names them;
//   - a file is removed only after the transaction that removed its row is
//     durable: a row never outlives its file;
//   - a writer that settles a file holds a lease on it, or the write lock.
// In a damaged index nothing is removed (kBadInput).

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
  std::vector<Error>
      stuck;  // Files and folders that could not be removed; the next one tries again.
};

Result<CollectReport> collectGarbage(Archive& archive, const CollectOptions& options = {});

// Puts the small contents of an archive into packs (archive/store/pack.h), with a
// dictionary of what they have in common. Contents and ids stay as they are.

// Fewer samples than this do not show what contents have in common.
inline constexpr size_t kFewestDictionarySamples = 200;

struct RepackOptions {
  // Trains a new dictionary although there is one; without it only an archive
  // that has none gets one.
  bool newDictionary = false;
  std::function<void(size_t done, size_t total)> progress;
};

struct RepackReport {
  uint32_t dictionary = 0;  // Which the archive packs with now; 0: with none.
  bool trained = false;
  // There are fewer small contents that can be read than a dictionary is trained
  // on (kFewestDictionarySamples): nothing was packed.
  bool tooFew = false;
  int64_t looked = 0, packed = 0;           // Small contents that lay alone; those in packs now.
  int64_t bytesBefore = 0, bytesAfter = 0;  // Stored, of those.
  int64_t damaged = 0;                      // Left as they are: fsck's business.
};

// Others may read, put and collect meanwhile; each pack is read back before it
// replaces what is kept. An interrupted call leaves some contents packed, each
// completely.
Result<RepackReport> repackSmallContents(Archive& archive, const RepackOptions& options = {});

// Gives unused space of the index back to the disk where it is more than a
// quarter of it: free pages, and `looseBytes` that the caller knows to have become
// unused inside of pages. Returns by how many bytes it shrank.
Result<int64_t> shrinkIndex(Archive& archive, int64_t looseBytes = 0);

}  // namespace vintage::archive
