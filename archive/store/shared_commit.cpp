#include "archive/store/batch_put.h"

#include <exception>
#include <future>
#include <memory>
#include <utility>

#include "archive/store/archive_implementation.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// This many works are written without waiting for announced ones: a transaction of them costs
// little more for each than a longer one.
constexpr size_t kEnough = 64;
// Callers block when this many works, or bytes, are queued.
constexpr size_t kMostWaiting = 2 * kEnough;
constexpr uint64_t kMostWaitingBytes = uint64_t{16} << 20;

}  // namespace

SharedCommit::Coming::Coming(SharedCommit& commits) : commits_(&commits) {
  const std::lock_guard lock(commits.mutex_);
  ++commits.coming_;
}

SharedCommit::Coming::~Coming() {
  if (commits_ == nullptr) return;
  std::unique_lock lock(commits_->mutex_);
  --commits_->coming_;
  commits_->lead(lock);
}

bool SharedCommit::isDue() const {
  return !waiting_.empty() &&
         (coming_ == 0 || waiting_.size() >= kEnough || waitingBytes_ >= kMostWaitingBytes);
}

// Whether a work failed, so that nothing was written.
Result<bool> SharedCommit::writeTogether(Archive& writer, std::vector<Waiting>& group) {
  bool failed = false;
  const Status status =
      writer.implementation().inBatchTransaction([&](BatchTransaction& transaction) -> Status {
        for (Waiting& each : group) {
          each.result = each.work(transaction);
          failed = !each.result;
          if (failed) return each.result;
        }
        return {};
      });
  if (!status && !failed) return tl::unexpected(status.error());
  return failed;
}

Status SharedCommit::writeEach(Archive& writer, std::vector<Waiting>& group) {
  Archive::Implementation& self = writer.implementation();
  return self.inTransaction([&]() -> Status {
    for (Waiting& each : group) {
      RETURN_IF_ERROR(self.database->execute("SAVEPOINT one_of_many"));
      each.result = self.inBatchTransaction(each.work);
      if (!each.result) RETURN_IF_ERROR(self.database->execute("ROLLBACK TO one_of_many"));
      RETURN_IF_ERROR(self.database->execute("RELEASE one_of_many"));
    }
    return {};
  });
}

void SharedCommit::write(std::vector<Waiting>& group) {
  Status committed;
  try {
    committed = withWriter_([&](Archive& writer) -> Status {
      ASSIGN_OR_RETURN(const bool failed, writeTogether(writer, group));
      return failed && group.size() > 1 ? writeEach(writer, group) : Status();
    });
  } catch (const std::exception& exception) {
    committed = failure(Error::Kind::kResource,
                        std::string("the write was broken off: ") + exception.what());
  }
  if (committed) return;
  for (Waiting& each : group) each.result = committed;
}

// Writes the work that is due, and calls its owners while others may write.
void SharedCommit::lead(std::unique_lock<std::mutex>& lock) {
  while (!led_ && isDue()) {
    led_ = true;
    std::vector<Waiting> group = std::exchange(waiting_, {});
    waitingBytes_ = 0;
    lock.unlock();
    taken_.notify_all();
    write(group);
    lock.lock();
    led_ = false;
    const bool more = isDue();
    lock.unlock();
    if (more) taken_.notify_all();
    for (Waiting& each : group) {
      try {
        each.done(each.result);
      } catch (const std::exception&) {
        // It is durable, or not; a client that got no answer asks again.
      }
    }
    group.clear();
    lock.lock();
  }
}

void SharedCommit::handOver(Work work, Done done, uint64_t bytes, Coming* coming) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] {
    return !led_ || (waiting_.size() < kMostWaiting && waitingBytes_ < kMostWaitingBytes);
  });
  waiting_.push_back(
      {std::move(work), std::move(done), bytes, noResource("the write was broken off")});
  waitingBytes_ += bytes;
  if (coming != nullptr && std::exchange(coming->commits_, nullptr) != nullptr) --coming_;
  lead(lock);
}

Status SharedCommit::run(const Work& work) {
  const auto done = std::make_shared<std::promise<Status>>();
  auto result = done->get_future();
  handOver(work, [done](const Status& status) { done->set_value(status); }, 0);
  return result.get();
}

}  // namespace vintage::archive
