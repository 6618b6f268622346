// Backs an archive up while others read, push and collect, and makes an archive again from
// a backup. A backup only grows: each call adds a snapshot, and the objects that no earlier
// one needed. docs/howto/backup.md describes its form.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/integrity/fsck.h"
#include "archive/store/archive.h"
#include "archive/store/index_copy.h"
#include "archive/store/records.h"
#include "archive/transfer/bucket_client.h"
#include "archive/transfer/place.h"
#include "golden/base/file_system.h"
#include "golden/base/result.h"

namespace vintage::archive {

// "s3://BUCKET/PREFIX" is a bucket, "oci://HOST/NAME:TAG" a registry, anything else a folder. A
// service is kUsage: it keeps no objects.
Result<std::unique_ptr<ObjectStore>> openObjectStore(const std::string& location,
                                                     const PlaceOptions& options);
// Every key holds the SHA-256 of its bytes: objects are never overwritten, and every read is
// checked and names its object by that hash.
std::unique_ptr<ObjectStore> makeFolderObjects(std::string folder, FileSystem& files);

// A piece of the index or of the list of files, as an object.
struct Piece {
  std::string object;  // Its hash.
  int codec = 0, bytes = 0;
};

// One state of an archive: the list of objects that it takes to make it again.
struct Snapshot {
  // "000007-2026-11-23T10-26-26Z-HASH": HASH is that of the snapshot's bytes.
  std::string name;
  int number = 0;       // From 1: no clock decides which one is the newest.
  std::string made;     // "2026-11-23T10:26:26Z"
  std::string archive;  // Archive::identity() of the archive; empty in version 1.
  int archiveFormat = 0;
  int artifacts = 0;
  std::vector<Piece> index, files;
  int fileCount = 0;
  struct Companion : Piece {
    std::string path;  // In the archive's folder.
  };
  std::vector<Companion> companions;
  std::vector<ContentId> missing;  // The archive itself did not have these whole.
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

using BackupProgress = std::function<void(std::string_view what, size_t done, size_t total)>;

struct BackupReport {
  std::string snapshot;
  int64_t artifacts = 0, indexBytes = 0, files = 0;
  int64_t newObjects = 0, newBytes = 0;  // No earlier snapshot had them.
  // Contents that the archive does not have whole, or lets nobody read, which the snapshot names,
  // and companions.
  std::vector<Error> missing;
};
// The snapshot is the archive at one moment: what was acknowledged before the call is in
// it. Contents are read, and verified, where no earlier snapshot has them. A backup belongs to one
// archive: kConflict where its newest snapshot is another's.
Result<BackupReport> backUp(Archive& archive, ObjectStore& store, const BackupProgress& progress);

struct BackupCheck {
  std::string snapshot;
  int64_t objects = 0, bytes = 0;
  std::vector<Error> damaged;
};
// Reads every object of a snapshot back (the newest where `snapshot` is empty).
Result<BackupCheck> checkBackup(ObjectStore& store, const std::string& snapshot,
                                const BackupProgress& progress);

struct RestoreReport {
  std::string snapshot;
  int64_t artifacts = 0, files = 0, bytes = 0;
  std::vector<Error> missing;  // Files that the backup no longer has whole.
  FsckSummary check;
};
struct RestoreOptions {
  std::string snapshot;  // The beginning of its number or time; empty: the newest.
  PortableArtifactCheck checkPortableArtifact{};
  // Each thing that the check of the restored archive finds.
  std::function<void(const FsckFinding&)> report{};
  BackupProgress progress{};
};
// `folder` is missing or empty (kConflict). Works in FOLDER.restoring, which a second call
// continues, and renames it when everything is there: nobody sees half an archive. Reads
// everything back before it returns.
Result<RestoreReport> restoreArchive(ObjectStore& store, const std::string& folder,
                                     const RestoreOptions& options);

}  // namespace vintage::archive
