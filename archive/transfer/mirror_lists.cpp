#include "archive/transfer/mirror_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {
namespace {

constexpr size_t kLinesInPart = 2000;
constexpr size_t kStagedAtOnce = size_t{8} << 20;

// Cuts the lines of a list into parts, on their way into a place that may have most of them. The
// same lines give the same parts.
class ListParts {
 public:
  // Null: they are only cut.
  explicit ListParts(Place* to) : to_(to) {}

  Status add(const nlohmann::json& line) {
    const std::string group = textIn(line, "kind") + textIn(line, "date");
    if (lines_ == kLinesInPart || (lines_ > 0 && group != group_)) RETURN_IF_ERROR(endPart());
    group_ = group;
    text_ += jsonText(line);
    text_ += '\n';
    ++lines_;
    return {};
  }

  // All parts are there.
  Result<std::vector<ContentId>> finish() {
    RETURN_IF_ERROR(endPart());
    RETURN_IF_ERROR(put());
    return std::move(parts_);
  }

 private:
  Status endPart() {
    if (lines_ == 0) return {};
    lines_ = 0;
    const auto bytes = std::as_bytes(std::span(text_));
    const ContentId& id = parts_.emplace_back(contentHash(bytes));
    if (to_ != nullptr) {
      bytes_ += bytes.size();
      waiting_.emplace(id, Bytes(bytes.begin(), bytes.end()));
    }
    text_.clear();
    return bytes_ < kStagedAtOnce ? Status() : put();
  }

  Status put() {
    if (waiting_.empty()) return {};
    std::vector<ContentId> ids;
    for (const auto& [id, part] : waiting_) ids.push_back(id);
    ASSIGN_OR_RETURN(const auto missing, to_->missing(ids));
    std::erase_if(waiting_, [&](const auto& part) { return !missing.contains(part.first); });
    bytes_ = 0;
    return waiting_.empty() ? Status() : to_->putContents(std::exchange(waiting_, {}));
  }

  Place* to_;
  std::string text_, group_;
  size_t lines_ = 0;
  std::vector<ContentId> parts_;
  std::unordered_map<ContentId, Bytes> waiting_;
  size_t bytes_ = 0;  // That wait.
};

// Carries signed lists.
class ListMirror : Mirroring {
 public:
  explicit ListMirror(const Mirroring& mirroring) : Mirroring(mirroring) {}

  Status check() {
    if (!options.lists) return {};
    ASSIGN_OR_RETURN(offered_, from.lists());
    if (to != nullptr) {
      ASSIGN_OR_RETURN(kept_, to->lists());
    }
    if (offered_.empty() && options.trustedKey != nullptr)
      return refuse(fmt::format("it has no signed list, and key {} was asked for",
                                options.trustedKey->fingerprint()),
                    "run 'vintage sign' at the source");
    RETURN_IF_ERROR(checkSources());
    for (const TravellingList& list : offered_) RETURN_IF_ERROR(checkList(list));
    if (options.trustedKey != nullptr && accepted_.empty())
      return refuse(summary.listsLeftOut.front(), "look at 'vintage key list' at the source");
    RETURN_IF_ERROR(checkPins());
    if (options.trustedKey != nullptr && accepted_.size() == 1) summary.seen = accepted_.front();
    return {};
  }

  Status send(bool whole) {
    for (TravellingList& list : accepted_) {
      const TravellingList* same = sameKept(list);
      if (same != nullptr && (same->parts.empty() || same->whole || !whole)) {
        ++summary.lists.there;
        continue;
      }
      ++summary.lists.sent;
      if (options.dryRun) continue;
      // A list that the source has from elsewhere keeps the name of its origin.
      if (list.source.empty()) list.source = options.source;
      list.whole = list.whole && whole;
      const Status put = to->putList(list);
      if (!put && put.error().kind != Error::Kind::kUnsupported) return put;
      if (put) continue;
      --summary.lists.sent;
      summary.listsLeftOut.push_back(put.error().message);
    }
    return {};
  }

 private:
  Status checkList(TravellingList list) {
    const bool wasChecked =
        std::ranges::any_of(options.pins, [&](const Pin& pin) { return pin.list == list.list; }) ||
        (options.trustedKey == nullptr && options.pins.empty());
    if (const TravellingList* same = sameKept(list); same != nullptr && wasChecked) {
      list.parts = same->parts;
      accepted_.push_back(std::move(list));
      problemsOfPins_.emplace_back(options.pins.size());
      return {};
    }
    ASSIGN_OR_RETURN(const auto check, ListCheck::make());
    ASSIGN_OR_RETURN(auto parts, stage(list, *check));
    ASSIGN_OR_RETURN(std::string problem, check->problemOf(list, options.trustedKey));
    if (!problem.empty()) {
      problem = fmt::format("{} does not hold: {}", describe(list), problem);
      if (options.trustedKey == nullptr)
        return refuse(problem, "run 'vintage fsck --public-key' at the source");
      summary.listsLeftOut.push_back(std::move(problem));
      return {};
    }
    ASSIGN_OR_RETURN(problem, problemWithKept(list, *check));
    if (!problem.empty())
      return refuse(problem,
                    "copy from a place that has the newest list, or ask the owner of its key");
    const TravellingList* same = sameKept(list);
    list.parts.clear();
    if (same == nullptr || !same->parts.empty()) list.parts = std::move(parts);
    accepted_.push_back(std::move(list));
    std::vector<std::string>& problems = problemsOfPins_.emplace_back();
    for (const Pin& pin : options.pins) problems.push_back(check->rollback(pin));
    return {};
  }

