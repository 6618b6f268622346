// A snapshot: one state of an archive in a backup, as the list of objects that it takes to
// make it again. docs/backup.md describes the form.
#pragma once

#include <string>
#include <vector>

#include "archive/backup/object_store.h"
#include "archive/store/index_copy.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

// A piece of the index or of the list of files, as an object.
struct Piece {
  std::string object;  // Its hash.
  int codec = 0, bytes = 0;
};

struct Snapshot {
  // "000007-2026-11-23T10-26-26Z-HASH": HASH is that of the snapshot's bytes.
  std::string name;
  int number = 0;    // From 1: no clock decides which one is the newest.
  std::string made;  // "2026-11-23T10:26:26Z"
  int archiveFormat = 0;
  int artifacts = 0;
  std::vector<Piece> index, files;
  int fileCount = 0;
  struct Companion : Piece {
    std::string path;  // In the archive's folder.
  };
  std::vector<Companion> companions;
  std::vector<ContentId> missing;  // What the archive itself did not have whole.
};

// With the object that holds the file.
struct BackedUpFile : FiledContent {
  std::string object;
};
std::string fileLine(const BackedUpFile& file);  // With its line feed.

std::string objectKey(const std::string& hash);
WantedObject wantedObject(const std::string& hash);
StoredObject objectOf(std::vector<std::byte> bytes);
// Packs a piece; its object goes to `object`.
Result<Piece> packPiece(std::span<const std::byte> bytes, StoredObject& object);

// The object's key says the name.
StoredObject writeSnapshot(const Snapshot& snapshot);
std::string snapshotName(const std::string& key);
// "000007-2026-11-23T10-26-26Z": enough to name it.
std::string shortSnapshotName(const std::string& name);
// The oldest first.
Result<std::vector<std::string>> listSnapshots(ObjectStore& store);
// `name` is the beginning of its number or its time; the empty one is the newest. kNotFound
// where not exactly one fits.
Result<Snapshot> readSnapshot(ObjectStore& store, const std::string& name);
// The unpacked pieces, in order.
Status readPieces(ObjectStore& store, std::span<const Piece> pieces,
                  const std::function<Status(std::span<const std::byte>)>& take);
Result<std::vector<BackedUpFile>> readFileList(ObjectStore& store, const Snapshot& snapshot);

}  // namespace vintage::archive
