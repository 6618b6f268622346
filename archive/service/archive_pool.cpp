#include "archive/service/archive_pool.h"

namespace vintage::service {

Result<ArchivePool::Loan> ArchivePool::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto archive = std::move(idle_.back());
      idle_.pop_back();
      return Loan(this, std::move(archive));
    }
  }
  auto archive = Archive::open(folder_, Archive::Mode::kReadWrite, environment_);
  if (!archive) return tl::unexpected(archive.error());
  return Loan(this, std::make_unique<Archive>(std::move(*archive)));
}

void ArchivePool::giveBack(std::unique_ptr<Archive> archive) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() >= kMostIdle) return;
  // The one that was used last has the warmest cache.
  idle_.push_back(std::move(archive));
}

}  // namespace vintage::service
