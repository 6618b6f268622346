// One transaction, and one sync, for what several threads of a process write at the same time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "archive/store/archive_implementation.h"
#include "archive/store/room.h"

namespace vintage::archive::store {

// Any thread. All archives that it is used with are opened on one folder.
//
// The first thread that comes writes; who comes while it does waits, and is written together with
// all others that wait by the first of them that wakes. SQLite has one writer at a time anyway,
// and lets the others poll.
class SharedCommit {
 public:
  // May run on another thread, while its own waits, and on that thread's archive.
  using Work = std::function<Status(Archive::Implementation& writer)>;

  // What a failed `work` wrote is undone, and what others wrote is not. Durable when it returns
  // success. Where the transaction itself fails, so does everything that was in it.
  Status run(Archive::Implementation& own, const Work& work);

 private:
  struct Waiting {
    const Work* work;
    Status result;
    bool done = false;
  };
  void lead(Archive::Implementation& writer, const std::vector<Waiting*>& group);

  std::mutex mutex_;
  std::condition_variable over_;
  bool led_ = false;
  std::vector<Waiting*> waiting_;
};

}  // namespace vintage::archive::store
