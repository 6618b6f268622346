#include <filesystem>
#include <optional>

#include "archive/backup/backup.h"
#include "archive/transfer/place.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/window/merge_archives.h"
#include "reports/window_report.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

class BackupVerb final : public Verb {
 public:
  BackupVerb()
      : Verb("backup", "Add a snapshot of an archive to a backup, while others go on pushing",
             "vintage backup /mnt/backup --archive A\n"
             "  vintage backup s3://backup/vintage --archive A\n"
             "  vintage backup /mnt/backup --list\n"
             "  vintage backup /mnt/backup --check       (reads everything back)") {}
  void addOptions(CLI::App& app) override {
    app.add_option("TO", to_,
                   "A folder, s3://BUCKET/PREFIX or oci://HOST/NAME:TAG; made where there is none")
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
    RETURN_IF_ERROR(checkParent());
    ASSIGN_OR_RETURN(const auto store, openObjectStore(to_, options));
    if (list_) return list(*store, console);
    const BackupProgress progress = std::bind_front(&Console::progress, &console);
    if (check_) return check(*store, progress, console);
    if (archive_.empty()) return usageError("--archive is required, or --list, or --check");
    if (std::filesystem::exists(to_ + "/VINTAGE_ARCHIVE"))
      return usageError(
          "{}: is an archive; name another folder for the backup, best on another disk", to_);
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    ASSIGN_OR_RETURN(const auto report, backUp(archive, *store, progress));
    console.answerLine({{"archive", archive_},
                        {"to", to_},
                        {"snapshot", report.snapshot},
                        {"artifacts", report.artifacts},
                        {"index_bytes", report.indexBytes},
                        {"files", report.files},
                        {"new_objects", report.newObjects},
                        {"new_bytes", report.newBytes},
                        {"missing", messagesJson(report.missing)}},
                       "Snapshot {}: {}, an index of {} and {}; new: {} of {}.",
                       shortSnapshotName(report.snapshot), counted(report.artifacts, "artifact"),
                       counted(report.indexBytes, "byte"), counted(report.files, "file"),
                       counted(report.newObjects, "object"), counted(report.newBytes, "byte"));
    return finish(report.missing,
                  "the archive has not whole what it lists; run 'vintage fsck --read-data'",
                  kExitCannotTell, console);
  }

 private:
  // A path that was mistyped, or a disk that is not mounted, would get a backup that nobody finds.
  Status checkParent() const {
    ASSIGN_OR_RETURN(const PlaceKind kind, placeKind(to_));
    if (kind != PlaceKind::kFolder) return {};
    std::error_code problem;
    std::filesystem::path path = std::filesystem::absolute(to_, problem).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    if (std::filesystem::is_directory(path.parent_path(), problem)) return {};
    return notFound("{}: there is no folder {}; make it, or mount its disk", to_,
                    path.parent_path().string());
  }

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
    console.answerLine({{"backup", to_},
                        {"snapshot", made.snapshot},
                        {"objects", made.objects},
                        {"bytes", made.bytes},
                        {"damaged", messagesJson(made.damaged)}},
                       "Snapshot {}: {} objects were read back, {} bytes.", made.snapshot,
                       made.objects, made.bytes);
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
        const std::string& problem = snapshot.error().message;
        console.row(lines, {{"snapshot", name}, {"error", problem}}, "{}: {}", name, problem);
        continue;
      }
      console.row(lines,
                  {{"snapshot", name},
                   {"made", snapshot->made},
                   {"archive", snapshot->archive},
                   {"artifacts", snapshot->artifacts},
                   {"files", snapshot->fileCount},
                   {"missing", snapshot->missing.size()}},
                  "{}  {}, {}, of archive {}", shortSnapshotName(name),
                  counted(snapshot->artifacts, "artifact"), counted(snapshot->fileCount, "file"),
                  snapshot->archive.empty() ? "(not recorded)" : snapshot->archive);
    }
    if (console.json()) console.printJson({{"snapshots", lines}});
    return names.empty() ? kExitNothingRan : kExitHolds;
  }

  std::string to_, archive_, snapshot_;
  NetworkOptions network_;
  bool list_ = false, check_ = false;
};

