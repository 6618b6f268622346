// Open archives for the threads of a service: each is used by one thread at a
// time, and goes back when its loan ends.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "archive/archive.h"
#include "golden/result.h"

namespace vintage::service {

// Any thread. There are never more archives than threads that borrowed at once.
class ArchivePool {
 public:
  ArchivePool(std::string folder, ArchiveEnvironment environment)
      : folder_(std::move(folder)), environment_(environment) {}

  class Loan {
   public:
    Loan(Loan&&) noexcept = default;
    ~Loan() {
      if (archive_) pool_->giveBack(std::move(archive_));
    }
    Archive& operator*() const { return *archive_; }
    Archive* operator->() const { return archive_.get(); }

   private:
    friend class ArchivePool;
    Loan(ArchivePool* pool, std::unique_ptr<Archive> archive)
        : pool_(pool), archive_(std::move(archive)) {}
    ArchivePool* pool_;
    std::unique_ptr<Archive> archive_;
  };

  Result<Loan> borrow();
  const std::string& folder() const { return folder_; }

 private:
  void giveBack(std::unique_ptr<Archive> archive);
  static constexpr size_t kMostIdle = 8;  // Each keeps a cache of some megabytes.

  const std::string folder_;
  const ArchiveEnvironment environment_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Archive>> idle_;
};

}  // namespace vintage::service
