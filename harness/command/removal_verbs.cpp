#include <optional>

#include <fmt/format.h>

#include "archive/retention/retention.h"
#include "archive/service/upload_store.h"
#include "archive/store/archive_access.h"
#include "archive/store/collect.h"
#include "archive/store/record_json.h"
#include "archive/store/retention_table.h"
#include "golden/base/clock.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

// The counts of garbage collection.
nlohmann::json collectedJson(const CollectReport& report) {
  return {{"contents", report.contents},
          {"emptied", report.emptied},
          {"files", report.files},
          {"temporaries", report.temporaries},
          {"expired_leases", report.leases},
          {"stored_bytes", report.bytes},
          {"stuck", messagesJson(report.stuck)}};
}

// Files that could not be removed still take room, and need a person's help.
int finishCollection(const Archive& archive, const CollectReport& report, int status,
                     Console& console) {
  keepReserve(archive.folder());
  for (const Error& error : report.stuck) console.error(error);
  return report.stuck.empty() ? status : kExitCannotTell;
}

std::string collectedText(const CollectReport& report, bool dryRun) {
  return fmt::format(
      "{} {}: {}, {} more with results that stay, {} without a record, {}, {}.",
      dryRun ? "Collection would free" : "Collection freed", counted(report.bytes, "byte"),
      counted(report.contents, "content"), report.emptied, counted(report.files, "file"),
      counted(report.temporaries, "temporary file"), counted(report.leases, "expired lease"));
}

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
                   "A file of rules (docs/retention.md); without it: imported artifacts, "
                   "the backward window, then one of each case and month");
    today_.addTo(app);
    addDateOption(app, "--confirm-date", confirmed_,
                  "Confirm the current date (YYYY-MM-DD), where it is far from the last run's");
    auto* dryRun = app.add_flag("--dry-run", dryRun_,
                                "Only list artifacts that would be announced or removed, and why");
    app.add_flag("--list", list_, "List announced artifacts that wait")->excludes(dryRun);
    app.add_flag("--print-policy", print_, "Print the policy as a file, to start your own from")
        ->excludes(archive);
  }

  Result<int> run(Console& console) override {
    RetentionOptions options;
    if (!policy_.empty()) {
      ASSIGN_OR_RETURN(options.policy, parseFile(policy_, parseRetentionPolicy));
    }
    if (print_) {
      console.print(retentionPolicyText(options.policy));
      return kExitHolds;
    }
    if (archive_.empty()) return usageError("--archive is required, or --print-policy");
    options.today = today_.date();
    if (confirmed_ && *confirmed_ != options.today)
      return usageError("--confirm-date: today is said to be {}; {} would have to be the same",
                        formatDate(options.today), formatDate(*confirmed_));
    options.dateIsConfirmed = confirmed_.has_value();
    if (list_) return list(options.policy, console);
    options.dryRun = dryRun_;
    options.progress = std::bind_front(&Console::progress, &console, "retention");
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
    ASSIGN_OR_RETURN(
        auto archive,
        Archive::open(archive_, dryRun_ ? Archive::Mode::kReadOnly : Archive::Mode::kReadWrite,
                      {.freesSpace = !dryRun_}));
    ASSIGN_OR_RETURN(const auto summary, applyRetention(archive, options));
    std::optional<CollectReport> collected;
    if (!dryRun_) {
      ASSIGN_OR_RETURN(collected, collectGarbage(archive));
    }
    console.answer(toJson(summary, collected, options.today, std::move(lines)),
                   textOf(summary, collected));
    const int status = summary.artifacts == 0 ? kExitNothingRan : kExitHolds;
    return collected ? finishCollection(archive, *collected, status, console) : status;
  }

 private:
  static std::string_view stateName(LeavingArtifact::State state) {
    constexpr std::string_view kNames[] = {"held", "waits", "goes"};
    return kNames[static_cast<size_t>(state)];
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
      console.row(lines, std::move(line), "{:.12}  {} ({}) goes on {}: {}", artifact.record.id,
                  artifact.record.name, artifact.record.producer, goes, artifact.reason);
    }
    console.answerLine({{"archive", archive_}, {"waiting", lines}},
                       "Waiting: {}. 'vintage hold' keeps one.",
                       counted(waiting.size(), "artifact"));
    return kExitHolds;
  }

  std::string textOf(const RetentionSummary& summary,
                     const std::optional<CollectReport>& collected) const {
    std::string text = fmt::format(
        "{} of {} {}; newly announced: {}, waiting in all: {}, withdrawn: {}, held: {}.\n",
        summary.removed, counted(summary.artifacts, "artifact"), dryRun_ ? "would go" : "went",
        summary.announced, summary.waiting, summary.withdrawn, summary.held);
    for (const auto& [rule, count] : summary.keptBy)
      text += fmt::format("  {:>8} kept by '{}'\n", count, rule);
    if (summary.outcomesRemoved > 0)
      text += fmt::format("With them went {}.\n", counted(summary.outcomesRemoved, "result"));
    return text + (collected ? collectedText(*collected, false) + "\n" : "");
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
            {"outcomes_removed", summary.outcomesRemoved},
            {"kept_by", summary.keptBy},
            {"collected", collected ? collectedJson(*collected) : nlohmann::json()},
            {"leaving", std::move(lines)}};
  }

  std::string archive_, policy_;
  TodayOption today_;
  std::optional<Date> confirmed_;
  bool dryRun_ = false, list_ = false, print_ = false;
};

