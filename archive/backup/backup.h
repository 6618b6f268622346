// Backs an archive up while others read, push and collect, and makes an archive again from
// a backup. A backup only grows: each call adds a snapshot, and the objects that no earlier
// one needed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/backup/snapshot.h"
#include "archive/integrity/fsck.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::archive {

using BackupProgress = std::function<void(std::string_view what, size_t done, size_t total)>;

struct BackupReport {
  std::string snapshot;
  int64_t artifacts = 0, indexBytes = 0, files = 0;
  int64_t newObjects = 0, newBytes = 0;  // That no earlier snapshot had.
  // Contents that the archive does not have whole: the snapshot names them.
  std::vector<Error> missing;
};
// The snapshot is the archive at one moment: what was acknowledged before the call is in
// it. Contents are read, and verified, where no earlier snapshot has them.
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
  std::vector<Error> missing;  // Objects that the backup no longer has whole.
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
