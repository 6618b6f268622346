#include <fmt/format.h>

#include "archive/retention/retention.h"
#include "archive/store/change_log.h"
#include "harness/command/verb.h"

namespace vintage::harness {
using namespace archive;

namespace {

class AuditVerb final : public Verb {
 public:
  AuditVerb()
      : Verb("audit", "List what was replaced or removed in an archive, by whom, and when",
             "vintage audit --archive A --newest 50") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--newest", newest_, "At most so many changes, and as many removals")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000'000));
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto changes, recordedChanges(archive, newest_));
    ASSIGN_OR_RETURN(const auto removals, recordedRemovals(archive, newest_));
    if (console.json()) {
      printJson(changes, removals, console);
      return kExitHolds;
    }
    for (const RecordedChange& change : changes)
      console.line("{}  {}: {}: {}: {} -> {}", change.at, change.who, change.what, change.subject,
                   change.before, change.after);
    for (const RecordedRemoval& removal : removals)
      console.line("{}  retention: artifact removed: {} of {}: {}", removal.removed, removal.name,
                   removal.producer, removal.reason);
    console.line(
        "{} changes, {} removals. 'vintage sign' signs both, 'vintage fsck --public-key' "
        "checks them.",
        changes.size(), removals.size());
    return kExitHolds;
  }

 private:
  void printJson(const std::vector<RecordedChange>& changes,
                 const std::vector<RecordedRemoval>& removals, Console& console) const {
    nlohmann::json lines = nlohmann::json::array(), gone = nlohmann::json::array();
    const auto parsed = [](const std::string& text) {
      return nlohmann::json::parse(text, nullptr, false);
    };
    for (const RecordedChange& change : changes)
      lines.push_back({{"at", change.at},
                       {"who", change.who},
                       {"what", change.what},
                       {"subject", change.subject},
                       {"before", parsed(change.before)},
                       {"after", parsed(change.after)}});
    for (const RecordedRemoval& removal : removals)
      gone.push_back({{"at", removal.removed},
                      {"name", removal.name},
                      {"producer", removal.producer},
                      {"artifact", removal.artifact},
                      {"build_date", formatDate(removal.buildDate)},
                      {"reason", removal.reason}});
    console.printJson({{"archive", archive_}, {"changes", lines}, {"removals", gone}});
  }

  std::string archive_;
  size_t newest_ = 100;
};

}  // namespace

std::unique_ptr<Verb> makeAuditVerb() { return std::make_unique<AuditVerb>(); }

}  // namespace vintage::harness
