#include <fmt/format.h>

#include "archive/store/record_json.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/importer/import.h"

namespace vintage::harness {
using namespace archive;

namespace {

class ImportVerb final : public Verb {
 public:
  ImportVerb()
      : Verb("import", "Import artifacts: JAX's compatibility tests, or single files",
             "vintage import jax-backcompat model.exported --archive A --build-date 2026-03-01") {}
  void addOptions(CLI::App& app) override {
    app.add_option("PATH", paths_,
                   "Folders of JAX's compatibility tests (with a meta.json, at any depth), "
                   "serialized Exported files, portable artifacts")
        ->required();
    app.add_option("--archive", archive_, "The archive; created if missing")->required();
    app.add_option("--build-date", buildDate_, "When the producer of single files was built");
    app.add_option("--producer", producer_, "The build that exported single files");
    app.add_option("--platform", platforms_, "What a single portable artifact was lowered for");
  }

  Result<int> run(Console& console) override {
    ImportOptions options;
    ASSIGN_OR_RETURN(options.buildDate, parseDateOption(buildDate_, "--build-date"));
    if (!producer_.empty()) options.producer = producer_;
    if (!platforms_.empty()) options.platforms = platforms_;
    // The paths are looked at before an archive is made for nothing.
    RETURN_IF_ERROR(findImportEntries(paths_));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kCreate));
    ASSIGN_OR_RETURN(auto report, importPaths(paths_, options, archive));
    print(report, console);
    for (const Error& error : report.refused) console.error(error);
    return report.refused.empty() ? kExitHolds : kExitCannotTell;
  }

 private:
  void print(const ImportReport& report, Console& console) const {
    size_t added = 0, goldens = 0, wrappers = 0;
    nlohmann::json lines = nlohmann::json::array();
    for (const ImportReport::Line& line : report.taken) {
      added += line.isNew;
      goldens += line.hasGolden;
      wrappers += line.record.format == ArtifactRecord::Format::kSavedModel;
      nlohmann::json entry = recordJson(line.record);
      entry["path"] = line.path;
      entry["new"] = line.isNew;
      if (!line.oracleSays.empty()) entry["oracle_differs"] = line.oracleSays;
      lines.push_back(std::move(entry));
    }
    if (console.json()) {
      console.printJson({{"taken", lines},
                         {"new", added},
                         {"with_golden", goldens},
                         {"unsupported", wrappers},
                         {"refused", messagesJson(report.refused)}});
      return;
    }
    for (const ImportReport::Line& line : report.taken)
      if (line.record.format == ArtifactRecord::Format::kSavedModel)
        console.line(
            "{}: kept; it wraps a TensorFlow SavedModel rather than a StableHLO module, and only "
            "builds of TensorFlow execute it",
            line.record.name);
    for (const ImportReport::Line& line : report.taken)
      if (!line.oracleSays.empty()) console.line("{}: {}", line.record.name, line.oracleSays);
    console.line(
        "{} artifact{} taken ({} new, {} already there), {} with a golden, {} recognised and "
        "unsupported, {} refused; archive: {}",
        report.taken.size(), report.taken.size() == 1 ? "" : "s", added,
        report.taken.size() - added, goldens, wrappers, report.refused.size(), archive_);
  }

  std::vector<std::string> paths_, platforms_;
  std::string archive_, buildDate_, producer_;
};

}  // namespace

std::unique_ptr<Verb> makeImportVerb() { return std::make_unique<ImportVerb>(); }

}  // namespace vintage::harness
