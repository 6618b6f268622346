#include "tests/archive/store/faulty_vfs.h"

#include <fstream>
#include <new>
#include <random>

#include <sqlite3.h>

#include <gmock/gmock.h>

#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

// SQLite allocates szOsFile bytes: this, followed by the real VFS's file.
struct FaultyFile {
  sqlite3_file base;
  const char* path;  // SQLite's, as long as the file is open; null: a temporary file.
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<FaultyFile*>(file)->real(); }

bool fails() {
  VfsFaults& faults = vfsFaults();
  ++faults.operations;
  if (faults.failAt == 0) return false;
  return faults.failForever ? faults.operations >= faults.failAt
                            : faults.operations == faults.failAt;
}

// The old bytes under each write that is not synced yet, in their order.
struct UnsyncedWrite {
  std::string path;
  std::streamoff offset = 0;
  std::string before;  // As long as the write; zeros where the file ended earlier.
};
std::vector<UnsyncedWrite>& unsyncedWrites() {
  static std::vector<UnsyncedWrite> writes;
  return writes;
}

void remember(sqlite3_file* file, int count, sqlite3_int64 offset) {
  const char* path = reinterpret_cast<FaultyFile*>(file)->path;
  if (path == nullptr) return;
  std::string before(static_cast<size_t>(count), '\0');
  // Bytes beyond the end of the file are read as zeros (SHORT_READ).
  real(file)->pMethods->xRead(real(file), before.data(), count, offset);
  unsyncedWrites().push_back({path, offset, std::move(before)});
}

int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  remember(file, count, offset);
  if (fails()) {
    real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);  // Torn.
    return SQLITE_FULL;
  }
  return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}
int sync(sqlite3_file* file, int flags) {
  if (fails()) return SQLITE_IOERR_FSYNC;
  if (const char* path = reinterpret_cast<FaultyFile*>(file)->path)
    std::erase_if(unsyncedWrites(), [&](const UnsyncedWrite& write) { return write.path == path; });
  return real(file)->pMethods->xSync(real(file), flags);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (fails()) return SQLITE_IOERR_TRUNCATE;
  return real(file)->pMethods->xTruncate(real(file), size);
}

// Everything else goes through as it is.
template <auto method, typename... Arguments>
int forward(sqlite3_file* file, Arguments... arguments) {
  return (real(file)->pMethods->*method)(real(file), arguments...);
}
void barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }

const sqlite3_io_methods kMethods = [] {
  using M = sqlite3_io_methods;
  M methods{};
  methods.iVersion = 2;
  methods.xClose = forward<&M::xClose>;
  methods.xRead = forward<&M::xRead>;
  methods.xWrite = write;
  methods.xTruncate = truncate;
  methods.xSync = sync;
  methods.xFileSize = forward<&M::xFileSize>;
  methods.xLock = forward<&M::xLock>;
  methods.xUnlock = forward<&M::xUnlock>;
  methods.xCheckReservedLock = forward<&M::xCheckReservedLock>;
  methods.xFileControl = forward<&M::xFileControl>;
  methods.xSectorSize = forward<&M::xSectorSize>;
  methods.xDeviceCharacteristics = forward<&M::xDeviceCharacteristics>;
  methods.xShmMap = forward<&M::xShmMap>;
  methods.xShmLock = forward<&M::xShmLock>;
  methods.xShmBarrier = barrier;
  methods.xShmUnmap = forward<&M::xShmUnmap>;
  return methods;
}();

