#include "archive/store/archive_access.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "golden/base/failures.h"
#include "golden/base/file_system.h"

namespace vintage::archive {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostProblems = 100;

std::string userName(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry != nullptr ? entry->pw_name : std::to_string(user);
}

std::string describe(const struct stat& file) {
  const group* entry = ::getgrgid(file.st_gid);
  return fmt::format("user {}, group {}, mode {:04o}", userName(file.st_uid),
                     entry != nullptr ? entry->gr_name : std::to_string(file.st_gid),
                     file.st_mode & 07777);
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

class AccessCheck {
 public:
  explicit AccessCheck(std::string folder) : folder_(std::move(folder)) {}

  std::vector<AccessProblem> run() {
    if (::stat(folder_.c_str(), &root_) != 0) return {};
    isShared_ = (root_.st_mode & S_IWGRP) != 0 && (root_.st_mode & S_ISGID) != 0;
    look(folder_, kUse);
    look(fmt::format("{}/{}", folder_, kMarkerName), kRead);
    for (const char* suffix : {"", "-wal", "-shm"})
      look(fmt::format("{}/{}{}", folder_, kIndexName, suffix), kRead | kWrite);
    lookThrough(folder_ + "/blobs", kUse, kRead, false);
    lookThrough(folder_ + "/service", kUse, kRead | kWrite, true);
    return std::move(problems_);
  }

 private:
  static constexpr mode_t kRead = 4, kWrite = 2, kUse = 7;

  void lookThrough(const std::string& folder, mode_t ofFolders, mode_t ofFiles, bool secret) {
    look(folder, ofFolders, secret);
    std::error_code problem;
    for (auto at = fs::recursive_directory_iterator(
             folder, fs::directory_options::skip_permission_denied, problem);
         !problem && at != fs::recursive_directory_iterator() && problems_.size() < kMostProblems;
         at.increment(problem))
      look(at->path().string(), at->is_directory(problem) ? ofFolders : ofFiles, secret);
  }

  void look(const std::string& path, mode_t needed, bool secret = false) {
    struct stat file{};
    if (problems_.size() >= kMostProblems || ::stat(path.c_str(), &file) != 0) return;
    const auto add = [&](std::string who) {
      problems_.push_back({path, fmt::format("{} ({})", who, describe(file))});
    };
    if (secret && (file.st_mode & 077) != 0)
      return add("others than its owner may use a secret; run 'chmod go-rwx' on it");
    if (root_.st_uid != 0 && (bitsFor(root_.st_uid, file) & needed) != needed)
      return add(fmt::format(
          "user {}, the owner of the archive, may not {} it; run 'chown {}' on it",
          userName(root_.st_uid), needed == kRead ? "read" : "write", userName(root_.st_uid)));
    if (!secret && isShared_ &&
        (file.st_gid != root_.st_gid || ((file.st_mode >> 3) & needed) != needed))
      add(
          fmt::format("the archive's group may not {} it; run 'chgrp' and 'chmod g+{}' on it, and "
                      "let all its users have the umask 002",
                      needed == kRead ? "read" : "write", needed == kRead ? "r" : "rw"));
  }

  static mode_t bitsFor(uid_t user, const struct stat& file) {
    if (file.st_uid == user) return (file.st_mode >> 6) & 7;
    return (isInGroup(user, file.st_gid) ? file.st_mode >> 3 : file.st_mode) & 7;
  }

  const std::string folder_;
  struct stat root_{};
  bool isShared_ = false;
  std::vector<AccessProblem> problems_;
};

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
    return ioError(
        "{}: user {} may not write the archive: {} ({}); let its owner give the right to the group "
        "(chmod g+rw), or run the command as that user",
        path, userName(::geteuid()), std::strerror(code), ownerAndMode(path));
  }
  return {};
}

std::vector<AccessProblem> accessProblems(const std::string& folder) {
  return AccessCheck(folder).run();
}

// Asked of the marker: to close the index would drop the locks that this process has on it.
bool hasLocks(const std::string& folder) {
  const int marker =
      ::open(fmt::format("{}/{}", folder, kMarkerName).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (marker < 0) return true;
  struct flock lock{};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  const bool works = ::fcntl(marker, F_SETLK, &lock) == 0 || errno == EAGAIN || errno == EACCES;
  ::close(marker);
  return works;
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
