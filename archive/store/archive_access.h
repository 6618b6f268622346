// The owners and modes of an archive's files, and the room on its disk.
#pragma once

#include <string>
#include <vector>

#include "golden/base/result.h"

namespace vintage::archive {

// "user alice, group ml, mode 0644"; empty where nothing is there.
std::string ownerAndMode(const std::string& path);

// kIo names the file that this user may not write, and its owner. Before SQLite opens an index to
// write: it would make a log beside it that the index's owner cannot write.
Status checkIndexWritable(const std::string& folder);

struct AccessProblem {
  std::string path;
  std::string problem;  // A sentence without its place.
};
// Files at which a verb or service of the folder's owner will fail, or one of its group where the
// folder's mode shares it with the group (setgid, g+w); and secrets that others than their owner
// may use. The first 100 of them.
std::vector<AccessProblem> accessProblems(const std::string& folder);

// Whether the folder's file system has locks of fcntl(2), which SQLite needs.
bool hasLocks(const std::string& folder);

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
