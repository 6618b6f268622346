#include "archive/retention/retention.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/base/counted.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

class Retention {
 public:
  Retention(Archive& archive, const RetentionOptions& options)
      : archive_(archive), options_(options), decision_(options.policy, options.today) {}

  Result<RetentionSummary> run() {
    RETURN_IF_ERROR(checkDate());
    ASSIGN_OR_RETURN(announced_, announcedArtifacts(archive_));
    int64_t number = 0;
    // At once, so that a run that is killed is remembered too.
    if (!options_.dryRun) {
      ASSIGN_OR_RETURN(number, beginRetentionRun(archive_, options_.today));
    }
    RETURN_IF_ERROR(visitNewestFirst(
        archive_, [&](std::span<const ArtifactInRow> page, int64_t total) -> Status {
          RETURN_IF_ERROR(decide(page));
          if (options_.progress)
            options_.progress(static_cast<size_t>(summary_.artifacts),
                              static_cast<size_t>(std::max(total, summary_.artifacts)));
          return {};
        }));
    summary_.keptBy = decision_.keptBy();
    if (!options_.dryRun)
      RETURN_IF_ERROR(endRetentionRun(archive_, number,
                                      {summary_.announced, summary_.withdrawn, summary_.removed}));
    return summary_;
  }

 private:
  // The date decides which artifacts go, and a clock or a person may have it wrong.
  Status checkDate() const {
    ASSIGN_OR_RETURN(const auto last, lastRetentionDay(archive_));
    if (!last || options_.dateIsConfirmed || options_.dryRun) return {};
    const int64_t days = (options_.today - *last).count();
    if (days >= 0 && days <= options_.policy.longestPauseDays) return {};
    return usageError(
        "{}: today is said to be {}, and retention ran last on {}: {}; nothing was removed; check "
        "the clock, then confirm the date with --confirm-date {}",
        archive_.folder(), formatDate(options_.today), formatDate(*last),
        days < 0 ? std::string("the date went back")
                 : fmt::format("{} lie between, and the policy allows {}", counted(days, "day"),
                               options_.policy.longestPauseDays),
        formatDate(options_.today));
  }

  Status decide(std::span<const ArtifactInRow> page) {
    std::vector<std::pair<const ArtifactInRow*, std::string>> leaving;  // With reasons.
    std::vector<int64_t> staying;                                       // That were announced.
    for (const ArtifactInRow& artifact : page) {
      ++summary_.artifacts;
      std::string reason = decision_.reasonToGo(artifact.record);
      if (!reason.empty())
        leaving.emplace_back(&artifact, std::move(reason));
      else if (announced_.contains(artifact.row))
        staying.push_back(artifact.row);
    }
    if (leaving.empty() && staying.empty()) return {};
    const auto work = [&]() -> Status {
      for (const int64_t row : staying) RETURN_IF_ERROR(takeBack(row));
      for (const auto& [artifact, reason] : leaving) RETURN_IF_ERROR(decide(*artifact, reason));
      return {};
    };
    return options_.dryRun ? work() : archive_.writeTogether(work);
  }

  Status takeBack(int64_t row) {
    ++summary_.withdrawn;
    return options_.dryRun ? Status() : withdraw(archive_, row);
  }

  // The policy, on the day that announced it and today, and the holds agree that it goes. An upload
  // or a backup that relies on its content keeps that by a lease (archive/store/lease.cpp), and
  // needs no record.
  Status decide(const ArtifactInRow& artifact, const std::string& reason) {
    using State = LeavingArtifact::State;
    LeavingArtifact leaving{artifact.record, reason};
    const auto before = announced_.find(artifact.row);
    const bool isNew = before == announced_.end();
    // After a date that was wrong the waiting begins anew.
    const Date since = isNew ? options_.today : std::min(before->second, options_.today);
    leaving.goes = since + std::chrono::days(options_.policy.waitDays);
    ASSIGN_OR_RETURN(const auto hold, holdOn(archive_, artifact.row, options_.today));
    if (hold) {
      leaving.state = State::kHeld;
      leaving.heldBy = *hold;
    } else {
      leaving.state = leaving.goes > options_.today ? State::kWaits : State::kGoes;
    }
    if (options_.visit) options_.visit(leaving);
    switch (leaving.state) {
      case State::kHeld:
        ++summary_.held;
        return isNew ? Status() : takeBack(artifact.row);
      case State::kWaits:
        ++summary_.waiting;
        if (!isNew) return {};
        ++summary_.announced;
        return options_.dryRun ? Status()
                               : announce(archive_, artifact.row, options_.today, reason);
      case State::kGoes:
        return remove(artifact, reason);
    }
    return {};
  }

  Status remove(const ArtifactInRow& artifact, const std::string& reason) {
    if (options_.dryRun) {
      ++summary_.removed;
      return {};
    }
    const bool withOutcomes = options_.policy.outcomes == RetentionPolicy::Outcomes::kRemove;
    ASSIGN_OR_RETURN(const auto removed, removeArtifact(archive_, artifact, reason, withOutcomes));
    if (!removed) return {};
    ++summary_.removed;
    summary_.outcomesRemoved += *removed;
    return {};
  }

  Archive& archive_;
  const RetentionOptions& options_;
  RetentionDecision decision_;
  std::unordered_map<int64_t, Date> announced_;  // Rows of artifacts, and since which day.
  RetentionSummary summary_;
};

}  // namespace

Result<RetentionSummary> applyRetention(Archive& archive, const RetentionOptions& options) {
  return Retention(archive, options).run();
}

nlohmann::json recordJson(const Hold& hold) {
  return {{"name", hold.artifact.name},
          {"producer", hold.artifact.producer},
          {"reason", hold.reason},
          {"until", hold.until ? nlohmann::json(formatDate(*hold.until)) : nlohmann::json()}};
}

Result<Hold> holdOfJson(const nlohmann::json& json) {
  Hold hold;
  const std::pair<const char*, std::string*> texts[] = {{"name", &hold.artifact.name},
                                                        {"producer", &hold.artifact.producer},
                                                        {"reason", &hold.reason}};
  for (const auto& [field, text] : texts) {
    if (!json.is_object() || !json.contains(field) || !json[field].is_string() ||
        json[field].get_ref<const std::string&>().empty())
      return badInput("field '{}' of a hold has to be a text", field);
    *text = json[field];
  }
  const nlohmann::json until = json.value("until", nlohmann::json());
  if (until.is_null()) return hold;
  if (!until.is_string()) return badInput("field 'until' of a hold has to be a day");
  ASSIGN_OR_RETURN(hold.until, within("field 'until'", parseDate(until.get<std::string>())));
  return hold;
}

bool lastsAsLong(const Hold& placed, const Hold& hold) {
  return !placed.until || (hold.until && *hold.until <= *placed.until);
}

Status putTravellingHold(Archive& archive, const Hold& hold) {
  ASSIGN_OR_RETURN(const auto holds, allHolds(archive));
  for (const Hold& kept : holds) {
    if (kept.artifact.name == hold.artifact.name &&
        kept.artifact.producer == hold.artifact.producer && lastsAsLong(kept, hold))
      return {};
  }
  return placeHold(archive, hold.artifact, hold.reason, hold.until);
}

}  // namespace vintage::archive
