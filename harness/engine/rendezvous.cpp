#include "harness/engine/rendezvous.h"

#include <algorithm>

#include "golden/base/failures.h"

namespace vintage::harness {

Rendezvous::Rendezvous(const ProcessGrid& grid)
    : grid_(grid), seats_(static_cast<size_t>(grid.count())) {}

Result<std::shared_ptr<const std::vector<Payload>>> Rendezvous::meet(ProcessNumber process,
                                                                     const ProcessGroup& group,
                                                                     int64_t channel,
                                                                     const std::string& what,
                                                                     Payload payload) {
  const auto place = std::ranges::find(group, process);
  if (place == group.end())
    return badInput("the process is not in the group {}", describe(grid_, group));
  std::unique_lock lock(mutex_);
  if (error_) return tl::unexpected(*error_);
  const MeetingKey key{channel, group};
  auto [entry, isNew] = meetings_.try_emplace(key);
  Meeting& meeting = entry->second;
  if (isNew) {
    meeting.what = what;
    meeting.first = process;
    meeting.payloads.resize(group.size());
    meeting.missing = group.size();
  } else if (meeting.what != what) {
    fail({Error::Kind::kBadInput,
          fmt::format("the processes do different things on channel {}: {} has come to {}, and {} "
                      "to {}",
                      channel, describe(grid_, meeting.first), meeting.what,
                      describe(grid_, process), what)});
    return tl::unexpected(*error_);
  }
  meeting.payloads[static_cast<size_t>(place - group.begin())] = std::move(payload);
  if (--meeting.missing == 0) {
    auto all = std::make_shared<std::vector<Payload>>();
    for (auto& each : meeting.payloads) all->push_back(std::move(*each));
    meetings_.erase(entry);
    for (const ProcessNumber member : group) {
      if (member == process) continue;
      seat(member).meeting = all;
      resume(seat(member));
    }
    return std::shared_ptr<const std::vector<Payload>>(std::move(all));
  }
  RETURN_IF_ERROR(wait(
      lock, process,
      fmt::format("{} with the group {} on channel {}", what, describe(grid_, group), channel)));
  return std::move(seat(process).meeting);
}

Status Rendezvous::send(const ChannelRoute& route, Payload payload) {
  const std::lock_guard lock(mutex_);
  if (error_) return tl::unexpected(*error_);
  const auto waiting = receivers_.find(route);
  if (waiting == receivers_.end()) {
    messages_[route].push_back(std::move(payload));
    return {};
  }
  Seat& receiver = seat(waiting->second.front());
  waiting->second.pop_front();
  if (waiting->second.empty()) receivers_.erase(waiting);
  receiver.message = std::move(payload);
  resume(receiver);
  return {};
}

Result<Payload> Rendezvous::receive(ProcessNumber process, const ChannelRoute& route) {
  std::unique_lock lock(mutex_);
  if (error_) return tl::unexpected(*error_);
  if (const auto found = messages_.find(route); found != messages_.end()) {
    Payload payload = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) messages_.erase(found);
    return payload;
  }
  receivers_[route].push_back(process);
  RETURN_IF_ERROR(
      wait(lock, process,
           fmt::format("{} on channel {}{}", route.operation, route.channel,
                       route.source == kAnyProcess ? std::string()
                                                   : " from " + describe(grid_, route.source))));
  Payload payload = std::move(*seat(process).message);
  seat(process).message.reset();
  return payload;
}

Status Rendezvous::wait(std::unique_lock<std::mutex>& lock, ProcessNumber process,
                        std::string waitsFor) {
  Seat& mine = seat(process);
  mine.state = State::kWaiting;
  mine.waitsFor = std::move(waitsFor);
  checkProgress();
  mine.changed.wait(lock, [&] { return mine.state == State::kRunning || error_; });
  if (mine.state == State::kRunning) return {};
  return tl::unexpected(*error_);
}

// The process that brings the awaited payload marks the seat as running before its thread wakes up,
// so a process that is about to go on never counts as waiting.
void Rendezvous::resume(Seat& seat) {
  seat.state = State::kRunning;
  seat.changed.notify_one();
}

void Rendezvous::fail(Error error) {
  if (error_) return;
  error_ = std::move(error);
  stopped_ = true;
  for (Seat& seat : seats_) seat.changed.notify_one();
}

void Rendezvous::checkProgress() {
  std::string waiting, ended;
  for (size_t i = 0; i < seats_.size(); ++i) {
    const std::string name = describe(grid_, static_cast<ProcessNumber>(i));
    if (seats_[i].state == State::kRunning) return;
    if (seats_[i].state == State::kWaiting)
      waiting += fmt::format("\n  {} waits for {}", name, seats_[i].waitsFor);
    else
      ended += fmt::format("\n  {} has ended", name);
  }
  if (waiting.empty()) return;
  fail({Error::Kind::kBadInput,
        fmt::format("no process can go on, for each waits for one that does not come:{}{}", waiting,
                    ended)});
}

void Rendezvous::end(ProcessNumber process, const Status& status) {
  const std::lock_guard lock(mutex_);
  seat(process).state = State::kEnded;
  if (!status) {
    Error error = status.error();
    error.message = fmt::format("{}: {}", describe(grid_, process), error.message);
    fail(std::move(error));
  }
  checkProgress();
}

Status Rendezvous::outcome() const {
  const std::lock_guard lock(mutex_);
  if (error_) return tl::unexpected(*error_);
  if (messages_.empty()) return {};
  const ChannelRoute& route = messages_.begin()->first;
  return badInput(
      "{} messages of {} on channel {}{} were never received", messages_.begin()->second.size(),
      route.operation, route.channel,
      route.target == kAnyProcess ? std::string() : " for " + describe(grid_, route.target));
}

}  // namespace vintage::harness
