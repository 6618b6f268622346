// Open archives for the threads of a service: each is used by one thread at a
// time, and goes back when its loan ends.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/clock.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Any thread. There are never more archives than threads that borrowed at once.
class ArchivePool {
 public:
  ArchivePool(std::string folder, ArchiveEnvironment environment)
      : folder_(std::move(folder)),
        environment_(environment),
        clock_(environment.clock ? *environment.clock : systemClock()) {}

  struct Idle {
    std::unique_ptr<Archive> archive;
    std::chrono::steady_clock::time_point looked{};  // At its format.
  };
  struct GiveBack {
    ArchivePool* pool;
    std::vector<Idle>* shelf;
    std::chrono::steady_clock::time_point looked;
    void operator()(Archive* archive) const {
      pool->giveBack(*shelf, {std::unique_ptr<Archive>(archive), looked});
    }
  };
  using Loan = std::unique_ptr<Archive, GiveBack>;

  // kUnsupported where a newer Vintage has migrated the archive since it was opened.
  Result<Loan> borrow() { return borrowFrom(idle_); }
  // For the thread that writes most of the time: no other gets it, and its memory stays right while
  // nobody else writes.
  Result<Loan> borrowWriter() { return borrowFrom(idleWriter_); }

 private:
  Result<Loan> borrowFrom(std::vector<Idle>& shelf) {
    const auto now = clock_.steady();
    while (true) {
      Idle idle;
      {
        const std::lock_guard lock(mutex_);
        if (shelf.empty()) break;
        idle = std::move(shelf.back());
        shelf.pop_back();
      }
      if (now - idle.looked < kBetweenLooks)
        return Loan(idle.archive.release(), GiveBack{this, &shelf, idle.looked});
      // A newer Vintage may have migrated it meanwhile: opening checks.
      if (const auto format = idle.archive->format(); !format || *format != formatVersion())
        continue;
      return Loan(idle.archive.release(), GiveBack{this, &shelf, now});
    }
    ASSIGN_OR_RETURN(auto archive, Archive::open(folder_, Archive::Mode::kReadWrite, environment_));
    return Loan(new Archive(std::move(archive)), GiveBack{this, &shelf, now});
  }
  void giveBack(std::vector<Idle>& shelf, Idle archive) {
    // An archive opened on a full disk can only be read: the next one may find room.
    if (!archive.archive->checkWritable()) return;
    const std::lock_guard lock(mutex_);
    if (shelf.size() >= kMostIdle) return;
    // The one that was used last has the warmest cache.
    shelf.push_back(std::move(archive));
  }
  static constexpr std::chrono::milliseconds kBetweenLooks{100};
  static constexpr size_t kMostIdle = 10;  // Each keeps a cache of up to 16 MiB.

  const std::string folder_;
  const ArchiveEnvironment environment_;
  Clock& clock_;
  std::mutex mutex_;
  std::vector<Idle> idle_, idleWriter_;
};

}  // namespace vintage::archive
