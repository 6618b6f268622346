// Puts the small contents of an archive into packs (archive/store/pack.h), with a
// dictionary of what they have in common. Contents and ids stay as they are.
#pragma once

#include <cstdint>
#include <functional>

#include "archive/store/archive.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

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

// Others may read, put and collect meanwhile; what is packed is read back before
// it replaces what is kept. An interrupted call has packed some, each of them
// wholly.
Result<RepackReport> repackSmallContents(Archive& archive, const RepackOptions& options = {});

// Gives unused space of the index back to the disk where it is more than a
// quarter of it: free pages, and `looseBytes` that the caller knows to have become
// unused inside of pages. Returns by how many bytes it shrank.
Result<int64_t> shrinkIndex(Archive& archive, int64_t looseBytes = 0);

}  // namespace vintage::archive::store
