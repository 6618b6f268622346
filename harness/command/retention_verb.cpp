#include <fmt/format.h>

#include "archive/retention/collect.h"
#include "archive/retention/retention.h"
#include "archive/store/record_json.h"
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
             "  vintage retention --print-policy > policy.json\n"
             "  vintage retention --archive A --policy policy.json") {}
  void addOptions(CLI::App& app) override {
    auto* archive = app.add_option("--archive", archive_, "The archive");
    app.add_option("--policy", policy_,
                   "A file of rules (docs/retention.md); without it: what was imported, the "
                   "backward window, then one per case and month");
    app.add_option("--today", today_, "The current date (YYYY-MM-DD; default: today)");
    app.add_flag("--dry-run", dryRun_, "Only list what would be removed, and why");
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
    options.dryRun = dryRun_;
    options.progress = [&](size_t done, size_t total) {
      console.progress("retention", done, total);
    };
    nlohmann::json lines = nlohmann::json::array();
    options.visit = [&](const ArtifactRecord& record, const std::string& reason,
                        const std::string& heldBy) {
      if (!console.json()) return print(record, reason, heldBy, console);
      nlohmann::json line = recordJson(record);
      line["reason"] = reason;
      if (!heldBy.empty()) line["held_by"] = heldBy;
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
  void print(const ArtifactRecord& record, const std::string& reason, const std::string& heldBy,
            Console& console) const {
    console.line("{} {:.12}  {}  {} ({}): {}",
                 !heldBy.empty() ? "held   "
                 : dryRun_       ? "goes   "
                                 : "gone   ",
                 record.id, formatDate(record.buildDate), record.name, record.producer,
                 heldBy.empty() ? reason : heldBy);
  }

  void print(const RetentionSummary& summary, const std::optional<CollectReport>& collected,
            Console& console) const {
    console.line("{} of {} artifacts {}, {} stay by a hold.", summary.removed, summary.artifacts,
                 dryRun_ ? "would go" : "went", summary.held);
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
            {"held", summary.held},
            {"outcomes_removed", summary.outcomesRemoved},
            {"kept_by", summary.keptBy},
            {"collected", collected ? command::toJson(*collected) : nlohmann::json()},
            {"leaving", std::move(lines)}};
  }

  std::string archive_, policy_, today_;
  bool dryRun_ = false, print_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeRetentionVerb() { return std::make_unique<RetentionVerb>(); }

}  // namespace vintage::harness::command
