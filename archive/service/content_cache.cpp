#include "archive/service/content_cache.h"

namespace vintage::archive::service {

std::optional<ContentCache::Entry> ContentCache::find(const ContentId& id, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const auto found = byId_.find(id);
  if (found == byId_.end()) return std::nullopt;
  if (now - found->second->read < kFresh) return found->second->entry;
  remove(found->second);
  return std::nullopt;
}

void ContentCache::add(const ContentId& id, Entry entry, TimePoint now) {
  if (entry.bytes->size() > kLargestContent) return;
  const std::lock_guard lock(mutex_);
  if (const auto found = byId_.find(id); found != byId_.end()) remove(found->second);
  bytes_ += entry.bytes->size();
  held_.push_front({id, std::move(entry), now});
  byId_.emplace(id, held_.begin());
  while (bytes_ > kMostBytes) remove(std::prev(held_.end()));
}

void ContentCache::remove(std::list<Held>::iterator held) {
  bytes_ -= held->entry.bytes->size();
  byId_.erase(held->id);
  held_.erase(held);
}

}  // namespace vintage::archive::service
