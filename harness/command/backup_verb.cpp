#include <fmt/format.h>

#include "archive/backup/backup.h"
#include "archive/backup/snapshot.h"
#include "golden/base/failures.h"
#include "harness/command/network_options.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
namespace {

nlohmann::json errorsJson(const std::vector<Error>& errors) {
  nlohmann::json list = nlohmann::json::array();
  for (const Error& error : errors) list.push_back(error.message);
  return list;
}

class BackupVerb final : public Verb {
 public:
  BackupVerb()
      : Verb("backup", "Add a snapshot of an archive to a backup, while others go on pushing",
             "vintage backup /mnt/backup --archive A\n"
             "  vintage backup s3://backup/vintage --archive A\n"
             "  vintage backup /mnt/backup --list\n"
             "  vintage backup /mnt/backup --check       (reads everything back)") {}
  void addOptions(CLI::App& app) override {
    app.add_option("TO", to_, "A folder or s3://BUCKET/PREFIX; made where there is none")
        ->required();
    auto* archive = app.add_option("--archive", archive_, "The archive");
    auto* list = app.add_flag("--list", list_, "List the snapshots")->excludes(archive);
    app.add_flag("--check", check_, "Read every object of a snapshot back, and compare its hash")
        ->excludes(archive)
        ->excludes(list);
    app.add_option("--snapshot", snapshot_, "The snapshot to check (default: the newest)");
    network_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(const auto options, network_.placeOptions());
    ASSIGN_OR_RETURN(const auto store, openObjectStore(to_, options));
    if (list_) return list(*store, console);
    const BackupProgress progress = [&](std::string_view what, size_t done, size_t total) {
      console.progress(what, done, total);
    };
    if (check_) return check(*store, progress, console);
    if (archive_.empty())
      return failure(Error::Kind::kUsage, "--archive is required, or --list, or --check");
    if (std::filesystem::exists(to_ + "/VINTAGE_ARCHIVE"))
      return usageError(
          "{}: is an archive; name another folder for the backup, best on another "
          "disk",
          to_);
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    ASSIGN_OR_RETURN(const auto report, backUp(archive, *store, progress));
    if (console.json())
      console.printJson({{"archive", archive_},
                         {"to", to_},
                         {"snapshot", report.snapshot},
                         {"artifacts", report.artifacts},
                         {"index_bytes", report.indexBytes},
                         {"files", report.files},
                         {"new_objects", report.newObjects},
                         {"new_bytes", report.newBytes},
                         {"missing", errorsJson(report.missing)}});
    else
      console.line(
          "Snapshot {}: {} artifacts, an index of {} bytes and {} files; {} objects were new, {} "
          "bytes.",
          shortSnapshotName(report.snapshot), report.artifacts, report.indexBytes, report.files,
          report.newObjects, report.newBytes);
    return finish(report.missing,
                  "the archive has not whole what it lists; run 'vintage fsck --read-data'",
                  kExitCannotTell, console);
  }

 private:
  static int finish(const std::vector<Error>& problems, const char* advice, int status,
                    Console& console) {
    if (problems.empty()) return kExitHolds;
    if (!console.json()) {
      for (const Error& problem : problems) console.line("{}", problem.message);
      console.line("{} damaged or missing: {}", problems.size(), advice);
    }
    return status;
  }

  Result<int> check(ObjectStore& store, const BackupProgress& progress, Console& console) const {
    ASSIGN_OR_RETURN(const auto made, checkBackup(store, snapshot_, progress));
    if (console.json())
      console.printJson({{"backup", to_},
                         {"snapshot", made.snapshot},
                         {"objects", made.objects},
                         {"bytes", made.bytes},
                         {"damaged", errorsJson(made.damaged)}});
    else
      console.line("Snapshot {}: {} objects were read back, {} bytes.", made.snapshot, made.objects,
                   made.bytes);
    return finish(made.damaged,
                  "remove these objects and back the archive up again, which brings them anew",
                  kExitDoesNotHold, console);
  }

  static Result<int> list(ObjectStore& store, Console& console) {
    ASSIGN_OR_RETURN(const auto names, listSnapshots(store));
    nlohmann::json lines = nlohmann::json::array();
    for (const std::string& name : names) {
      const auto snapshot = readSnapshot(store, name);
      if (!snapshot) {
        lines.push_back({{"snapshot", name}, {"error", snapshot.error().message}});
        if (!console.json()) console.line("{}: {}", name, snapshot.error().message);
        continue;
      }
      lines.push_back({{"snapshot", name},
                       {"made", snapshot->made},
                       {"artifacts", snapshot->artifacts},
                       {"files", snapshot->fileCount},
                       {"missing", snapshot->missing.size()}});
      if (!console.json())
        console.line("{}  {} artifacts, {} files", shortSnapshotName(name), snapshot->artifacts,
                     snapshot->fileCount);
    }
    if (console.json()) console.printJson({{"snapshots", lines}});
    return names.empty() ? kExitNothingRan : kExitHolds;
  }

  std::string to_, archive_, snapshot_;
  NetworkOptions network_;
  bool list_ = false, check_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeBackupVerb() { return std::make_unique<BackupVerb>(); }

}  // namespace vintage::harness::command
