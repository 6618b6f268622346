#include <fmt/format.h>

#include "archive/store/record_json.h"
#include "archive/store/retention_table.h"
#include "golden/base/failures.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

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
    app.add_option("--until", until_, "The last day (YYYY-MM-DD; default: until released)");
    app.add_option("--today", today_, "The current date for the list (YYYY-MM-DD)");
    auto* release = app.add_flag("--release", release_, "Release the hold");
    app.add_flag("--list", list_, "List all holds")->excludes(release);
  }

  Result<int> run(Console& console) override {
    if (list_ != artifacts_.empty())
      return usageError("name one or more artifacts, or write --list");
    ASSIGN_OR_RETURN(auto until, parseDateOption(until_, "--until"));
    ASSIGN_OR_RETURN(auto today, parseDateOption(today_, "--today"));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, list_ ? Archive::Mode::kReadOnly
                                                                 : Archive::Mode::kReadWrite));
    if (list_) return listHolds(archive, today.value_or(currentDate()), console);

    // All are found before the first is changed.
    std::vector<ArtifactRecord> found;
    for (const std::string& artifact : artifacts_) {
      ASSIGN_OR_RETURN(auto record, archive.find(artifact));
      found.push_back(std::move(record));
    }
    nlohmann::json lines = nlohmann::json::array();
    for (const ArtifactRecord& record : found) {
      RETURN_IF_ERROR(release_ ? releaseHold(archive, record)
                               : placeHold(archive, record, reason_, until));
      lines.push_back(recordJson(record));
      if (!console.json())
        console.line("{}: {} of {}", release_ ? "released" : "held", record.name, record.producer);
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
      lines.push_back({{"artifact", recordJson(hold.artifact)},
                       {"reason", hold.reason},
                       {"placed", hold.placed},
                       {"until", until.empty() ? nlohmann::json() : nlohmann::json(until)},
                       {"over", !hold.covers(today)}});
      if (!console.json())
        console.line("{} of {}: {} (since {}{}{})", hold.artifact.name, hold.artifact.producer,
                     hold.reason, hold.placed.substr(0, 10),
                     until.empty() ? "" : ", until " + until, hold.covers(today) ? "" : ", over");
    }
    console.answerLine({{"holds", lines}}, "{} hold{}", holds.size(), holds.size() == 1 ? "" : "s");
    return kExitHolds;
  }

  std::vector<std::string> artifacts_;
  std::string archive_, reason_, until_, today_;
  bool release_ = false, list_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeHoldVerb() { return std::make_unique<HoldVerb>(); }

}  // namespace vintage::harness
