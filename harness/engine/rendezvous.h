// Where the processes of one run meet and leave messages for each other.
//
// Every process runs on a thread of its own and calls this with its own number.
// A run cannot hang here: as soon as every process that has not ended waits, the run fails, and the
// error says which process waits for what. After a failure no call waits, and every call gives an
// error.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/kernel.h"
#include "harness/engine/process_grid.h"

namespace vintage::harness {

using Payload = std::vector<Value>;

// Messages between the same two ends on the same channel arrive in the order in
// which they were sent. kAnyProcess: the first to come.
inline constexpr ProcessNumber kAnyProcess = -1;
struct ChannelRoute {
  std::string operation;  // Messages of different operations do not mix.
  int64_t channel = 0;
  ProcessNumber source = kAnyProcess, target = kAnyProcess;

  auto operator<=>(const ChannelRoute&) const = default;
};

class Rendezvous {
 public:
  explicit Rendezvous(const ProcessGrid& grid);
  Rendezvous(const Rendezvous&) = delete;

  // Waits until all members of `group` called this with the same group and
  // channel; gives what each of them brought, in the order of the group. `what`
  // says what they do ("stablehlo.all_reduce of f32[4]") and must be the same.
  Result<std::shared_ptr<const std::vector<Payload>>> meet(ProcessNumber process,
                                                           const ProcessGroup& group,
                                                           int64_t channel, const std::string& what,
                                                           Payload payload);

  // Does not wait.
  Status send(const ChannelRoute& route, Payload payload);
  Result<Payload> receive(ProcessNumber process, const ChannelRoute& route);

  // Once for each process, after its last exchange. The first error is the error of the run.
  void end(ProcessNumber process, const Status& status);

  // After all processes ended: the first error, or that of a message that no process received.
  Status outcome() const;
  // Processes check it between operations.
  const std::atomic<bool>& stopped() const { return stopped_; }

 private:
  enum class State { kRunning, kWaiting, kEnded };
  using MeetingKey = std::pair<int64_t, ProcessGroup>;

  struct Seat {
    std::condition_variable changed;  // Of this seat, or the run failed.
    State state = State::kRunning;
    std::string waitsFor;
    std::shared_ptr<const std::vector<Payload>> meeting;  // Set: the meeting took place.
    std::optional<Payload> message;                       // Set: it arrived.
  };
  struct Meeting {
    std::string what;
    ProcessNumber first = 0;  // The first to come.
    std::vector<std::optional<Payload>> payloads;
    size_t missing = 0;
  };

  Seat& seat(ProcessNumber process) { return seats_[static_cast<size_t>(process)]; }
  // With mutex_ held. wait() ends when the seat runs again or the run failed.
  Status wait(std::unique_lock<std::mutex>& lock, ProcessNumber process, std::string waitsFor);
  void resume(Seat& seat);
  void fail(Error error);
  void checkProgress();

  const ProcessGrid grid_;
  mutable std::mutex mutex_;
  std::vector<Seat> seats_;
  std::map<MeetingKey, Meeting> meetings_;
  std::map<ChannelRoute, std::deque<Payload>> messages_;
  std::map<ChannelRoute, std::deque<ProcessNumber>> receivers_;
  std::optional<Error> error_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace vintage::harness
