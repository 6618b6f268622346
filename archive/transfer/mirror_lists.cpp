#include "archive/transfer/mirror_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr size_t kStagedAtOnce = size_t{8} << 20;

std::string describeList(const TravellingList& list) {
  return fmt::format("list {} of {} by key {}", list.counter, list.date, list.key);
}

// Parts on their way into a place that may have most of them.
class Staging {
 public:
  Staging(Place* to, std::vector<ContentId>& parts) : to_(to), parts_(parts) {}

  Status add(Bytes part) {
    const ContentId id = contentHash(part);
    parts_.push_back(id);
    if (to_ == nullptr) return {};
    bytes_ += part.size();
    waiting_.emplace(id, std::move(part));
    return bytes_ < kStagedAtOnce ? Status() : flush();
  }
  Status flush() {
    if (waiting_.empty()) return {};
    std::vector<ContentId> ids;
    for (const auto& [id, part] : waiting_) ids.push_back(id);
    ASSIGN_OR_RETURN(const auto missing, to_->missing(ids));
    std::erase_if(waiting_, [&](const auto& part) { return !missing.contains(part.first); });
    bytes_ = 0;
    return waiting_.empty() ? Status() : to_->putContents(std::exchange(waiting_, {}));
  }

 private:
  Place* to_;
  std::vector<ContentId>& parts_;
  std::unordered_map<ContentId, Bytes> waiting_;
  size_t bytes_ = 0;
};

}  // namespace

tl::unexpected<Error> ListMirror::refuse(const std::string& problem,
                                         const std::string& next) const {
  return failure(Error::Kind::kMismatch,
                 fmt::format("{}: {}; nothing was copied: {}, or give --without-lists to copy what "
                             "it has without its word for it",
                             from_.name(), problem, next));
}

const TravellingList* ListMirror::sameKept(const TravellingList& list) const {
  const auto same = std::ranges::find_if(
      kept_, [&](const TravellingList& kept) { return kept.list == list.list; });
  return same == kept_.end() ? nullptr : &*same;
}

Status ListMirror::check() {
  if (!options_.lists) return {};
  ASSIGN_OR_RETURN(offered_, from_.lists());
  if (to_ != nullptr) {
    ASSIGN_OR_RETURN(kept_, to_->lists());
  }
  if (offered_.empty() && options_.trustedKey != nullptr)
    return refuse(fmt::format("it has no signed list, and key {} was asked for",
                              options_.trustedKey->fingerprint()),
                  "run 'vintage sign' at the source");
  RETURN_IF_ERROR(checkSources());
  for (const TravellingList& list : offered_) RETURN_IF_ERROR(checkList(list));
  if (options_.trustedKey != nullptr && accepted_.empty())
    return refuse(summary_.listsLeftOut.front(), "look at 'vintage key list' at the source");
  RETURN_IF_ERROR(checkPins());
  if (options_.trustedKey != nullptr && accepted_.size() == 1) {
    const TravellingList& list = accepted_.front();
    summary_.seen = list;
  }
  return {};
}

// A place that had a history has it still. Of a folder the name says nothing: other machines have
// one of that name.
Status ListMirror::checkSources() const {
  if (from_.kind() == PlaceKind::kFolder) return {};
  for (const TravellingList& kept : kept_) {
    if (kept.source != options_.source) continue;
    if (std::ranges::any_of(
            offered_, [&](const TravellingList& list) { return list.history == kept.history; }))
      continue;
    ASSIGN_OR_RETURN(const bool counts, countsUnderKey(kept));
    if (!counts) continue;
    return refuse(fmt::format("{} came from it to {} before, and now it has {}", describeList(kept),
                              to_->name(), offered_.empty() ? "no signed list" : "another history"),
                  "ask who keeps it why");
  }
  return {};
}

Status ListMirror::stage(const TravellingList& list, ListCheck& check,
                         std::vector<ContentId>& parts) {
  Staging staging(options_.dryRun ? nullptr : to_, parts);
  ListParts cut([&](Bytes part) { return staging.add(std::move(part)); });
  RETURN_IF_ERROR(from_.readList(list, [&](const nlohmann::json& line) -> Status {
    RETURN_IF_ERROR(check.add(line));
    return cut.add(line);
  }));
  RETURN_IF_ERROR(cut.finish());
  return staging.flush();
}

