// The one way in which contents and artifacts' records are kept: together, in one transaction and
// with one sync, which several threads of a process may share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/content_reader.h"

namespace vintage::archive {

struct ContentBatch {
  std::span<const HashedContent> contents{};
  // Each names its `id` and, where it has one, its `golden`: contents of the
  // batch, or kept already.
  std::span<const ArtifactRecord> records{};
  // A lease that all contents join. Empty: one is made, for `duration`, over those
  // contents that no kept record of the batch names, if there are any.
  std::string_view lease{};
  std::string_view holder{};
  std::chrono::seconds duration{};
  // Leases whose holder begins so do not protect the contents of a kept record any longer.
  std::string_view endsLeasesOf{};
  // One more content, which is not in memory.
  const ContentSource* source = nullptr;
  // One refused record makes the whole batch fail.
  bool together = false;
  // Damaged content is written again whatever its row says; contents without a row are left out,
  // and no lease is made.
  bool heals = false;
};

struct BatchKept {
  // One for each record: why it was refused. kNotFound: a content that is not
  // kept; kConflict and kUsage as in Archive::putAll.
  std::vector<std::optional<Error>> refusals;
  std::optional<Lease> lease;  // The one that was made.
};

// Keeps all contents, and each record unless it is itself to blame. An Error
// means that nothing was kept: something is wrong with the archive, or
// (kNotFound) the named lease is gone. Durable when it returns.
Result<BatchKept> putBatch(Archive& archive, const ContentBatch& batch);

// A transaction in which batches are written (archive/store/archive_implementation.h).
struct BatchTransaction;

// The same in two steps, to keep several batches in one transaction. The caller owns the data that
// the batch's views refer to.
class PreparedBatch {
 public:
  // Packs what is not kept yet, and makes what becomes a file durable.
  static Result<PreparedBatch> prepare(Archive& archive, const ContentBatch& batch);

  bool isEmpty() const;
  // It may be repeated where the transaction was rolled back. Any archive of the same folder.
  Status keep(BatchTransaction& transaction);
  // After keep(), and the commit.
  BatchKept take();

 private:
  struct Parts;
  explicit PreparedBatch(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<Parts> parts_;
};

// Commits the work of many callers together. Any thread.
//
// Callers do not wait for a commit: a caller hands work over, goes on, and is called when the work
// is durable. One thread at a time writes, with one archive, whose pages stay in its memory; work
// that arrives meanwhile is written together afterwards. SQLite has one writer at a time anyway,
// and lets the others poll.
//
// Rejected: a savepoint around each work. SQLite copies every page that a savepoint changes into a
// file of its own, which cost more than the work. If one work fails, which is rare, all are undone
// and written again, then with savepoints.
class SharedCommit {
 public:
  // Inside the transaction; may run on another thread. It may run twice: its first writes are
  // undone then.
  using Work = std::function<Status(BatchTransaction& transaction)>;
  // The result of a work; on any thread, once.
  using Done = std::function<void(const Status&)>;
  // Calls its argument with the archive that writes, or fails.
  using WithWriter = std::function<Status(const std::function<Status(Archive&)>& use)>;

  explicit SharedCommit(WithWriter withWriter) : withWriter_(std::move(withWriter)) {}

  // Announces work, so that other work is written together with it, unless much of it waits
  // already. Its destructor withdraws the announcement if no work came.
  class Coming {
   public:
    explicit Coming(SharedCommit& commits);
    ~Coming();
    Coming(const Coming&) = delete;

   private:
    friend class SharedCommit;
    SharedCommit* commits_;
  };

  // A failed `work` is undone alone; if the transaction itself fails, so does every work in it. A
  // success is durable.
  //
  // It returns when the work is done, or when another thread will do it; it blocks while the queued
  // work holds too much memory (`bytes` for this one). It throws nothing once it took the work.
  void handOver(Work work, Done done, uint64_t bytes, Coming* coming = nullptr);
  // Waits until it is done.
  Status run(const Work& work);

 private:
  struct Waiting {
    Work work;
    Done done;
    uint64_t bytes;
    Status result;
  };
  bool isDue() const;  // Under the mutex.
  void lead(std::unique_lock<std::mutex>& lock);
  void write(std::vector<Waiting>& group);
  Result<bool> writeTogether(Archive& writer, std::vector<Waiting>& group);
  Status writeEach(Archive& writer, std::vector<Waiting>& group);

  const WithWriter withWriter_;
  std::mutex mutex_;
  std::condition_variable taken_;
  bool led_ = false;
  int coming_ = 0;
  uint64_t waitingBytes_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace vintage::archive
