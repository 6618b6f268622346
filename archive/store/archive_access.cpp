#include "archive/store/archive_access.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/store/archive.h"
#include "golden/base/failures.h"
#include "golden/base/file_system.h"
#include "golden/base/typed_words.h"

namespace vintage::archive {
namespace {

namespace fs = std::filesystem;

std::string userName(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry != nullptr ? entry->pw_name : std::to_string(user);
}

std::string groupName(gid_t group) {
  const struct group* entry = ::getgrgid(group);
  return entry != nullptr ? entry->gr_name : std::to_string(group);
}

std::string describe(const struct stat& file) {
  return fmt::format("user {}, group {}, mode {:04o}", userName(file.st_uid),
                     groupName(file.st_gid), file.st_mode & 07777);
}

bool isInGroup(uid_t user, gid_t group) {
  const passwd* entry = ::getpwuid(user);
  if (entry == nullptr) return false;
  int count = 256;
  std::vector<gid_t> groups(static_cast<size_t>(count));
  if (::getgrouplist(entry->pw_name, entry->pw_gid, groups.data(), &count) < 0) return false;
  groups.resize(static_cast<size_t>(count));
  return std::ranges::find(groups, group) != groups.end();
}

// "chown alice:ml A/index.sqlite && chmod 0660 A/index.sqlite"
std::string commandOf(const AccessProblem& problem) {
  const std::string path = shellWord(problem.path);
  std::vector<std::string> commands;
  if (problem.owner)
    commands.push_back(fmt::format("chown {}{} {}", userName(*problem.owner),
                                   problem.group ? ":" + groupName(*problem.group) : "", path));
  else if (problem.group)
    commands.push_back(fmt::format("chgrp {} {}", groupName(*problem.group), path));
  if (problem.mode) commands.push_back(fmt::format("chmod {:04o} {}", *problem.mode, path));
  return fmt::format("{}", fmt::join(commands, " && "));
}

class AccessCheck {
 public:
  AccessCheck(std::string folder, size_t most) : folder_(std::move(folder)), most_(most) {}

  std::vector<AccessProblem> run() {
    if (::stat(folder_.c_str(), &root_) != 0) return {};
    isShared_ = (root_.st_mode & S_IWGRP) != 0 && (root_.st_mode & S_ISGID) != 0;
    look(folder_, root_, false);
    const std::string index = fmt::format("{}/{}", folder_, kIndexName);
    const std::string secrets = folder_ + "/service";
    std::error_code problem;
    for (auto at = fs::recursive_directory_iterator(
             folder_, fs::directory_options::skip_permission_denied, problem);
         !problem && at != fs::recursive_directory_iterator() && problems_.size() < most_;
         at.increment(problem)) {
      const std::string path = at->path().string();
      struct stat file{};
      if (::lstat(path.c_str(), &file) != 0) continue;
      isWritten_ = path.starts_with(index) || path.starts_with(secrets);
      look(path, file, path == secrets || path.starts_with(secrets + "/"));
    }
    return std::move(problems_);
  }

 private:
  void look(const std::string& path, const struct stat& file, bool secret) {
    if (!S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode)) return;
    constexpr mode_t kRead = 4, kWrite = 2, kAll = 7;
    const mode_t needed = S_ISDIR(file.st_mode) ? kAll : isWritten_ ? kRead | kWrite : kRead;
    const char* use = needed == kRead ? "read" : "write";
    const mode_t before = file.st_mode & 07777;
    mode_t mode = before;
    AccessProblem found{path, {}, {}};
    const auto say = [&](const std::string& what) {
      found.problem += (found.problem.empty() ? "" : "; ") + what;
    };
    if (secret && (mode & 077) != 0) {
      say("others than its owner may use a secret");
      mode &= ~mode_t{077};
    }
    if (root_.st_uid != 0 && (bitsFor(root_.st_uid, file) & needed) != needed) {
      say(fmt::format("user {}, the owner of the archive, may not {} it", userName(root_.st_uid),
                      use));
      if (file.st_uid != root_.st_uid) found.owner = root_.st_uid;
      mode |= needed << 6;
    }
    const bool isGroups = file.st_gid == root_.st_gid && ((file.st_mode >> 3) & needed) == needed;
    if (isShared_ && !secret && !isGroups) {
      say(fmt::format("the archive's group may not {} it", use));
      if (file.st_gid != root_.st_gid) found.group = root_.st_gid;
      mode |= needed << 3 | (S_ISDIR(file.st_mode) ? S_ISGID : 0);
    }
    if (found.problem.empty()) return;
    found.problem += fmt::format(" ({})", describe(file));
    if (mode != before) found.mode = mode;
    found.command = commandOf(found);
    problems_.push_back(std::move(found));
  }