class GcVerb final : public Verb {
 public:
  GcVerb()
      : Verb("gc", "Delete contents that no record names, while others keep pushing",
             "vintage gc --archive A --dry-run\n  vintage gc --archive A --repack") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    auto* dryRun = app.add_flag("--dry-run", dryRun_, "Only print how much it would free");
    auto* repack = app.add_flag("--repack", repack_,
                                "Also pack the small contents again, with a dictionary of what "
                                "they have in common, and give free pages back to the disk");
    app.add_flag("--new-dictionary", newDictionary_, "With --repack: train another dictionary")
        ->needs(repack);
    repack->excludes(dryRun);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto archive,
                     Archive::open(archive_, Archive::Mode::kReadWrite, {.freesSpace = true}));
    CollectOptions options;
    options.dryRun = dryRun_;
    options.progress = std::bind_front(&Console::progress, &console);
    ASSIGN_OR_RETURN(const auto report, collectGarbage(archive, options));
    // A service does so too, where one runs.
    if (!dryRun_) UploadStore(archive_).removeAbandoned(systemClock().now());
    nlohmann::json json = collectedJson(report);
    json["archive"] = archive_;
    json["dry_run"] = dryRun_;
    if (!console.json()) console.line(collectedText(report, dryRun_));
    if (repack_) RETURN_IF_ERROR(repack(archive, json, console));
    if (console.json()) console.printJson(json);
    return finishCollection(archive, report, kExitHolds, console);
  }

 private:
  Status repack(Archive& archive, nlohmann::json& json, Console& console) const {
    RepackOptions options;
    options.newDictionary = newDictionary_;
    options.progress = [&](size_t done, size_t total) { console.progress("repack", done, total); };
    ASSIGN_OR_RETURN(const auto report, repackSmallContents(archive, options));
    ASSIGN_OR_RETURN(const auto shrunk,
                     shrinkIndex(archive, report.bytesBefore - report.bytesAfter));
    json["repacked"] = {{"too_few", report.tooFew},
                        {"dictionary", report.dictionary},
                        {"new_dictionary", report.trained},
                        {"contents", report.looked},
                        {"packed", report.packed},
                        {"damaged", report.damaged},
                        {"stored_bytes_before", report.bytesBefore},
                        {"stored_bytes_after", report.bytesAfter},
                        {"index_shrank_by", shrunk}};
    if (console.json()) return {};
    if (report.tooFew) {
      console.line(
          "Nothing was packed again: a dictionary takes {} small artifacts; the archive has {}.",
          kFewestDictionarySamples, report.looked);
      return {};
    }
    console.line(
        "Packed {} of {} small contents again with {}dictionary {}: {} bytes were stored, {} are "
        "now; the index shrank by {} bytes.{}",
        report.packed, report.looked, report.trained ? "the new " : "", report.dictionary,
        report.bytesBefore, report.bytesAfter, shrunk,
        report.damaged == 0
            ? ""
            : fmt::format(" {} are damaged: run 'vintage fsck --read-data'.", report.damaged));
    return {};
  }

  std::string archive_;
  bool dryRun_ = false, repack_ = false, newDictionary_ = false;
};