Status ListMirror::checkList(TravellingList list) {
  const bool wasChecked =
      std::ranges::any_of(options_.pins, [&](const Pin& pin) { return pin.list == list.list; }) ||
      (options_.trustedKey == nullptr && options_.pins.empty());
  if (const TravellingList* same = sameKept(list); same != nullptr && wasChecked) {
    list.parts = same->parts;
    accepted_.push_back(std::move(list));
    problemsOfPins_.emplace_back(options_.pins.size());
    return {};
  }
  ASSIGN_OR_RETURN(const auto check, ListCheck::make());
  std::vector<ContentId> parts;
  RETURN_IF_ERROR(stage(list, *check, parts));
  ASSIGN_OR_RETURN(std::string problem, check->problemOf(list, options_.trustedKey));
  if (!problem.empty()) {
    problem = fmt::format("{} does not hold: {}", describeList(list), problem);
    if (options_.trustedKey == nullptr)
      return refuse(problem, "run 'vintage fsck --public-key' at the source");
    summary_.listsLeftOut.push_back(std::move(problem));
    return {};
  }
  ASSIGN_OR_RETURN(problem, problemWithKept(list, *check));
  if (!problem.empty())
    return refuse(problem, "copy from a place that has the newest list, or ask who signs it");
  const TravellingList* same = sameKept(list);
  list.parts = same != nullptr && same->parts.empty() ? std::vector<ContentId>() : parts;
  accepted_.push_back(std::move(list));
  std::vector<std::string>& problems = problemsOfPins_.emplace_back();
  for (const Pin& pin : options_.pins) problems.push_back(check->rollback(pin));
  return {};
}

// Whether a kept list is in the way of others: with a key, only what that key signed.
Result<bool> ListMirror::countsUnderKey(const TravellingList& kept) const {
  if (options_.trustedKey == nullptr) return true;
  ASSIGN_OR_RETURN(const auto check, ListCheck::make());
  RETURN_IF_ERROR(
      to_->readList(kept, [&](const nlohmann::json& line) { return check->add(line); }));
  ASSIGN_OR_RETURN(const auto problem, check->problemOf(kept, options_.trustedKey));
  return problem.empty();
}

// Why the list is not what follows what the destination has; empty where it is, or is there.
Result<std::string> ListMirror::problemWithKept(const TravellingList& list,
                                                const ListCheck& check) {
  for (const TravellingList& kept : kept_) {
    if (kept.history != list.history || check.chain().contains(kept.list)) continue;
    ListChain chain;
    RETURN_IF_ERROR(
        to_->readList(kept, [&](const nlohmann::json& line) { return chain.add(line); }));
    const bool isOlder = chain.contains(list.list);
    if (isOlder && kept.parts.empty()) continue;  // The destination's own history.
    ASSIGN_OR_RETURN(const bool counts, countsUnderKey(kept));
    if (!counts) continue;
    return isOlder ? fmt::format(
                         "{} is older than {}, which {} has already: it shows an older "
                         "state",
                         describeList(list), describeList(kept), to_->name())
                   : fmt::format(
                         "{} is not what followed {}, which {} has: the history was "
                         "written anew",
                         describeList(list), describeList(kept), to_->name());
  }
  return std::string();
}

// What was seen of the source before is still there, in one of its lists.
Status ListMirror::checkPins() const {
  for (size_t pin = 0; pin < options_.pins.size(); ++pin) {
    std::string first;
    bool holds = false;
    for (size_t at = 0; at < accepted_.size(); ++at) {
      const std::string& problem = problemsOfPins_[at][pin];
      holds |= problem.empty();
      if (first.empty()) first = fmt::format("{}: {}", describeList(accepted_[at]), problem);
    }
    if (holds) continue;
    if (accepted_.empty())
      first = fmt::format("list {} of {} was seen there before, and now it has none",
                          options_.pins[pin].counter, options_.pins[pin].date);
    return refuse(first, "ask who keeps it why");
  }
  return {};
}

Status ListMirror::send(bool whole) {
  for (TravellingList& list : accepted_) {
    const TravellingList* same = sameKept(list);
    if (same != nullptr && (same->parts.empty() || same->whole || !whole)) {
      ++summary_.lists.there;
      continue;
    }
    ++summary_.lists.sent;
    if (options_.dryRun) continue;
    // What the source has from others keeps the name of where it began.
    if (list.source.empty()) list.source = options_.source;
    list.whole = list.whole && whole;
    const Status put = to_->putList(list);
    if (!put && put.error().kind != Error::Kind::kUnsupported) return put;
    if (put) continue;
    --summary_.lists.sent;
    summary_.listsLeftOut.push_back(put.error().message);
  }
  return {};
}

}  // namespace vintage::archive
