// The owners of an archive's files, and their rights. In public: services that root ran once
// and that failed ever after; a group whose archive only one of them could write.
#include <chrono>
#include <csignal>
#include <cstddef>
#include <fstream>

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <gmock/gmock.h>

#include "archive/store/archive_access.h"
#include "golden/base/file.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr uid_t kOwner = 54'321, kMember = 54'322;
constexpr gid_t kGroup = 54'320;

class AccessTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    umask_ = ::umask(022);
    ::chmod(folder_.c_str(), 0755);
  }
  void TearDown() override {
    ::umask(umask_);
    FolderTest::TearDown();
  }
  static bool isRoot() { return ::geteuid() == 0; }
  static struct stat statusOf(const std::string& path) {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status;
  }
  static mode_t modeOf(const std::string& path) { return statusOf(path).st_mode & 07777; }
  // The answer of `act` in a process of that user and the group; access() asks for the real user.
  static std::string as(uid_t user, const std::function<std::string()>& act) {
    return inChild([&]() -> std::string {
      if (::setgroups(0, nullptr) != 0 || ::setgid(kGroup) != 0 || ::setuid(user) != 0)
        return "no rights";
      return act();
    });
  }

  static std::string inChild(const std::function<std::string()>& act) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string said = act();
      [[maybe_unused]] const ssize_t written = ::write(ends[1], said.data(), said.size());
      ::_exit(0);
    }
    ::close(ends[1]);
    std::string said(10'000, '\0');
    const ssize_t size = ::read(ends[0], said.data(), said.size());
    said.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return said;
  }

  // In this process every fcntl() about locks is ENOLCK from now on, as on NFS without its lock
  // daemon.
  static void refuseLocks() {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, F_GETLK, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, F_SETLKW, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{std::size(program), program};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
  }

  mode_t umask_ = 0;
};

TEST_F(AccessTest, SecretsAreTheirOwnersAloneFromTheFirstByteOn) {
  ::umask(0);
  FileSystem& files = realFileSystem();
  const std::string secret = path("secret"), shared = path("shared");
  const std::vector<std::byte> bytes(3);
  mode_t during = 0;
  must(writeWhole(
      files, secret + ".tmp", secret,
      [&](WritableFile&) -> Status {
        during = modeOf(secret + ".tmp");
        return {};
      },
      FileAccess::kSecret));
  must(writeDurably(files, shared + ".tmp", shared, bytes));
  must(files.createFolders(path("open/closed"), FileAccess::kSecret));
  EXPECT_EQ(during, 0600u);
  EXPECT_EQ(modeOf(secret), 0600u);
  EXPECT_EQ(modeOf(shared), 0666u);
  EXPECT_EQ(modeOf(path("open")) & 0777, 0777u);
  EXPECT_EQ(modeOf(path("open/closed")) & 0777, 0700u);
}