class HoldVerb final : public Verb {
 public:
  HoldVerb()
      : Verb("hold", "Keep artifacts whatever the retention policy says",
             "vintage hold 'cholesky_f32[4,4]/cpu@jax 0.4.14' --archive A --reason 'bug 1234' "
             "--until 2027-06-30\n"
             "  vintage hold --archive A --list\n"
             "  vintage hold 3f9a0c21 --archive A --release") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ARTIFACT", artifacts_, "An id, a name, or NAME@PRODUCER");
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--reason", reason_, "Why; listed beside the hold");
    addDateOption(app, "--until", until_, "The last day (YYYY-MM-DD; default: until released)");
    today_.addTo(app, "The current date for the list (YYYY-MM-DD)");
    auto* release = app.add_flag("--release", release_, "Release the hold");
    app.add_flag("--list", list_, "List all holds")->excludes(release);
  }

  Result<int> run(Console& console) override {
    if (list_ != artifacts_.empty())
      return usageError("name one or more artifacts, or write --list");
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, list_ ? Archive::Mode::kReadOnly
                                                                 : Archive::Mode::kReadWrite));
    if (list_) return listHolds(archive, today_.date(), console);

    // All are found before the first is changed.
    std::vector<ArtifactRecord> found;
    for (const std::string& artifact : artifacts_) {
      ASSIGN_OR_RETURN(found.emplace_back(), archive.find(artifact));
    }
    nlohmann::json lines = nlohmann::json::array();
    for (const ArtifactRecord& record : found) {
      RETURN_IF_ERROR(release_ ? releaseHold(archive, record)
                               : placeHold(archive, record, reason_, until_));
      console.row(lines, recordJson(record), "{}: {} of {}", release_ ? "released" : "held",
                  record.name, record.producer);
    }
    if (console.json()) console.printJson({{release_ ? "released" : "held", lines}});
    return kExitHolds;
  }

 private:
  static Result<int> listHolds(const Archive& archive, Date today, Console& console) {
    ASSIGN_OR_RETURN(const auto holds, allHolds(archive));
    nlohmann::json lines = nlohmann::json::array();
    for (const Hold& hold : holds) {
      const std::string until = hold.until ? formatDate(*hold.until) : "";
      console.row(lines,
                  {{"artifact", recordJson(hold.artifact)},
                   {"reason", hold.reason},
                   {"placed", hold.placed},
                   {"until", until.empty() ? nlohmann::json() : nlohmann::json(until)},
                   {"over", !hold.covers(today)}},
                  "{} of {}: {} (since {}{}{})", hold.artifact.name, hold.artifact.producer,
                  hold.reason, hold.placed.substr(0, 10), until.empty() ? "" : ", until " + until,
                  hold.covers(today) ? "" : ", over");
    }
    console.answerLine({{"holds", lines}}, "{} hold{}", holds.size(), holds.size() == 1 ? "" : "s");
    return kExitHolds;
  }

  std::vector<std::string> artifacts_;
  std::string archive_, reason_;
  std::optional<Date> until_;
  TodayOption today_;
  bool release_ = false, list_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeRetentionVerb() { return std::make_unique<RetentionVerb>(); }
std::unique_ptr<Verb> makeGcVerb() { return std::make_unique<GcVerb>(); }
std::unique_ptr<Verb> makeHoldVerb() { return std::make_unique<HoldVerb>(); }

}  // namespace vintage::harness
