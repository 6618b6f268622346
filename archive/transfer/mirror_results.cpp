#include "archive/transfer/mirror_parts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

namespace vintage::archive {
namespace {

using OutcomeKey = std::tuple<ContentId, ContentId, std::string, std::string, std::string>;
OutcomeKey keyOf(const OutcomeRecord& outcome) {
  return {outcome.artifact, outcome.golden, outcome.build, outcome.platform, outcome.mode};
}

// A run that the destination has finished stays as it is there.
bool coversRun(const RunRecord& kept, const RunRecord& run) {
  return !kept.finished.empty() ||
         std::tie(kept.kind, kept.label, kept.commandLine, kept.started, kept.finished) ==
             std::tie(run.kind, run.label, run.commandLine, run.started, run.finished);
}

class ResultMirror : Mirroring {
 public:
  ResultMirror(const Mirroring& mirroring, std::vector<uint64_t> present)
      : Mirroring(mirroring), present_(std::move(present)) {
    std::ranges::sort(present_);
  }

  Status run() {
    ASSIGN_OR_RETURN(auto runs, from.runs());
    if (to != nullptr) {
      ASSIGN_OR_RETURN(auto kept, to->runs());
      for (RunRecord& run : kept) kept_[run.id] = std::move(run);
    }
    size_t done = 0;
    for (const RunRecord& run : runs) {
      RETURN_IF_ERROR(copy(run));
      if (options.progress) options.progress("runs", ++done, runs.size());
    }
    return {};
  }

 private:
  // A run is finished on the other side only when all of its outcomes are there:
  // an interrupted copy looks like what it is.
  Status copy(const RunRecord& listed) {
    const auto kept = kept_.find(listed.id);
    const bool isKept = kept != kept_.end();
    const size_t thereBefore = summary.outcomes.there;
    ASSIGN_OR_RETURN(auto outcomes, outcomesToSend(listed.id, isKept));
    // With a filter, only the runs that have outcomes of what was selected.
    if (!selectsAll() && outcomes.empty() && summary.outcomes.there == thereBefore) return {};
    const bool runIsThere = isKept && coversRun(kept->second, listed);
    if (runIsThere && outcomes.empty()) {
      ++summary.runs.there;
      return {};
    }
    ++(runIsThere ? summary.runs.there : summary.runs.sent);
    summary.outcomes.sent += outcomes.size();
    if (options.dryRun) return {};
    if (runIsThere) return putOutcomes(outcomes);
    ASSIGN_OR_RETURN(auto run, from.run(listed.id));
    if (!isKept && !outcomes.empty()) {
      RunWithLimitations begun = run;
      begun.run.finished.clear();
      begun.run.result.clear();
      begun.run.verdict.clear();
      RETURN_IF_ERROR(to->putRun(begun));
    }
    if (!outcomes.empty()) RETURN_IF_ERROR(putOutcomes(outcomes));
    return to->putRun(run);
  }

  // The destination may let artifacts go meanwhile (docs/howto/retention.md): their outcomes
  // are left out, as are those of artifacts that it never got.
  Status putOutcomes(std::vector<OutcomeRecord>& outcomes) {
    // An artifact may also come back between the two questions, by another push.
    constexpr int kSurprises = 10;
    for (int surprises = 0; !outcomes.empty();) {
      Status put = to->putOutcomes(outcomes);
      if (put || put.error().kind != Error::Kind::kNotFound) return put;
      std::set<ContentId> ids;
      for (const OutcomeRecord& outcome : outcomes) ids.insert(outcome.artifact);
      const auto records =
          to->artifactsOf(std::vector(ids.begin(), ids.end()), Date::min(), Date::max());
      if (!records) return tl::unexpected(records.error());
      for (const ArtifactRecord& record : *records) ids.erase(record.id);
      const size_t gone = std::erase_if(
          outcomes, [&](const OutcomeRecord& outcome) { return ids.contains(outcome.artifact); });
      if (gone == 0 && ++surprises == kSurprises) return put;
      summary.outcomes.sent -= gone;
      summary.outcomesLeftOut += gone;
    }
    return {};
  }

  Result<std::vector<OutcomeRecord>> outcomesToSend(const std::string& run, bool isKept) {
    auto outcomes = from.outcomes(run);
    if (!outcomes) return outcomes;
    const size_t all = outcomes->size();
    std::erase_if(*outcomes, [&](const OutcomeRecord& outcome) {
      return !std::ranges::binary_search(present_, beginningOf(outcome.artifact));
    });
    if (selectsAll()) summary.outcomesLeftOut += all - outcomes->size();
    if (!isKept || outcomes->empty()) return outcomes;
    ASSIGN_OR_RETURN(auto kept, to->outcomes(run));
    // A bucket may have several of one key, since nothing there is replaced.
    std::multimap<OutcomeKey, const OutcomeRecord*> byKey;
    for (const OutcomeRecord& outcome : kept) byKey.emplace(keyOf(outcome), &outcome);
    std::erase_if(*outcomes, [&](const OutcomeRecord& outcome) {
      const auto [first, last] = byKey.equal_range(keyOf(outcome));
      const bool there = std::any_of(
          first, last, [&](const auto& entry) { return covers(*entry.second, outcome); });
      if (!there) return false;
      ++summary.outcomes.there;
      return true;
    });
    return outcomes;
  }

  std::vector<uint64_t> present_;
  std::map<std::string, RunRecord> kept_;
};

}  // namespace

uint64_t beginningOf(const ContentId& id) {
  uint64_t number = 0;
  std::from_chars(id.data(), id.data() + std::min<size_t>(id.size(), 16), number, 16);
  return number;
}

Status mirrorResults(const Mirroring& mirroring, std::vector<uint64_t> present) {
  return ResultMirror(mirroring, std::move(present)).run();
}

}  // namespace vintage::archive
