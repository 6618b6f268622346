// Which streams are sent: each token gets its turn, whichever asked first.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace vintage::archive {

// Divides the threads that send streams between clients. Any thread.
//
// There are as many turns as such threads. If all are taken, and a client with at least two turns
// fewer than the one with most asks for one, the latter loses a turn: the one that has not moved
// for longest, so a slow reader's. In the end all clients that ask have equally many turns, give or
// take one, in whatever order they came.
//
// Rejected: a share that shrinks with the number of clients that hold turns. The first client keeps
// all it took while it was alone, as long as it reads slowly. Rejected: turns that are kept free
// for others. They are not enough for the next client, and idle where nobody else asks.
class StreamTurns {
 public:
  class Turn {
   public:
    ~Turn() { turns_.giveBack(*this); }
    Turn(const Turn&) = delete;

    bool hasBegun() const { return state_.load() != State::kWaits; }
    // Somebody else has it now.
    bool hasEnded() const { return state_.load() == State::kEnded; }
    // The client took something.
    void moved() { moved_.store(turns_.moves_.fetch_add(1) + 1); }

   private:
    friend class StreamTurns;
    enum class State { kWaits, kBegun, kEnded };
    Turn(StreamTurns& turns, std::string who, std::function<void()> changed)
        : turns_(turns), who_(std::move(who)), changed_(std::move(changed)) {}

    StreamTurns& turns_;
    const std::string who_;
    const std::function<void()> changed_;
    std::atomic<State> state_{State::kWaits};
    std::atomic<uint64_t> moved_{0};
    std::list<Turn*>::iterator place_;
  };

  // `mostOfOne` limits those that wait, too.
  StreamTurns(int turns, int mostOfOne) : turns_(turns), mostOfOne_(mostOfOne) {}
  StreamTurns(const StreamTurns&) = delete;

  // Null where `who` has too many. `changed` is called, from any thread, when the turn has begun
  // and when it has ended; it must not call back.
  std::unique_ptr<Turn> take(const std::string& who, std::function<void()> changed) {
    const std::lock_guard lock(mutex_);
    Held& theirs = held_[who];
    if (theirs.all >= mostOfOne_) return nullptr;
    std::unique_ptr<Turn> turn(new Turn(*this, who, std::move(changed)));
    ++theirs.all;
    turn->place_ = all_.insert(all_.end(), turn.get());
    turn->moved();
    admit();
    return turn;
  }

 private:
  struct Held {
    int all = 0, begun = 0;
  };

  void giveBack(Turn& turn) {
    const std::lock_guard lock(mutex_);
    all_.erase(turn.place_);
    if (turn.state_ == Turn::State::kBegun) {
      --held_[turn.who_].begun;
      --begun_;
    }
    if (--held_[turn.who_].all == 0) held_.erase(turn.who_);
    admit();
  }

  void admit() {
    while (Turn* next = nextWaiting()) {
      if (begun_ >= turns_) {
        Turn* other = oneToEnd(held_[next->who_].begun + 2);
        if (other == nullptr) return;
        change(*other, Turn::State::kEnded, -1);
      }
      change(*next, Turn::State::kBegun, 1);
    }
  }

  // The waiting turn of the token with the fewest turns; of several, the first that asked.
  Turn* nextWaiting() {
    Turn* next = nullptr;
    for (Turn* turn : all_) {
      if (turn->state_ != Turn::State::kWaits) continue;
      if (next == nullptr || held_[turn->who_].begun < held_[next->who_].begun) next = turn;
    }
    return next;
  }

  // A turn of the token with most, if it has `beyond` or more.
  Turn* oneToEnd(int beyond) {
    Turn* last = nullptr;
    int most = beyond;
    for (Turn* turn : all_) {
      if (turn->state_ != Turn::State::kBegun) continue;
      const int theirs = held_[turn->who_].begun;
      if (theirs < most) continue;
      if (theirs > most || last == nullptr || turn->moved_ < last->moved_) last = turn;
      most = theirs;
    }
    return last;
  }

  void change(Turn& turn, Turn::State state, int begun) {
    turn.state_ = state;
    held_[turn.who_].begun += begun;
    begun_ += begun;
    turn.changed_();
  }

  const int turns_, mostOfOne_;
  std::atomic<uint64_t> moves_{0};
  std::mutex mutex_;
  // Under the mutex.
  int begun_ = 0;
  std::list<Turn*> all_;              // In the order of asking.
  std::map<std::string, Held> held_;  // Only clients with turns.
};

}  // namespace vintage::archive
