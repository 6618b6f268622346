// What requests under way may take together of something scarce, and how much of
// it one of those who ask: bytes of memory, turns on a thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace vintage::archive {

// Nobody takes more than three times what is left for all others: one has up to three quarters, two
// up to three sevenths each, and there is always something for who comes next (the dynamic
// threshold of Choudhury and Hahne, 1998, for switches with one memory). Any thread.
class Budget {
 public:
  // `gauge`, where there is one, counts along.
  explicit Budget(int64_t limit, std::atomic<int64_t>* gauge = nullptr)
      : limit_(limit), gauge_(gauge) {}
  Budget(const Budget&) = delete;

 private:
  friend class BudgetShare;

  // `taken`: what the same request has taken before.
  bool take(const std::string& who, int64_t amount, int64_t taken) {
    const std::lock_guard lock(mutex_);
    int64_t& theirs = byWho_[who];
    const int64_t left = limit_ - all_ - amount;
    // Of few turns three times what is left may be nothing: the last is for who has none.
    const bool within = left >= 0 && theirs + amount <= std::max<int64_t>(1, 3 * left);
    // What is alone is let through: a content may be larger than the limit.
    if (!within && all_ > taken) {
      if (theirs == 0) byWho_.erase(who);
      return false;
    }
    all_ += amount;
    theirs += amount;
    if (gauge_ != nullptr) gauge_->fetch_add(amount);
    return true;
  }
  void giveBack(const std::string& who, int64_t amount) {
    const std::lock_guard lock(mutex_);
    all_ -= amount;
    const auto theirs = byWho_.find(who);
    if ((theirs->second -= amount) == 0) byWho_.erase(theirs);
    if (gauge_ != nullptr) gauge_->fetch_sub(amount);
  }

  const int64_t limit_;
  std::atomic<int64_t>* const gauge_;
  std::mutex mutex_;
  int64_t all_ = 0;
  std::map<std::string, int64_t> byWho_;  // Nobody who has nothing.
};

// What one request has taken; given back when it ends. One thread at a time.
class BudgetShare {
 public:
  BudgetShare(Budget& budget, std::string who) : budget_(budget), who_(std::move(who)) {}
  ~BudgetShare() {
    if (taken_ > 0) budget_.giveBack(who_, taken_);
  }
  BudgetShare(const BudgetShare&) = delete;

  // False where it would be too much; then nothing more was taken.
  bool grow(uint64_t amount) {
    if (amount == 0) return true;
    if (!budget_.take(who_, static_cast<int64_t>(amount), taken_)) return false;
    taken_ += static_cast<int64_t>(amount);
    return true;
  }

 private:
  Budget& budget_;
  const std::string who_;
  int64_t taken_ = 0;
};

}  // namespace vintage::archive
