// Whose streams are sent: a token that asks has its turn, whoever asked before.
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

// Any thread.
//
// There are as many turns as threads that send streams. Where they are all taken and somebody asks
// who has at least two fewer than the one who has most, that one loses a turn: the one of his
// that moved longest ago, which a slow reader's is. So in the end all who ask have equally many,
// give or take one, in whatever order they came.
//
// Rejected: a share that shrinks with the number of those who hold turns. Who came first keeps what
// he took when he was alone, as long as he reads slowly. Rejected: turns that are kept free for
// others. They are not enough for the next one, and idle where nobody else asks.
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
    Turn(StreamTurns& turns, std::string who, std::function<void()> told)
        : turns_(turns), who_(std::move(who)), told_(std::move(told)) {}

    StreamTurns& turns_;
    const std::string who_;
    const std::function<void()> told_;
    std::atomic<State> state_{State::kWaits};
    std::atomic<uint64_t> moved_{0};
    std::list<Turn*>::iterator place_;
  };

  // `mostOfOne`: also of those that wait.
  StreamTurns(int turns, int mostOfOne) : turns_(turns), mostOfOne_(mostOfOne) {}
  StreamTurns(const StreamTurns&) = delete;

  // Null where `who` has too many. `told` is called, from any thread, when the turn has begun and
  // when it has ended; it must not call back.
  std::unique_ptr<Turn> take(const std::string& who, std::function<void()> told) {
    const std::lock_guard lock(mutex_);
    Held& theirs = held_[who];
    if (theirs.all >= mostOfOne_) return nullptr;
    std::unique_ptr<Turn> turn(new Turn(*this, who, std::move(told)));
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

  // Whose token has the fewest turns; of several who asked first.
  Turn* nextWaiting() {
    Turn* next = nullptr;
    for (Turn* turn : all_) {
      if (turn->state_ != Turn::State::kWaits) continue;
      if (next == nullptr || held_[turn->who_].begun < held_[next->who_].begun) next = turn;
    }
    return next;
  }

  // Of who has most, where that is `beyond` or more.
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
    turn.told_();
  }

  const int turns_, mostOfOne_;
  std::atomic<uint64_t> moves_{0};
  std::mutex mutex_;
  // Under the mutex.
  int begun_ = 0;
  std::list<Turn*> all_;              // Who asked first comes first.
  std::map<std::string, Held> held_;  // Nobody who has nothing.
};

}  // namespace vintage::archive
