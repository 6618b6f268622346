// The owners and modes of an archive's files, and the room on its disk.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "golden/base/result.h"

namespace vintage::archive {

// "user alice, group ml, mode 0644"; empty where nothing is there.
std::string ownerAndMode(const std::string& path);

// kIo names the file that this user may not write, and its owner. Before SQLite opens an index to
// write: it would make a log beside it that the index's owner cannot write.
Status checkIndexWritable(const std::string& folder);

// A file or folder at which a verb or service of the folder's owner will fail, or one of its group
// where the folder's mode shares it with the group (setgid, g+w); or a secret that others than its
// owner may use.
struct AccessProblem {
  std::string path;
  std::string problem;  // A sentence without its place.
  std::string command;  // It repairs this: "chown alice /srv/A/index.sqlite".
  // The same as values.
  std::optional<uid_t> owner{};
  std::optional<gid_t> group{};
  std::optional<mode_t> mode{};
};
std::vector<AccessProblem> accessProblems(const std::string& folder, size_t most);
// Sets what the problem's command sets. Follows no link, and leaves a file with several names as it
// is: members of a group could lead root elsewhere by them.
Status repairAccess(const std::string& folder, const AccessProblem& problem);

// kIo where the file system of this file has no locks of fcntl(2), which SQLite needs: it would
// wait for whoever has the lock. The locks that this process has on the file are gone then.
Status checkLocks(const std::string& path);

// SQLite opens an index in WAL mode with 32 KiB of shared memory in a file, and begins a log: below
// this many free bytes it cannot.
inline constexpr unsigned long long kRoomToOpen = 128 << 10;
bool isDiskFull(const std::string& folder, unsigned long long needed = kRoomToOpen);

// A file of kReserve bytes that nobody reads. Verbs that free space remove it first where the disk
// is full, since deleting takes room too: for the index's log.
inline constexpr unsigned long long kReserve = 8 << 20;
inline constexpr const char* kReserveName = "reserve";
// Makes it where it is missing and the disk has ten times as much to spare; a failure changes
// nothing.
void keepReserve(const std::string& folder);
void spendReserve(const std::string& folder);

}  // namespace vintage::archive
