#include <fmt/format.h>

#include "archive/store/collect.h"
#include "archive/retention/retention.h"
#include "archive/store/record_json.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/collected_json.h"
#include "harness/command/filter_options.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
namespace {

class RetentionVerb final : public Verb {
 public:
  RetentionVerb()
      : Verb("retention", "Remove the artifacts that a policy no longer keeps",
             "vintage retention --archive A --dry-run --today 2026-11-20\n"
             "  vintage retention --archive A --list\n"
             "  vintage retention --print-policy > policy.json\n"
             "  vintage retention --archive A --policy policy.json") {}
  void addOptions(CLI::App& app) override {
    auto* archive = app.add_option("--archive", archive_, "The archive");
    app.add_option("--policy", policy_,
                   "A file of rules (docs/retention.md); without it: what was imported, the "
                   "backward window, then one per case and month");
    app.add_option("--today", today_, "The current date (YYYY-MM-DD; default: today)");
    app.add_option("--confirm-date", confirmed_,
                   "The current date again (YYYY-MM-DD), from a person who has looked: for a date "
                   "that is far from the last run's");
    auto* dryRun = app.add_flag("--dry-run", dryRun_,
                                "Only list what would be announced and removed, and why");
    app.add_flag("--list", list_, "List what was announced and waits")->excludes(dryRun);
    app.add_flag("--print-policy", print_, "Print the policy as a file, to start your own from")
        ->excludes(archive);
  }

  Result<int> run(Console& console) override {
    RetentionOptions options;
    if (!policy_.empty()) {
      ASSIGN_OR_RETURN(const auto bytes, readFile(policy_));
      ASSIGN_OR_RETURN(auto policy,
                       parseRetentionPolicy(
                           {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, policy_));
      options.policy = std::move(policy);
    }
    if (print_) {
      console.print(retentionPolicyText(options.policy));
      return kExitHolds;
    }
    if (archive_.empty())
      return failure(Error::Kind::kUsage, "--archive is required, or --print-policy");
    ASSIGN_OR_RETURN(auto today, parseDateOption(today_, "--today"));
    options.today = today.value_or(currentDate());
    ASSIGN_OR_RETURN(const auto confirmed, parseDateOption(confirmed_, "--confirm-date"));
    if (confirmed && *confirmed != options.today)
      return usageError("--confirm-date: today is said to be {}; {} would have to be the same",
                        formatDate(options.today), formatDate(*confirmed));
    options.dateIsConfirmed = confirmed.has_value();
    if (list_) return list(options.policy, console);
    options.dryRun = dryRun_;
    options.progress = [&](size_t done, size_t total) {
      console.progress("retention", done, total);
    };
    nlohmann::json lines = nlohmann::json::array();
    options.visit = [&](const LeavingArtifact& leaving) {
      if (!console.json()) return print(leaving, console);
      nlohmann::json line = recordJson(leaving.record);
      line["reason"] = leaving.reason;
      line["state"] = stateName(leaving.state);
      line["goes"] = formatDate(leaving.goes);
      if (!leaving.heldBy.empty()) line["held_by"] = leaving.heldBy;
      lines.push_back(std::move(line));
    };
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, dryRun_ ? Archive::Mode::kReadOnly
                                                                   : Archive::Mode::kReadWrite));
    ASSIGN_OR_RETURN(const auto summary, applyRetention(archive, options));
    std::optional<CollectReport> collected;
    if (!dryRun_) {
      ASSIGN_OR_RETURN(collected, collectGarbage(archive));
    }
    if (console.json())
      console.printJson(toJson(summary, collected, options.today, std::move(lines)));
    else
      print(summary, collected, console);
    return summary.artifacts == 0 ? kExitNothingRan : kExitHolds;
  }

 private:
  static std::string_view stateName(LeavingArtifact::State state) {
    switch (state) {
      case LeavingArtifact::State::kHeld:
        return "held";
      case LeavingArtifact::State::kInUse:
        return "in use";
      case LeavingArtifact::State::kWaits:
        return "waits";
      case LeavingArtifact::State::kGoes:
        return "goes";
    }
    return "";
  }

  void print(const LeavingArtifact& leaving, Console& console) const {
    using State = LeavingArtifact::State;
    const ArtifactRecord& record = leaving.record;
    const bool gone = leaving.state == State::kGoes && !dryRun_;
    console.line("{:<6} {:.12}  {}  {} ({}): {}{}", gone ? "gone" : stateName(leaving.state),
                 record.id, formatDate(record.buildDate), record.name, record.producer,
                 leaving.state == State::kWaits ? "until " + formatDate(leaving.goes) + ": " : "",
                 leaving.heldBy.empty() ? leaving.reason : leaving.heldBy);
  }

  Result<int> list(const RetentionPolicy& policy, Console& console) const {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto waiting, waitingArtifacts(archive));
    nlohmann::json lines = nlohmann::json::array();
    for (const WaitingArtifact& artifact : waiting) {
      const std::string goes = formatDate(artifact.since + std::chrono::days(policy.waitDays));
      nlohmann::json line = recordJson(artifact.record);
      line["announced"] = formatDate(artifact.since);
      line["goes"] = goes;
      line["reason"] = artifact.reason;
      lines.push_back(std::move(line));
      if (!console.json())
        console.line("{:.12}  {} ({}) goes on {}: {}", artifact.record.id, artifact.record.name,
                     artifact.record.producer, goes, artifact.reason);
    }
    if (console.json())
      console.printJson({{"archive", archive_}, {"waiting", lines}});
    else
      console.line("{} artifacts wait. 'vintage hold' keeps one.", waiting.size());
    return kExitHolds;
  }

  void print(const RetentionSummary& summary, const std::optional<CollectReport>& collected,
             Console& console) const {
    console.line(
        "{} of {} artifacts {}; {} {} announced, {} wait in all, {} announcements were withdrawn, "
        "{} "
        "stay by a hold{}.",
        summary.removed, summary.artifacts, dryRun_ ? "would go" : "went", summary.announced,
        dryRun_ ? "would be" : "were", summary.waiting, summary.withdrawn, summary.held,
        summary.inUse == 0 ? "" : fmt::format(", {} for they are in use", summary.inUse));
    for (const auto& [rule, count] : summary.keptBy)
      console.line("  {:>8} kept by '{}'", count, rule);
    if (summary.outcomesRemoved > 0)
      console.line("{} results went with them.", summary.outcomesRemoved);
    if (collected) console.line(textOf(*collected, false));
  }

  nlohmann::json toJson(const RetentionSummary& summary,
                        const std::optional<CollectReport>& collected, Date today,
                        nlohmann::json lines) const {
    return {{"archive", archive_},
            {"today", formatDate(today)},
            {"dry_run", dryRun_},
            {"artifacts", summary.artifacts},
            {"removed", summary.removed},
            {"announced", summary.announced},
            {"waiting", summary.waiting},
            {"withdrawn", summary.withdrawn},
            {"held", summary.held},
            {"in_use", summary.inUse},
            {"outcomes_removed", summary.outcomesRemoved},
            {"kept_by", summary.keptBy},
            {"collected", collected ? command::toJson(*collected) : nlohmann::json()},
            {"leaving", std::move(lines)}};
  }

  std::string archive_, policy_, today_, confirmed_;
  bool dryRun_ = false, list_ = false, print_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeRetentionVerb() { return std::make_unique<RetentionVerb>(); }

}  // namespace vintage::harness::command
