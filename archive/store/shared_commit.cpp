#include "archive/store/shared_commit.h"

#include <utility>

#include "golden/base/failures.h"

namespace vintage::archive::store {
namespace {

Status runAlone(Database& database, const SharedCommit::Work& work, Archive::Implementation& writer,
                Status& result) {
  RETURN_IF_ERROR(database.execute("SAVEPOINT one_of_many"));
  result = work(writer);
  if (!result) RETURN_IF_ERROR(database.execute("ROLLBACK TO one_of_many"));
  return database.execute("RELEASE one_of_many");
}

}  // namespace

void SharedCommit::lead(Archive::Implementation& writer, const std::vector<Waiting*>& group) {
  const Status committed = writer.inTransaction([&]() -> Status {
    if (group.size() == 1) return group.front()->result = (*group.front()->work)(writer);
    for (Waiting* each : group)
      RETURN_IF_ERROR(runAlone(*writer.database, *each->work, writer, each->result));
    return {};
  });
  if (committed) return;
  for (Waiting* each : group) each->result = committed;
}

Status SharedCommit::run(Archive::Implementation& own, const Work& work) {
  Waiting mine{&work, failure(Error::Kind::kResource, "the write was broken off")};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&mine);
  over_.wait(lock, [&] { return mine.done || !led_; });
  if (mine.done) return mine.result;
  led_ = true;
  const std::vector<Waiting*> group = std::exchange(waiting_, {});
  // Also where something throws: nobody waits for ever.
  struct Over {
    ~Over() {
      lock.lock();
      for (Waiting* each : group) each->done = true;
      led = false;
      over.notify_all();
    }
    std::unique_lock<std::mutex>& lock;
    const std::vector<Waiting*>& group;
    bool& led;
    std::condition_variable& over;
  };
  {
    const Over over{lock, group, led_, over_};
    lock.unlock();
    lead(own, group);
  }
  return mine.result;
}

}  // namespace vintage::archive::store