  Result<std::vector<ContentId>> stage(const TravellingList& list, ListCheck& check) {
    ListParts parts(options.dryRun ? nullptr : to);
    RETURN_IF_ERROR(from.readList(list, [&](const nlohmann::json& line) -> Status {
      RETURN_IF_ERROR(check.add(line));
      return parts.add(line);
    }));
    return parts.finish();
  }

  // A place that had a history still has it. This does not apply to folders, as other machines have
  // one of the same name.
  Status checkSources() const {
    if (from.archive() != nullptr) return {};
    for (const TravellingList& kept : kept_) {
      if (kept.source != options.source) continue;
      if (std::ranges::any_of(
              offered_, [&](const TravellingList& list) { return list.history == kept.history; }))
        continue;
      ASSIGN_OR_RETURN(const bool counts, countsUnderKey(kept));
      if (!counts) continue;
      return refuse(
          fmt::format("{} came from it to {} before, and now it has {}", describe(kept), to->name(),
                      offered_.empty() ? "no signed list" : "another history"),
          "ask its owner why");
    }
    return {};
  }

  // Checks that one of the source's lists still contains each state that was seen before.
  Status checkPins() const {
    for (size_t pin = 0; pin < options.pins.size(); ++pin) {
      std::string first;
      bool holds = false;
      for (size_t at = 0; at < accepted_.size(); ++at) {
        const std::string& problem = problemsOfPins_[at][pin];
        holds |= problem.empty();
        if (first.empty()) first = fmt::format("{}: {}", describe(accepted_[at]), problem);
      }
      if (holds) continue;
      if (accepted_.empty())
        first = fmt::format("list {} of {} was seen there before, and now it has none",
                            options.pins[pin].counter, options.pins[pin].date);
      return refuse(first, "ask its owner why");
    }
    return {};
  }

  // Why the list does not continue the destination's; empty where it does, or is there.
  Result<std::string> problemWithKept(const TravellingList& list, const ListCheck& check) {
    for (const TravellingList& kept : kept_) {
      if (kept.history != list.history || check.chain().contains(kept.list)) continue;
      ListChain chain;
      RETURN_IF_ERROR(
          to->readList(kept, [&](const nlohmann::json& line) { return chain.add(line); }));
      const bool isOlder = chain.contains(list.list);
      if (isOlder && kept.parts.empty()) continue;  // The destination's own history.
      ASSIGN_OR_RETURN(const bool counts, countsUnderKey(kept));
      if (!counts) continue;
      return isOlder
                 ? fmt::format("{} is older than {}, which {} has already: it shows an older state",
                               describe(list), describe(kept), to->name())
                 : fmt::format(
                       "{} is not what followed {}, which {} has: the history was written anew",
                       describe(list), describe(kept), to->name());
    }
    return std::string();
  }

  // Whether a kept list is in the way of others: with a key, only what that key signed.
  Result<bool> countsUnderKey(const TravellingList& kept) const {
    if (options.trustedKey == nullptr) return true;
    ASSIGN_OR_RETURN(const auto check, ListCheck::make());
    RETURN_IF_ERROR(
        to->readList(kept, [&](const nlohmann::json& line) { return check->add(line); }));
    ASSIGN_OR_RETURN(const auto problem, check->problemOf(kept, options.trustedKey));
    return problem.empty();
  }

  const TravellingList* sameKept(const TravellingList& list) const {
    const auto same = std::ranges::find_if(
        kept_, [&](const TravellingList& kept) { return kept.list == list.list; });
    return same == kept_.end() ? nullptr : &*same;
  }

  tl::unexpected<Error> refuse(const std::string& problem, const std::string& next) const {
    return failure(
        Error::Kind::kMismatch,
        fmt::format("{}: {}; nothing was copied: {}, or give --without-lists to copy what "
                    "it has without its word for it",
                    from.name(), problem, next));
  }

  std::vector<TravellingList> offered_, kept_;  // At the source, at the destination.
  std::vector<TravellingList> accepted_;
  std::vector<std::vector<std::string>> problemsOfPins_;  // One of each accepted list, by pin.
};

}  // namespace

Result<std::function<Status(bool whole)>> checkLists(const Mirroring& mirroring) {
  const auto lists = std::make_shared<ListMirror>(mirroring);
  RETURN_IF_ERROR(lists->check());
  return [lists](bool whole) { return lists->send(whole); };
}

}  // namespace vintage::archive
