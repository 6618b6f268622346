#include "archive/transfer/mirror_parts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

namespace vintage::archive {
namespace {

uint64_t beginningOf(const ContentId& id) {
  uint64_t number = 0;
  std::from_chars(id.data(), id.data() + std::min<size_t>(id.size(), 16), number, 16);
  return number;
}

using OutcomeKey = std::tuple<ContentId, ContentId, std::string, std::string, std::string>;
OutcomeKey keyOf(const OutcomeRecord& outcome) {
  return {outcome.artifact, outcome.golden, outcome.build, outcome.platform, outcome.mode};
}

bool sameResult(const OutcomeRecord& left, const OutcomeRecord& right) {
  return std::tie(left.outcome, left.stage, left.detail, left.seconds, left.limitation) ==
         std::tie(right.outcome, right.stage, right.detail, right.seconds, right.limitation);
}

// A run that the destination has finished stays as it is there.
bool coversRun(const RunRecord& kept, const RunRecord& run) {
  return !kept.finished.empty() ||
         std::tie(kept.kind, kept.commandLine, kept.started, kept.finished) ==
             std::tie(run.kind, run.commandLine, run.started, run.finished);
}

class ResultMirror {
 public:
  ResultMirror(PlaceReader& from, Place* to, const MirrorOptions& options, PresentArtifacts present,
               MirrorSummary& summary)
      : from_(from), to_(to), options_(options), present_(std::move(present)), summary_(summary) {
    present_.seal();
  }

  Status run() {
    ASSIGN_OR_RETURN(auto runs, from_.runs());
    if (to_ != nullptr) {
      ASSIGN_OR_RETURN(auto kept, to_->runs());
      for (RunRecord& run : kept) kept_[run.id] = std::move(run);
    }
    size_t done = 0;
    for (const RunRecord& run : runs) {
      RETURN_IF_ERROR(copy(run));
      if (options_.progress) options_.progress("runs", ++done, runs.size());
    }
    return {};
  }

 private:
  Status copy(const RunRecord& listed);
  Status putOutcomes(std::vector<OutcomeRecord>& outcomes);
  Result<std::vector<OutcomeRecord>> outcomesToSend(const std::string& run, bool isKept);

  PlaceReader& from_;
  Place* to_;
  const MirrorOptions& options_;
  PresentArtifacts present_;
  MirrorSummary& summary_;
  std::map<std::string, RunRecord> kept_;
};

Result<std::vector<OutcomeRecord>> ResultMirror::outcomesToSend(const std::string& run,
                                                                bool isKept) {
  auto outcomes = from_.outcomes(run);
  if (!outcomes) return outcomes;
  const size_t all = outcomes->size();
  std::erase_if(*outcomes, [&](const OutcomeRecord& outcome) {
    return !present_.contains(outcome.artifact);
  });
  if (selectsAll(options_.filter)) summary_.outcomesLeftOut += all - outcomes->size();
  if (!isKept || outcomes->empty()) return outcomes;
  ASSIGN_OR_RETURN(auto kept, to_->outcomes(run));
  // A bucket may have several of one key, since nothing there is replaced.
  std::multimap<OutcomeKey, const OutcomeRecord*> byKey;
  for (const OutcomeRecord& outcome : kept) byKey.emplace(keyOf(outcome), &outcome);
  std::erase_if(*outcomes, [&](const OutcomeRecord& outcome) {
    const auto [first, last] = byKey.equal_range(keyOf(outcome));
    const bool there = std::any_of(
        first, last, [&](const auto& entry) { return sameResult(*entry.second, outcome); });
    if (!there) return false;
    ++summary_.outcomes.there;
    return true;
  });
  return outcomes;
}

// The destination may let artifacts go meanwhile (docs/retention.md): their outcomes
// are left out, as are those of artifacts that it never got.
Status ResultMirror::putOutcomes(std::vector<OutcomeRecord>& outcomes) {
  // An artifact may also come back between the two questions, by another push.
  constexpr int kSurprises = 10;
  for (int surprises = 0; !outcomes.empty();) {
    Status put = to_->putOutcomes(outcomes);
    if (put || put.error().kind != Error::Kind::kNotFound) return put;
    std::set<ContentId> ids;
    for (const OutcomeRecord& outcome : outcomes) ids.insert(outcome.artifact);
    const auto records =
        to_->artifactsOf(std::vector(ids.begin(), ids.end()), Date::min(), Date::max());
    if (!records) return tl::unexpected(records.error());
    for (const ArtifactRecord& record : *records) ids.erase(record.id);
    const size_t gone = std::erase_if(
        outcomes, [&](const OutcomeRecord& outcome) { return ids.contains(outcome.artifact); });
    if (gone == 0 && ++surprises == kSurprises) return put;
    summary_.outcomes.sent -= gone;
    summary_.outcomesLeftOut += gone;
  }
  return {};
}

// A run is finished on the other side only when all of its outcomes are there:
// an interrupted copy looks like what it is.
Status ResultMirror::copy(const RunRecord& listed) {
  const auto kept = kept_.find(listed.id);
  const bool isKept = kept != kept_.end();
  const size_t thereBefore = summary_.outcomes.there;
  ASSIGN_OR_RETURN(auto outcomes, outcomesToSend(listed.id, isKept));
  // With a filter, only the runs that have outcomes of what was selected.
  if (!selectsAll(options_.filter) && outcomes.empty() && summary_.outcomes.there == thereBefore)
    return {};
  const bool runIsThere = isKept && coversRun(kept->second, listed);
  if (runIsThere && outcomes.empty()) {
    ++summary_.runs.there;
    return {};
  }
  ++(runIsThere ? summary_.runs.there : summary_.runs.sent);
  summary_.outcomes.sent += outcomes.size();
  if (options_.dryRun) return {};
  if (runIsThere) return putOutcomes(outcomes);
  ASSIGN_OR_RETURN(auto run, from_.run(listed.id));
  if (!isKept && !outcomes.empty()) {
    RunWithLimitations begun = run;
    begun.run.finished.clear();
    begun.run.result.clear();
    begun.run.verdict.clear();
    RETURN_IF_ERROR(to_->putRun(begun));
  }
  if (!outcomes.empty()) {
    RETURN_IF_ERROR(putOutcomes(outcomes));
  }
  return to_->putRun(run);
}

}  // namespace

void PresentArtifacts::add(const ContentId& id) { beginnings_.push_back(beginningOf(id)); }

void PresentArtifacts::seal() {
  std::sort(beginnings_.begin(), beginnings_.end());
  beginnings_.erase(std::unique(beginnings_.begin(), beginnings_.end()), beginnings_.end());
}

bool PresentArtifacts::contains(const ContentId& id) const {
  return std::binary_search(beginnings_.begin(), beginnings_.end(), beginningOf(id));
}

Status mirrorResults(PlaceReader& from, Place* to, const MirrorOptions& options,
                     PresentArtifacts present, MirrorSummary& summary) {
  return ResultMirror(from, to, options, std::move(present), summary).run();
}

}  // namespace vintage::archive