// A token's file and large contents were root's after one command as root.
TEST_F(AccessTest, WhatRootMakesIsTheFoldersOwners) {
  if (!isRoot()) GTEST_SKIP() << "needs to be root";
  fs::create_directory(path("A"));
  ASSERT_EQ(::chown(path("A").c_str(), kOwner, kGroup), 0);
  {
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kCreate));
    must(archive.put(sampleRecord("large"), content(1, 300'000, false), nullptr));
    for (const char* name : {"index.sqlite-wal", "index.sqlite-shm"})
      EXPECT_EQ(statusOf(path("A") + "/" + name).st_uid, kOwner) << name;
  }
  for (const auto& entry : fs::recursive_directory_iterator(path("A")))
    EXPECT_EQ(statusOf(entry.path()).st_uid, kOwner) << entry.path();
  EXPECT_THAT(accessProblems(path("A"), 100), ::testing::IsEmpty());
}

// index.sqlite had the mode 0644 where everything else followed the umask.
TEST_F(AccessTest, AllFilesFollowTheUmask) {
  ::umask(002);
  Archive archive = must(Archive::open(path("A"), Archive::Mode::kCreate));
  must(archive.put(sampleRecord("large"), content(1, 300'000, false), nullptr));
  for (const auto& entry : fs::recursive_directory_iterator(path("A")))
    EXPECT_EQ(modeOf(entry.path()) & 0777, entry.is_directory() ? 0775u : 0664u) << entry.path();
}

// The advice was to run as the owner, or to repair owners and modes.
TEST_F(AccessTest, OnAReadOnlyFileSystemTheAdviceIsToCopy) {
  must(Archive::open(path("A"), Archive::Mode::kCreate));
  const std::string folder = path("A");
  const std::string said = inChild([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
      return "no mount";
    const auto opened = Archive::open(folder, Archive::Mode::kReadWrite);
    return opened ? std::string("opened") : opened.error().message;
  });
  if (said == "no mount") GTEST_SKIP() << "needs to mount";
  EXPECT_THAT(said, HasSubstr("index.sqlite: Read-only file system; mount it for writing"));
}

// The refused put of a member left a log of his, which the owner could not write.
TEST_F(AccessTest, WhoMayNotWriteTheIndexLeavesNothingBesideIt) {
  if (!isRoot()) GTEST_SKIP() << "needs to be root";
  fs::create_directory(path("A"));
  ASSERT_EQ(::chown(path("A").c_str(), kOwner, kGroup), 0);
  ASSERT_EQ(::chmod(path("A").c_str(), 02775), 0);
  must(Archive::open(path("A"), Archive::Mode::kCreate));
  ASSERT_EQ(::chmod(path("A/index.sqlite").c_str(), 0644), 0);  // As an earlier Vintage made it.
  const std::string said = as(kMember, [&] {
    const auto opened = Archive::open(path("A"), Archive::Mode::kReadWrite);
    return opened ? std::string("opened") : opened.error().message;
  });
  EXPECT_THAT(said, HasSubstr("index.sqlite: user 54322 may not write the archive"));
  EXPECT_THAT(said, HasSubstr("user 54321, group 54320, mode 0644"));
  EXPECT_FALSE(fs::exists(path("A/index.sqlite-wal")));
  EXPECT_EQ(
      as(kMember,
         [&] { return Archive::open(path("A"), Archive::Mode::kReadOnly) ? "read" : "not read"; }),
      "read");
  EXPECT_EQ(as(kOwner,
               [&] {
                 Archive archive = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
                 return archive.put(sampleRecord("a"), content(1, 10), nullptr) ? "put" : "not put";
               }),
            "put");
  // Reported before a command fails on it.
  const auto problems = accessProblems(path("A"), 100);
  const auto named = std::ranges::find(problems, path("A/index.sqlite"), &AccessProblem::path);
  ASSERT_NE(named, problems.end());
  EXPECT_THAT(named->problem, HasSubstr("the archive's group may not write it"));
}

TEST_F(AccessTest, OwnersAndOpenSecretsAreNamed) {
  if (!isRoot()) GTEST_SKIP() << "needs to be root";
  fs::create_directory(path("A"));
  ASSERT_EQ(::chown(path("A").c_str(), kOwner, kGroup), 0);
  ContentId id;
  {
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kCreate));
    id = must(archive.put(sampleRecord("large"), content(1, 300'000, false), nullptr));
  }
  fs::create_directory(path("A/service"));
  ::chown(path("A/service").c_str(), kOwner, kGroup);
  ::chmod(path("A/service").c_str(), 0700);
  std::ofstream(path("A/service/tokens.json")) << "{}";
  ::chown(path("A/service/tokens.json").c_str(), kOwner, kGroup);
  const std::string large = path("A/blobs/" + id.substr(0, 2) + "/" + id + ".zst");
  ::chown(large.c_str(), 0, 0);
  ::chmod(large.c_str(), 0600);
  std::map<std::string, std::string> said;
  for (const AccessProblem& problem : accessProblems(path("A"), 100))
    said[problem.path] = problem.problem;
  EXPECT_EQ(said.size(), 2u);
  EXPECT_THAT(said[large], HasSubstr("user 54321, the owner of the archive, may not read it"));
  EXPECT_THAT(said[path("A/service/tokens.json")], HasSubstr("others than its owner"));
}

// Findings said that owners and modes would fail, and not what to type. The repair follows no link
// to a file elsewhere: 'vintage fsck --repair' runs as root.
TEST_F(AccessTest, WhatDoesNotFitIsRepairedAndLinksLeadNowhere) {
  if (!isRoot()) GTEST_SKIP() << "needs to be root";
  fs::create_directory(path("A"));
  ASSERT_EQ(::chown(path("A").c_str(), kOwner, kGroup), 0);
  ASSERT_EQ(::chmod(path("A").c_str(), 02775), 0);
  {
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kCreate));
    must(archive.put(sampleRecord("large"), content(1, 300'000, false), nullptr));
  }
  for (const char* name : {"index.sqlite", "VINTAGE_ARCHIVE", "blobs"}) {
    ::chown(path(std::string("A/") + name).c_str(), 0, 0);
    ::chmod(path(std::string("A/") + name).c_str(), 0700);
  }
  std::ofstream(path("elsewhere")) << "root's";
  ::chmod(path("elsewhere").c_str(), 0600);
  fs::create_symlink(path("elsewhere"), path("A/link"));
  fs::create_hard_link(path("elsewhere"), path("A/blobs/second"));
  std::map<std::string, std::string> commands;
  for (const AccessProblem& problem : accessProblems(path("A"), 100))
    commands[problem.path] = problem.command;
  EXPECT_EQ(commands.size(), 4u);
  EXPECT_EQ(commands[path("A/index.sqlite")], "chown 54321:54320 " + path("A/index.sqlite") +
                                                  " && chmod 0760 " + path("A/index.sqlite"));
  for (const AccessProblem& problem : accessProblems(path("A"), 100)) {
    const Status repaired = repairAccess(path("A"), problem);
    EXPECT_EQ(repaired.has_value(), problem.path != path("A/blobs/second")) << problem.path;
  }
  EXPECT_EQ(statusOf(path("elsewhere")).st_uid, 0u);
  EXPECT_EQ(modeOf(path("elsewhere")), 0600u);
  fs::remove(path("A/blobs/second"));
  EXPECT_THAT(accessProblems(path("A"), 100), ::testing::IsEmpty());
  const std::string said = as(kMember, [&] {
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
    return archive.put(sampleRecord("a"), content(1, 10), nullptr) ? "put" : "not put";
  });
  EXPECT_EQ(said, "put");
  // A folder that swaps a file for a link after it was looked at.
  const AccessProblem swapped{path("A/link"), {}, {}, kOwner, kGroup, 0777};
  EXPECT_EQ(refusal(repairAccess(path("A"), swapped)), Error::Kind::kIo);
  EXPECT_EQ(modeOf(path("elsewhere")), 0600u);
}

// A member whose umask was 022 left files that the others could not write.
TEST_F(AccessTest, ASharedFolderLetsItsGroupWriteWhateverTheUmask) {
  ::umask(077);
  fs::create_directory(path("A"));
  ASSERT_EQ(::chmod(path("A").c_str(), 02770), 0);
  Archive archive = must(Archive::open(path("A"), Archive::Mode::kCreate));
  must(archive.put(sampleRecord("large"), content(1, 300'000, false), nullptr));
  keepReserve(path("A"));
  for (const auto& entry : fs::recursive_directory_iterator(path("A")))
    EXPECT_EQ(modeOf(entry.path()), entry.is_directory() ? 02770u : 0660u) << entry.path();
  must(realFileSystem().createFolders(path("A/service"), FileAccess::kSecret));
  EXPECT_EQ(modeOf(path("A/service")) & 0777, 0700u);
  EXPECT_THAT(accessProblems(path("A"), 100), ::testing::IsEmpty());
}

// SQLite waited for 30 seconds for a lock that no process had, and said that one had it.
TEST_F(AccessTest, AFileSystemWithoutLocksIsNamedAtOnce) {
  must(Archive::open(path("A"), Archive::Mode::kCreate));
  std::string said(1000, '\0');
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    refuseLocks();
    std::string text;
    for (const auto mode : {Archive::Mode::kReadWrite, Archive::Mode::kReadOnly})
      text += Archive::open(path("A"), mode).error().message + "\n";
    text += Archive::open(path("B"), Archive::Mode::kCreate).error().message;
    [[maybe_unused]] const ssize_t written = ::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  const auto before = std::chrono::steady_clock::now();
  ::waitpid(child, nullptr, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
  said.resize(static_cast<size_t>(std::max<ssize_t>(::read(ends[0], said.data(), 1000), 0)));
  ::close(ends[0]);
  ::close(ends[1]);
  for (const char* place : {"A/VINTAGE_ARCHIVE", "B/index.sqlite"})
    EXPECT_THAT(said, HasSubstr(path(place) + ": the file system has no locks (fcntl)"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 2);
}

// A FIFO in the place of a file stopped the server for ever.
TEST_F(AccessTest, AFifoIsNoFileAndNobodyWaitsForItsOtherEnd) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  FileSystem& files = realFileSystem();
  EXPECT_EQ(refusal(files.read(path("fifo"), 100)), Error::Kind::kBadInput);
  EXPECT_EQ(refusal(files.open(path("fifo"))), Error::Kind::kBadInput);
  const auto log = openKept(path("fifo"), O_WRONLY | O_APPEND, 0600);
  EXPECT_EQ(refusal(log), Error::Kind::kBadInput);
  EXPECT_THAT(log.error().message, HasSubstr("FIFO that nobody reads"));
}

// A process without descriptors took every content for damaged.
TEST_F(AccessTest, DescriptorsThatRunOutAreTheProcesssFault) {
  std::ofstream(path("file")) << "text";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto read = realFileSystem().read(path("file"), 100);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(refusal(read), Error::Kind::kResource);
  EXPECT_THAT(read.error().message, HasSubstr("limit of open files"));
}

}  // namespace
}  // namespace vintage::tests
