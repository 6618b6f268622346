// Small contents that were read and verified a moment ago.
//
// Content never changes, but it may be collected: an entry serves for
// kFresh and is then read, and verified, from the disk again.
#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "archive/service/exchange.h"
#include "archive/store/content_reader.h"
#include "archive/store/records.h"

namespace vintage::archive {

// Any thread.
class ContentCache {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr auto kFresh = std::chrono::seconds(5);
  static constexpr size_t kLargestContent = 64 * 1024;
  static constexpr size_t kMostBytes = size_t{32} << 20;

  struct Entry {
    KeptContent kept;
    SharedBytes bytes;
  };
  std::optional<Entry> find(const ContentId& id, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const auto found = byId_.find(id);
    if (found == byId_.end()) return std::nullopt;
    if (now - found->second->read < kFresh) return found->second->entry;
    remove(found->second);
    return std::nullopt;
  }
  // Drops what was read longest ago where there is too much.
  void add(const ContentId& id, Entry entry, TimePoint now) {
    if (entry.bytes->size() > kLargestContent) return;
    const std::lock_guard lock(mutex_);
    if (const auto found = byId_.find(id); found != byId_.end()) remove(found->second);
    bytes_ += entry.bytes->size();
    held_.push_front({id, std::move(entry), now});
    byId_.emplace(id, held_.begin());
    while (bytes_ > kMostBytes) remove(std::prev(held_.end()));
  }

 private:
  struct Held {
    ContentId id;
    Entry entry;
    TimePoint read;
  };
  void remove(std::list<Held>::iterator held) {
    bytes_ -= held->entry.bytes->size();
    byId_.erase(held->id);
    held_.erase(held);
  }

  std::mutex mutex_;
  std::list<Held> held_;  // The one that was read last comes first.
  std::unordered_map<ContentId, std::list<Held>::iterator> byId_;
  size_t bytes_ = 0;
};

}  // namespace vintage::archive