class RestoreVerb final : public Verb {
 public:
  RestoreVerb()
      : Verb("restore", "Make an archive again from a backup, and check all of it",
             "vintage restore /mnt/backup A\n"
             "  vintage restore s3://backup/vintage A --snapshot 2026-11-20") {}
  void addOptions(CLI::App& app) override {
    app.add_option("FROM", from_, "A backup: a folder, s3://BUCKET/PREFIX or oci://HOST/NAME:TAG")
        ->required();
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
    options.checkPortableArtifact = checkPortableArtifact;
    nlohmann::json findings = nlohmann::json::array();
    options.report = [&](const FsckFinding& finding) {
      if (!finding.isDamage()) return;
      console.row(findings,
                  {{"kind", findingName(finding.kind)},
                   {"place", finding.place},
                   {"problem", finding.problem},
                   {"affected", finding.affected}},
                  "{}: {}: {}", findingName(finding.kind), finding.place, finding.problem);
    };
    options.progress = std::bind_front(&Console::progress, &console);
    ASSIGN_OR_RETURN(const auto report, restoreArchive(*store, to_, options));
    if (console.json()) {
      console.printJson({{"from", from_},
                         {"archive", to_},
                         {"snapshot", report.snapshot},
                         {"artifacts", report.check.artifacts},
                         {"files", report.files},
                         {"contents_read", report.check.blobsRead},
                         {"bytes_read", report.check.bytesRead},
                         {"whole", report.check.whole()},
                         {"missing", messagesJson(report.missing)},
                         {"findings", findings}});
    } else {
      for (const Error& error : report.missing) console.line("{}", error.message);
      console.line("{} is snapshot {}: {}; read and verified: {} of {}.", to_,
                   shortSnapshotName(report.snapshot), counted(report.check.artifacts, "artifact"),
                   counted(report.check.blobsRead, "content"),
                   counted(report.check.bytesRead, "byte"));
      if (!report.check.whole())
        console.line(
            "It is damaged: heal it with 'vintage fsck --archive {} --read-data --repair "
            "--from PLACE'.",
            to_);
    }
    if (!report.check.whole()) return kExitDoesNotHold;
    return report.missing.empty() ? kExitHolds : kExitCannotTell;
  }

 private:
  std::string from_, to_, snapshot_;
  NetworkOptions network_;
};

class MergeVerb final : public Verb {
 public:
  MergeVerb()
      : Verb("merge",
             "Merge shards: results of 'vintage window --shard', or the archives that "
             "recorded them",
             "vintage merge part1.json part2.json\n"
             "  vintage merge B C --into A && vintage window --archive A --no-run") {}
  void addOptions(CLI::App& app) override {
    app.add_option("SHARD", shards_, "Results as 'vintage window -o' wrote them, or archives")
        ->required();
    app.add_option("--into", into_, "The archive that takes what the archives recorded");
    app.add_option("--out,-o", out_, "Write the merged result as JSON");
  }

  Result<int> run(Console& console) override {
    return into_.empty() ? mergeResults(console) : mergeArchives(console);
  }

 private:
  Result<int> mergeResults(Console& console) {
    std::optional<WindowReport> whole;
    for (const std::string& path : shards_) {
      std::error_code problem;
      if (std::filesystem::is_directory(path, problem))
        return usageError("{}: this is a folder; merge archives with --into", path);
      ASSIGN_OR_RETURN(auto bytes, readFile(path));
      ASSIGN_OR_RETURN(
          auto report,
          parseWindowReport({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path));
      if (!whole)
        whole = std::move(report);
      else if (Status status = whole->add(report); !status)
        return within(path, status.error());
    }
    const nlohmann::json json = reports::toJson(*whole);
    if (!out_.empty()) RETURN_IF_ERROR(writeTextFile(out_, json.dump(2) + "\n"));
    console.answer(json, windowText(*whole));
    return exitStatus(whole->verdict());
  }

  Result<int> mergeArchives(Console& console) {
    ASSIGN_OR_RETURN(auto into, Archive::open(into_, Archive::Mode::kCreate));
    nlohmann::json merged = nlohmann::json::array();
    for (const std::string& folder : shards_) {
      ASSIGN_OR_RETURN(auto from, Archive::open(folder, Archive::Mode::kReadOnly));
      ASSIGN_OR_RETURN(auto counts, mergeArchive(from, into));
      console.row(merged,
                  {{"archive", folder},
                   {"artifacts", counts.artifacts},
                   {"new_artifacts", counts.newArtifacts},
                   {"builds", counts.builds},
                   {"new_builds", counts.newBuilds},
                   {"new_runs", counts.runs},
                   {"outcomes", counts.outcomes}},
                  "{}: {} ({} new), {} ({} new), {}, {}; archive: {}", folder,
                  counted(counts.artifacts, "artifact"), counts.newArtifacts,
                  counted(counts.builds, "build"), counts.newBuilds,
                  counted(counts.runs, "new run"), counted(counts.outcomes, "outcome"), into_);
    }
    if (console.json()) console.printJson(merged);
    return kExitHolds;
  }

  std::vector<std::string> shards_;
  std::string into_, out_;
};

}  // namespace

std::unique_ptr<Verb> makeBackupVerb() { return std::make_unique<BackupVerb>(); }
std::unique_ptr<Verb> makeRestoreVerb() { return std::make_unique<RestoreVerb>(); }
std::unique_ptr<Verb> makeMergeVerb() { return std::make_unique<MergeVerb>(); }

}  // namespace vintage::harness
