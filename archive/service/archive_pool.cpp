#include "archive/service/archive_pool.h"

#include "archive/store/schema.h"

namespace vintage::archive::service {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};

}  // namespace

Result<ArchivePool::Loan> ArchivePool::borrowFrom(std::vector<Idle>& shelf) {
  const auto now = clock_.steady();
  while (true) {
    Idle idle;
    {
      const std::lock_guard lock(mutex_);
      if (shelf.empty()) break;
      idle = std::move(shelf.back());
      shelf.pop_back();
    }
    if (now - idle.looked < kBetweenLooks) return Loan(this, shelf, std::move(idle));
    // A newer Vintage may have migrated it meanwhile: opening checks.
    if (const auto format = idle.archive->format(); !format || *format != formatVersion()) continue;
    idle.looked = now;
    return Loan(this, shelf, std::move(idle));
  }
  ASSIGN_OR_RETURN(auto archive, Archive::open(folder_, Archive::Mode::kReadWrite, environment_));
  return Loan(this, shelf, Idle{std::make_unique<Archive>(std::move(archive)), now});
}

void ArchivePool::giveBack(std::vector<Idle>& shelf, Idle archive) {
  const std::lock_guard lock(mutex_);
  if (shelf.size() >= kMostIdle) return;
  // The one that was used last has the warmest cache.
  shelf.push_back(std::move(archive));
}

}  // namespace vintage::archive::service
