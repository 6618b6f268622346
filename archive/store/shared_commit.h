// One transaction, and one sync, for what several threads of a process write at the same time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/batch_put.h"

namespace vintage::archive {

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
