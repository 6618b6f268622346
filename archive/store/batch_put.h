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
  // A record that is refused refuses the whole batch.
  bool together = false;
  // What is damaged here is written again whatever its row says; contents without a row are left
  // out, and no lease is made.
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

// The same in two steps, for what is kept together with other batches. What the batch's views are
// of stays the caller's.
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

// Any thread.
//
// Nobody waits for a commit: who hands work over goes on, and is called when it is durable. One
// thread at a time writes, with one archive, whose pages stay in its memory; what is handed over
// meanwhile is written together afterwards. SQLite has one writer at a time anyway, and lets the
// others poll.
//
// Rejected: a savepoint around each work. SQLite copies every page that a savepoint changes into a
// file of its own, which cost more than the work. Where one fails, which is rare, all are undone
// and written again, then with savepoints.
class SharedCommit {
 public:
  // Inside the transaction; may run on another thread, and twice: what it did the first time is
  // undone then.
  using Work = std::function<Status(BatchTransaction& transaction)>;
  // What became of it; on any thread, once.
  using Done = std::function<void(const Status&)>;
  // Calls what it is given with the archive that writes, or fails.
  using WithWriter = std::function<Status(const std::function<Status(Archive&)>& use)>;

  explicit SharedCommit(WithWriter withWriter) : withWriter_(std::move(withWriter)) {}

  // Somebody will hand over something soon: others are written together with it, unless there
  // are many of them already. Gone before it hands over, it says that nothing comes.
  class Coming {
   public:
    explicit Coming(SharedCommit& commits);
    ~Coming();
    Coming(const Coming&) = delete;

   private:
    friend class SharedCommit;
    SharedCommit* commits_;
  };

  // What a failed `work` wrote is undone, and what others wrote is not. Durable where it is done
  // with success. Where the transaction itself fails, so does everything that was in it.
  // Returns when it is done, or when somebody else will do it; waits where so much has been
  // handed over already that its memory (`bytes` for this one) has to be bounded. Once it took
  // the work it throws nothing.
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