int openFile(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags,
             int* outFlags) {
  auto* underlying = static_cast<sqlite3_vfs*>(vfs->pAppData);
  file->pMethods = nullptr;
  reinterpret_cast<FaultyFile*>(file)->path = name;
  if ((flags & SQLITE_OPEN_CREATE) != 0 && fails()) return SQLITE_CANTOPEN;
  const int code = underlying->xOpen(underlying, name, real(file), flags, outFlags);
  if (real(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return code;
}

class VfsFaultTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    environment_.sqliteVfs = faultyVfs();
    environment_.busyTimeoutMilliseconds = 100;
    vfsFaults() = {};
    unsyncedWrites().clear();
  }
  void TearDown() override {
    vfsFaults() = {};
    FolderTest::TearDown();
  }
  static std::vector<Archive::Put> batch() {
    std::vector<Archive::Put> puts;
    for (int number = 0; number < 20; ++number)
      puts.push_back({sampleRecord("new " + std::to_string(number)), content(number, 20'000, false),
                      std::nullopt});
    return puts;
  }
  ArchiveEnvironment environment_;
};

TEST_F(VfsFaultTest, WhateverFailsNothingAcknowledgedIsLostAndNothingIsHalfKept) {
  int failures = 0, successes = 0, lost = 0;
  for (const bool forever : {false, true}) {
    for (int failAt = 1;; failAt += 1 + failAt / 12) {
      const std::string folder = path("archive" + std::to_string(failAt) + (forever ? "f" : ""));
      vfsFaults() = {};
      {
        Archive archive = must(Archive::open(folder, Archive::Mode::kCreate, environment_));
        must(archive.put(sampleRecord("old"), content(1000, 5000), nullptr));
      }
      bool acknowledged = false;
      bool reached = false;
      {
        vfsFaults() = {0, failAt, forever};
        auto archive = Archive::open(folder, Archive::Mode::kReadWrite, environment_);
        if (archive) {
          auto puts = batch();
          const auto ids = archive->putAll(puts);
          acknowledged = ids.has_value();
          if (!ids) EXPECT_FALSE(ids.error().message.empty());
        }
        reached = vfsFaults().operations >= failAt;
      }
      vfsFaults() = {};
      if (forever) lost += cutVfsPower(static_cast<uint32_t>(failAt));
      Archive archive = must(Archive::open(folder, Archive::Mode::kReadWrite, environment_));
      EXPECT_EQ(must(archive.read(must(archive.find("old")).id)), content(1000, 5000));
      // A commit whose error came late may be kept, but only as a whole.
      const size_t kept = must(archive.list({})).size();
      EXPECT_TRUE(kept == 21 || (kept == 1 && !acknowledged)) << kept << " at " << failAt;
      auto puts = batch();
      must(archive.putAll(puts));
      for (const ArtifactRecord& record : must(archive.list({}))) must(archive.read(record.id));
      (acknowledged ? successes : failures)++;
      if (!reached) break;  // The call needs fewer operations.
    }
  }
  EXPECT_GT(failures, 20);
  EXPECT_GT(successes, 1);
  EXPECT_GT(lost, 50);  // Writes that the power cuts took.
}

}  // namespace

VfsFaults& vfsFaults() {
  static VfsFaults faults;
  return faults;
}

int cutVfsPower(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<UnsyncedWrite> writes = std::move(unsyncedWrites());
  unsyncedWrites().clear();
  int lost = 0;
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    const uint32_t fate = seed % 3 == 0 ? 0 : random() % 3;  // Sometimes all of them are lost.
    if (fate == 2) continue;                                 // It had reached the disk.
    std::fstream file(write->path, std::ios::in | std::ios::out | std::ios::binary);
    const size_t torn = fate == 1 ? write->before.size() / 2 : 0;
    file.seekp(write->offset + static_cast<std::streamoff>(torn));
    file.write(write->before.data() + torn,
               static_cast<std::streamsize>(write->before.size() - torn));
    ++lost;
  }
  return lost;
}

const char* faultyVfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs* underlying = sqlite3_vfs_find(nullptr);
    sqlite3_vfs wrapped = *underlying;
    wrapped.zName = "vintage-faulty";
    wrapped.pNext = nullptr;
    wrapped.pAppData = underlying;
    wrapped.szOsFile = static_cast<int>(sizeof(FaultyFile)) + underlying->szOsFile;
    wrapped.xOpen = openFile;
    return wrapped;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  return registered == SQLITE_OK ? vfs.zName : nullptr;
}

}  // namespace vintage::tests