  static mode_t bitsFor(uid_t user, const struct stat& file) {
    if (file.st_uid == user) return (file.st_mode >> 6) & 7;
    return (isInGroup(user, file.st_gid) ? file.st_mode >> 3 : file.st_mode) & 7;
  }

  const std::string folder_;
  const size_t most_;
  struct stat root_{};
  bool isShared_ = false;
  bool isWritten_ = false;  // The file that is looked at: commands change it in its place.
  std::vector<AccessProblem> problems_;
};

// Of a file below the folder, which no link leads to; it is closed by the caller.
Result<int> openBelow(const std::string& folder, const std::string& path) {
  const int base = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const std::string below = path == folder ? "." : path.substr(folder.size() + 1);
  open_how how{};
  how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const long file = ::syscall(SYS_openat2, base, below.c_str(), &how, sizeof(how));
  const int code = errno;
  if (base >= 0) ::close(base);
  if (file < 0) return ioError("{}: cannot open: {}", path, std::strerror(code));
  return static_cast<int>(file);
}

}  // namespace

std::string ownerAndMode(const std::string& path) {
  struct stat file{};
  return ::stat(path.c_str(), &file) == 0 ? describe(file) : std::string();
}

Status checkIndexWritable(const std::string& folder) {
  const std::string index = fmt::format("{}/{}", folder, kIndexName);
  const bool hasLog = ::access((index + "-wal").c_str(), F_OK) == 0;
  for (const std::string& path : {index, index + "-wal", index + "-shm", folder}) {
    // Only who begins a log needs the folder.
    if (path == folder && hasLog) continue;
    if (::access(path.c_str(), W_OK) == 0 || errno == ENOENT) continue;
    const int code = errno;
    if (code == EROFS)
      return ioError(
          "{}: {}; mount it for writing, or copy the archive with 'vintage mirror' and use the "
          "copy",
          path, std::strerror(code));
    return ioError(
        "{}: user {} may not write the archive: {} ({}); run the command as its owner, or let "
        "'vintage fsck --repair' as root fit owners and modes to those of the folder",
        path, userName(::geteuid()), std::strerror(code), ownerAndMode(path));
  }
  return {};
}

std::vector<AccessProblem> accessProblems(const std::string& folder, size_t most) {
  return AccessCheck(folder, most).run();
}

Status repairAccess(const std::string& folder, const AccessProblem& problem) {
  ASSIGN_OR_RETURN(const int file, openBelow(folder, problem.path));
  struct stat there{};
  const char* action = "look up";
  int status = ::fstat(file, &there);
  const bool isOne = S_ISDIR(there.st_mode) || (S_ISREG(there.st_mode) && there.st_nlink == 1);
  if (status == 0 && isOne && (problem.owner || problem.group)) {
    action = "change the owner";
    status =
        ::fchownat(file, "", problem.owner.value_or(-1), problem.group.value_or(-1), AT_EMPTY_PATH);
  }
  if (status == 0 && isOne && problem.mode) {
    action = "change the mode";
    status = ::chmod(fmt::format("/proc/self/fd/{}", file).c_str(), *problem.mode);
  }
  const int code = errno;
  ::close(file);
  if (!isOne) return ioError("{}: it has several names, or is no file", problem.path);
  if (status != 0) return ioError("{}: cannot {}: {}", problem.path, action, std::strerror(code));
  return {};
}

Status checkLocks(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};  // The next open() of it reports why.
  struct flock lock{};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  const int status = ::fcntl(file, F_SETLK, &lock);
  const int code = errno;
  ::close(file);
  if (status == 0 || code == EAGAIN || code == EACCES) return {};
  return ioError(
      "{}: the file system has no locks (fcntl): {}; mount it with locks, or keep the archive on "
      "another one",
      path, std::strerror(code));
}

bool isDiskFull(const std::string& folder, unsigned long long needed) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) return false;
  // Root may use the blocks that are kept back for root.
  const unsigned long long blocks = ::geteuid() == 0 ? disk.f_bfree : disk.f_bavail;
  return blocks * disk.f_frsize < needed;
}

void keepReserve(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kReserveName);
  if (::access(path.c_str(), F_OK) == 0 || isDiskFull(folder, 10 * kReserve)) return;
  const auto file = openKept(path, O_WRONLY, 0666);
  if (!file) return;
  if (::posix_fallocate(*file, 0, static_cast<off_t>(kReserve)) != 0) (void)::unlink(path.c_str());
  ::close(*file);
}

void spendReserve(const std::string& folder) {
  if (isDiskFull(folder, kReserve / 2))
    (void)::unlink(fmt::format("{}/{}", folder, kReserveName).c_str());
}

}  // namespace vintage::archive
