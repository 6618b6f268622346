#include "archive/service/stream_turns.h"

#include <utility>

namespace vintage::archive {

std::unique_ptr<StreamTurns::Turn> StreamTurns::take(const std::string& who,
                                                     std::function<void()> told) {
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

void StreamTurns::giveBack(Turn& turn) {
  const std::lock_guard lock(mutex_);
  all_.erase(turn.place_);
  if (turn.state_ == Turn::State::kBegun) {
    --held_[turn.who_].begun;
    --begun_;
  }
  if (--held_[turn.who_].all == 0) held_.erase(turn.who_);
  admit();
}

// Whose token has the fewest turns; of several who asked first.
StreamTurns::Turn* StreamTurns::nextWaiting() {
  Turn* next = nullptr;
  for (Turn* turn : all_) {
    if (turn->state_ != Turn::State::kWaits) continue;
    if (next == nullptr || held_[turn->who_].begun < held_[next->who_].begun) next = turn;
  }
  return next;
}

// Of who has most, where that is `beyond` or more.
StreamTurns::Turn* StreamTurns::oneToEnd(int beyond) {
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

void StreamTurns::change(Turn& turn, Turn::State state, int begun) {
  turn.state_ = state;
  held_[turn.who_].begun += begun;
  begun_ += begun;
  turn.told_();
}

void StreamTurns::admit() {
  while (Turn* next = nextWaiting()) {
    if (begun_ >= turns_) {
      Turn* other = oneToEnd(held_[next->who_].begun + 2);
      if (other == nullptr) return;
      change(*other, Turn::State::kEnded, -1);
    }
    change(*next, Turn::State::kBegun, 1);
  }
}

}  // namespace vintage::archive
