#include <fmt/format.h>

#include "archive/backup/backup.h"
#include "archive/backup/snapshot.h"
#include "golden/base/failures.h"
#include "golden/program/portable_artifact.h"
#include "harness/command/network_options.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
namespace {

class RestoreVerb final : public Verb {
 public:
  RestoreVerb()
      : Verb("restore", "Make an archive again from a backup, and check all of it",
             "vintage restore /mnt/backup A\n"
             "  vintage restore s3://backup/vintage A --snapshot 2026-11-20") {}
  void addOptions(CLI::App& app) override {
    app.add_option("FROM", from_, "A backup: a folder or s3://BUCKET/PREFIX")->required();
    app.add_option("TO", to_, "The archive's folder: missing or empty")->required();
    app.add_option("--snapshot", snapshot_,
                   "The beginning of a snapshot's number or time (default: the newest)");
    network_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(const auto network, network_.placeOptions());
    ASSIGN_OR_RETURN(const auto store, openObjectStore(from_, network));
    RestoreOptions options;
    options.snapshot = snapshot_;
    options.checkPortableArtifact = [](std::span<const std::byte> bytes,
                                       std::string_view name) -> Status {
      ASSIGN_OR_RETURN(const auto header, readArtifactHeader(bytes, name));
      if (std::string problem = checkArtifactSections(bytes); !problem.empty())
        return badInput("{}: {}", name, problem);
      return {};
    };
    nlohmann::json findings = nlohmann::json::array();
    options.report = [&](const FsckFinding& finding) {
      if (!finding.isDamage()) return;
      findings.push_back({{"kind", findingName(finding.kind)},
                          {"place", finding.place},
                          {"problem", finding.problem},
                          {"affected", finding.affected}});
      if (!console.json())
        console.line("{}: {}: {}", findingName(finding.kind), finding.place, finding.problem);
    };
    options.progress = [&](std::string_view what, size_t done, size_t total) {
      console.progress(what, done, total);
    };
    ASSIGN_OR_RETURN(const auto report, restoreArchive(*store, to_, options));
    if (console.json()) {
      nlohmann::json missing = nlohmann::json::array();
      for (const Error& error : report.missing) missing.push_back(error.message);
      console.printJson({{"from", from_},
                         {"archive", to_},
                         {"snapshot", report.snapshot},
                         {"artifacts", report.check.artifacts},
                         {"files", report.files},
                         {"contents_read", report.check.blobsRead},
                         {"bytes_read", report.check.bytesRead},
                         {"whole", report.check.whole()},
                         {"missing", missing},
                         {"findings", findings}});
    } else {
      for (const Error& error : report.missing) console.line("{}", error.message);
      console.line("{} is snapshot {}: {} artifacts; {} contents were read and verified, {} bytes.",
                   to_, shortSnapshotName(report.snapshot), report.check.artifacts,
                   report.check.blobsRead, report.check.bytesRead);
      if (!report.check.whole())
        console.line(
            "It is damaged: heal it with 'vintage fsck --archive {} --read-data --repair "
            "--from PLACE'.",
            to_);
    }
    return report.check.whole() ? kExitHolds : kExitDoesNotHold;
  }

 private:
  std::string from_, to_, snapshot_;
  NetworkOptions network_;
};

}  // namespace

std::unique_ptr<Verb> makeRestoreVerb() { return std::make_unique<RestoreVerb>(); }

}  // namespace vintage::harness::command
